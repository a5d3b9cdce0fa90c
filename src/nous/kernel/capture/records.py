"""Transcript records: those that were read before, and lines that were put aside."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from nous.kernel.db.database import Row
from nous.kernel.db.store import Store


class Records(Store):
    """Each record is read once; a line that does not parse is quarantined."""

    def see(self, uuids: Iterable[str]) -> set[str]:
        """Note that records were read, in the transaction that enqueues them; those that never were before."""
        asked = msgspec.json.encode(list(uuids)).decode()
        return {row[0] for row in self.db.each("records.see", uuids=asked)}

    def quarantine(self, path: str, inode: str, offset: int, length: int, reason: str, now: str) -> None: ...
    def list_quarantined(self, limit: int = 100) -> list[Row]: ...
    def quarantine_count(self) -> int: ...
