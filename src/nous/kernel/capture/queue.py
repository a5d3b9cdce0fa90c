"""The durable queue between capture and learning."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Callable
from typing import Any

import msgspec

from nous.kernel.capture.cursors import Cursors
from nous.kernel.db.database import Database, Row
from nous.kernel.db.store import Store
from nous.kernel.log.events import Source
from nous.moments import later

MAX_ATTEMPTS = 5
MAX_KILLS = 50  # workers that may die over an item before it is set aside
LEASE_SECONDS = 60.0
BACKOFF_SECONDS = 2.0
BACKOFF_CEILING = 600.0
EMPTY = "[]"


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a transcript, redacted, on its way to an extractor."""

    source: Source
    project_id: str
    session_id: str
    transcript_path: str
    file_inode: str
    file_offset: int
    end_offset: int
    payload: str
    idempotency_key: str


class Item(Artifact, frozen=True, kw_only=True):
    """An artifact that a worker has claimed."""

    ingest_id: int
    retry_count: int


class Unit(msgspec.Struct, frozen=True):
    """An item that no worker has touched: what its session says next may still join it."""

    ingest_id: int
    session_id: str
    end_offset: int
    size: int
    created_at: str


class Queue(Store):
    """Enqueue, claim, acknowledge, fail: an item is worked on by one worker at a time and never lost."""

    def __init__(self, db: Database, cursors: Cursors):
        self.db = db
        self.cursors = cursors

    # putting in
    def enqueue(self, artifact: Artifact, now: str, due: str | None = None) -> int | None:
        """The item's number, or None when the same stretch is already there. Not worked on before it is due."""
        fields = msgspec.structs.asdict(artifact)
        fields["payload_json"] = fields.pop("payload")
        row = self.db.one("queue.enqueue", **fields, now=now, due=due or now)
        return row["ingest_id"] if row else None

    def open_unit(self, path: str, inode: str) -> Unit | None: ...
    def extend(self, ingest_id: int, more: str, end_offset: int, now: str, due: str) -> bool: ...
    def hurry(self, path: str, now: str) -> int: ...

    # working
    def claim(self, worker: str, now: str, lease_seconds: float = LEASE_SECONDS) -> Item | None:
        """The next due item, leased to this worker, or None."""
        due = self.next_due()
        if due is None or due > now:  # most of the time; looking costs no write lock
            return None
        with self.db.transaction():
            row = self.db.one("queue.claim", worker=worker, now=now, lease=later(now, lease_seconds))
        return _item(row) if row else None

    def heartbeat(self, ingest_id: int, worker: str, now: str) -> bool:
        """Prolong the lease; False when the item is no longer ours."""
        lease = later(now, LEASE_SECONDS)
        return self.db.run("queue.heartbeat", ingest_id=ingest_id, worker=worker, now=now, lease=lease) == 1

    def ack(self, item: Item, worker: str, now: str) -> bool:
        """Finish an item and promote its file's cursor, in the transaction of the work; False when it is not ours."""
        if self.db.run("queue.ack", ingest_id=item.ingest_id, worker=worker, now=now) != 1:
            return False
        self.cursors.promote(item.transcript_path, item.file_inode, now)
        return True

    def fail(self, ingest_id: int, worker: str, error: str, now: str, retries: int, max_attempts: int) -> None:
        """Give an item back for a later try, or to the dead letters."""
        due = later(now, backoff(retries))
        self.db.run(
            "queue.fail",
            ingest_id=ingest_id,
            worker=worker,
            error=error,
            now=now,
            next_attempt_at=due,
            max_attempts=max_attempts,
        )

    def give_back(self, worker: str, now: str) -> int: ...

    def sweep(self, now: str, is_dead: Callable[[str], bool] = lambda worker: False, max_kills: int = MAX_KILLS) -> int:
        """Take items back from workers whose lease ran out or that are dead; how many. It costs them no attempt.

        After the clock went back, leases and waits that end impossibly late are cut short too.
        """
        self._undo_clock_jumps(now)
        horizon = later(now, 2 * LEASE_SECONDS)
        stale = [
            row
            for row in self.db.all("queue.claimed")
            if not now <= row["lease_expires_at"] <= horizon or is_dead(row["claimed_by"])
        ]
        if not stale:
            return 0
        with self.db.transaction():
            return sum(self._release(row, now, max_kills) for row in stale)

    def _release(self, row: Row, now: str, max_kills: int) -> int:
        return self.db.run(
            "queue.release",
            ingest_id=row["ingest_id"],
            worker=row["claimed_by"],
            lease=row["lease_expires_at"],
            now=now,
            next_attempt_at=later(now, backoff(row["kills"])),
            max_kills=max_kills,
        )

    def _undo_clock_jumps(self, now: str) -> None:
        limit = later(now, BACKOFF_CEILING)
        found = self.db.one("queue.too_far", limit=limit)
        if found and found["items"]:
            self.db.run("queue.bring_near", now=now, limit=limit)

    # by hand
    def requeue(self, ingest_id: int, now: str) -> bool: ...

    def skip(self, ingest_id: int, now: str) -> bool:
        """Give up an unfinished item; the cursor of its file may pass it."""
        with self.db.transaction():
            row = self.db.one("queue.get", ingest_id=ingest_id)
            if row is None or self.db.run("queue.skip", ingest_id=ingest_id, now=now) != 1:
                return False
            self.cursors.promote(row["transcript_path"], row["file_inode"], now)
        return True

    def listing(self, status: str | None = None, limit: int = 50) -> list[Row]: ...
    def get(self, ingest_id: int) -> Row | None: ...
    def counts(self) -> dict[str, int]: ...
    def next_due(self) -> str | None: ...

    # payloads
    def earlier(self, item: Item, limit: int = 3) -> list[str]:
        """What the same file said before this item and is not archived yet, oldest first."""
        rows = self.db.all("queue.earlier", transcript_path=item.transcript_path, ingest_id=item.ingest_id, limit=limit)
        return [row["payload_json"] for row in reversed(rows)]

    def unread(self, path: str) -> list[str]: ...
    def drop_payload(self, ingest_id: int) -> None: ...
    def drop_payloads_before(self, path: str, ingest_id: int) -> None: ...
    def drop_old_payloads(self, moment: str) -> int: ...


def backoff(retries: int, jitter: float | None = None) -> float:
    """Seconds until the next try: doubling from two, at most ten minutes, half of it by chance.

    Third retry without jitter: 2 * 2**2 = 8 seconds.
    """
    full = min(BACKOFF_CEILING, BACKOFF_SECONDS * 2.0**retries)
    return full * (0.5 + 0.5 * (random.random() if jitter is None else jitter))


def worker_name(kind: str) -> str:
    """A name that says which process on which computer works."""
    return f"{kind}:{os.getpid()}@{socket.gethostname()}"


def is_dead(worker: str) -> bool:
    """Whether a worker was a process of this computer that is no more; False when nobody can know."""
    process, _, host = worker.partition("@")
    number = process.rpartition(":")[2]
    if host != socket.gethostname() or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _item(row: Row) -> Item:
    fields: dict[str, Any] = {name: row[name] for name in Item.__struct_fields__ if name != "payload"}
    return Item(payload=row["payload_json"], **fields)
