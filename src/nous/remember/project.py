"""From events to read models: one fold, several projectors, each with its own checkpoint.

A projector reads events only, in order of their numbers, so it can be rebuilt alone or with the others, and gives the
same rows every time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from nous.core.events import Contradicted, Edge, Erased, Extracted, Recorded, Reinforced, Superseded
from nous.core.evolve import evolve
from nous.core.memory import Memory
from nous.core.text import index_terms
from nous.stores import Stores
from nous.stores.graph import EdgeRow
from nous.stores.memories import TextRow

BATCH = 5000


class Projector(NamedTuple):
    """A read model: how to take in events, and how to empty it."""

    name: str
    apply: Callable[[Stores, Sequence[Recorded]], None]
    clear: Callable[[Stores], None]


def fold_memories(stores: Stores, events: Sequence[Recorded]) -> None:
    """Current memories and their past versions."""
    now = stores.memories.by_learning({event.learning_id for event in events})
    changed: dict[str, Memory] = {}
    past: list[tuple[Memory, int]] = []
    for event in events:
        before = now.get(event.learning_id)
        after = evolve(before, event)
        if after is None or after is before:
            continue
        if isinstance(event.payload, Erased):
            past = [old for old in past if old[0].id != after.id]
            stores.memories.forget_history(after.id)
        elif before is not None:
            past.append((before, after.version))
        now[event.learning_id] = changed[event.learning_id] = after
    stores.memories.save(changed.values())
    stores.memories.keep_history(past)


def index_concepts(stores: Stores, events: Sequence[Recorded]) -> None:
    """Concept tags: an add-wins set per memory."""
    numbers = _numbers(stores, events)
    rows: dict[tuple[int, str], int] = {}
    for event in events:
        number = numbers.get(event.learning_id)
        if number is None:
            continue
        if isinstance(event.payload, Erased):
            stores.memories.drop_concepts(number)
            rows = {key: version for key, version in rows.items() if key[0] != number}
        elif isinstance(event.payload, Extracted | Reinforced):
            for concept in event.payload.concepts:
                rows.setdefault((number, concept), event.event_id)
    stores.memories.add_concepts((number, concept, version) for (number, concept), version in rows.items())


def index_text(stores: Stores, events: Sequence[Recorded]) -> None:
    """The full-text index; a memory's content never changes, so it is written once."""
    rows: dict[str, TextRow] = {}
    for event in events:
        if isinstance(event.payload, Extracted):
            said = event.payload
            terms = index_terms(said.content, said.files, said.symbols, said.entities, said.tags)
            rows[event.learning_id] = TextRow(event.event_id, said.content, terms, " ".join(said.concepts), "")
        elif isinstance(event.payload, Erased):
            rows.pop(event.learning_id, None)
            for number in _numbers(stores, [event]).values():
                stores.memories.drop_text(number)
    stores.memories.add_text(rows.values())


def link(stores: Stores, events: Sequence[Recorded]) -> None:
    """Typed edges: proposals are suggestions until somebody accepts them."""
    rows: dict[tuple[str, str, str], EdgeRow] = {}
    for event in events:
        if isinstance(event.payload, Erased):
            stores.graph.drop(event.learning_id)
            rows = {key: row for key, row in rows.items() if event.learning_id not in key[:2]}
            continue
        for row in _edges(event):
            rows[row.source_id, row.target_id, row.rel_type] = row
    stores.graph.put(rows.values())


def _edges(event: Recorded) -> list[EdgeRow]:
    def row(source: str, target: str, relation: str, weight: float, confidence: float, status: str) -> EdgeRow:
        moment = event.transaction_time
        return EdgeRow(source, target, relation, weight, confidence, status, event.valid_from, moment, event.event_id)

    mine = event.learning_id
    match event.payload:
        case Extracted(edges=edges):
            return [row(mine, edge.target, edge.relation, edge.weight, 0.5, "suggested") for edge in edges]
        case Superseded(superseded_by=newer):
            return [row(newer, mine, "supersedes", 1.0, 1.0, "active")]
        case Contradicted(contradicted_with=other):
            return [row(mine, other, "contradicts", 1.0, 1.0, "active")]
        case Edge() as said:
            status = {"EdgeProposed": "suggested", "EdgeAccepted": "active"}.get(event.event_type, "rejected")
            return [row(mine, said.target, said.relation, said.weight, said.confidence, status)]
        case _:
            return []


def count(stores: Stores, events: Sequence[Recorded]) -> None:
    """Events by project and type."""
    totals = Counter((event.project_id, event.event_type) for event in events)
    last = {(event.project_id, event.event_type): event for event in events}
    stores.memories.add_stats(
        (*key, total, last[key].event_id, last[key].transaction_time) for key, total in totals.items()
    )


def _numbers(stores: Stores, events: Sequence[Recorded]) -> dict[str, int]:
    """The memory number of each learning: that of the event that introduced it."""
    born = {event.learning_id: event.event_id for event in events if event.event_type == "LearningExtracted"}
    others = {event.learning_id for event in events} - born.keys()
    if not others:
        return born
    return {lid: memory.id for lid, memory in stores.memories.by_learning(others).items()} | born


PROJECTORS: tuple[Projector, ...] = (
    Projector("memories", fold_memories, lambda stores: stores.memories.clear("memories", "history")),
    Projector("concepts", index_concepts, lambda stores: stores.memories.clear("concepts")),
    Projector("edges", link, lambda stores: stores.graph.clear()),
    Projector("text", index_text, lambda stores: stores.memories.clear("text")),
    Projector("stats", count, lambda stores: stores.memories.clear("stats")),
)


def catch_up(stores: Stores, now: str, projectors: Sequence[Projector] = PROJECTORS) -> int:
    """Take in every event the read models have not seen; how many. Rows and checkpoints commit together."""
    taken = 0
    while step := _step(stores, now, projectors):
        taken += step
    return taken


def _step(stores: Stores, now: str, projectors: Sequence[Projector]) -> int:
    with stores.db.transaction():
        done = {projector.name: stores.memories.checkpoint(projector.name) for projector in projectors}
        batch = stores.events.read(min(done.values()), BATCH)
        if not batch:
            return 0
        for projector in projectors:
            fresh = [event for event in batch if event.event_id > done[projector.name]]
            if fresh:
                projector.apply(stores, fresh)
                stores.memories.set_checkpoint(projector.name, fresh[-1].event_id, now)
    return len(batch)


def replay(stores: Stores, now: str, projectors: Sequence[Projector] = PROJECTORS) -> int:
    """Empty the read models and build them again from the whole log; how many events were read.

    One transaction: readers see the old rows until the new ones are complete, and a crash leaves the old ones.
    """
    with stores.db.transaction():
        for projector in projectors:
            projector.clear(stores)
            stores.memories.set_checkpoint(projector.name, 0, now)
        return catch_up(stores, now, projectors)
