"""Looking at memories: page by page with filters, by a question, and one with everything that is known about it."""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from nous.api.asking import TIME, Look, Present, moment, paged, place, project_of, then
from nous.api.fields import answer_fields, entry_fields, hit_fields, memory_fields
from nous.app import LIMIT, Nous, RecordKind, history
from nous.core.events import as_number, is_global_id
from nous.core.memory import Memory
from nous.core.types import TYPES, Kind, Scope
from nous.errors import Misuse
from nous.kernel.viewer import OWNER_VIEW, Viewer

Sort = Literal["newest", "oldest", "changed", "surest", "weakest"]
MOST_NODES = 300


class Filter(Look, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which memories. A field that is left out lets every memory pass."""

    type: Annotated[str | None, Meta(description="a memory type, or several between commas")] = None
    kind: Annotated[Kind | None, Meta(description="a kind of knowledge")] = None
    scope: Annotated[Scope | None, Meta(description="where it holds")] = None
    status: Annotated[Literal["active", "superseded", "archived", "all"], Meta(description="what became of it")] = (
        "active"
    )
    entity: Annotated[str | None, Meta(description="a name it is about")] = None
    tag: Annotated[str | None, Meta(description="a tag it has")] = None
    file: Annotated[str | None, Meta(description="a file it is about, by its path or the end of it")] = None
    module: Annotated[str | None, Meta(description="a folder with a file it is about")] = None
    branch: Annotated[str | None, Meta(description="the branch it concerns")] = None
    session: Annotated[str | None, Meta(description="the session it was learned in")] = None
    words: Annotated[str | None, Meta(description="words that its text contains, as they stand")] = None
    pinned: Annotated[bool | None, Meta(description="whether it is pinned")] = None
    confirmed: Annotated[bool | None, Meta(description="whether a person confirmed it")] = None
    disputed: Annotated[bool | None, Meta(description="whether somebody doubts it")] = None
    tainted: Annotated[bool | None, Meta(description="whether it is unreviewed text from outside")] = None
    after: Annotated[str | None, Meta(description=f"learned then or later: {TIME}")] = None
    before: Annotated[str | None, Meta(description=f"learned before then: {TIME}")] = None
    min_confidence: Annotated[Annotated[float, Meta(ge=0, le=1)] | None, Meta(description="at least this sure")] = None
    max_confidence: Annotated[Annotated[float, Meta(ge=0, le=1)] | None, Meta(description="at most this sure")] = None


class Listing(Filter, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page of memories."""

    sort: Annotated[Sort, Meta(description="the order")] = "newest"
    limit: Annotated[int, Meta(ge=1, le=500, description="how many on a page")] = 50
    cursor: Annotated[str | None, Meta(description="`next` of the page before")] = None


class Searching(Look, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to the memories."""

    q: Annotated[str, Meta(min_length=1, max_length=10_000, description="what is asked")]
    topic: Annotated[str | None, Meta(description="only what is on this topic, in words or names")] = None
    type: Annotated[str | None, Meta(description="only this type")] = None
    kind: Annotated[Kind | None, Meta(description="only this kind of knowledge")] = None
    scope: Annotated[Scope | None, Meta(description="only what holds there")] = None
    entity: Annotated[str | None, Meta(description="only memories and exchanges about this name")] = None
    tag: Annotated[str | None, Meta(description="only memories with this tag")] = None
    file: Annotated[str | None, Meta(description="only memories about this file")] = None
    module: Annotated[str | None, Meta(description="only memories about files in this folder")] = None
    branch: Annotated[str | None, Meta(description="only this branch, and what belongs to none")] = None
    after: Annotated[str | None, Meta(description=f"true since then or later: {TIME}")] = None
    before: Annotated[str | None, Meta(description=f"true since before then: {TIME}")] = None
    min_confidence: Annotated[Annotated[float, Meta(ge=0, le=1)] | None, Meta(description="at least this sure")] = None
    limit: Annotated[int, Meta(ge=1, le=100, description="how many, best first")] = LIMIT
    records: Annotated[RecordKind, Meta(description="memories, what was said in sessions, or both in one list")] = "all"


class Asking(Present, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to be answered in a few sentences."""

    q: Annotated[str, Meta(min_length=1, max_length=10_000, description="what is asked")]
    limit: Annotated[int, Meta(ge=1, le=100, description="from how many hits it is answered")] = LIMIT


class OneNow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One memory, as it is."""

    id: Annotated[str, Meta(description="the number of a memory, or its global id")]


class One(OneNow, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One memory, as it is or was."""

    as_of: Annotated[str | None, Meta(description=f"what was known then: {TIME}")] = None
    as_at: Annotated[str | None, Meta(description=f"only if it was true then: {TIME}")] = None


class Around(OneNow, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The memories around one."""

    depth: Annotated[int, Meta(ge=1, le=3, description="how many relations away")] = 2
    limit: Annotated[int, Meta(ge=1, le=MOST_NODES, description="how many memories, nearest first")] = 100
    suggested: Annotated[bool, Meta(description="also relations that nobody accepted yet")] = True


class Missed(OneNow, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question that did not bring a memory up."""

    q: Annotated[str, Meta(min_length=1, description="what was asked")]
    project: Annotated[str | None, Meta(description="asked in this project; in all when left out")] = None
    limit: Annotated[int, Meta(ge=1, le=100, description="how many were returned")] = 10


def number_of(nous: Nous, given: str | int) -> int:
    """A memory's number here, from its number (`12`, `#12`) or its global id."""
    text = str(given).strip().removeprefix("#")
    if (number := as_number(text)) is not None:
        return number
    if not is_global_id(text):
        raise Misuse(f"{given!r} is no number of a memory and no global id")
    return nous.number(text)


def filters(nous: Nous, asked: Filter) -> dict[str, Any]:
    """A filter as the store takes it."""
    given = {
        name: getattr(asked, name)
        for name in ("scope", "branch", "session", "words", "tag", "entity", "file", "module")
    }
    marks = {name: getattr(asked, name) for name in ("pinned", "confirmed", "disputed", "tainted")}
    types = [name.strip() for name in asked.type.split(",")] if asked.type else None
    if types and (unknown := [name for name in types if name not in TYPES]):
        raise Misuse(f"there is no memory type {unknown[0]!r}", hint=f"one of {', '.join(sorted(TYPES))}")
    if asked.kind:
        types = [name for name in types or TYPES if TYPES[name].kind == asked.kind]
    return (
        given
        | {name: None if value is None else int(value) for name, value in marks.items()}
        | {
            "project_id": project_of(nous, asked),
            "status": None if asked.status == "all" else asked.status,
            "types": msgspec.json.encode(types).decode() if types is not None else None,
            "after": moment(nous, asked.after),
            "before": moment(nous, asked.before),
            "as_at": moment(nous, asked.as_at),
            "min_confidence": asked.min_confidence,
            "max_confidence": asked.max_confidence,
        }
    )


def listing(nous: Nous, asked: Listing, viewer: Viewer = OWNER_VIEW) -> dict[str, Any]:
    """A page of memories, where the next one begins, and on the first one how many there are in all."""
    past, wanted = then(nous, asked.as_of), filters(nous, asked)
    after = place(asked.cursor, tuple[float, int])
    found = nous.stores.browse.memories(
        wanted, sort=asked.sort, limit=asked.limit + 1, cursor=after, as_of=past, viewer=viewer
    )
    page, following = paged(found, asked.limit, lambda pair: (pair[1], pair[0]))
    known = {memory.id: memory for memory in nous.stores.memories.by_id([number for number, _ in page], past)}
    authors = nous.authors(known.values())
    return {
        "items": [memory_fields(known[number], authors) for number, _ in page if number in known],
        "next": following,
        "total": nous.stores.browse.count(wanted, past, viewer) if after is None else None,
    }


def search(nous: Nous, asked: Searching, viewer: Viewer) -> dict[str, Any]:
    """The memories and exchanges that answer best, with what each score is made of."""
    began = time.perf_counter()
    wanted = {name: getattr(asked, name) for name in SEARCHED}
    every = asked.all_projects or not asked.project
    hits = nous.recall(asked.q, project=asked.project, all_projects=every, viewer=viewer, **wanted)
    authors = nous.authors(hit.memory for hit in hits)
    return {
        "items": [hit_fields(hit, True, authors) for hit in hits],
        "next": None,
        "took_ms": round((time.perf_counter() - began) * 1000, 2),
    }


def ask(nous: Nous, asked: Asking) -> dict[str, Any]:
    """A question answered from the best hits by the chosen model, with citations; without a model the hits."""
    every = asked.all_projects or not asked.project
    answer = nous.ask(asked.q, limit=asked.limit, project=asked.project, all_projects=every)
    return answer_fields(answer, nous.authors(hit.memory for hit in answer.hits))


SEARCHED = tuple(name for name in Searching.__struct_fields__ if name not in ("q", "project", "all_projects"))


def one(nous: Nous, asked: One) -> dict[str, Any]:
    """A memory, the words it was learned from, and everything that explains it."""
    memory = _found(nous, asked)
    explained = msgspec.to_builtins(nous.explain(memory.id))
    others = nous.stores.memories.by_learning({memory.superseded_by or "", *memory.contradicted_with})
    explanation = {name: value for name, value in explained.items() if name not in ("memory", "said", "changes")}
    authors = nous.authors([memory, *others.values()])
    return {
        "memory": memory_fields(memory, authors),
        "said": explained["said"],
        "explanation": explanation,
        "others": [memory_fields(other, authors) for other in others.values()],
    }


def _found(nous: Nous, asked: One) -> Memory:
    return nous.get(number_of(nous, asked.id), as_of=asked.as_of, as_at=asked.as_at)


def story(nous: Nous, asked: One) -> dict[str, Any]:
    """Every event about a memory, with what caused it and what it caused."""
    found = history.story(nous.stores, number_of(nous, asked.id), then(nous, asked.as_of))
    return {"items": [entry_fields(entry) for entry in found], "next": None}


def versions(nous: Nous, asked: OneNow) -> dict[str, Any]:
    """What a memory was after each event that changed it, oldest first."""
    memory = nous.get(number_of(nous, asked.id))
    spans = [(row["version"], row["until_version"]) for row in nous.stores.browse.versions(memory.id)]
    now = nous.stores.memories.get(memory.id)
    if now is not None:
        spans.append((now.version, None))
    items = []
    for begun, until in spans:
        for state in nous.stores.memories.by_id([memory.id], begun):
            items.append({"from_event": begun, "until_event": until, "memory": memory_fields(state)})
    return {"items": items, "next": None}


def receipts(nous: Nous, asked: OneNow) -> dict[str, Any]:
    """When a memory was put before the model, and what came of it."""
    memory = nous.get(number_of(nous, asked.id))
    found = nous.stores.injections.recent(limit=200, memory_id=memory.id)
    return {"items": found, "next": None, "effect": nous.stores.injections.effect(memory.id)}


def neighbours(nous: Nous, asked: Around) -> dict[str, Any]:
    """The memories around one and the relations between them, never more than can be looked at."""
    memory = nous.get(number_of(nous, asked.id))
    reached = nous.traverse(memory.id, depth=asked.depth, suggested=asked.suggested)[: asked.limit - 1]
    around = [(memory, 0), *((step.memory, step.depth) for step in reached)]
    numbers = {one.learning_id: one.id for one, _ in around}
    edges = {
        (row["source_id"], row["target_id"], row["rel_type"]): row
        for name in numbers
        for row in nous.stores.graph.of(name)
        if row["source_id"] in numbers and row["target_id"] in numbers
    }
    return {
        "nodes": [memory_fields(one) | {"depth": depth} for one, depth in around],
        "edges": [
            {
                "source": numbers[row["source_id"]],
                "target": numbers[row["target_id"]],
                "relation": row["rel_type"],
                "weight": row["weight"],
                "status": row["status"],
            }
            for row in edges.values()
        ],
    }


def why_not(nous: Nous, asked: Missed, viewer: Viewer) -> dict[str, Any]:
    """Why a question does not bring a memory up, or that it does."""
    found = nous.why_not(
        asked.q,
        number_of(nous, asked.id),
        limit=asked.limit,
        project=asked.project,
        all_projects=not asked.project,
        viewer=viewer,
    )
    told: dict[str, Any] = msgspec.to_builtins(found)
    return told


def types(nous: Nous, asked: Present) -> dict[str, Any]:
    """The types of memories, in the order in which they are shown."""
    return {"items": [{"type": name} | row._asdict() for name, row in TYPES.items()], "next": None}


def by_numbers(nous: Nous, numbers: list[int]) -> list[dict[str, Any]]:
    """Memories as they are now, in this order; those that are gone are left out."""
    known = {memory.id: memory for memory in nous.stores.memories.by_id(numbers)}
    return [memory_fields(known[number]) for number in dict.fromkeys(numbers) if number in known]
