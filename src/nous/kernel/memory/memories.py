"""The read models of memories: current rows, their past versions, the text index, concepts and counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import Any

import msgspec

from nous.kernel.circles import Circles
from nous.kernel.db.database import Database, Row
from nous.kernel.db.fulltext import expression, quote, spell
from nous.kernel.db.store import Store
from nous.kernel.memory.memory import Memory
from nous.kernel.viewer import OWNER_VIEW, Viewer
from nous.language.text import Wanted, any_word_of

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
_FIELDS = {field.name: field for field in msgspec.structs.fields(Memory)}
_REST_NAMES = tuple(name for name in _FIELDS if name not in COLUMNS)
KEYS = {
    "memories": 1,
    "memory_history": 2,
    "concepts": 2,
    "edges": 3,
    "memories_fts": 1,
    "event_stats": 2,
    "reviews": 1,
    "mentions": 2,
    "observations": 2,
    "entity_names": 1,
    "entity_moves": 2,
    "observed": 1,
    "observed_sightings": 3,
    "briefs": 1,
    "brief_lines": 1,
    "read_sessions": 1,
    "tidyings": 1,
}
VERSION = COLUMNS.index("version")
KEPT = 4096  # memories kept in their final shape, some 4 MB
NEWEST = 2**62  # no event has a higher number
# A memory that is learned is compared with those that have its words. The engine weighs every one that has any of them,
# 3 ms where 1,500 do, so in a large store common words only say which of the newest are looked at.
FEW = 1000  # memories of a store whose words need no counting
COMMON = 500  # memories that may have a word before it is common
ALONE = 3  # common words, the rarest first, by each of which the newest are looked at
WEIGHED = 2000  # matches of rare words that are weighed at most


def _declare(name: str) -> tuple[str, Any] | tuple[str, Any, Any]:
    field = _FIELDS[name]
    if field.default is not msgspec.NODEFAULT:
        return name, field.type, field.default
    if field.default_factory is not msgspec.NODEFAULT:
        return name, field.type, msgspec.field(default_factory=field.default_factory)
    return name, field.type


# What no query asks for travels as JSON: the fields of a memory that have no column, in a fixed order.
_Rest = msgspec.defstruct("_Rest", [_declare(name) for name in _REST_NAMES], frozen=True, omit_defaults=True)
_encode_rest = msgspec.json.Encoder().encode
_decode_rest = msgspec.json.Decoder(_Rest).decode
_columns_of = attrgetter(*COLUMNS)
_rest_of = attrgetter(*_REST_NAMES)


class TextRow(msgspec.Struct, frozen=True):
    """What the text index knows of one memory."""

    id: int
    content: str
    terms: str
    concepts: str
    asked: str = ""
    context: str = ""
    place: str = ""


class Memories(Store):
    """Reads and writes the rows that projection makes."""

    def __init__(self, db: Database, circles: Circles):
        self.db = db
        self.circles = circles
        self._made: dict[tuple[int, int], Memory] = {}

    # reading
    def get(self, memory_id: int) -> Memory | None:
        """One memory by its number."""
        return next(iter(self.by_id([memory_id])), None)

    def by_id(self, ids: Sequence[int], as_of: int | None = None) -> list[Memory]:
        """These memories, as they are now or as they were after an event."""
        if as_of is None:
            return self._read_rows("memories.by_id", ids=_json(list(ids)))
        return self._read_rows("memories.by_id_as_of", ids=_json(list(ids)), event_id=as_of)

    def by_learning(self, learning_ids: Iterable[str]) -> dict[str, Memory]:
        """Current memories by learning id."""
        found = self._read_rows("memories.by_learning", ids=_json(list(learning_ids)))
        return {memory.learning_id: memory for memory in found}

    def by_ref(self, ref: str, project_id: str) -> Memory | None:
        """The newest active memory with the caller's own key."""
        return next(iter(self.all_by_ref(ref, project_id)), None)

    def ended_by_ref(self, ref: str, project_id: str) -> list[Memory]:
        """Memories with the caller's own key that others took the place of, the newest first."""
        return self._read_rows("memories.ended_by_ref", ref=ref, project_id=project_id)

    def all_by_ref(self, ref: str, project_id: str) -> list[Memory]:
        """All active memories with the caller's own key, the newest first."""
        return self._read_rows("memories.by_ref", ref=ref, project_id=project_id)

    def by_refs(self, refs: Iterable[str], project_id: str) -> dict[str, Memory]:
        """The newest active memory of each of the caller's own keys."""
        found = self._read_rows("memories.by_refs", refs=_json(sorted(refs)), project_id=project_id)
        return {memory.ref: memory for memory in found if memory.ref is not None}

    def with_ref_prefix(self, prefix: str) -> list[Memory]:
        """Active memories whose key begins so, of every project."""
        return self._read_rows("memories.with_ref_prefix", beginning=f"{prefix}%")

    def in_slot(self, slot: str | None, project_id: str) -> list[Memory]:
        """Active memories that hold a value of the same single-valued fact."""
        return self._read_rows("memories.in_slot", slot=slot, project_id=project_id) if slot is not None else []

    def visible(self, project_id: str, limit: int = 5000, viewer: Viewer = OWNER_VIEW) -> list[Memory]:
        """Active memories a project may see: its own, its teams' and the global ones, newest first."""
        circles = _json(self.circles.of_project(project_id, viewer))
        return self._read_rows("memories.visible", project_id=project_id, circles=circles, limit=limit)

    def undone(self, project_id: str, limit: int) -> list[str]: ...

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
        as_at: str | None = None,
        viewer: Viewer = OWNER_VIEW,
    ) -> list[Memory]:
        """Memories that pass every filter, newest first; None means any.

        `as_of` (an event's number) asks what was known then, `as_at` (a moment) what was true then.
        """
        wanted = {
            "project_id": project_id,
            "type": type,
            "status": status,
            "after": after,
            "before": before,
            "limit": limit,
            "with_global": int(with_global),
            "circles": _json(self.circles.of_project(project_id, viewer) if with_global else []),
            "places": None if viewer.places is None else _json(viewer.places),
            "as_at": as_at,
        }
        if as_of is None:
            return self._read_rows("memories.listing", **wanted)
        return self._read_rows("memories.listing_as_of", **wanted, event_id=as_of)

    def questionable(self, project_id: str | None) -> list[Memory]:
        """Active memories about which a person may have something to decide, newest first; most are not among them."""
        return self._read_rows("memories.questionable", project_id=project_id)

    def told_between(self, project_id: str, first: str, last: str, limit: int) -> list[int]: ...

    def fadable(self) -> Iterator[tuple[int, str, float, str, int]]:
        """Number, type, confidence, beginning and version of every active memory that nobody pinned."""
        return iter(list(self.db.each("memories.fadable")))

    def counts(self, project_id: str | None = None, *, as_of: int | None = None, as_at: str | None = None) -> list[Row]:
        """How many memories there are, or were, by project, type and status."""
        if as_of is None:
            return self.db.all("memories.counts", project_id=project_id, as_at=as_at)
        return self.db.all("memories.counts_as_of", project_id=project_id, as_at=as_at, event_id=as_of)

    def search_text(self, wanted: Wanted, limit: int, as_of: int | None = None) -> list[tuple[int, float]]:
        """Numbers and scores (higher is better) of the memories that have these words.

        With `as_of` only memories that existed after that event are found, so later ones cannot crowd them out.
        """
        last = NEWEST if as_of is None else as_of
        query = expression(wanted)
        rows = self.db.each("memories.search_text", query=query, limit=limit, event_id=last, **spell(wanted))
        return [(number, -score) for number, score in rows]

    def find_worded(self, text: str, limit: int, project_id: str | None = None) -> list[int]:
        """The memories that have telling words of a text, best first; however many there are, few are weighed."""
        wanted = any_word_of(text, project_id)
        if wanted is None:
            return []
        if self.size() <= FEW:
            return [number for number, _ in self.search_text(wanted, limit)]
        counted = zip(self.frequencies(wanted.words, COMMON), wanted.words, strict=True)
        ordered = sorted((count, at, word) for at, (count, word) in enumerate(counted) if count)
        matches = list(accumulate(count for count, _, _ in ordered))
        few = sum(count < COMMON and so_far <= WEIGHED for (count, _, _), so_far in zip(ordered, matches, strict=True))
        words = tuple(word for _, _, word in ordered)
        rare, common = words[:few], words[few:]
        found = self.search_text(Wanted(rare, project_id, own=True), limit) if rare else []
        numbers = dict.fromkeys(number for number, _ in found)
        alone = ((word,) for word in common[:ALONE])  # a word that is common elsewhere may be rare in this project
        for together in dict.fromkeys((common, common[: (len(common) + 1) // 2], *alone)):
            if together and len(numbers) < limit:
                numbers |= dict.fromkeys(self._newest(together, limit, project_id))
        return list(numbers)[:limit]

    def _newest(self, words: tuple[str, ...], limit: int, project_id: str | None) -> list[int]:
        """The newest memories that say all of these words themselves."""
        wanted = Wanted(words, project_id, together=True, own=True)
        rows = self.db.each("memories.newest_with", query=expression(wanted), limit=limit, **spell(wanted))
        return [number for (number,) in rows]

    def frequencies(self, words: Sequence[str], ceiling: int) -> list[int]:
        """How many memories say each of these words themselves, counted up to a ceiling."""
        queries = [expression(Wanted((word,), own=True)) for word in words]
        rows = self.db.each("memories.frequencies", queries=_json(queries), words=_json(list(words)), ceiling=ceiling)
        return [found for (found,) in rows]

    def matches(self, memory_id: int, word: str) -> bool:
        """Whether the text index finds a memory by this word."""
        return self.db.one("memories.matches", id=memory_id, query=quote(word), word=word) is not None

    def size(self) -> int: ...

    def _read_rows(self, name: str, **values: Any) -> list[Memory]:
        return [self._memory(row) for row in self.db.each(name, **values)]

    def _memory(self, row: Sequence[Any]) -> Memory:
        """The memory of a row. The same ones are read again and again; within a version they do not change."""
        key = row[0], row[VERSION]
        made = self._made.get(key)
        if made is None:
            if len(self._made) >= KEPT:
                self._made.clear()
            made = self._made[key] = from_row(row)
        return made

    # writing, by projectors only
    def save(self, memories: Iterable[Memory]) -> None:
        """Insert or replace current rows."""
        self.db.many("memories.upsert", (to_row(memory) for memory in memories))

    def remove(self, rows: Iterable[int]) -> None: ...

    def keep_history(self, old: Iterable[tuple[Memory, int]]) -> None:
        """Remember what memories were until an event changed them."""
        self.db.many("memories.keep_history", ((*to_row(memory), until) for memory, until in old))

    def forget_history(self, memory_id: int) -> None:
        """Drop the past versions of one memory (erasure)."""
        self._made.clear()
        self.db.run("memories.forget_history", id=memory_id)

    def add_text(self, rows: Iterable[TextRow]) -> None: ...

    def set_text(self, row: TextRow) -> None:
        """Say anew what the text index knows of a memory; what is said around it stays."""
        words = {"content": row.content, "terms": row.terms, "concepts": row.concepts, "place": row.place}
        self.db.run("memories.set_text", id=row.id, **words)

    def set_place(self, memory_id: int, place: str) -> None: ...
    def drop_text(self, memory_id: int) -> None: ...
    def add_concepts(self, rows: Iterable[tuple[int, str, int]]) -> None: ...
    def drop_concepts(self, memory_id: int) -> None: ...
    def add_stats(self, rows: Iterable[tuple[str, str, int, int, str]]) -> None: ...
    def checkpoint(self, projector: str) -> int: ...
    def checkpoints(self) -> dict[str, int]: ...

    def set_checkpoints(self, projectors: Iterable[str], event_id: int, now: str) -> None:
        """Say how far projectors have come; in the same transaction as what they wrote."""
        self.db.many("memories.set_checkpoint", ((projector, event_id, now) for projector in projectors))

    def rows_of(self, table: str) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        """Every row of a read model with its key, in order of the keys."""
        width = KEYS[table]
        for row in self.db.each(f"memories.rows_{table}"):
            yield row[:width], row

    def check_text(self) -> None: ...

    def clear(self, *tables: str) -> None:
        """Empty read models before they are built again."""
        self._made.clear()
        for table in tables:
            self.db.run(f"memories.clear_{table}")
            if table == "text":
                self.db.run("memories.clear_index")


def to_row(memory: Memory) -> tuple[Any, ...]:
    """A memory as its columns, `rest` last."""
    return (*_columns_of(memory), _encode_rest(_Rest(*_rest_of(memory))).decode())


def from_row(row: Sequence[Any]) -> Memory:
    """The memory that a row describes; its values stand in the order of `COLUMNS`, then `rest`."""
    fields = dict(zip(COLUMNS, row, strict=False))
    fields["pinned"], fields["tainted"] = bool(fields["pinned"]), bool(fields["tainted"])
    fields.update(zip(_REST_NAMES, _rest_of(_decode_rest(row[len(COLUMNS)])), strict=True))
    return Memory(**fields)


def _json(values: list[Any]) -> str:
    return msgspec.json.encode(values).decode()
