"""The event log: append, replay, incremental projection, asking about the past, and how all of it grows.

Everything is compared with what the same work costs on bare `apsw` in the same run, since absolute numbers say more
about the machine than about the code. Wall-clock and processor time are both kept: on a busy machine the second is
steadier.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from statistics import median
from typing import Any

import msgspec

from bench.machine import promises
from bench.material import WORDS, mixed
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.log.integrity import verify
from nous.kernel.memory.projection import catch_up, projectors, replay
from nous.kernel.recall.search import Query, recall
from nous.kernel.stores import Stores, open_stores
from nous.moments import later

START = "2026-11-01T00:00:00.000Z"
BATCH = 1000
SINGLES = 2000
QUESTIONS = 150
RESULT_TABLES = (*(table for projector in projectors() for table in projector.tables), "vector_queue")

Say = Callable[[str], None]


class Watch:
    """Adds up wall-clock and processor time."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


def run(full: bool, say: Say) -> dict[str, Any]:
    """Measurements at 10k and 100k events, and at a million when asked."""
    sizes = [10_000, 100_000, *([1_000_000] if full else [])]
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="nous-bench-") as folder:
            rows.append(measure(size, folder, say))
    return {"sizes": rows, "targets": targets(rows)}


def targets(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was promised, and what the largest size gave."""
    last = rows[-1]
    promised = [
        ("batch append, share of the bare rate", "at least", 0.5, last["append_batch"]["share_of_bare"]),
        ("replay, times bare inserts and decoding", "at most", 3.0, last["replay"]["times_bare"]),
        ("recall as of the past, times recall now", "at most", 1.5, last["as_of"]["recall_ratio"]),
    ]
    return promises(promised)


def measure(size: int, folder: str, say: Say) -> dict[str, Any]:
    """Everything at one size."""
    say(f"{size} events: append")
    stores = open_stores(os.path.join(folder, "cortex.db"))
    found: dict[str, Any] = {"events": size}
    found["append_batch"] = _append(stores, folder, size)
    say(f"{size} events: replay")
    found["replay"] = _replay(stores, folder, size)
    say(f"{size} events: one by one, and the past")
    found["append_single"] = _singles(stores, folder, size)
    found["incremental"] = _incremental(stores, size)
    found["as_of"] = _past(stores)
    found["verify"] = _verified(stores)
    found["bytes_per_event"] = round(os.path.getsize(os.path.join(folder, "cortex.db")) / stores.events.count())
    stores.close()
    return found


# -- append ---------------------------------------------------------------------------------------------------------


def _append(stores: Stores, folder: str, size: int) -> dict[str, Any]:
    """Batches through `append`, and the rows they became through a bare insert, in turns."""
    bare = _Bare(os.path.join(folder, "bare.db"), "learning_events")
    ours, theirs = Watch(), Watch()
    events = mixed(size)
    done = 0
    while batch := list(islice(events, BATCH)):
        with ours.running():
            stores.events.append(batch, later(START, done))
        rows = _rows(stores, "SELECT * FROM learning_events WHERE event_id > ? ORDER BY event_id", done)
        with theirs.running():
            bare.insert(rows)
        done += len(batch)
    bare.close()
    return _against(ours, theirs, size)


def _singles(stores: Stores, folder: str, size: int) -> dict[str, Any]:
    """One event per transaction, each committed before the next."""
    bare = _Bare(os.path.join(folder, "bare-single.db"), "learning_events")
    bare.insert(_rows(stores, "SELECT * FROM learning_events WHERE event_id > ? ORDER BY event_id", 0))
    ours, theirs = Watch(), Watch()
    for event in mixed(SINGLES, seed=size + 1):
        with ours.running():
            [number] = stores.events.append([event], later(START, size))
        [row] = _rows(stores, "SELECT * FROM learning_events WHERE event_id = ?", number or 0)
        with theirs.running():
            bare.insert([row])
    bare.close()
    catch_up(stores, later(START, size))
    return _against(ours, theirs, SINGLES)


class _Bare:
    """The same schema and settings, written without anything of ours in between."""

    def __init__(self, path: str, *tables: str):
        db = Sqlite(path)
        self.connection = db.connection
        self.insertions = {table: self._insertion(table) for table in tables}

    def _insertion(self, table: str) -> str:
        columns = [row[1] for row in self.connection.execute(f"PRAGMA table_info({table})")]
        named = ["rowid", *columns] if table == "memories_fts" else columns
        return f"INSERT INTO {table} ({', '.join(named)}) VALUES ({', '.join('?' * len(named))})"

    def insert(self, rows: list[tuple[Any, ...]]) -> None:
        """Rows of the only table, in one transaction."""
        [insertion] = self.insertions.values()
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany(insertion, rows)
        self.connection.execute("COMMIT")

    def close(self) -> None:
        self.connection.close()


# -- projection -----------------------------------------------------------------------------------------------------


def _replay(stores: Stores, folder: str, size: int) -> dict[str, Any]:
    """Build the read models; then decode the same payloads and insert the same rows without thinking."""
    ours = Watch()
    with ours.running():
        replay(stores, later(START, size))
    again = Watch()
    with again.running():
        replay(stores, later(START, size))
    decoding = Watch()
    assert isinstance(stores.db, Sqlite)
    with decoding.running():
        for (payload,) in stores.db.connection.execute("SELECT payload_json FROM learning_events ORDER BY event_id"):
            msgspec.json.decode(payload)
    inserting, rows = _insert_results(stores, os.path.join(folder, "bare-rows.db"))
    theirs = Watch()
    theirs.wall, theirs.cpu = decoding.wall + inserting.wall, decoding.cpu + inserting.cpu
    return {
        "events_per_second": round(size / ours.wall),
        "seconds": round(ours.wall, 2),
        "seconds_over_old_rows": round(again.wall, 2),
        "bare_seconds": round(theirs.wall, 2),
        "bare_decoding_seconds": round(decoding.wall, 2),
        "result_rows": rows,
        "times_bare": round(ours.wall / theirs.wall, 2),
        "times_bare_cpu": round(ours.cpu / theirs.cpu, 2),
        "times_bare_over_old_rows": round(again.wall / theirs.wall, 2),
    }


def _insert_results(stores: Stores, path: str) -> tuple[Watch, int]:
    """The time to insert every row a replay gives, in one transaction."""
    bare = _Bare(path, *RESULT_TABLES)
    watch = Watch()
    total = 0
    bare.connection.execute("BEGIN IMMEDIATE")
    for table, insertion in bare.insertions.items():
        source = f"SELECT {'rowid, *' if table == 'memories_fts' else '*'} FROM {table}"
        for rows in _batches(stores, source):
            with watch.running():
                bare.connection.executemany(insertion, rows)
            total += len(rows)
    with watch.running():
        bare.connection.execute("COMMIT")
    bare.close()
    return watch, total


def _incremental(stores: Stores, size: int) -> dict[str, Any]:
    """One more event and its projection in one transaction, as live capture does it."""
    taken = []
    for event in mixed(300, seed=size + 2):
        begun = time.perf_counter()
        with stores.db.transaction():
            stores.events.append([event], later(START, size))
            catch_up(stores, later(START, size))
        taken.append(time.perf_counter() - begun)
    return {"median_ms": _ms(median(taken)), "p95_ms": _ms(sorted(taken)[int(len(taken) * 0.95)])}


# -- the past -------------------------------------------------------------------------------------------------------


def _past(stores: Stores) -> dict[str, Any]:
    """The same questions about now and about half-way, in turns."""
    chance = random.Random(1)
    now = later(START, stores.events.last_id())
    then = later(START, stores.events.last_id() // 2)
    half = stores.events.as_of(then)
    project = "example.com/team/project-1"
    questions = [" ".join(chance.sample(WORDS, 4)) for _ in range(QUESTIONS)]
    present = [memory.id for memory in stores.memories.listing(None, status=None, limit=200)]
    past = [memory.id for memory in stores.memories.listing(None, status=None, limit=200, as_of=half)]
    pairs: dict[str, tuple[Callable[[str], object], Callable[[str], object]]] = {
        "recall": (
            lambda text: recall(stores, Query(text=text, project_id=project, now=now)),
            lambda text: recall(stores, Query(text=text, project_id=project, now=now, as_of=then)),
        ),
        "get": (
            lambda _: stores.memories.by_id(chance.sample(present, 50)),
            lambda _: stores.memories.by_id(chance.sample(past, 50), half),
        ),
        "list": (
            lambda _: stores.memories.listing(None, limit=100),
            lambda _: stores.memories.listing(None, limit=100, as_of=half),
        ),
    }
    found: dict[str, Any] = {}
    for name, (of_now, of_then) in pairs.items():
        a, b = _in_turns(questions, of_now, of_then)
        found |= {f"{name}_now_ms": _ms(a), f"{name}_as_of_ms": _ms(b), f"{name}_ratio": round(b / a, 2)}
    return found


def _in_turns(asked: list[str], *ways: Callable[[str], object]) -> list[float]:
    """The median time of each way to answer."""
    taken: list[list[float]] = [[] for _ in ways]
    for text in asked:
        for times, way in zip(taken, ways, strict=True):
            begun = time.perf_counter()
            way(text)
            times.append(time.perf_counter() - begun)
    return [median(times) for times in taken]


def _verified(stores: Stores) -> dict[str, Any]:
    watch = Watch()
    with watch.running():
        report = verify(stores)
    assert report.ok, report.problems
    return {"events_per_second": round(report.events / watch.wall)}


# -- helpers --------------------------------------------------------------------------------------------------------


def _rows(stores: Stores, sql: str, value: int) -> list[tuple[Any, ...]]:
    assert isinstance(stores.db, Sqlite)
    return list(stores.db.connection.execute(sql, (value,)))


def _batches(stores: Stores, sql: str, size: int = 5000) -> Iterator[list[tuple[Any, ...]]]:
    assert isinstance(stores.db, Sqlite)
    cursor = iter(stores.db.connection.execute(sql))
    while rows := list(islice(cursor, size)):
        yield rows


def _against(ours: Watch, theirs: Watch, count: int) -> dict[str, Any]:
    return {
        "events_per_second": round(count / ours.wall),
        "bare_events_per_second": round(count / theirs.wall),
        "share_of_bare": round(theirs.wall / ours.wall, 2),
        "share_of_bare_cpu": round(theirs.cpu / ours.cpu, 2),
    }


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)


def table(found: dict[str, Any]) -> list[str]:
    """The growth table and the targets, for a person."""
    columns: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
        ("events", lambda row: f"{row['events']:,}"),
        ("append/s", lambda row: f"{row['append_batch']['events_per_second']:,}"),
        ("of bare", lambda row: f"{row['append_batch']['share_of_bare']:.0%}"),
        ("single/s", lambda row: f"{row['append_single']['events_per_second']:,}"),
        ("of bare", lambda row: f"{row['append_single']['share_of_bare']:.0%}"),
        ("replay s", lambda row: row["replay"]["seconds"]),
        ("× bare", lambda row: row["replay"]["times_bare"]),
        ("+1 event ms", lambda row: row["incremental"]["median_ms"]),
        ("recall ms", lambda row: row["as_of"]["recall_now_ms"]),
        ("as-of ms", lambda row: row["as_of"]["recall_as_of_ms"]),
        ("ratio", lambda row: row["as_of"]["recall_ratio"]),
        ("verify/s", lambda row: f"{row['verify']['events_per_second']:,}"),
        ("bytes/event", lambda row: row["bytes_per_event"]),
    ]
    lines = ["  ".join(f"{name:>11}" for name, _ in columns)]
    lines += ["  ".join(f"{cell(row)!s:>11}" for _, cell in columns) for row in found["sizes"]]
    for target in found["targets"]:
        verdict = "ok  " if target["kept"] else "MISS"
        lines.append(f"{verdict} {target['what']}: {target['found']} ({target['bound']} {target['target']})")
    return lines
