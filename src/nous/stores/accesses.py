"""The access log: how often memories were asked for or cited, by day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from nous.core.decay import Use
from nous.stores.database import Database


class Accesses:
    """Counts uses of memories. No hook writes here: what a session cites is noted when its transcript is learned."""

    def __init__(self, db: Database):
        self.db = db

    def note(self, memory_ids: Iterable[int], at: str) -> None:
        """Memories were asked for or cited at a moment."""
        counted = Counter(memory_ids)
        self.db.many("accesses.note", ((number, at[:10], count, at) for number, count in sorted(counted.items())))

    def of(self, memory_ids: Iterable[int]) -> dict[int, Use]:
        """How these memories were used; those that never were are missing."""
        rows = self.db.each("accesses.of", ids=msgspec.json.encode(list(memory_ids)).decode())
        return {number: Use(count, last) for number, count, last in rows}

    def often(self, least: int) -> list[int]:
        """The memories that were asked for or cited at least this many times."""
        return [row["memory_id"] for row in self.db.all("accesses.often", least=least)]

    def forget(self, memory_id: int) -> None:
        """Drop what is known about the use of a memory (erasure)."""
        self.db.run("accesses.forget", memory_id=memory_id)
