"""A log of the time before streams and devices, written by the Nous of that time: it opens, and nothing has changed."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from factories import Home
from nous import zstd
from nous.kernel.db.database import migrations
from nous.kernel.log import history, undo
from nous.kernel.log.events import EVENT_TYPES, InterventionNoted, ProjectTrusted, Writer, make_event
from nous.kernel.log.integrity import verify
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores, open_stores

OLD = Path(__file__).resolve().parents[1] / "data" / "log-schema-10"
PROJECT = "/home/dev/parcel-api"
NOW = "2099-01-01T00:00:00.000Z"


@pytest.fixture(scope="module")
def printed() -> dict[str, Any]:
    """What the Nous of that time printed."""
    found: dict[str, Any] = json.loads((OLD / "printed.json").read_text())
    return found


def put(folder: Path) -> Path:
    """The old database, as it was left."""
    path = folder / "cortex.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zstd.decompress((OLD / "cortex.db.zst").read_bytes()))
    return path


# Types that came after the old log was written.
LATER = (
    {"SessionObserved", "InterventionNoted", "LearningPlaced", "ProjectTrusted", "LearningContested"}
    | {
        "SessionRead",
        "BriefWritten",
        "RulesApplied",
        "BriefLineKept",
        "BriefLineEdited",
        "BriefLineDropped",
        "BriefLinePinned",
        "BriefLinePlaced",
        "ProjectTidied",
    }
    | {name for name in EVENT_TYPES if name.startswith("Entity")}
)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return put(tmp_path)


@pytest.fixture
def stores(old: Path) -> Any:
    opened = open_stores(str(old))
    yield opened
    opened.close()


def rows(path: Path) -> list[tuple[Any, ...]]:
    """What must not change of every event: number, names, times, clock, cause, payload and hashes."""
    with closing(sqlite3.connect(path)) as db:
        names = {row[1] for row in db.execute("PRAGMA table_info(learning_events)")}
        stream = "stream_id" if "stream_id" in names else "learning_id"
        return list(
            db.execute(
                f"SELECT event_id, event_uuid, {stream}, event_type, idempotency_key, schema_version, transaction_time,"
                " valid_from, valid_until, vector_clock_json, parent_event_id, session_id, project_id, source,"
                " payload_json, payload_hash, prev_hash, event_hash FROM learning_events ORDER BY event_id"
            )
        )


def test_the_old_log_holds_every_type_of_event_there_was(old: Path) -> None:
    known = {row[3] for row in rows(old)}
    assert known == {name for name in EVENT_TYPES if name not in LATER}


def test_no_event_changes_by_a_single_byte(old: Path) -> None:
    before = rows(old)
    open_stores(str(old)).close()
    assert rows(old) == before


def test_every_event_has_a_stream_a_device_and_its_number_there(stores: Stores) -> None:
    events = [event for batch in stores.events.replay() for event in batch]
    assert {event.device for event in events} == {stores.events.own_device()}
    assert [event.device_seq for event in events] == [event.event_id for event in events]
    assert all(event.stream == "memory" and event.stream_id == event.learning_id for event in events)


def test_it_verifies_with_the_same_head_and_replays_to_the_same_rows(stores: Stores, printed: dict[str, Any]) -> None:
    report = verify(stores)
    assert report.ok, report.problems
    assert (report.events, report.erased, report.head) == tuple(
        printed["verify"][k] for k in ("events", "erased", "head")
    )
    catch_up(stores, NOW)
    found = compare_with_replay(stores.events, stores.memories, NOW)
    assert found.differences == []
    then = printed["replay"]["rows"]  # of the read models that there were
    assert {table: found.rows[table] for table in then} == then


def test_clocks_are_what_they_were(stores: Stores, printed: dict[str, Any]) -> None:
    found = {event.event_uuid: event.clock for batch in stores.events.replay() for event in batch}
    assert found == printed["clocks"]


def test_the_chain_goes_on_from_the_old_head(stores: Stores, printed: dict[str, Any]) -> None:
    memory = stores.memories.listing(None, limit=1)[0]
    last = stores.events.of_learning(memory.learning_id)[-1]
    chosen = undo.plan_undo(stores.events, [last.event_id])
    undo.undo(stores.events, chosen, "s", "a try", NOW)
    fresh = list(stores.events.each_row())[printed["verify"]["events"]]
    assert (fresh.chain, fresh.device_seq) == (2, printed["verify"]["events"] + 1)
    assert fresh.prev_hash == printed["verify"]["head"]
    catch_up(stores, NOW)
    assert verify(stores).ok and compare_with_replay(stores.events, stores.memories, NOW).differences == []


def test_an_old_undoing_can_be_undone(stores: Stores) -> None:
    catch_up(stores, NOW)
    [undoing] = [event for batch in stores.events.replay() for event in batch if event.event_type == "EventsUndone"]
    before = stores.memories.by_learning([undoing.learning_id])[undoing.learning_id]
    undo.undo(stores.events, undo.plan_undo(stores.events, [undoing.event_id]), "s", "a try", NOW)
    catch_up(stores, NOW)
    after = stores.memories.by_learning([undoing.learning_id])[undoing.learning_id]
    assert (before.status, after.status) == ("active", "archived")
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []


def test_an_event_changed_before_the_migration_is_still_found_after_it(old: Path) -> None:
    with closing(sqlite3.connect(old)) as db, db:
        db.execute("UPDATE learning_events SET session_id = 'forged' WHERE event_id = 5")
    stores = open_stores(str(old))
    assert [(problem.kind, problem.event_id) for problem in verify(stores).problems] == [("changed", 5)]
    stores.close()


def test_events_cut_off_before_the_migration_are_still_missed_after_it(old: Path) -> None:
    with closing(sqlite3.connect(old)) as db, db:
        db.execute("DELETE FROM learning_events WHERE event_id > 50")
    stores = open_stores(str(old))
    assert verify(stores).problems[0].said.startswith("events 51 to ")
    stores.close()


def test_the_commands_print_what_they_printed(tmp_path: Path, printed: dict[str, Any]) -> None:
    home = Home(tmp_path)
    put(home.data)

    def nous(*words: str) -> Any:
        done = home.nous(*words, "--json", "--project", PROJECT)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert _old_fields(nous("list", "--status", "all", "--limit", "500"), printed["list"]) == printed["list"]
    log = nous("log", "--limit", "1000")
    for now, then in zip(log["events"], printed["log"]["events"], strict=True):
        if then["type"] != "LearningReviewed":  # its item names memories by their global ids now
            assert _old_fields(now, then) == then
        assert now["said"] == then["said"]
    for number, said in printed["explain"].items():
        del said["fading"]  # what is left of it today
        assert _old_fields(nous("explain", number), said) == said
    assert nous("verify")["ok"] and nous("replay", "--verify")["ok"]


def _old_fields(found: Any, then: Any) -> Any:
    """What was there before; new fields may have come."""
    if isinstance(then, dict):
        return {name: _old_fields(found[name], value) for name, value in then.items()}
    if isinstance(then, list):
        return [_old_fields(a, b) for a, b in zip(found, then, strict=True)]
    return found


REMOVED = ("active_interventions", "delivered_interventions", "trust_levels", "communities", "observer_synthesis_log")


def test_what_was_removed_leaves_its_events_readable_and_its_tables_gone(tmp_path: Path) -> None:
    path = tmp_path / "cortex.db"
    with closing(apsw.Connection(str(path))) as before:
        for number, script in migrations("sqlite"):
            if number < 43:  # a database as the version before left it
                before.execute(f"{script}\nPRAGMA user_version = {number};").fetchall()
        before.execute("INSERT INTO trust_levels VALUES ('p', 3, '2026-01-01', 1)").fetchall()
        before.execute("INSERT INTO projection_checkpoints VALUES ('trust', 0, '2026-01-01')").fetchall()
        before.execute("INSERT INTO communities VALUES (1, 'p', 0)").fetchall()
    with closing(sqlite3.connect(path)) as db:
        assert set(REMOVED) <= {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
    stores = open_stores(str(path))
    remark = InterventionNoted(state="raised", observer="stalled-progress", text="The same error stopped 2 sessions.")
    chosen = ProjectTrusted(level=3)
    stores.events.append(
        [
            make_event("InterventionNoted", "i1", remark, "i1", project_id="p", by=Writer("s", "observer")),
            make_event("ProjectTrusted", "p", chosen, "t1", project_id="p", by=Writer("s", "user_review")),
        ],
        NOW,
    )
    catch_up(stores, NOW)
    assert [history.describe_event(event.payload, {}) for batch in stores.events.replay() for event in batch] == [
        "raised by stalled-progress: The same error stopped 2 sessions.",
        "trust level 3",
    ]
    undo.undo(stores.events, undo.plan_undo(stores.events, [2]), "s", "a try", NOW)
    catch_up(stores, NOW)
    assert verify(stores).ok and compare_with_replay(stores.events, stores.memories, NOW).differences == []
    assert "trust" not in stores.memories.checkpoints(), "it would stay behind, and nothing could be moved"
    stores.close()
    with closing(sqlite3.connect(path)) as db:
        assert not set(REMOVED) & {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
