"""The read models of memories: current rows, their past versions, the text index, concepts and counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from nous.core.memory import Memory
from nous.stores.database import Database, Row

COLUMNS = (
    "id",
    "learning_id",
    "project_id",
    "scope",
    "type",
    "status",
    "content",
    "strength",
    "confidence",
    "valid_from",
    "valid_until",
    "created_at",
    "session_id",
    "branch",
    "slot",
    "ref",
    "pinned",
    "tainted",
    "version",
)
_REST = tuple(name for name in Memory.__struct_fields__ if name not in COLUMNS)
_DEFAULTS = dict(zip(reversed(Memory.__struct_fields__), reversed(Memory.__struct_defaults__), strict=False))


class TextRow(msgspec.Struct, frozen=True):
    """What the text index knows of one memory."""

    id: int
    content: str
    terms: str
    concepts: str
    context: str


class Memories:
    """Reads and writes the rows that projection makes."""

    def __init__(self, db: Database):
        self.db = db

    # reading
    def get(self, memory_id: int) -> Memory | None:
        """One memory by its number."""
        return next(iter(self.by_id([memory_id])), None)

    def by_id(self, ids: Sequence[int], as_of: int | None = None) -> list[Memory]:
        """These memories, as they are now or as they were after an event."""
        asked = _json(list(ids))
        if as_of is None:
            return [from_row(row) for row in self.db.all("memories.by_id", ids=asked)]
        return [from_row(row) for row in self.db.all("memories.by_id_as_of", ids=asked, event_id=as_of)]

    def by_learning(self, learning_ids: Iterable[str]) -> dict[str, Memory]:
        """Current memories by learning id."""
        rows = self.db.all("memories.by_learning", ids=_json(list(learning_ids)))
        return {row["learning_id"]: from_row(row) for row in rows}

    def by_ref(self, ref: str, project_id: str) -> Memory | None:
        """The newest active memory with the caller's own key."""
        row = self.db.one("memories.by_ref", ref=ref, project_id=project_id)
        return from_row(row) if row else None

    def in_slot(self, slot: str | None, project_id: str) -> list[Memory]:
        """Active memories that hold a value of the same single-valued fact."""
        if slot is None:
            return []
        return [from_row(row) for row in self.db.all("memories.in_slot", slot=slot, project_id=project_id)]

    def visible(self, project_id: str, limit: int = 5000) -> list[Memory]:
        """Active memories a project may see, its own and the global ones, newest first."""
        return [from_row(row) for row in self.db.all("memories.visible", project_id=project_id, limit=limit)]

    def listing(
        self,
        project_id: str | None,
        *,
        type: str | None = None,
        status: str | None = "active",
        after: str | None = None,
        before: str | None = None,
        limit: int = 100,
        with_global: bool = True,
        as_of: int | None = None,
    ) -> list[Memory]:
        """Memories that pass every filter, newest first; None means any."""
        wanted = {
            "project_id": project_id,
            "type": type,
            "status": status,
            "after": after,
            "before": before,
            "limit": limit,
            "with_global": int(with_global),
        }
        if as_of is None:
            return [from_row(row) for row in self.db.all("memories.listing", **wanted)]
        return [from_row(row) for row in self.db.all("memories.listing_as_of", **wanted, event_id=as_of)]

    def counts(self, project_id: str | None = None) -> list[Row]:
        """How many memories there are by project, type and status."""
        return self.db.all("memories.counts", project_id=project_id)

    def search_text(self, query: str, limit: int) -> list[tuple[int, float]]:
        """Memory numbers and scores (higher is better) for a full-text query in the engine's own syntax."""
        return [(number, -score) for number, score in self.db.each("memories.search_text", query=query, limit=limit)]

    # writing, by projectors only
    def save(self, memories: Iterable[Memory]) -> None:
        """Insert or replace current rows."""
        self.db.many("memories.upsert", (to_row(memory) for memory in memories))

    def keep_history(self, old: Iterable[tuple[Memory, int]]) -> None:
        """Remember what memories were until an event changed them."""
        self.db.many("memories.keep_history", ((*to_row(memory), until) for memory, until in old))

    def forget_history(self, memory_id: int) -> None:
        """Drop the past versions of one memory (erasure)."""
        self.db.run("memories.forget_history", id=memory_id)

    def add_text(self, rows: Iterable[TextRow]) -> None:
        """Put memories into the text index."""
        self.db.many("memories.add_text", ((r.id, r.content, r.terms, r.concepts, r.context) for r in rows))

    def drop_text(self, memory_id: int) -> None:
        """Take a memory out of the text index."""
        self.db.run("memories.drop_text", id=memory_id)

    def add_concepts(self, rows: Iterable[tuple[int, str, int]]) -> None:
        """Tag memories; a tag that is there stays (add wins)."""
        self.db.many("memories.add_concept", rows)

    def drop_concepts(self, memory_id: int) -> None:
        """Remove a memory's tags (erasure)."""
        self.db.run("memories.drop_concepts", memory_id=memory_id)

    def add_stats(self, rows: Iterable[tuple[str, str, int, int, str]]) -> None:
        """Count events by project and type."""
        self.db.many("memories.add_stats", rows)

    def checkpoint(self, projector: str) -> int:
        """The last event a projector has taken in."""
        row = self.db.one("memories.checkpoint", name=projector)
        return row["last_event_id"] if row else 0

    def set_checkpoint(self, projector: str, event_id: int, now: str) -> None:
        """Say how far a projector has come; in the same transaction as what it wrote."""
        self.db.run("memories.set_checkpoint", name=projector, last_event_id=event_id, now=now)

    def clear(self, *tables: str) -> None:
        """Empty read models before they are built again."""
        for table in tables:
            self.db.run(f"memories.clear_{table}")


def to_row(memory: Memory) -> tuple[Any, ...]:
    """A memory as its columns; what no query asks for travels as JSON in `rest`."""
    rest = {name: value for name in _REST if (value := getattr(memory, name)) != _DEFAULTS.get(name)}
    columns = [getattr(memory, name) for name in COLUMNS]
    columns[16], columns[17] = int(memory.pinned), int(memory.tainted)
    return (*columns, msgspec.json.encode(rest, order="sorted").decode())


def from_row(row: Row) -> Memory:
    """The memory that a row describes."""
    fields = {name: row[name] for name in COLUMNS} | msgspec.json.decode(row["rest"])
    return msgspec.convert(fields, Memory, strict=False)


def _json(values: list[Any]) -> str:
    return msgspec.json.encode(values).decode()
