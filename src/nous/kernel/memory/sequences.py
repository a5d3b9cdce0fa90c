"""Memories of one session in their order, and what is said around each of them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from nous.kernel.db.database import Database
from nous.kernel.db.store import Store
from nous.kernel.recall.embeddings import EmbeddingQueue


class Sequences(Store):
    """Which memories follow each other, and the words before and after one; its vector is made of them too."""

    def __init__(self, db: Database, embeddings: EmbeddingQueue):
        self.db = db
        self.embeddings = embeddings

    def join(self, session_id: str, memory_ids: Iterable[int]) -> None:
        """Say that memories belong to a sequence."""
        self.db.many("sequences.join", ((session_id, number) for number in memory_ids))

    def leave(self, memory_id: int) -> str | None:
        """Take a memory out of its sequence; which one it was."""
        row = self.db.one("sequences.of", memory_id=memory_id)
        self.db.run("sequences.leave", memory_id=memory_id)
        return row["session_id"] if row else None

    def before(self, session_id: str, memory_id: int, limit: int) -> list[tuple[int, str]]:
        """Numbers and words of the memories before one, in order."""
        rows = self.db.each("sequences.said_before", session_id=session_id, memory_id=memory_id, limit=limit)
        return [(number, content or "") for number, content in rows][::-1]

    def after(self, session_id: str, memory_id: int, limit: int) -> list[tuple[int, str]]:
        """Numbers and words of the memories after one, in order."""
        rows = self.db.each("sequences.said_after", session_id=session_id, memory_id=memory_id, limit=limit)
        return [(number, content or "") for number, content in rows]

    def set_context(self, memory_id: int, asked: str, context: str) -> None:
        """Change what the text index knows of a memory's surroundings; its vector is no longer true."""
        self.db.run("sequences.set_context", id=memory_id, asked=asked, context=context)
        self.embeddings.enqueue([memory_id])

    def get_question(self, memory_id: int) -> str: ...

    def answering(self, memory_ids: Iterable[int]) -> frozenset[int]:
        """Those of some memories that were said in answer to a question."""
        ids = msgspec.json.encode(sorted(memory_ids)).decode()
        return frozenset(number for (number,) in self.db.each("sequences.answering", ids=ids))

    def clear(self) -> None: ...
