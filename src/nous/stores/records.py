"""Transcript records: those that were read before, and lines that were put aside."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from nous.stores.database import Database, Row


class Records:
    """Each record is read once; a line that does not parse is quarantined."""

    def __init__(self, db: Database):
        self.db = db

    def see(self, uuids: Iterable[str]) -> set[str]:
        """Note that records were read, in the transaction that enqueues them; those that never were before."""
        asked = msgspec.json.encode(list(uuids)).decode()
        return {row[0] for row in self.db.each("records.see", uuids=asked)}

    def quarantine(self, path: str, inode: str, offset: int, length: int, reason: str, now: str) -> None:
        """Note a terminated line that does not parse; its text is not kept."""
        self.db.run(
            "records.quarantine", path=path, inode=inode, file_offset=offset, length=length, reason=reason, now=now
        )

    def quarantined(self, limit: int = 100) -> list[Row]:
        """Lines that were put aside."""
        return self.db.all("records.quarantined", limit=limit)

    def quarantine_count(self) -> int:
        """How many lines were put aside."""
        row = self.db.one("records.quarantine_count")
        return row["lines"] if row else 0
