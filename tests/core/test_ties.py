"""How learnings hang together: in one session by its course, with what is known by what both name."""

from __future__ import annotations

from typing import Any

import pytest

from core.test_extractor import Tape
from factories import memory
from nous.core.events import learning_index
from nous.core.extraction import PROVEN, EdgeProposal, Learning, Rejection, Triple, check
from nous.core.extractor import extract
from nous.core.extractor.ties import LOOKS_BACK, MOST, tied
from nous.core.memory import Memory
from nous.core.relations import MOST_KIN, kin
from nous.core.session import Story


def learning(content: str, type_: str = "fact", evidence: str = "u1", **fields: Any) -> Learning:
    return Learning(content=content, type=type_, evidence=(evidence,), **fields)


def course(*types: str, words: str = "the session cache of billing") -> list[Learning]:
    """Learnings of one exchange that speak of the same thing, with their edges."""
    tape = Tape()
    for _ in types:
        tape.user("go on")
    found = [(at, learning(f"{words} {at}", one, f"u{at + 1}")) for at, one in enumerate(types)]
    return [one for _, one in tied(Story(tape.turns), list(found)) if isinstance(one, Learning)]


def relations(found: Learning) -> list[str]:
    return [edge.relation for edge in found.edges]


@pytest.mark.parametrize(
    ("earlier", "later", "relation"),
    [
        ("dead_end", "decision", "derived_from"),
        ("module_insight", "requirement", "derived_from"),
        ("error_pattern", "preference", "derived_from"),
        ("decision", "dead_end", "contradicts"),
        ("fact", "decision", None),
        ("decision", "error_pattern", None),
        ("decision", "work_state", None),
    ],
)
def test_what_follows_in_a_session_points_to_what_it_follows_from(
    earlier: str, later: str, relation: str | None
) -> None:
    first, second = course(earlier, later)
    assert first.edges == ()
    assert relations(second) == ([relation] if relation else [])
    if relation:
        assert second.edges[0].target == f"sibling:{learning_index('u1', 0)}"
        assert second.edges[0].confidence >= PROVEN and check(second) is second


def test_learnings_that_share_no_subject_are_not_tied() -> None:
    tape = Tape().user("a").user("b")
    found = [
        (0, learning("Redis cannot hold the sessions.", "dead_end", "u1")),
        (1, learning("We deploy on Fridays.", "decision", "u2")),
    ]
    assert [one.edges for _, one in tied(Story(tape.turns), list(found)) if isinstance(one, Learning)] == [(), ()]


def test_an_error_that_shows_what_was_just_ruled_points_to_the_rule() -> None:
    tape = Tape().user("Always run the migrations with `alembic upgrade head`, and pin alembic below 1.13.")
    tape.says("Noted.")
    tape.bash("alembic upgrade head", "ModuleNotFoundError: No module named 'sqlalchemy'", 1)
    tape.bash("pip install sqlalchemy", "Successfully installed")
    tape.bash("alembic upgrade head", "INFO  done")
    pattern = next(one for one in tape.learned() if one.type == "error_pattern")
    assert relations(pattern) == ["exemplifies"]


def test_a_learning_draws_few_edges_and_looks_back_a_short_way() -> None:
    found = course(*["dead_end"] * 5, "decision")
    assert len(found[-1].edges) <= MOST
    far = course("dead_end", *["fact"] * (LOOKS_BACK + 1), "decision")
    assert far[-1].edges == ()


def test_what_outside_text_may_have_said_is_tied_to_nothing() -> None:
    tape = Tape().user("a").user("b")
    found = [
        (0, learning("the session cache of billing", "dead_end", "u1", tainted=True)),
        (1, learning("the session cache of billing is Redis", "decision", "u2")),
    ]
    assert [one.edges for _, one in tied(Story(tape.turns), list(found)) if isinstance(one, Learning)] == [(), ()]


def test_a_rejection_stays_where_it_is_and_takes_no_index() -> None:
    tape = Tape().user("a").user("b").user("c")
    said: list[tuple[int, Learning | Rejection]] = [
        (0, Rejection("no", "x")),
        (0, learning("the session cache of billing fails", "dead_end", "u1")),
        (1, learning("the session cache of billing is Redis", "decision", "u2")),
    ]
    found = tied(Story(tape.turns), said)
    assert found[0] == said[0]
    last = found[2][1]
    assert isinstance(last, Learning) and last.edges[0].target == f"sibling:{learning_index('u1', 0)}"


def test_a_session_read_in_two_pieces_names_its_learnings_alike() -> None:
    tape = Tape().user("Never write docstrings in spec files.").says("Understood.")
    split = len(tape.turns)
    tape.user("We tried pytest-describe for the spec files, it was a dead end: fixtures broke.").says("Dropped it.")
    tape.user("Decision: the spec files use plain pytest instead of pytest-describe.").says("Agreed.")
    whole = extract(tape.turns)
    assert extract(tape.turns[:split]) + extract(tape.turns, new_from=split) == whole
    assert len(whole) > 1


# -- with what is known -----------------------------------------------------------------------------------------------


def known(number: int, content: str, **fields: Any) -> Memory:
    return memory(number, content=content, **fields)


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        ({"files": ("app/auth.py",), "symbols": ("check_token",)}, {}, [("relates_to", 0.8)]),
        ({"files": ("app/auth.py",)}, {}, [("relates_to", 0.6)]),
        ({"symbols": ("check_token",)}, {}, [("relates_to", 0.6)]),
        ({"symbols": ("GitHub",)}, {"symbols": ("GitHub",)}, []),
        ({"files": ("README.md",)}, {"files": ("README.md",)}, []),
        ({"files": (".venv/bin/activate",)}, {"files": (".venv/bin/activate",)}, []),
        ({"symbols": ("auth_v2",)}, {"symbols": ("auth_v2",), "files": ("app/auth_v2/x.py",)}, []),
        ({"relations": (Triple("api", "runs_on", "eks"),)}, {}, [("entity", 0.6)]),
        ({"relations": (Triple("api", "runs_on", "fly"),)}, {}, []),
        ({"type_": "work_state", "files": ("app/auth.py",)}, {}, []),
        ({"files": ("app/auth.py",)}, {"type": "work_state"}, []),
        ({"files": ("app/auth.py",)}, {"tainted": True}, []),
        ({"tainted": True, "files": ("app/auth.py",)}, {}, []),
    ],
)
def test_what_names_the_same_piece_of_code_is_kin(
    mine: dict[str, Any], theirs: dict[str, Any], expected: list[tuple[str, float]]
) -> None:
    fields = {
        "files": ("app/auth.py",),
        "symbols": ("check_token",),
        "relations": (Triple("eks", "managed_by", "Ops"),),
    } | theirs
    found = kin(learning("Something.", **mine), [known(7, "Other.", **fields)])
    assert [(edge.relation, edge.weight) for edge in found] == expected
    assert all(edge.target == "l7" and edge.confidence >= PROVEN for edge in found)


def test_a_command_and_what_is_known_of_it_are_required_together() -> None:
    failing = learning("`make check` failed with “no ruff”; `pip install ruff`.", "error_pattern")
    run = known(3, "Run the tests with `source .venv/bin/activate && make check`", type="procedure")
    add = known(4, "Stage with `git add`, then `git commit`.", type="procedure")
    [edge] = kin(failing, [run, add])
    assert edge == EdgeProposal("l3", "required_with", 0.7, edge.confidence)


def test_a_name_that_many_share_ties_nothing_and_few_edges_are_drawn() -> None:
    mine = learning("x", files=("app/auth.py",))
    few = [known(n, "y", files=("app/auth.py",)) for n in range(1, 4)]
    assert [edge.target for edge in kin(mine, few)] == ["l3", "l2", "l1"], "the newest first"
    assert kin(mine, [*few, known(9, "z", files=("app/auth.py",))]) == ()
    ones = [known(n, "y `tool run a`", type="procedure") for n in range(1, 9)]
    assert len(kin(learning("see `tool run a`"), ones)) == MOST_KIN
