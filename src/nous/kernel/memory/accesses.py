"""The access log: how often memories were asked for or cited, by day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from nous.kernel.db.store import Store
from nous.kernel.memory.decay import Use


class Accesses(Store):
    """Counts uses of memories. No hook writes here: what a session cites is noted when its transcript is learned."""

    def note(self, memory_ids: Iterable[int], at: str) -> None:
        """Memories were asked for or cited at a moment."""
        counted = Counter(memory_ids)
        self.db.many("accesses.note", ((number, at[:10], count, at) for number, count in sorted(counted.items())))

    def of(self, memory_ids: Iterable[int]) -> dict[int, Use]:
        """How these memories were used; those that never were are missing."""
        rows = self.db.each("accesses.of", ids=msgspec.json.encode(list(memory_ids)).decode())
        return {number: Use(count, last) for number, count, last in rows}

    def often(self, least: int) -> list[int]: ...
    def forget(self, memory_id: int) -> None: ...
