"""A memory moves to another database: what cannot be made again is copied, the rest is made again and compared.

All of it is one transaction in the new database; in the old one nothing is written. A backup of a memory on a server is
such a move into a file, and putting it back is one into its tenant.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any, NamedTuple

from nous.errors import Conflict, StoreError
from nous.kernel.db.database import is_file
from nous.kernel.db.file_copies import SCRATCH, copy
from nous.kernel.memory.projection import compare_rows, projectors, replay
from nous.kernel.stores import Stores, open_stores

# What is made from the log, from transcripts or from memories, and packets, which wait for one device's sessions.
MADE_AGAIN = frozenset(
    {
        *(table for projector in projectors() for table in projector.tables),
        "projection_checkpoints",
        "text_sessions",
        "injection_cache",
        "exchanges",
        "exchange_vectors",
        "exchange_errors",
        "archive_segments",  # what cold events say comes along in the log
    }
)
FIRST = ("devices", "embedding_models", "injections", "llm_calls", "exchange_files")  # others point at their rows
OWN = frozenset({"devices"})  # a new database has a row there before anybody writes


class Migrated(NamedTuple):
    """What moving gave: events, rows copied by table, rows compared by read model."""

    events: int
    copied: dict[str, int]
    compared: dict[str, int]


def move(source_url: str, target_url: str, now: str) -> Migrated:
    """Copy a memory into an empty database, make its read models there, and keep it only if they are the same.

    Whoever writes meanwhile stops it: what they wrote would be missing in the database that is used from then on.
    """
    with _both(source_url, target_url) as (source, target), source.db.snapshot(), target.db.transaction():
        moved = _move_rows(source, target, now)
        if _last_id(source_url) != source.events.last_id():
            raise Conflict("somebody wrote while this was copied", hint="stop the daemon (`nous down`), and try again")
        return moved


@contextmanager
def as_file(url: str, now: str) -> Iterator[str]:
    """A database as a file that can be copied: itself, or what a server's tenant holds at this moment."""
    if is_file(url):
        yield url
        return
    with _scratch() as path, _both(url, path) as (source, target):
        with source.db.snapshot(), target.db.transaction():
            _move_rows(source, target, now)
        yield path


def put_back(copied: str, url: str, now: str) -> None:
    """Let a tenant of a server hold what a copy holds and nothing else: all of it, or it stays as it was."""
    from nous.teams.postgres.engine import Postgres

    with _scratch() as path:  # a copy of the copy: one of an older Nous is brought up to date first
        copy(copied, path)
        with _both(path, url) as (source, target), source.db.snapshot(), target.db.transaction():
            assert isinstance(target.db, Postgres)
            target.db.empty(last=FIRST)
            _move_rows(source, target, now)


@contextmanager
def _scratch() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix=SCRATCH, suffix=f".{os.getpid()}") as folder:
        yield os.path.join(folder, "copy.db")


@contextmanager
def _both(source_url: str, target_url: str) -> Iterator[tuple[Stores, Stores]]:
    source = open_stores(source_url)
    try:
        target = open_stores(target_url)
        try:
            yield source, target
        finally:
            target.close()
    finally:
        source.close()


def _move_rows(source: Stores, target: Stores, now: str) -> Migrated:
    with target.db.transaction():
        tables = _tables(source, target)
        _is_ready(source, target, tables)
        target.events.forget_devices()
        copied = {table: _copy(source, target, table) for table in tables}
        replay(target, now)
        compared = _compare(source, target)
    return Migrated(target.events.count(), copied, compared)


def _tables(source: Stores, target: Stores) -> list[str]:
    known = sorted({*source.db.tables()} & {*target.db.tables()} - MADE_AGAIN)
    return [*FIRST, *(table for table in known if table not in FIRST)]


def _is_ready(source: Stores, target: Stores, tables: list[str]) -> None:
    behind = source.events.last_id() - min(source.memories.checkpoints().values(), default=0)
    if behind > 0 and source.events.count():
        raise Conflict("the read models have not caught up with the log", hint="`nous admin maintain` lets them")
    for table in tables:
        if table not in OWN and next(target.db.table_rows(table)[1], None) is not None:
            hint = "name an empty file, or another tenant: postgresql://…/database?tenant=name"
            raise Conflict(f"the new database is not empty: {table} has rows", hint=hint)


def _copy(source: Stores, target: Stores, table: str) -> int:
    columns, rows = source.db.table_rows(table)
    kept = [at for at, name in enumerate(columns) if name != "tenant_id"]
    names = [columns[at] for at in kept]
    if table == "learning_events":
        rows = source.events.cold.warm(rows, columns.index("event_id"), columns.index("payload_json"))
    ready: Iterator[tuple[Any, ...]] = (tuple(row[at] for at in kept) for row in rows)
    if table == "exchange_files":  # their exchanges are read from the transcripts again
        waits = names.index("is_waiting")
        ready = ((*row[:waits], 1, *row[waits + 1 :]) for row in ready)
    if "tenant_id" in target.db.table_rows(table)[0]:
        return target.db.put_rows(table, [*names, "tenant_id"], ((*row, "") for row in ready))
    return target.db.put_rows(table, names, ready)


def _compare(source: Stores, target: Stores) -> dict[str, int]:
    for mine, theirs in zip_longest(source.events.each_row(), target.events.each_row()):
        if mine != theirs:
            number = mine.event_id if mine else "after the last"
            raise StoreError(f"event {number} is not the same in the new database; nothing was kept there")
    rows, different = compare_rows(source.memories, target.memories)
    if different:
        raise StoreError(f"{different[0].table} is not the same in the new database; nothing was kept there")
    return rows


def _last_id(url: str) -> int:
    """The newest event as everybody sees it now, beside the snapshot."""
    again = open_stores(url, readonly=True)
    try:
        return again.events.last_id()
    finally:
        again.close()
