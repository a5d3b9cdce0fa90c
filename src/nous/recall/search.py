"""Finding memories for a question."""

from __future__ import annotations

import msgspec

from nous.core.memory import Memory
from nous.core.text import match_any
from nous.stores import Stores

CANDIDATES = 200


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, by whom, and which memories may answer. None means any."""

    text: str
    project_id: str | None
    limit: int = 10
    type: str | None = None
    file: str | None = None
    branch: str | None = None
    after: str | None = None
    before: str | None = None
    as_of: str | None = None
    as_at: str | None = None
    now: str


class Hit(msgspec.Struct, frozen=True):
    """A memory that answers, and how well."""

    memory: Memory
    score: float


def recall(stores: Stores, query: Query) -> list[Hit]:
    """The memories that answer a question best."""
    wanted = match_any(query.text)
    if not wanted:
        return []
    found = stores.memories.search_text(wanted, CANDIDATES)
    then = stores.events.as_of(query.as_of) if query.as_of else None
    memories = {memory.id: memory for memory in stores.memories.by_id([number for number, _ in found], then)}
    hits = [Hit(memories[number], score) for number, score in found if number in memories]
    allowed = [hit for hit in hits if admits(query, hit.memory)]
    return sorted(allowed, key=lambda hit: (-hit.score, -hit.memory.id))[: query.limit]


def admits(query: Query, memory: Memory) -> bool:
    """Whether a memory passes the query's filters. Another project's memories never do, unless all are asked for."""
    if query.project_id is not None and memory.project_id != query.project_id and memory.scope != "global":
        return False
    if not _is_valid(query, memory):
        return False
    known_at = memory.valid_from or memory.created_at
    return (
        (query.type is None or memory.type == query.type)
        and (query.file is None or any(_same_file(query.file, file) for file in memory.files))
        and (query.branch is None or memory.branch in (None, query.branch))
        and (query.after is None or known_at >= query.after)
        and (query.before is None or known_at < query.before)
    )


def _is_valid(query: Query, memory: Memory) -> bool:
    """Active and true at the moment asked about; a superseded fact was true until its successor came."""
    moment = query.as_at or query.now
    if memory.status not in (("active", "superseded") if query.as_at else ("active",)):
        return False
    begun = not (query.as_at and memory.valid_from) or memory.valid_from <= moment
    return begun and not (memory.valid_until and memory.valid_until <= moment)


def _same_file(asked: str, file: str) -> bool:
    return file == asked or file.endswith("/" + asked) or asked.endswith("/" + file)
