"""What extractors found and the contract refused: counted, and kept for a while with the reason."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from nous.kernel.db.database import Row, like
from nous.kernel.db.store import Store

KEPT = 1000


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was not taken up: where it was said, who found it, why it was refused, its first words."""

    project_id: str
    session_id: str
    extractor: str
    reason: str
    excerpt: str
    created_at: str


class Rejections(Store):
    """Keeps the latest refusals, each of a session once."""

    def add(self, rows: Iterable[Refusal], keep: int = KEPT) -> None:
        """Note refusals; the oldest make room for them."""
        self.db.many("rejections.add", (msgspec.structs.astuple(row) for row in rows))
        self.db.run("rejections.trim", keep=keep)

    def recent(self, project_id: str | None = None, limit: int = 50) -> list[Row]: ...
    def reasons(self, project_id: str | None = None) -> dict[str, int]: ...

    def mentioning(self, text: str) -> int:
        """How many refusals have these words."""
        row = self.db.one("rejections.mentioning", pattern=like(text))
        return int(row["found"]) if row else 0

    def forget(self, session_ids: Iterable[str], words: Iterable[str]) -> None:
        """Drop what was refused in sessions, or has these words (erasure)."""
        for session_id in session_ids:
            self.db.run("rejections.forget_session", session_id=session_id)
        for word in words:
            self.db.run("rejections.forget_words", pattern=like(word))
