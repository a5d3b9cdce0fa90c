"""What old events say, in compressed files beside the database.

The log keeps every row: number, names, key, clock, times and hashes are needed to know what is known, what follows from
what, and that nothing was changed. Only the payload of a cold event lies elsewhere, and the log says in which segment.
A segment is a SQLite database of its own with whole rows of the log, compressed with zstd.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from typing import Any, NamedTuple

import apsw

from nous.errors import StoreError
from nous.kernel.db.database import Database, Row, like
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.db.store import Store
from nous.kernel.log.events import TOMBSTONE_JSON

MARK = "@"  # no JSON begins with it: `@3` in the place of a payload says that segment 3 has it
MOST = 200_000  # events in one segment, so that one fits into memory
OPEN = 2  # segments that stay unpacked: reading goes through them in order
LEVEL = 10


class Segment(NamedTuple):
    """A file of cold events, as the manifest has it."""

    segment_id: int
    archive_path: str
    tier: str
    min_event_id: int
    max_event_id: int
    event_count: int
    stream_checksum_sha256: str
    compressed_bytes: int
    created_at: str
    restored_at: str | None


def is_cold(payload: str) -> bool:
    """Whether a payload lies in a segment."""
    return payload.startswith(MARK)


class Cold(Store, group="cold"):
    """The manifest of segments, and what they hold."""

    def __init__(self, db: Database):
        super().__init__(db)
        self._open: dict[int, apsw.Connection] = {}

    # reading
    def segments(self) -> list[Segment]: ...

    def path(self, segment: Segment) -> str:
        """Where a segment's file is; the manifest names it from the database's folder, so that both can move."""
        return os.path.join(_folder(self.db), segment.archive_path)

    def payload(self, mark: str, event_id: int) -> str:
        """What a cold event says."""
        number = int(mark[len(MARK) :])
        rows = self._unpack(number).execute("SELECT payload_json FROM learning_events WHERE event_id = ?", (event_id,))
        found = next(iter(rows), None)
        if found is None:
            raise StoreError(f"event {event_id} is not in its archive", hint="`nous admin verify` names what is lost")
        return str(found[0])

    def warm(self, rows: Iterable[tuple[Any, ...]], number: int, payload: int) -> Iterator[tuple[Any, ...]]:
        """Rows with the payloads of cold events filled in; where the event's number and its payload stand."""
        for row in rows:
            if is_cold(row[payload]):
                yield (*row[:payload], self.payload(row[payload], row[number]), *row[payload + 1 :])
            else:
                yield row

    def mentioning(self, text: str) -> set[str]:
        """Streams of which a cold payload contains a text, upper or lower case."""
        asked = (
            r"SELECT DISTINCT stream_id FROM learning_events WHERE stream = 'memory' AND payload_json LIKE ? ESCAPE '\'"
        )
        live = (segment for segment in self.segments() if segment.restored_at is None)
        return {
            stream for segment in live for (stream,) in self._unpack(segment.segment_id).execute(asked, (like(text),))
        }

    def _unpack(self, number: int) -> apsw.Connection:
        if number not in self._open:
            segment = next((one for one in self.segments() if one.segment_id == number), None)
            if segment is None:
                raise StoreError(f"there is no archive {number}")
            while len(self._open) >= OPEN:
                self._open.pop(next(iter(self._open))).close()
            self._open[number] = _unpack(self.path(segment))
        return self._open[number]

    def forget_open(self) -> None:
        """Let go of what was unpacked."""
        for connection in self._open.values():
            connection.close()
        self._open.clear()

    # moving
    def due(self, before: str) -> dict[str, int]:
        """How many events came before a moment and have their payload in the log, by year."""
        return dict(self.db.each("cold.due", before=before, tombstone=TOMBSTONE_JSON))

    def freeze(self, year: str, before: str, folder: str, now: str) -> Segment | None:
        """Move the payloads of a year's events before a moment into a new segment; None when there are none.

        The file is complete and on disk before the log lets go of anything; both the manifest and the log change in one
        transaction. A crash leaves a file that nobody names, which the next run removes.
        """
        rows = list(self.db.each("cold.take", year=year, before=before, tombstone=TOMBSTONE_JSON, limit=MOST))
        if not rows:
            return None
        path = _free_name(folder, year)
        packed = _pack(_schema(self.db), rows)
        _write(path, packed)
        with self.db.transaction():
            row = self.db.one(
                "cold.add",
                archive_path=os.path.relpath(path, _folder(self.db)),
                min_event_id=rows[0][0],
                max_event_id=rows[-1][0],
                event_count=len(rows),
                stream_checksum_sha256=_checksum(rows),
                compressed_bytes=len(packed),
                created_at=now,
            )
            assert row is not None
            number = int(row["segment_id"])
            moved = sum(
                self.db.run("cold.leave", mark=f"{MARK}{number}", event_id=each[0], payload=each[PAYLOAD])
                for each in rows
            )
            if moved != len(rows):  # somebody erased one of them meanwhile: the file must not keep it
                os.unlink(path)
                raise StoreError("the log changed while it was archived", hint="try again")
        return self.segment(number)

    def segment(self, number: int) -> Segment:
        """One segment by its number."""
        return next(one for one in self.segments() if one.segment_id == number)

    def thaw(self, segment: Segment, now: str) -> int:
        """Put the payloads of a segment back into the log, after checking them; how many."""
        with closing(_unpack(self.path(segment))) as held:
            rows = [tuple(row) for row in held.execute("SELECT * FROM learning_events ORDER BY event_id")]
        if _checksum(rows) != segment.stream_checksum_sha256:
            raise StoreError(f"{segment.archive_path} is not what was written: nothing was restored")
        mark = f"{MARK}{segment.segment_id}"
        with self.db.transaction():
            back = sum(self.db.run("cold.leave", mark=row[PAYLOAD], event_id=row[0], payload=mark) for row in rows)
            self.db.run("cold.restored", segment_id=segment.segment_id, now=now)
        self.forget_open()
        return back

    def drop_erased(self) -> list[str]:
        """Write every segment anew that still holds what was erased; their files."""
        gone = {number for (number,) in self.db.each("cold.erased", tombstone=TOMBSTONE_JSON)}
        changed = []
        self.forget_open()
        for segment in self.segments() if gone else ():
            path = self.path(segment)
            if os.path.exists(path) and self._without(segment, path, gone):
                changed.append(path)
        return changed

    def _without(self, segment: Segment, path: str, gone: set[int]) -> bool:
        with closing(_unpack(path)) as held:
            rows = [tuple(row) for row in held.execute("SELECT * FROM learning_events ORDER BY event_id")]
        left = [row for row in rows if row[0] not in gone]
        if len(left) == len(rows):
            return False
        packed = _pack(_schema(self.db), left)
        _write(path, packed)  # the same name: copies of the database elsewhere go on finding what is left
        self.db.run(
            "cold.rewritten",
            segment_id=segment.segment_id,
            event_count=len(left),
            stream_checksum_sha256=_checksum(left),
            compressed_bytes=len(packed),
        )
        return True

    def sweep(self, folder: str) -> list[str]:
        """Remove files of segments that no manifest names: what a killed run left."""
        named = {os.path.realpath(self.path(segment)) for segment in self.segments()}
        left = [path for path in files_in(folder) if os.path.realpath(path) not in named]
        for path in left:
            with suppress(FileNotFoundError):
                os.unlink(path)
        return left


PREFIX, ENDING = "cortex-archive-", ".db.zst"
PAYLOAD = 18  # where it stands in a row of the log


def files_in(folder: str) -> list[str]:
    """The files in a folder that are called like segments, whole or not."""
    with suppress(FileNotFoundError, NotADirectoryError):
        names = (name for name in sorted(os.listdir(folder)) if name.startswith(PREFIX))
        return [os.path.join(folder, name) for name in names if name.endswith((ENDING, ENDING + ".partial"))]
    return []


def _folder(db: Database) -> str:
    return os.path.dirname(os.path.abspath(db.path)) if isinstance(db, Sqlite) else os.getcwd()


def _free_name(folder: str, year: str) -> str:
    at = os.path.join(folder, PREFIX + year)
    tries = (at + (f"-{number}" if number > 1 else "") + ENDING for number in range(1, 10_000))
    return next(path for path in tries if not os.path.exists(path))


def _schema(db: Database) -> str:
    row = db.one("cold.schema")
    assert row is not None
    return str(row["sql"])


def _pack(schema: str, rows: Sequence[tuple[Any, ...]]) -> bytes:
    """Rows of the log as a compressed database; nothing of it touches the disk uncompressed."""
    from nous import zstd

    with closing(apsw.Connection(":memory:")) as made:
        made.execute(schema).fetchall()
        if rows:
            made.executemany(f"INSERT INTO learning_events VALUES ({','.join('?' * len(rows[0]))})", rows).fetchall()
        return zstd.compress(made.serialize("main"), LEVEL)


def _unpack(path: str) -> apsw.Connection:
    from nous import zstd

    try:
        with open(path, "rb") as file:
            raw = zstd.decompress(file.read())
        connection = apsw.Connection(":memory:")
        connection.deserialize("main", raw)
        connection.execute("SELECT count(*) FROM learning_events").fetchall()
    except FileNotFoundError:
        hint = "put it back where it was; until then what those events say cannot be read"
        raise StoreError(f"the archive {path} is not there", hint=hint) from None
    except (OSError, zstd.ZstdError, apsw.Error) as problem:
        raise StoreError(f"the archive {path} cannot be read: {problem}") from None
    return connection


def _write(path: str, packed: bytes) -> None:
    """A file that appears complete or not at all, readable by its owner alone."""
    partial = path + ".partial"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        handle = os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with open(handle, "wb") as file:
            file.write(packed)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as problem:
        with suppress(OSError):
            os.unlink(partial)
        raise StoreError(f"cannot write to {path}: {problem.strerror}") from None


def _checksum(rows: Iterable[Sequence[Any]]) -> str:
    """SHA-256 over numbers and payloads, in order; the same however they are packed."""
    found = hashlib.sha256()
    for row in rows:
        found.update(f"{row[0]}\n{row[PAYLOAD]}\n".encode())
    return found.hexdigest()


__all__ = ["Cold", "Row", "Segment", "files_in", "is_cold"]
