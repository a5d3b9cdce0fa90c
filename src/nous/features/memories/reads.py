"""Looking at memories: page by page with filters, by a question, and one with everything that is known about it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import msgspec

from nous.errors import Misuse, NotFound
from nous.features.memories.operations import (
    Ask,
    Filter,
    Listing,
    Missed,
    One,
    OneNow,
    Recall,
    Whole,
)
from nous.kernel.asking import Present, make_page, moment, number_of, place, project_of, then
from nous.kernel.types import TYPES
from nous.kernel.viewer import Viewer
from nous.kernel.views import (
    Answered,
    Hits,
    Memories,
    MemoryDetails,
    answer_view,
    entry_fields,
    hit_view,
    memory_view,
    memory_views,
)

if TYPE_CHECKING:
    from nous.app import Nous
    from nous.kernel.memory.memory import Memory


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


def listing(nous: Nous, viewer: Viewer, asked: Listing) -> Memories:
    """A page of memories, where the next one begins, and on the first one how many there are in all."""
    past, wanted = then(nous, asked.as_of), filters(nous, asked)
    after = place(asked.cursor, tuple[float, int])
    found = nous.stores.browse.memories(
        wanted, sort=asked.sort, limit=asked.limit + 1, cursor=after, as_of=past, viewer=viewer
    )
    page, following = make_page(found, asked.limit, lambda pair: (pair[1], pair[0]))
    known = {memory.id: memory for memory in nous.stores.memories.by_id([number for number, _ in page], past)}
    total = nous.stores.browse.count(wanted, past, viewer) if after is None else None
    return Memories(memory_views(nous, (known[number] for number, _ in page if number in known)), following, total)


def search(nous: Nous, viewer: Viewer, asked: Recall) -> Hits:
    """The memories and exchanges that answer best, with what each score is made of."""
    if not asked.query and not asked.topic:
        raise Misuse("nothing to search for", hint="give a query or a topic")
    began = time.perf_counter()
    hits = nous.find(asked, viewer)
    authors = nous.authors(hit.memory for hit in hits)
    items = tuple(hit_view(hit, asked.explain, authors) for hit in hits)
    return Hits(items, round((time.perf_counter() - began) * 1000, 2))


def ask(nous: Nous, viewer: Viewer, asked: Ask) -> Answered:
    """A question answered from the best hits by the chosen model, with citations; without a model the hits."""
    answer = nous.answer(asked, viewer)
    return answer_view(answer, nous.authors(hit.memory for hit in answer.hits))


def get(nous: Nous, viewer: Viewer, asked: One) -> dict[str, Any]:
    """A memory, the words it was learned from, and the memories that it names."""
    memory = _find_memory(nous, asked)
    return {
        "memory": memory_view(memory, nous.authors([memory])),
        "archived_reason": memory.archived_reason,
        "said": nous.said(memory),
        "others": nous.stores.memories.by_learning({memory.superseded_by or "", *memory.contradicted_with}),
    }


def whole(nous: Nous, viewer: Viewer, asked: Whole) -> list[dict[str, Any]]:
    """Memories and exchanges in full, each with its date and the words it was learned from."""
    return [_whole(nous, asked.project, one.strip().removeprefix("#")) for one in asked.ids]


def _whole(nous: Nous, project: str | None, name: str) -> dict[str, Any]:
    if name.isdecimal():
        memory = own(nous, project, int(name))
        return {"memory": memory_view(memory), "said": nous.said(memory)}
    here = nous.project(project).id
    places = [place for place in nous.stores.exchanges.by_uuid(name) if place.project_id == here] if name else []
    if len(places) != 1:
        raise NotFound(f"there is no memory and no exchange {name!r}")
    return {"session_id": places[0].session_id, "record": places[0].uuid}


def own(nous: Nous, project: str | None, number: int, as_of: str | None = None, as_at: str | None = None) -> Memory:
    """A memory of a project, or one that holds everywhere; those of other projects do not exist there."""
    memory = nous.get(number, as_of=as_of, as_at=as_at)
    here = nous.project(project).id
    if memory.project_id not in (here, *nous.stores.circles.of_project(here)) and memory.scope != "global":
        raise NotFound(f"there is no memory #{number}")
    return memory


def details(nous: Nous, viewer: Viewer, asked: One) -> MemoryDetails:
    """A memory, the words it was learned from, and everything that explains it."""
    memory = _find_memory(nous, asked)
    explained = nous.explain(memory.id)
    others = nous.stores.memories.by_learning({memory.superseded_by or "", *memory.contradicted_with})
    shown, *beside = memory_views(nous, [memory, *others.values()])
    rest = {name: getattr(explained, name) for name in explained.__struct_fields__ if name not in ("memory", "said")}
    return MemoryDetails(shown, explained.said, rest, tuple(beside))


def _find_memory(nous: Nous, asked: One) -> Memory:
    return nous.get(number_of(nous, asked.id), as_of=asked.as_of, as_at=asked.as_at)


def story(nous: Nous, viewer: Viewer, asked: One) -> dict[str, Any]:
    """Every event about a memory, with what caused it and what it caused."""
    from nous.kernel.log import history

    found = history.story(nous.stores.events, nous.stores.memories, number_of(nous, asked.id), then(nous, asked.as_of))
    return {"items": [entry_fields(entry) for entry in found], "next": None}


def receipts(nous: Nous, viewer: Viewer, asked: OneNow) -> dict[str, Any]:
    """When a memory was put before the model, and what came of it."""
    memory = nous.get(number_of(nous, asked.id))
    found = nous.stores.injections.recent(limit=200, memory_id=memory.id)
    return {"items": found, "next": None, "effect": nous.stores.injections.effect(memory.id)}


def thread(nous: Nous, viewer: Viewer, asked: OneNow) -> dict[str, Any]:
    """What a team said about a memory that it discusses, in the order in which it was said."""
    from nous.kernel.log.events import Contested

    events = nous.stores.events.of_learning(nous.get(number_of(nous, asked.id)).learning_id)
    said = [(event, event.payload) for event in events if isinstance(event.payload, Contested)]
    items = [
        {
            "at": event.transaction_time,
            "author": payload.author or f"device {event.device[:8]}",
            "said": payload.reason or "",
        }
        for event, payload in said
    ]
    return {"items": items}


def why_not(nous: Nous, viewer: Viewer, asked: Missed) -> dict[str, Any]:
    """Why a question does not bring a memory up, or that it does."""
    number = number_of(nous, asked.id)
    everywhere = asked.all_projects or not asked.project
    found = nous.why_not(
        asked.query, number, limit=asked.limit, project=asked.project, all_projects=everywhere, viewer=viewer
    )
    return {"id": number} | msgspec.structs.asdict(found)


def types(nous: Nous, viewer: Viewer, asked: Present) -> dict[str, Any]:
    """The types of memories, in the order in which they are shown."""
    return {"items": [{"type": name} | row._asdict() for name, row in TYPES.items()], "next": None}
