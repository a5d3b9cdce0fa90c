"""Typed, weighted relations between learnings, as events tell of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from nous.kernel.db.database import Row
from nous.kernel.db.store import Store

HALF_CENTRAL = 4  # relations that lead to a memory of centrality one half


def centrality(in_degree: int) -> float:
    """How much hangs on a memory, from the relations that lead to it: d / (d + 4), so four give 0.5 and five a hub.

    It needs nothing but the memory's own relations, and does not change when another memory becomes a greater hub.
    """
    return in_degree / (in_degree + HALF_CENTRAL)


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
    valid_until: str | None = None
    evidence: tuple[str, ...] = ()


class Graph(Store):
    """The edges read model, and what leads to what."""

    def put(self, edges: Iterable[EdgeRow]) -> None:
        """Insert relations, or bring known ones up to date."""
        rows = (msgspec.structs.astuple(edge) for edge in edges)
        self.db.many("graph.put", ((*row[:-1], msgspec.json.encode(row[-1]).decode()) for row in rows))

    def drop(self, learning_id: str) -> None:
        """Remove every relation of one learning (erasure)."""
        self.db.run("graph.drop_learning", learning_id=learning_id)

    def remove(self, rows: Iterable[tuple[str, str, str]]) -> None: ...
    def of(self, learning_id: str) -> list[Row]: ...
    def list_suggested(self, project_id: str | None, limit: int) -> list[Row]: ...

    def centrality(self, learning_id: str) -> float:
        """How much hangs on a learning, 0 to 1; a hub is above a half."""
        return self.centralities([learning_id]).get(learning_id, 0.0)

    def centralities(self, learning_ids: Sequence[str]) -> dict[str, float]:
        """The same for many at once; those that nothing leads to are missing."""
        rows = self.db.each("graph.in_degrees", ids=_json(learning_ids))
        return {name: centrality(degree) for name, degree in rows}

    def clear(self) -> None: ...


def _json(values: Sequence[str]) -> str:
    return msgspec.json.encode(list(values)).decode()
