"""A log that was tampered with is found out, and the event is named."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from factories import NOW, extracted
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.log.events import TOMBSTONE_JSON, Erased
from nous.kernel.log.integrity import SHOWN, verify
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores, open_stores
from nous.moments import later


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Stores]:
    """A log of eight events, one a minute."""
    stores = open_stores(str(tmp_path / "cortex.db"))
    for number in range(1, 9):
        event = extracted(f"l{number}", f"Fact number {number}", project_id="p", session_id="s", clock={"s": number})
        stores.events.append([replace(event, parent_event_id=number - 1 or None)], later(NOW, number * 60))
    catch_up(stores, NOW)
    yield stores
    stores.close()


def tamper(stores: Stores, *statements: str) -> list[tuple[str, int]]:
    """The kinds and events of the problems found after somebody changed the file by hand."""
    assert isinstance(stores.db, Sqlite)
    stores.db.connection.execute("PRAGMA foreign_keys = OFF").fetchall()
    for statement in statements:
        stores.db.connection.execute(statement).fetchall()
    return [(problem.kind, problem.event_id) for problem in verify(stores).problems]


def test_a_log_nobody_touched_is_whole(log: Stores) -> None:
    report = verify(log)
    assert report.ok and (report.events, report.erased) == (8, 0)
    assert report.head == [event.event_hash for event in log.events.each_row()][-1]


def test_an_empty_log_is_whole(stores: Stores) -> None:
    assert verify(stores).ok


@pytest.mark.parametrize(
    "column",
    [
        "event_uuid",
        "stream",
        "stream_id",
        "idempotency_key",
        "source",
        "valid_from",
        "valid_until",
        "vector_clock_json",
        "session_id",
        "project_id",
    ],
)
def test_a_changed_column_is_found(log: Stores, column: str) -> None:
    assert ("changed", 5) in tamper(log, f"UPDATE learning_events SET {column} = 'forged' WHERE event_id = 5")


def test_a_column_set_to_nothing_is_found(log: Stores) -> None:
    assert ("changed", 5) in tamper(log, "UPDATE learning_events SET valid_from = NULL WHERE event_id = 5")


def test_a_changed_payload_is_found(log: Stores) -> None:
    forged = "UPDATE learning_events SET payload_json = replace(payload_json, 'Fact', 'Lie') WHERE event_id = 5"
    assert tamper(log, forged) == [("payload", 5)]


def test_a_changed_payload_with_its_hash_made_to_fit_is_found(log: Stores) -> None:
    said = next(event for event in log.events.each_row() if event.event_id == 5).payload_json.replace("Fact", "Lie")
    digest = hashlib.sha256(said.encode()).hexdigest()
    forged = f"UPDATE learning_events SET payload_json = '{said}', payload_hash = '{digest}' WHERE event_id = 5"
    assert tamper(log, forged) == [("changed", 5)]


def test_a_missing_event_is_named(log: Stores) -> None:
    assert ("missing", 5) in tamper(log, "DELETE FROM learning_events WHERE event_id = 5")
    [problem, *_] = verify(log).problems
    assert problem.said == "event 5 is missing"


def test_events_missing_at_the_end_are_named(log: Stores) -> None:
    assert tamper(log, "DELETE FROM learning_events WHERE event_id > 6")[0] == ("missing", 7)
    assert verify(log).problems[0].said == "events 7 to 8 are missing at the end"
    assert any(problem.kind == "read model" for problem in verify(log).problems)


def test_the_end_cut_off_with_the_counter_is_still_seen_by_the_read_models(log: Stores) -> None:
    found = tamper(log, "DELETE FROM learning_events WHERE event_id > 6", "UPDATE sqlite_sequence SET seq = 6")
    assert ("read model", 8) in found


def test_two_events_that_changed_places_are_named(log: Stores) -> None:
    found = tamper(
        log,
        "UPDATE learning_events SET event_id = -1 WHERE event_id = 4",
        "UPDATE learning_events SET event_id = 4 WHERE event_id = 5",
        "UPDATE learning_events SET event_id = 5 WHERE event_id = -1",
    )
    assert {("reordered", 4), ("reordered", 5)} <= set(found)
    said = " ".join(problem.said for problem in verify(log).problems)
    assert "event 4 is out of order: it is number 5 of its device, and 4 was due" in said
    assert "event 5 is out of order: it is number 4 of its device, and 6 was due" in said


def test_an_event_removed_and_the_rest_renumbered_is_found(log: Stores) -> None:
    found = tamper(
        log,
        "DELETE FROM learning_events WHERE event_id = 5",
        "UPDATE learning_events SET event_id = event_id - 1 WHERE event_id > 5",
    )
    assert ("reordered", 5) in found
    assert "the event it was written after is not here" in " ".join(problem.said for problem in verify(log).problems)


def test_time_that_runs_backwards_is_found(log: Stores) -> None:
    forged = f"UPDATE learning_events SET transaction_time = '{NOW}' WHERE event_id = 5"
    assert {("time", 5), ("changed", 5)} <= set(tamper(log, forged))


def test_a_cause_that_came_later_is_found(log: Stores) -> None:
    assert ("parent", 5) in tamper(log, "UPDATE learning_events SET parent_event_id = 7 WHERE event_id = 5")


def test_a_tombstone_that_no_erasure_accounts_for_is_found(log: Stores) -> None:
    forged = f"UPDATE learning_events SET payload_json = '{TOMBSTONE_JSON}' WHERE event_id = 5"
    assert tamper(log, forged) == [("tombstone", 5)]


def test_an_erasure_that_left_the_payload_is_found(log: Stores) -> None:
    said = Erased(reason="asked for", erased_events=(5,))
    event = extracted("l5", key="e5", project_id="p", session_id="s")
    log.events.append([replace(event, event_type="LearningErased", payload=said)], later(NOW, 999))
    assert [(problem.kind, problem.event_id) for problem in verify(log).problems] == [("tombstone", 5)]
    log.events.erase([5])
    assert verify(log).ok


def test_an_erasure_that_was_interrupted_is_reported(log: Stores) -> None:
    log.erasures.begin(8, NOW)
    assert [problem.kind for problem in verify(log).problems] == ["unfinished"]
    log.erasures.finish(NOW)
    assert verify(log).ok


def test_of_very_many_problems_the_first_are_named_and_the_others_counted(log: Stores) -> None:
    for number in range(30):
        log.events.append([extracted(f"m{number}", project_id="p", session_id="s")], later(NOW, 9999))
    catch_up(log, NOW)
    tamper(log, "UPDATE learning_events SET session_id = 'forged'")
    report = verify(log)
    assert (len(report.problems), report.more) == (SHOWN, 38 - SHOWN)


def test_verifying_keeps_no_writer_waiting(log: Stores, tmp_path: Path) -> None:
    other = apsw.Connection(str(tmp_path / "cortex.db"))
    with log.db.snapshot():
        assert next(log.events.each_row()).event_id == 1
        other.execute("INSERT INTO seen_records VALUES ('x')").fetchall()
    other.close()
