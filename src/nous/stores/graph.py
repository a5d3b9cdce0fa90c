"""Typed, weighted relations between learnings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from nous.stores.database import Database, Row


class EdgeRow(msgspec.Struct, frozen=True):
    """One relation as stored."""

    source_id: str
    target_id: str
    rel_type: str
    weight: float
    confidence: float
    status: str
    valid_from: str | None
    created_at: str
    version: int


class Graph:
    """The edges read model and its traversal."""

    def __init__(self, db: Database):
        self.db = db

    def put(self, edges: Iterable[EdgeRow]) -> None:
        """Insert relations, or bring known ones up to date."""
        self.db.many("graph.put", (msgspec.structs.astuple(edge) for edge in edges))

    def drop(self, learning_id: str) -> None:
        """Remove every relation of one learning (erasure)."""
        self.db.run("graph.drop_learning", learning_id=learning_id)

    def remove(self, keys: Iterable[tuple[str, str, str]]) -> None:
        """Take out single relations, each by its two ends and its type."""
        self.db.many("graph.remove", keys)

    def of(self, learning_id: str) -> list[Row]:
        """Every relation from or to a learning."""
        return self.db.all("graph.of_learning", learning_id=learning_id)

    def traverse(self, learning_ids: Sequence[str], depth: int = 2) -> dict[str, float]:
        """Learnings near the given ones and how near, halved per further hop."""
        ids = msgspec.json.encode(list(learning_ids)).decode()
        return {row["learning_id"]: row["proximity"] for row in self.db.all("graph.traverse", ids=ids, depth=depth)}

    def clear(self) -> None:
        """Empty the read model before it is built again."""
        self.db.run("graph.clear")
