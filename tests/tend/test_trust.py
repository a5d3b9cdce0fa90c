"""Trust levels: what they let through, that the usual one changes nothing, and that more or less is only offered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from factories import NOW, extracted, memory
from nous.app import Nous
from nous.config import load_settings
from nous.core.events import Event, SessionObserved, Writer, make_event
from nous.core.moments import later
from nous.core.trust import LEVELS, Flag, Level, TrustRecord, missing, offer
from nous.core.types import TYPES
from nous.core.worth import RULES, entries, is_injectable, need, signs
from nous.identity import context_key
from nous.recall.packets import warm
from nous.remember.projection import catch_up, compare_with_replay
from nous.remember.reinforce import trust_by_use
from nous.shells.cli.review import review
from nous.shells.cli.trust import trust
from nous.stores import open_stores

PLACE = "/shop"
SURENESS = {1: 0.40, 2: 0.46, 3: 0.54, 4: 0.58, 5: 0.63, 6: 0.80}
WORDS = (
    "Redis keeps carts",
    "Mails leave at noon",
    "Invoices are numbered",
    "Tests need Docker",
    "Zips are split",
    "pnpm",
)


@pytest.fixture
def nous(tmp_path: Path) -> Iterator[Nous]:
    """A memory in which every look at the clock is a minute later."""
    settings = load_settings({"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)})
    moments = (later(NOW, 60 * number) for number in range(10_000))
    with Nous(open_stores(str(tmp_path / "cortex.db")), settings, lambda: next(moments)) as opened:
        yield opened


def learn(nous: Nous, *events: Event) -> None:
    nous.stores.events.append(events, nous.clock())
    catch_up(nous.stores, NOW)


def some(nous: Nous) -> list[int]:
    """Memories of a session, from doubtful to sure; their numbers."""
    said = (
        extracted(f"l{number}", WORDS[number - 1], type="gotcha", confidence=sure, project_id=PLACE)
        for number, sure in SURENESS.items()
    )
    learn(nous, *(replace(event, source="fs_watch") for event in said))
    nous.stores.cache.see_project(PLACE, PLACE, None, NOW)
    nous.work.warm({PLACE})
    return [one.id for one in nous.list(project=PLACE)][::-1]


def packet(nous: Nous) -> str | None:
    return nous.stores.cache.get(context_key(PLACE, ""))


def shown(nous: Nous) -> set[int]:
    return {fields[0] for fields in json.loads(packet(nous) or "[]")}


def session(number: int) -> Event:
    said = SessionObserved(kind="feature", started_at=NOW, ended_at=later(NOW, 86400.0 * number), prompts=3, calls=9)
    by = Writer(f"s{number}", "fs_watch")
    return make_event("SessionObserved", f"observed{number}", said, f"observed{number}", project_id=PLACE, by=by)


# -- what levels let through ----------------------------------------------------------------------------------------


def test_the_usual_level_leaves_every_packet_byte_for_byte_as_it_is(nous: Nous) -> None:
    some(nous)
    before = nous.stores.cache.of_project(PLACE)
    assert shown(nous)
    nous.set_trust(2, project=PLACE)
    warm(nous.stores, PLACE, NOW)
    first = {row["context_key"]: nous.stores.cache.get(row["context_key"]) for row in before}
    nous.undo(project=PLACE)
    warm(nous.stores, PLACE, NOW)
    assert first == {row["context_key"]: nous.stores.cache.get(row["context_key"]) for row in before}
    pool = nous.stores.memories.visible(PLACE)
    assert entries(pool, NOW, "", 50) == entries(pool, NOW, "", 50, trust=LEVELS[2])


@pytest.mark.parametrize("type_", ["fact", "preference", "gotcha", "decision"])
@pytest.mark.parametrize("scope", ["project", "global"])
@pytest.mark.parametrize("sure", [0.3, 0.52, 0.53, 0.55, 0.9])
def test_the_usual_level_is_the_rule_that_held_before_there_were_levels(type_: str, scope: str, sure: float) -> None:
    one = memory(type=type_, scope=scope, confidence=sure, source="fs_watch")
    wide = scope == "global" or TYPES[type_].heading == RULES
    assert bool(entries([one], NOW, "", 5)) is (len(signs(one)) >= (2 if wide else 1))
    assert is_injectable(one, NOW, "")


def test_a_lower_level_shows_less_and_a_higher_one_more(nous: Nous) -> None:
    numbers = some(nous)
    found: dict[int, set[int]] = {}
    for level in LEVELS:
        nous.set_trust(level, project=PLACE)
        nous.refresh()
        found[level] = {numbers.index(one) + 1 for one in shown(nous)}
    assert found == {1: {5, 6}, 2: {3, 4, 5, 6}, 3: {3, 4, 5, 6}, 4: {2, 3, 4, 5, 6}}


def test_a_rule_with_one_sign_waits_until_level_three() -> None:
    rule = memory(type="preference", confidence=0.54, source="fs_watch")
    assert [level for level, trust in LEVELS.items() if entries([rule], NOW, "", 5, trust=trust)] == [3, 4]


@pytest.mark.parametrize("wrong", [{"tainted": True}, {"disputed": True}, {"status": "superseded"}])
def test_no_level_shows_what_is_more_than_doubtful(wrong: dict[str, Any]) -> None:
    one = memory(confidence=0.9, **wrong)
    assert not any(entries([one], NOW, "", 5, trust=trust) for trust in LEVELS.values())


def test_what_a_person_stands_for_is_shown_at_every_level_and_why_not_is_said() -> None:
    said, meant = memory(confidence=0.5, source="fs_watch"), memory(confidence=0.5, confirmed=True)
    assert not is_injectable(said, NOW, "", LEVELS[1]) and is_injectable(said, NOW, "")
    assert is_injectable(meant, NOW, "", LEVELS[1])
    assert need(said, NOW, trust=LEVELS[1]).refused == "it is less than 0.62 sure, and its project is cautious"


# -- choosing -------------------------------------------------------------------------------------------------------


def test_a_choice_is_an_event_that_can_be_undone_and_replayed(nous: Nous) -> None:
    some(nous)
    usual = shown(nous)
    number = nous.set_trust(1, project=PLACE)
    nous.set_trust(1, project="/elsewhere")
    nous.refresh()
    assert nous.trust(project=PLACE).name == "cautious" and shown(nous) < usual
    assert compare_with_replay(nous.stores, NOW).differences == []
    undone = nous.undo([number], project=PLACE)
    nous.refresh()
    assert nous.trust(project=PLACE).level == 2 and shown(nous) == usual
    assert nous.stores.trust.levels() == {"/elsewhere": 1}
    nous.undo(undone.undone_by, project=PLACE)
    assert nous.trust(project=PLACE).level == 1
    assert compare_with_replay(nous.stores, NOW).differences == []


# -- progress and offers --------------------------------------------------------------------------------------------


def test_the_next_level_is_offered_after_ten_sessions_and_never_taken(nous: Nous) -> None:
    some(nous)
    learn(nous, *map(session, range(1, 10)))
    assert nous.trust(project=PLACE).missing == ("1 more session",) and nous.trust(project=PLACE).offer is None
    learn(nous, session(10))
    found = nous.trust(project=PLACE)
    assert found.offer and found.offer.level == 3 and found.level == 2
    nous.set_trust(3, project=PLACE)
    assert nous.trust(project=PLACE).offer is None  # the fourth is the user's own choice


def test_three_memories_called_wrong_in_one_session_offer_a_lower_level(nous: Nous) -> None:
    numbers = some(nous)
    nous.dispute(numbers[0])
    nous.forget(numbers[1])
    assert nous.trust(project=PLACE).offer is None
    nous.correct(numbers[2], "Invoices are numbered by year")
    found = nous.trust(project=PLACE)
    assert found.offer and (found.offer.level, found.level, found.flagged) == (1, 2, 3)
    nous.undo(project=PLACE)
    assert nous.trust(project=PLACE).offer is None
    nous.forget(numbers[3])
    assert nous.trust(project=PLACE).offer is not None
    nous.set_trust(2, project=PLACE)  # "no, thank you"
    assert nous.trust(project=PLACE).offer is None


NOBODY = TrustRecord(sessions=5, memories=100, confirmed=0)


@pytest.mark.parametrize(
    ("level", "seen", "wanted"),
    [
        (1, TrustRecord(2, 10, 1), 1),
        (1, TrustRecord(3, 10, 1), 0),
        (1, NOBODY, 1),
        (1, TrustRecord(3, 10, 1, [Flag("a", "s", NOW), Flag("b", "s", NOW)]), 1),
        (2, TrustRecord(10, 20, 0, [Flag("a", "s", NOW)]), 1),
        (2, TrustRecord(10, 21, 0, [Flag("a", "s", NOW)]), 0),
        (3, TrustRecord(99, 99, 99), 0),
    ],
)
def test_what_is_missing_is_counted(level: Level, seen: TrustRecord, wanted: int) -> None:
    assert len(missing(level, seen)) == wanted


@pytest.mark.parametrize(
    ("hours", "sessions", "is_offered"),
    [((0, 1, 2), "abc", True), ((0, 3, 6), "abc", False), ((0, 30, 60), "aaa", True), ((0, 1), "aa", False)],
)
def test_a_session_is_a_session_or_a_sitting(hours: tuple[int, ...], sessions: str, is_offered: bool) -> None:
    flags = [Flag(str(hour), name, later(NOW, 3600.0 * hour)) for hour, name in zip(hours, sessions, strict=True)]
    seen = TrustRecord(1, 100, 0, flags)
    assert (offer(2, seen, later(NOW, 86400.0 * 3)) is not None) is is_offered
    assert offer(2, seen, later(NOW, 86400.0 * 30)) is None and offer(1, seen, NOW) is None


# -- the commands ---------------------------------------------------------------------------------------------------


def test_the_command_shows_sets_and_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOUS_DATA_DIR", str(tmp_path))
    run = CliRunner().invoke
    assert "trust level 2, standard" in run(trust, ["--project", PLACE]).output
    assert "cautious from now on; `nous undo 1`" in run(trust, ["1", "--project", PLACE]).output
    found = json.loads(run(trust, ["--project", PLACE, "--json"]).output)
    assert (found["level"], found["name"], found["offer"], found["event_id"]) == (1, "cautious", None, None)
    assert run(trust, ["5"]).exit_code == 2 and run(trust, ["--all-projects"]).exit_code == 2


def test_a_review_tells_of_a_lower_level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOUS_DATA_DIR", str(tmp_path))
    with Nous.open() as opened:
        for word in WORDS[:3]:
            opened.forget(opened.remember(word, project=PLACE))
    assert "`nous trust 1` makes this project cautious" in CliRunner().invoke(review, ["--project", PLACE]).output
    assert json.loads(CliRunner().invoke(review, ["--project", PLACE, "--json"]).output)["trust_offer"]


# -- asking and using -----------------------------------------------------------------------------------------------


def test_a_cautious_project_asks_about_what_nobody_confirmed_until_it_was_used_often(nous: Nous) -> None:
    numbers = some(nous)
    assert "fresh" not in nous.waiting(project=PLACE)
    nous.set_trust(1, project=PLACE)
    asked = nous.review(project=PLACE, kind="fresh", limit=50)
    assert {item.memory.id for item in asked} == set(numbers)
    nous.decide(f"fresh:{numbers[0]}", "keep")
    nous.decide(f"fresh:{numbers[1]}", "reject")
    nous.stores.accesses.note([numbers[2]] * 10, NOW)
    left = {item.memory.id for item in nous.review(project=PLACE, kind="fresh", limit=50)}
    assert left == set(numbers[3:])
    assert nous.get(numbers[0]).confirmed and nous.get(numbers[1]).status == "archived"
    nous.set_trust(2, project=PLACE)
    assert "fresh" not in nous.waiting(project=PLACE)


def test_what_is_asked_for_often_and_never_objected_to_counts_a_little_more_once(nous: Nous) -> None:
    numbers = some(nous)
    used, doubted, seldom = numbers[:3]
    before = {number: nous.get(number).strength for number in numbers}
    nous.feedback(doubted, "corrected")
    nous.stores.accesses.note([used, doubted] * 5 + [seldom] * 4, NOW)
    assert [trust_by_use(nous.stores, NOW) for _ in range(2)] == [1, 0]
    assert nous.get(used).strength == pytest.approx(before[used] + 0.05)
    assert nous.get(doubted).strength < before[doubted] and nous.get(seldom).strength == before[seldom]
    assert compare_with_replay(nous.stores, NOW).differences == []
