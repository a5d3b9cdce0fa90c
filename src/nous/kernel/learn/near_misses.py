"""The near-miss log: what came close to being the same as something known, and what was decided about it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from nous.kernel.db.database import Row, like
from nous.kernel.db.store import Store
from nous.kernel.learn.relearn import Retold

KEPT = 2000


class NearMiss(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison: a known memory, what was said, and the share of words.

    `other_id` is the memory that the new words became; none when they were taken for the known one.
    """

    memory_id: int
    other_id: int | None
    said: str
    session_id: str
    jaccard: float
    cosine: float | None = None  # older versions asked further tiers
    label: str | None = None
    confidence: float | None = None
    tier: int = 1
    decision: Retold
    created_at: str


class NearMisses(Store):
    """Keeps the latest comparisons, each pair once."""

    def add(self, rows: Iterable[NearMiss], keep: int = KEPT) -> None:
        """Note comparisons; the oldest make room for them."""
        self.db.many("near_misses.add", (msgspec.structs.astuple(row) for row in rows))
        self.db.run("near_misses.trim", keep=keep)

    def recent(self, project_id: str | None = None, decision: Retold | None = None, limit: int = 50) -> list[Row]: ...

    def mentioning(self, text: str) -> int:
        """How many notes have these words."""
        row = self.db.one("near_misses.mentioning", pattern=like(text))
        return int(row["found"]) if row else 0

    def forget(self, memory_ids: Iterable[int], session_ids: Iterable[str], words: Iterable[str]) -> None:
        """Drop what was noted about memories, in sessions, or with these words (erasure)."""
        for memory_id in memory_ids:
            self.db.run("near_misses.forget_memory", memory_id=memory_id)
        for session_id in session_ids:
            self.db.run("near_misses.forget_session", session_id=session_id)
        for word in words:
            self.db.run("near_misses.forget_words", pattern=like(word))
