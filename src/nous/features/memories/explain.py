"""Why a memory is what it is, why it was found, and why it was not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from nous.features.brief.store import ReadSessions
from nous.kernel.hooks import anchors
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import EstablishedCause, Extracted
from nous.kernel.log.extraction import Anchor
from nous.kernel.memory.decay import UNUSED, Fading, Use, fading
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.packet_cache import Cache
from nous.kernel.recall import search
from nous.kernel.recall.quotes import Quote, quotes
from nous.kernel.recall.ranking import shares
from nous.kernel.recall.retrievers import vectors
from nous.kernel.recall.search import Candidates, Query, Rated, refusal
from nous.kernel.recall.weights import DEFAULTS, Weights
from nous.kernel.recall.withheld import Standing, standing_of_memory
from nous.kernel.recall.worth import Need, need
from nous.providers import Embedder

if TYPE_CHECKING:
    from nous.kernel.stores import Graph, Memories, Stores

LONGEST_CHAIN = 50


class LifeEvent(msgspec.Struct, frozen=True):
    """One event of a memory's life."""

    event_id: int
    event_type: str
    at: str
    session_id: str
    reason: str | None


class Link(msgspec.Struct, frozen=True):
    """A relation to another memory."""

    relation: str
    direction: str
    status: str
    weight: float
    learning_id: str
    memory_id: int | None
    content: str
    standing: Standing = ""  # what became of the other memory


class AnchorNow(msgspec.Struct, frozen=True):
    """A piece of code that a memory speaks of, and what became of it: a note, empty where it is as it was."""

    anchor: Anchor
    note: str = ""
    is_gone: bool = False

    def line(self) -> str:
        """One line for a person."""
        was = f"{self.anchor.file}: {self.anchor.symbol}" if self.anchor.symbol else self.anchor.file
        return f"{was} ({self.note or 'as it was'})"


class Explanation(msgspec.Struct, frozen=True):
    """Where a memory comes from, what became of it, and what it hangs together with."""

    memory: Memory
    asked: str
    said: tuple[Quote, ...]
    reasons: tuple[str, ...]
    changes: tuple[LifeEvent, ...]
    replaces: tuple[int, ...]
    replaced_by: tuple[int, ...]
    links: tuple[Link, ...]
    embedded_by: tuple[str, ...]
    fading: Fading
    use: Use
    effect: dict[str, int]
    need: Need
    code: tuple[AnchorNow, ...] = ()
    causes: tuple[EstablishedCause, ...] = ()


class WhyNot(msgspec.Struct, frozen=True):
    """Why a question did not bring a memory up: one sentence, and the figures behind it."""

    returned: bool
    reason: str
    rank: int | None = None
    score: float | None = None
    needed: float | None = None
    matched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    nearness: float | None = None
    shares: dict[str, float] = {}


def explain(stores: Stores, memory: Memory, now: str) -> Explanation:
    """Everything that explains one memory."""
    use = stores.uses([memory]).get(memory.id, UNUSED)
    return Explanation(
        memory=memory,
        asked=stores.sequences.get_question(memory.id),
        said=quotes(stores.events, stores.graph, stores.transcripts, memory),
        reasons=_reasons(stores.events, memory),
        changes=_changes(stores.events, memory),
        replaces=_chain(stores.memories, stores.graph, memory, forward=False),
        replaced_by=_chain(stores.memories, stores.graph, memory, forward=True),
        links=_links(stores.memories, stores.graph, memory),
        embedded_by=tuple(stores.vectors.models_of(memory.id)),
        fading=fading(memory, now, use),
        use=use,
        effect=stores.injections.effect(memory.id),
        need=need(memory, now),
        code=_code(stores.cache, memory),
        causes=_causes(stores.read_sessions, memory),
    )


def _code(cache: Cache, memory: Memory) -> tuple[AnchorNow, ...]:
    """What became of the code that it speaks of."""
    root = cache.root(memory.project_id) if memory.anchors else ""
    return tuple(_look_at(root, anchor) for anchor in memory.anchors) if root and os.path.isdir(root) else ()


def _look_at(root: str, anchor: Anchor) -> AnchorNow:
    doubt = anchors.look(root, anchor.file, anchor.symbol, anchor.hash).doubt
    note = anchors.describe_doubt(anchor.file, anchor.symbol, doubt) if doubt else ""
    return AnchorNow(anchor, note, doubt == anchors.GONE)


def _causes(read_sessions: ReadSessions, memory: Memory) -> tuple[EstablishedCause, ...]:
    """The causes that the reading of its session established by a record it rests on too."""
    mine = set(memory.evidence)
    return tuple(one for one in read_sessions.causes(memory.session_id) if mine & set(one.evidence))


def _reasons(events: Events, memory: Memory) -> tuple[str, ...]:
    """What spoke for keeping it when it was learned."""
    births = (event.payload for event in events.of_learning(memory.learning_id))
    return next((born.reasons for born in births if isinstance(born, Extracted)), ())


def _changes(events: Events, memory: Memory) -> tuple[LifeEvent, ...]:
    return tuple(
        LifeEvent(event.event_id, event.event_type, event.transaction_time, event.session_id, event.payload.reason)
        for event in events.of_learning(memory.learning_id)
    )


def _chain(memories: Memories, graph: Graph, memory: Memory, *, forward: bool) -> tuple[int, ...]:
    """The memories that replaced this one, in order, or those it replaced, the latest first."""
    found: list[int] = []
    seen = {memory.learning_id}
    current = [memory.learning_id]
    while current and len(found) < LONGEST_CHAIN:
        edges = [row for name in current for row in graph.of(name) if row["rel_type"] == "supersedes"]
        there, here = ("source_id", "target_id") if forward else ("target_id", "source_id")
        current = [row[there] for row in edges if row[here] in current and row[there] not in seen]
        seen.update(current)
        found += sorted(other.id for other in memories.by_learning(current).values())
    return tuple(found)


def _links(memories: Memories, graph: Graph, memory: Memory) -> tuple[Link, ...]:
    rows = graph.of(memory.learning_id)
    ends = {memory.learning_id, *(row["source_id"] for row in rows), *(row["target_id"] for row in rows)}
    known = memories.by_learning(ends)
    links = []
    for row in rows:
        outward = row["source_id"] == memory.learning_id
        other = row["target_id"] if outward else row["source_id"]
        there = known.get(other)
        links.append(
            Link(
                relation=row["rel_type"],
                direction="out" if outward else "in",
                status=row["status"],
                weight=row["weight"],
                learning_id=other,
                memory_id=there.id if there else None,
                content=there.content if there else "",
                standing=standing_of_memory(there) if there else "",
            )
        )
    return tuple(links)


def why_not(
    stores: Stores, query: Query, memory: Memory, embedder: Embedder | None = None, weights: Weights = DEFAULTS
) -> WhyNot:
    """Why a question does not bring a memory up, or that it does."""
    if refused := refusal(query, memory):
        return WhyNot(returned=False, reason=f"a filter keeps it out: {refused}")
    model = vectors.prepare(stores.embeddings, stores.vectors, embedder) if embedder else None
    with stores.db.snapshot():
        candidates = search.gather(stores, query, model)
        rated = search.rate(stores.events, stores.memories, query, candidates, weights)
    marked = rated[: query.limit]
    matched = tuple(t.word for t in candidates.question.terms if stores.memories.matches(memory.id, t.word))
    missing = tuple(sorted(candidates.question.words.difference(matched)))
    found = next((at for at, hit in enumerate(marked) if hit.memory.id == memory.id), None)
    if found is not None:
        return _describe_place(marked[found], found + 1, marked, weights, matched, missing, "it is returned")
    place = next((at for at, hit in enumerate(rated) if hit.memory.id == memory.id), None)
    if place is not None:
        reason = f"{place} others fit better, and only {query.limit} are returned"
        return _describe_place(rated[place], place + 1, marked, weights, matched, missing, reason)
    return WhyNot(
        returned=False,
        reason=_not_found(candidates, memory, matched),
        matched=tuple(sorted(matched)),
        missing=missing,
        nearness=candidates.scores["vector"].get(memory.id),
    )


def _describe_place(
    hit: Rated,
    rank: int,
    returned: list[Rated],
    weights: Weights,
    matched: tuple[str, ...],
    missing: tuple[str, ...],
    reason: str,
) -> WhyNot:
    return WhyNot(
        returned=reason == "it is returned",
        reason=reason,
        rank=rank,
        score=hit.score,
        needed=returned[-1].score if returned else None,
        matched=tuple(sorted(matched)),
        missing=missing,
        shares=shares(hit.signals, weights),
    )


def _not_found(candidates: Candidates, memory: Memory, matched: tuple[str, ...]) -> str:
    if not candidates.question.terms:
        return "the question has no words"
    if matched:
        return "it shares words with the question, but too many others match them better"
    if (nearness := candidates.scores["vector"].get(memory.id)) is not None:
        return f"it shares no word with the question and its meaning is not near ({nearness:.2f})"
    return "it shares no word with the question, and nothing else brought it up"
