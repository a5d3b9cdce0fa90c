"""Memories that wait for a vector: the queue of the embedding step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from nous.stores.database import Database


class Waiting(NamedTuple):
    """A memory whose vector is missing: its words, those around it, and what decides whether they may leave."""

    memory_id: int
    content: str
    asked: str
    context: str
    type: str
    tags: tuple[str, ...]


class EmbeddingQueue:
    """Which memories have no vector yet, or one of words that changed."""

    def __init__(self, db: Database):
        self.db = db

    def enqueue(self, memory_ids: Iterable[int]) -> None:
        """Ask for vectors of these memories."""
        self.db.many("embeddings.enqueue", ((number,) for number in memory_ids))

    def enqueue_missing(self, model_id: int) -> None:
        """Ask for a vector of every memory that has none of this model."""
        self.db.run("embeddings.enqueue_missing", model_id=model_id)

    def waiting(self) -> int:
        """How many memories wait for a vector."""
        row = self.db.one("embeddings.waiting")
        return int(row["waiting"]) if row else 0

    def next_waiting(self, limit: int) -> list[Waiting]:
        """The next memories to embed, oldest first. One that was erased meanwhile comes with empty words."""
        rows = self.db.each("embeddings.next_waiting", limit=limit)
        return [
            Waiting(number, content or "", asked or "", context or "", type_ or "", _tags(rest))
            for number, content, asked, context, type_, rest in rows
        ]

    def done(self, memory_ids: Iterable[int]) -> None:
        """Take memories out of the queue."""
        self.db.run("embeddings.done", ids=msgspec.json.encode(list(memory_ids)).decode())


class _Tagged(msgspec.Struct):
    tags: tuple[str, ...] = ()


_decode_tags = msgspec.json.Decoder(_Tagged).decode


def _tags(rest: str | None) -> tuple[str, ...]:
    return _decode_tags(rest).tags if rest else ()
