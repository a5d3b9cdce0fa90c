"""Reconciliation through real stores: what it finds, what it leaves alone, and that it finds it once."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from factories import NOW, extracted
from nous.kernel.learn.reconcile import Reconciliation, reconcile
from nous.kernel.log import undo
from nous.kernel.log.events import Event, Payload
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores

CLASSES = "Components are written as classes."
FUNCTIONS = "Components are written as functions."


def clock() -> str:
    return NOW


def said(learning: str, content: str, session: str, **fields: object) -> Event:
    made: dict[str, object] = {"session_id": session, "clock": {session: 1}, "concepts": ()}
    return extracted(learning, content, **(made | fields))  # type: ignore[arg-type]


def learn(stores: Stores, *events: Event, source: str = "fs_watch") -> None:
    stores.events.append([replace(event, source=source) for event in events], NOW)
    catch_up(stores, NOW)


def run(stores: Stores) -> Reconciliation:
    found = reconcile(stores, clock)
    catch_up(stores, NOW)
    return found


def memory(stores: Stores, learning: str) -> Memory:
    return stores.memories.by_learning([learning])[learning]


def test_two_sessions_that_could_not_know_of_each_other_contradict_each_other(stores: Stores) -> None:
    learn(stores, said("a", CLASSES, "s1"), said("b", FUNCTIONS, "s2"))
    assert run(stores).contradicted == 1
    for mine, other in (("a", "b"), ("b", "a")):
        found = memory(stores, mine)
        assert (found.status, found.contradicted_with) == ("active", (other,))
        assert found.strength == pytest.approx(0.5 * 0.7)
    edges = [edge for edge in stores.graph.of("a") if edge["rel_type"] == "contradicts"]
    assert {edge["status"] for edge in edges} == {"active"}


def test_a_session_that_knew_what_was_said_before_has_changed_it_and_contradicts_nobody(stores: Stores) -> None:
    learn(stores, said("a", CLASSES, "s1"), said("b", FUNCTIONS, "s2", clock={"s1": 1, "s2": 1}))
    found = run(stores)
    assert (found.pairs, found.contradicted) == (0, 0)


@pytest.mark.parametrize(
    "fields",
    [
        {"project_id": "q"},
        {"scope": "global"},
        {"branch": "other"},
        {"slot": "other|thing"},
        {"tainted": True},
        {"type": "work_state"},
    ],
)
def test_what_holds_elsewhere_is_not_compared(stores: Stores, fields: dict[str, object]) -> None:
    own = {"branch": "main", "slot": "components|style"}
    learn(stores, said("a", CLASSES, "s1", **own), said("b", FUNCTIONS, "s2", **(own | fields)))
    assert run(stores).pairs == 0


def test_two_commands_that_passed_both_pass(stores: Stores) -> None:
    pip, npm = (
        f"Install dependencies with `{command}`" for command in ("pip install -r requirements.txt", "npm install")
    )
    learn(stores, said("a", pip, "s1", type="procedure"), said("b", npm, "s2", type="procedure"))
    assert run(stores).pairs == 0


def test_a_rule_holds_on_every_branch(stores: Stores) -> None:
    rule = {"type": "requirement"}
    learn(stores, said("a", CLASSES, "s1", branch="x", **rule), said("b", FUNCTIONS, "s2", branch="y", **rule))
    assert run(stores).contradicted == 1


def test_a_second_run_finds_nothing_to_do(stores: Stores) -> None:
    learn(stores, said("a", CLASSES, "s1"), said("b", FUNCTIONS, "s2"))
    run(stores)
    last = stores.events.last_id()
    run(stores)
    assert run(stores) == Reconciliation()
    assert reconcile(stores, clock, anew=True).contradicted == 0
    assert stores.events.last_id() == last


def test_in_one_slot_the_later_value_holds(stores: Stores) -> None:
    slot = {"slot": "dev server|port"}
    old, new = "The dev server runs on port 3000.", "The dev server runs on port 8080."
    learn(stores, said("a", new, "s1", valid_from="2026-05-02T00:00:00.000Z", **slot))
    learn(stores, said("b", old, "s2", valid_from="2026-05-01T00:00:00.000Z", **slot))
    assert run(stores).superseded == 1
    assert memory(stores, "a").status == "active"
    assert (memory(stores, "b").status, memory(stores, "b").superseded_by) == ("superseded", "a")
    assert memory(stores, "b").valid_until == "2026-05-02T00:00:00.000Z"


def test_a_persons_word_beats_what_was_learned_later(stores: Stores) -> None:
    learn(stores, said("a", CLASSES, "s1", valid_from="2026-05-01T00:00:00.000Z"), source="user_review")
    learn(stores, said("b", FUNCTIONS, "s2", valid_from="2026-06-01T00:00:00.000Z"))
    assert run(stores).superseded == 1
    assert memory(stores, "a").status == "active"
    assert memory(stores, "b").superseded_by == "a"


def test_who_confirms_one_side_of_a_contradiction_decides_it(stores: Stores) -> None:
    learn(stores, said("a", CLASSES, "s1"), said("b", FUNCTIONS, "s2"))
    assert run(stores).contradicted == 1
    yes = replace(said("a", CLASSES, "me"), event_type="LearningConfirmed", payload=Payload(), idempotency_key="yes")
    learn(stores, yes, source="user_review")
    assert run(stores).superseded == 1
    assert (memory(stores, "a").status, memory(stores, "b").superseded_by) == ("active", "a")
    undo.undo(stores.events, undo.latest(stores.events, 1, None), "me", "not so sure", NOW)
    assert run(stores).superseded == 0
    assert memory(stores, "b").status == "active"
    assert memory(stores, "b").contradicted_with == ("a",)


def test_work_is_taken_up_where_it_stopped(stores: Stores) -> None:
    for number in range(30):
        learn(stores, said(f"l{number}", f"The module m{number} uses port {4000 + number}.", f"s{number}"))
    first = reconcile(stores, clock, seconds=0.0, batch=10)
    assert (first.memories, first.is_done) == (10, False)
    rest = reconcile(stores, clock, batch=10)
    assert (rest.memories, rest.is_done) == (20, True)
