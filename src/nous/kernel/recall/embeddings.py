"""Memories that wait for a vector: the queue of the embedding step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from nous.kernel.db.store import Store


class Waiting(NamedTuple):
    """A memory whose vector is missing: its words, those around it, and what decides whether they may leave."""

    memory_id: int
    content: str
    asked: str
    context: str
    type: str
    tags: tuple[str, ...]


class EmbeddingQueue(Store):
    """Which memories have no vector yet, or one of words that changed."""

    def enqueue(self, rows: Iterable[int]) -> None: ...
    def enqueue_missing(self, model_id: int) -> None: ...
    def waiting(self) -> int: ...

    def next_waiting(self, limit: int) -> list[Waiting]:
        """The next memories to embed, oldest first. One that was erased meanwhile comes with empty words."""
        rows = self.db.each("embeddings.next_waiting", limit=limit)
        return [
            Waiting(number, content or "", asked or "", context or "", type_ or "", _tags(rest))
            for number, content, asked, context, type_, rest in rows
        ]

    def finish(self, memory_ids: Iterable[int]) -> None: ...


class _Tagged(msgspec.Struct):
    tags: tuple[str, ...] = ()


_decode_tags = msgspec.json.Decoder(_Tagged).decode


def _tags(rest: str | None) -> tuple[str, ...]:
    return _decode_tags(rest).tags if rest else ()
