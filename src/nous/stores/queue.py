"""The durable ingest queue, the cursor of every transcript, and the records that were read before."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from nous.core.events import Source
from nous.core.moments import later
from nous.stores.database import Database, Row

MAX_ATTEMPTS = 5
LEASE_SECONDS = 60.0
BACKOFF_SECONDS = 2.0
BACKOFF_CEILING = 600.0


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


class Queue:
    """Enqueue, claim, acknowledge, fail: an item is worked on by one worker at a time and never lost."""

    def __init__(self, db: Database):
        self.db = db

    def enqueue(self, artifact: Artifact, now: str) -> int | None:
        """The item's number, or None when the same stretch is already there."""
        fields = msgspec.structs.asdict(artifact)
        fields["payload_json"] = fields.pop("payload")
        row = self.db.one("queue.enqueue", **fields, now=now)
        return row["ingest_id"] if row else None

    def claim(self, worker: str, now: str, lease_seconds: float = LEASE_SECONDS) -> Item | None:
        """The next due item, leased to this worker, or None."""
        with self.db.transaction():
            row = self.db.one("queue.claim", worker=worker, now=now, lease=later(now, lease_seconds))
        return _item(row) if row else None

    def heartbeat(self, ingest_id: int, worker: str, now: str, lease_seconds: float = LEASE_SECONDS) -> bool:
        """Prolong the lease; False when the item is no longer ours."""
        lease = later(now, lease_seconds)
        return self.db.run("queue.heartbeat", ingest_id=ingest_id, worker=worker, now=now, lease=lease) == 1

    def ack(self, item: Item, worker: str, now: str) -> bool:
        """Finish an item and promote its file's cursor, in the transaction of the work; False when it is not ours."""
        if self.db.run("queue.ack", ingest_id=item.ingest_id, worker=worker, now=now) != 1:
            return False
        self.promote(item.transcript_path, item.file_inode, item.end_offset, None, now)
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

    def sweep(self, now: str, max_attempts: int = MAX_ATTEMPTS) -> int:
        """Take items back from workers whose lease ran out; how many."""
        with self.db.transaction():
            stale = self.db.all("queue.stale", now=now)
            for row in stale:
                due = later(now, backoff(row["retry_count"]))
                self.db.run(
                    "queue.release",
                    ingest_id=row["ingest_id"],
                    now=now,
                    next_attempt_at=due,
                    max_attempts=max_attempts,
                )
        return len(stale)

    def requeue(self, ingest_id: int, now: str) -> bool:
        """Try a failed or dead item again."""
        return self.db.run("queue.requeue", ingest_id=ingest_id, now=now) == 1

    def earlier(self, item: Item, limit: int = 3) -> list[str]:
        """What the same file said before this item, oldest first."""
        rows = self.db.all("queue.earlier", transcript_path=item.transcript_path, ingest_id=item.ingest_id, limit=limit)
        return [row["payload_json"] for row in reversed(rows)]

    def counts(self) -> dict[str, int]:
        """Items by state."""
        return {row["status"]: row["items"] for row in self.db.all("queue.counts")}

    def next_due(self) -> str | None:
        """When the next waiting item may be tried."""
        row = self.db.one("queue.next_due")
        return row["due"] if row else None

    # files
    def read_to(self, path: str, inode: str) -> int:
        """The offset from which a file has not been read yet."""
        row = self.db.one("queue.read_to", path=path, inode=inode)
        return (row and row["position"]) or 0

    def cursors(self) -> dict[tuple[str, str], Row]:
        """Every file's cursor by path and inode."""
        return {(row["transcript_path"], row["file_inode"]): row for row in self.db.all("queue.cursors")}

    def cursor(self, path: str, inode: str) -> int:
        """How far a file was learned."""
        row = self.db.one("queue.cursor", path=path, inode=inode)
        return row["last_offset"] if row else 0

    def promote(self, path: str, inode: str, offset: int, mtime: str | None, now: str) -> None:
        """Move a file's cursor."""
        self.db.run("queue.set_cursor", path=path, inode=inode, last_offset=offset, last_mtime=mtime, now=now)

    def restart(self, path: str, inode: str) -> None:
        """Read a file from its beginning again: it was truncated or rewritten in place."""
        self.db.run("queue.forget_cursor", path=path, inode=inode)
        self.db.run("queue.detach_items", path=path, inode=inode)

    # records
    def unseen(self, uuids: Sequence[str]) -> set[str]:
        """Those records that were never read before."""
        asked = msgspec.json.encode(list(uuids)).decode()
        return set(uuids) - {row[0] for row in self.db.each("queue.known_records", uuids=asked)}

    def see(self, uuids: Iterable[str]) -> None:
        """Note that records were read; in the transaction that enqueues them."""
        self.db.many("queue.see_record", ((uuid,) for uuid in uuids))

    def quarantine(self, path: str, inode: str, offset: int, length: int, reason: str, now: str) -> None:
        """Note a terminated line that does not parse; its text is not kept."""
        self.db.run(
            "queue.quarantine", path=path, inode=inode, file_offset=offset, length=length, reason=reason, now=now
        )

    def quarantined(self, limit: int = 100) -> list[Row]:
        """Lines that were put aside."""
        return self.db.all("queue.quarantined", limit=limit)

    def quarantine_count(self) -> int:
        """How many lines were put aside."""
        row = self.db.one("queue.quarantine_count")
        return row["lines"] if row else 0

    # extractions
    def is_processed(self, project_id: str, session_id: str, index: int) -> bool:
        """Whether this learning of this session is already in the log, whatever extractor wrote it."""
        found = self.db.one("queue.processed", project_id=project_id, session_id=session_id, learning_index=index)
        return found is not None

    def mark_processed(
        self, project_id: str, session_id: str, index: int, event_id: int, version: str, now: str
    ) -> None:
        """Remember which event a learning of a session became."""
        self.db.run(
            "queue.mark_processed",
            project_id=project_id,
            session_id=session_id,
            learning_index=index,
            event_id=event_id,
            version=version,
            now=now,
        )


def backoff(retries: int, jitter: float | None = None) -> float:
    """Seconds until the next try: doubling from two, at most ten minutes, half of it by chance.

    Third retry without jitter: 2 * 2**2 = 8 seconds.
    """
    full = min(BACKOFF_CEILING, BACKOFF_SECONDS * 2.0**retries)
    return full * (0.5 + 0.5 * (random.random() if jitter is None else jitter))


def _item(row: Row) -> Item:
    fields: dict[str, Any] = {name: row[name] for name in Item.__struct_fields__ if name != "payload"}
    return Item(payload=row["payload_json"], **fields)
