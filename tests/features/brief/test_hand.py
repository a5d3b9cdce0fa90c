"""What a person decides about the brief holds, whatever is read next; what the user says later is heard."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from factories import extracted
from nous.errors import Misuse
from nous.features.brief.decide import LineDecision, LineEvent, checked_words, decide_line, new_order, place_line
from nous.features.brief.hand import is_near, line_id
from nous.features.brief.lines import brief_entries
from nous.kernel.hooks.packing import BRIEF_LINES
from nous.kernel.log.events import (
    Archived,
    BriefLine,
    BriefWritten,
    EventType,
    Payload,
    Reinforced,
    Superseded,
    Undone,
    Writer,
    make_event,
)
from nous.kernel.memory.decay import DAY
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores
from nous.moments import later

START = "2026-03-01T10:00:00.000Z"
PROJECT = "p"
TEST, PUSH, TABS = "Run the tests with `make check`.", "Never push to main.", "Indent Python with four spaces."


def day(number: int) -> str:
    return later(START, number * DAY)


def append(stores: Stores, *events: Any, at: str) -> None:
    stores.events.append(list(events), at)
    catch_up(stores, at)


def learn(stores: Stores, name: str, text: str, at: str = day(0), **fields: Any) -> None:
    """What a model read in a session."""
    said = {"type": "requirement", "extractor_version": "read@1/x", "by": "user", "session_id": f"s-{name}"} | fields
    append(stores, replace(extracted(name, text, valid_from=at, **said), source="fs_watch"), at=at)


def happens(stores: Stores, kind: EventType, name: str, payload: Payload, at: str, source: str = "fs_watch") -> None:
    by = Writer("s-later", source)
    key = f"{'reading' if source == 'fs_watch' else source}:{kind}:{name}:{at}"
    append(stores, make_event(kind, name, payload, key, project_id=PROJECT, by=by, at=at), at=at)


def write(stores: Stores, number: int, *lines: tuple[str, tuple[str, ...]]) -> None:
    """A reading of a day's session leaves a brief."""
    said = BriefWritten(reader="read@1/x", lines=tuple(BriefLine(text, sources) for text, sources in lines))
    by = Writer(f"s{number}", "fs_watch")
    one = make_event("BriefWritten", f"b{number}", said, f"b{number}", project_id=PROJECT, by=by, at=day(number))
    append(stores, one, at=day(number))


def decide(stores: Stores, event: LineEvent, number: int) -> None:
    by = Writer("person", "user_review")
    key = f"{event.key}:{number}:{event.event_type}"
    one = make_event(event.event_type, event.key, event.payload, key, project_id=PROJECT, by=by, at=day(number))
    append(stores, one, at=day(number))


def set_line(
    stores: Stores,
    action: LineDecision,
    text: str,
    sources: tuple[str, ...],
    number: int = 2,
    words: str = "",
    beside: tuple[str, ...] = (),
) -> None:
    line = BriefLine(text, sources)
    decide(stores, decide_line(line_id(PROJECT, line), line, beside, action, words), number)


def put(stores: Stores, place: int, text: str, sources: tuple[str, ...], number: int = 2) -> None:
    line = BriefLine(text, sources)
    decide(stores, place_line(line_id(PROJECT, line), line, (), place), number)


def shown(stores: Stores, number: int = 9) -> list[str]:
    """What the lines of a session's start say, on a day."""
    entries = brief_entries(stores, stores.memories.visible(PROJECT), PROJECT, day(number), "")
    return [one.line.rpartition(" [Memory")[0].removeprefix("- ") for one in entries]


@pytest.fixture
def read(stores: Stores) -> Stores:
    """A project with a brief of three lines."""
    for name, text in (("l1", TEST), ("l2", PUSH), ("l3", TABS)):
        learn(stores, name, text)
    write(stores, 1, (TEST, ("l1",)), (PUSH, ("l2",)), (TABS, ("l3",)))
    assert shown(stores) == [TEST, PUSH, TABS]
    return stores


# -- dropped --------------------------------------------------------------------------------------------------------

REWORDED = {
    "the same words": (PUSH, ("l2",)),
    "nearly the same words, of another memory": ("Never push to the main.", ("l4",)),
    "other words, of the same memory": ("Work on branches only.", ("l2",)),
    "the same in a longer line": ("Never push to main, and write the changelog in English.", ("l2", "l3")),
}


@pytest.mark.parametrize("again", REWORDED)
def test_a_dropped_line_stays_away(read: Stores, again: str) -> None:
    set_line(read, "drop", PUSH, ("l2",))
    assert shown(read) == [TEST, TABS]
    learn(read, "l4", "Pushing to main is forbidden.", at=day(1), by="agent")
    write(read, 3, (TEST, ("l1",)), REWORDED[again])
    assert shown(read) == [TEST]


def test_what_was_dropped_is_cut_out_of_a_line_that_says_more(read: Stores) -> None:
    set_line(read, "drop", PUSH, ("l2",))
    write(read, 3, ("Indent Python with four spaces. Never push to main directly.", ("l3", "l2")), (TEST, ("l1",)))
    assert shown(read) == ["Indent Python with four spaces.", TEST]


def test_a_dropped_line_stays_away_when_a_reader_words_its_memory_anew(read: Stores) -> None:
    set_line(read, "drop", PUSH, ("l2",))
    learn(read, "l5", "Work goes through pull requests.", at=day(1))
    happens(read, "LearningSuperseded", "l2", Superseded(superseded_by="l5"), day(3))
    write(read, 3, (TEST, ("l1",)), ("Work goes through pull requests.", ("l5",)))
    assert shown(read) == [TEST]


def test_what_the_user_says_again_comes_back(read: Stores) -> None:
    set_line(read, "drop", PUSH, ("l2",))
    happens(read, "LearningReinforced", "l2", Reinforced(reinforcement_delta=0.1, evidence=("u9",)), day(3))
    write(read, 3, (TEST, ("l1",)), (PUSH, ("l2",)))
    assert shown(read) == [TEST, PUSH]


def test_what_an_agent_says_again_does_not(read: Stores) -> None:
    set_line(read, "drop", PUSH, ("l2",))
    learn(read, "l4", PUSH, at=day(3), by="agent")
    write(read, 3, (TEST, ("l1",)), (PUSH, ("l4",)))
    assert shown(read) == [TEST]


def test_a_late_reading_of_an_old_session_does_not_either(read: Stores) -> None:
    set_line(read, "drop", PUSH, ("l2",))
    append(read, replace(extracted("l4", PUSH, valid_from=day(0), by="user"), source="fs_watch"), at=day(4))
    write(read, 4, (TEST, ("l1",)), (PUSH, ("l4",)))
    assert shown(read) == [TEST]


def test_two_lines_of_one_memory_are_two_lines(stores: Stores) -> None:
    learn(stores, "l1", "Indent with tabs. Comments are in British English.")
    tabs, british = ("Indent with tabs.", ("l1",)), ("Comments are in British English.", ("l1",))
    write(stores, 1, tabs, british)
    set_line(stores, "drop", *tabs, beside=(british[0],))
    assert shown(stores) == [british[0]]
    write(stores, 3, ("Tabs, never spaces, for indentation.", ("l1",)), ("Write comments in British English.", ("l1",)))
    assert shown(stores) == ["Write comments in British English."]


def test_without_a_reader_the_same_holds_and_a_later_reading_knows_it(stores: Stores) -> None:
    rule: dict[str, Any] = {"extractor_version": "rules-7", "tags": ("standing",)}
    learn(stores, "l1", "Always run `make lint` before a commit.", **rule)
    learn(stores, "l2", "Never push to main.", **rule)
    assert len(shown(stores)) == 2
    set_line(stores, "drop", "Never push to main.", ("l2",))
    set_line(stores, "edit", "Always run `make lint` before a commit.", ("l1",), words="Lint before each commit.")
    assert shown(stores) == ["Lint before each commit."]
    write(stores, 3, ("Run `make lint`, then commit.", ("l1",)), ("Do not push to main.", ("l2",)))
    assert shown(stores) == ["Lint before each commit."]


# -- kept, edited, pinned -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["keep", "pin", "edit"])
def test_what_a_person_keeps_a_reader_cannot_leave_out(read: Stores, action: LineDecision) -> None:
    set_line(read, action, TABS, ("l3",), words="Four spaces.")
    wanted = "Four spaces." if action == "edit" else TABS
    assert wanted in shown(read)
    write(read, 3, (TEST, ("l1",)))
    assert shown(read) == ([wanted, TEST] if action == "pin" else [TEST, wanted])


def test_an_edited_line_keeps_its_words_in_its_place(read: Stores) -> None:
    set_line(read, "edit", PUSH, ("l2",), words="Branches and pull requests; main is protected.")
    write(read, 3, ("Pushing to main is not allowed.", ("l2",)), (TEST, ("l1",)))
    assert shown(read) == ["Branches and pull requests; main is protected.", TEST]


def test_a_pinned_line_is_first_and_may_be_edited(read: Stores) -> None:
    set_line(read, "pin", TABS, ("l3",))
    set_line(read, "edit", TABS, ("l3",), number=3, words="Four spaces.")
    assert shown(read) == ["Four spaces.", TEST, PUSH]
    set_line(read, "keep", TABS, ("l3",), number=4)
    assert shown(read) == [TEST, PUSH, "Four spaces."]


def test_a_kept_line_survives_what_readers_do_to_its_memory(read: Stores) -> None:
    set_line(read, "keep", PUSH, ("l2",))
    set_line(read, "keep", TABS, ("l3",))
    learn(read, "l6", "Main takes no direct pushes.", at=day(1))
    happens(read, "LearningSuperseded", "l2", Superseded(superseded_by="l6"), day(3))
    happens(read, "LearningArchived", "l3", Archived(reason="it faded"), day(3), source="decay")
    write(read, 3, ("Main takes no direct pushes.", ("l6",)), (TEST, ("l1",)))
    assert shown(read) == [PUSH, TEST, TABS]


@pytest.mark.parametrize("ending", ["forgotten", "corrected", "ended in a session", "disputed"])
def test_a_kept_line_falls_when_a_person_ends_what_it_rests_on(read: Stores, ending: str) -> None:
    set_line(read, "edit", PUSH, ("l2",), words="Main is protected.")
    if ending == "forgotten":
        happens(read, "LearningArchived", "l2", Archived(reason="forgotten"), day(3), source="user_review")
    elif ending == "corrected":
        learn(read, "l7", "Pushing to main is fine now.", at=day(3))
        happens(read, "LearningSuperseded", "l2", Superseded(superseded_by="l7"), day(3))
    elif ending == "ended in a session":
        happens(read, "LearningArchived", "l2", Archived(reason="the user said so"), day(3))
    else:
        happens(read, "LearningDisputed", "l2", Payload(), day(3), source="user_review")
    assert "Main is protected." not in shown(read)


def test_a_new_rule_is_heard_beside_what_was_kept(read: Stores) -> None:
    set_line(read, "keep", TEST, ("l1",))
    learn(read, "l8", "Run the tests with `make test`.", at=day(3))
    write(read, 3, (TEST, ("l1",)), ("Run the tests with `make test`.", ("l8",)))
    assert shown(read) == [TEST, "Run the tests with `make test`."]


def test_a_line_that_says_a_kept_one_again_with_more_adds_only_what_is_new(read: Stores) -> None:
    set_line(read, "pin", TABS, ("l3",), words="")
    learn(read, "l9", "Dates are UTC.", at=day(1))
    write(read, 3, ("Indent Python code with four spaces. Dates are UTC.", ("l3", "l9")), (TEST, ("l1",)))
    assert shown(read) == [TABS, "Dates are UTC.", TEST]


def test_a_full_brief_leaves_room_for_what_a_person_keeps(read: Stores) -> None:
    set_line(read, "keep", TABS, ("l3",))
    told = [(f"Service {name} owns table {name}.", (f"t{name}",)) for name in "abcdefghijklm"]
    for text, (name,) in told:
        learn(read, name, text)
    write(read, 3, *told)
    assert len(shown(read)[:BRIEF_LINES]) == BRIEF_LINES and TABS in shown(read)[:BRIEF_LINES]


# -- order ----------------------------------------------------------------------------------------------------------


def test_lines_stand_where_a_person_put_them_and_what_is_new_stays_where_it_is(read: Stores) -> None:
    for place, (text, name) in enumerate([(TABS, "l3"), (TEST, "l1"), (PUSH, "l2")], 1):
        put(read, place, text, (name,))
    assert shown(read) == [TABS, TEST, PUSH]
    learn(read, "l9", "Dates are UTC.", at=day(3))
    write(read, 3, ("Dates are UTC.", ("l9",)), (PUSH, ("l2",)), ("Indent by four spaces.", ("l3",)))
    assert shown(read) == ["Dates are UTC.", "Indent by four spaces.", PUSH]


def test_an_order_names_each_line_once() -> None:
    assert new_order(4, [3, 1]) == [3, 1, 2, 4]
    for wrong in ([], [1, 1], [5], [0]):
        with pytest.raises(Misuse):
            new_order(4, wrong)


# -- taking it back -------------------------------------------------------------------------------------------------


def test_what_was_decided_can_be_taken_back_and_a_replay_gives_the_same(read: Stores) -> None:
    set_line(read, "drop", PUSH, ("l2",))
    set_line(read, "edit", TABS, ("l3",), words="Four spaces.")
    stream = line_id(PROJECT, BriefLine(PUSH, ("l2",)))
    [dropped] = read.events.of_learning(stream)
    happens(read, "EventsUndone", stream, Undone(undone_events=(dropped.event_id,)), day(5), source="user_review")
    assert shown(read) == [TEST, PUSH, "Four spaces."]
    assert [one.text for one in read.brief_lines.of_project(PROJECT)] == [TABS]
    assert compare_with_replay(read.events, read.memories, day(6)).differences == []


# -- words ----------------------------------------------------------------------------------------------------------


def test_the_words_of_an_edit_are_one_line_without_secrets() -> None:
    assert checked_words("  two\n lines ") == "two lines"
    assert "hunter2" not in checked_words("The password=hunter2hunter2 is in the vault")
    for wrong in ("", "   ", "x" * 401):
        with pytest.raises(Misuse):
            checked_words(wrong)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Never push to main.", "Never push to the main branch.", True),
        ("Run the tests with `make check`.", "The tests are run with `make check`.", True),
        ("Never push to main.", "Never rebase shared branches.", False),
        ("Run the tests with `make check`.", "Run the demo with `make demo`.", False),
    ],
)
def test_nearly_the_same_words(one: str, other: str, expected: bool) -> None:
    assert is_near(one, other) is expected
