"""The kernel's own read models: memories and their past, concepts, edges, the text index, counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from nous.kernel.db.fulltext import place
from nous.kernel.log.events import (
    Contradicted,
    Edge,
    Erased,
    Extracted,
    Recorded,
    Reinforced,
    Rescoped,
    Superseded,
    Undone,
    order,
)
from nous.kernel.log.evolve import evolve, fold, standing
from nous.kernel.log.extraction import PROVEN, EdgeProposal
from nous.kernel.memory.graph import EdgeRow
from nous.kernel.memory.memories import TextRow
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import Batch
from nous.kernel.memory.surroundings import forget_told, with_context
from nous.kernel.types import TYPES
from nous.language.text import index_terms

if TYPE_CHECKING:
    from nous.kernel.stores import EmbeddingQueue, Events, Graph, Memories, Sequences, Vectors


def fold_memories(log: Events, memories: Memories, embeddings: EmbeddingQueue, events: Sequence[Recorded]) -> None:
    """Current memories and their past versions."""
    now: dict[str, Memory | None] = {**memories.by_learning({event.learning_id for event in events})}
    born = _births(log, events)
    changed: dict[str, Memory] = {}
    past: list[tuple[Memory, int]] = []
    gone: set[int] = set()
    for event in events:
        before = now.get(event.learning_id)
        after = _after(log, before, event, born)
        if after is before:
            continue
        now[event.learning_id] = after
        if isinstance(event.payload, Erased) and after:
            past = [old for old in past if old[0].id != after.id]
            memories.forget_history(after.id)
        elif before is not None and before.status != "erased":
            past.append((before, event.event_id))
        if after:
            changed[event.learning_id] = after
            gone.discard(after.id)
            if before and (before.status, after.status) == ("archived", "active"):
                embeddings.enqueue([after.id])  # its vector may have been pruned meanwhile
        elif before:
            changed.pop(event.learning_id, None)
            gone.add(before.id)
    memories.remove(gone)
    memories.save(changed.values())
    memories.keep_history(past)


def _after(
    events: Events, before: Memory | None, event: Recorded, born: Mapping[str, tuple[int, bool]]
) -> Memory | None:
    """What one more event makes of a memory; where that is no matter of one step, its whole log is folded anew."""
    if before is not None and before.status == "erased" and not event.absorbed:
        return evolve(before, event)
    is_anew = isinstance(event.payload, Undone) or (before is None and isinstance(event.payload, Erased))
    if is_anew or event.absorbed:
        return _same(before, fold(events.of_learning(event.learning_id, until=event.event_id)), event)
    if before is None and event.event_type == "LearningExtracted" and born[event.learning_id][0] != event.event_id:
        return None  # its introduction was undone, and a second one changes nothing
    return evolve(before, event)


def _same(before: Memory | None, after: Memory | None, event: Recorded) -> Memory | None:
    """The version that an event made; the one before when it made no difference."""
    if after is None:
        return None
    if before is None or isinstance(event.payload, Erased) or replace(after, version=before.version) != before:
        return replace(after, version=event.event_id)
    return before


def index_concepts(log: Events, memories: Memories, events: Sequence[Recorded]) -> None:
    """Concept tags: an add-wins set per memory."""
    born = _births(log, events)
    rows: dict[tuple[int, str], int] = {}
    for event in events:
        number, is_erased = born.get(event.learning_id, (0, True))
        if isinstance(event.payload, Erased):
            memories.drop_concepts(number)
            rows = {key: version for key, version in rows.items() if key[0] != number}
        elif isinstance(event.payload, Undone) or event.absorbed:
            memories.drop_concepts(number)
            rows = {key: version for key, version in rows.items() if key[0] != number}
            if 0 < number <= event.event_id and not is_erased:
                rows |= _concepts(number, standing(log.of_learning(event.learning_id, until=event.event_id)))
        elif isinstance(event.payload, Extracted | Reinforced) and 0 < number <= event.event_id and not is_erased:
            for concept in event.payload.concepts:
                rows.setdefault((number, concept), event.event_id)
    memories.add_concepts((number, concept, version) for (number, concept), version in rows.items())


def _concepts(number: int, events: Sequence[Recorded]) -> dict[tuple[int, str], int]:
    """The tags that the events of one memory give it, each with the event that gave it first."""
    rows: dict[tuple[int, str], int] = {}
    for event in events:
        if isinstance(event.payload, Extracted | Reinforced) and (event.absorbed or event.event_id >= number):
            for concept in event.payload.concepts:
                rows.setdefault((number, concept), event.event_id)
    return rows


def index_text(
    log: Events,
    memories: Memories,
    sequences: Sequences,
    vectors: Vectors,
    embeddings: EmbeddingQueue,
    events: Sequence[Recorded],
) -> None:
    """The full-text index. A memory's content never changes; what is said around it may still come.

    What was undone stays in it, as questions about the time before still have to find it; who searches asks the
    memories what is there now.
    """
    born = _births(log, events)
    rows: dict[int, TextRow] = {}
    told: dict[int, str] = {}
    for event in events:
        number, _ = born.get(event.learning_id, (0, True))
        if isinstance(event.payload, Extracted) and number == event.event_id:
            rows[number] = _text(number, event, event.payload)
            if TYPES[event.payload.type].kind == "episodic":
                told[number] = event.session_id
        elif isinstance(event.payload, Erased):
            rows.pop(number, None)
            told.pop(number, None)
            memories.drop_text(number)
            forget_told(sequences, vectors, number)
        elif isinstance(event.payload, Rescoped | Undone) and number:
            moved = _place_now(log, event)
            if moved and number in rows:
                rows[number] = replace(rows[number], place=moved)
            elif moved:
                memories.set_place(number, moved)
        if event.absorbed and isinstance(event.payload, Extracted | Rescoped) and 0 < number <= event.event_id:
            _retell(log, memories, embeddings, event, number, rows)
    memories.add_text(with_context(sequences, rows, told).values())
    embeddings.enqueue(rows)


def _text(number: int, event: Recorded, said: Extracted) -> TextRow:
    """What the text index knows of a memory from the event that introduced it."""
    terms = index_terms(said.content, said.files, said.symbols, said.entities, said.tags)
    return TextRow(number, said.content, terms, " ".join(said.concepts), place=place(event.project_id, said.scope))


def _retell(
    log: Events, memories: Memories, embeddings: EmbeddingQueue, event: Recorded, number: int, rows: dict[int, TextRow]
) -> None:
    """The words of the device that introduced a memory first, and its place after all that is known of it."""
    births = [
        one for one in log.of_learning(event.learning_id, until=event.event_id) if isinstance(one.payload, Extracted)
    ]
    if not births:
        return
    first = min(births, key=order)
    assert isinstance(first.payload, Extracted)
    row = _text(number, first, first.payload)
    row = replace(row, place=_place_now(log, event) or row.place)
    if number in rows:
        rows[number] = row
    else:
        memories.set_text(row)
        embeddings.enqueue([number])


def _place_now(events: Events, event: Recorded) -> str | None:
    """Where a memory belongs after an event that may have changed it; None when there is none any more."""
    memory = fold(events.of_learning(event.learning_id, until=event.event_id))
    return place(memory.project_id, memory.scope) if memory and memory.status != "erased" else None


def _births(log: Events, events: Sequence[Recorded]) -> dict[str, tuple[int, bool]]:
    """For learnings that these events tag, index or erase: the number of their memory, and whether it was erased.

    Asked of the log and not of the memories, so that no projector depends on how far another has come.
    """
    if isinstance(events, Batch) and events.births is not None:
        return events.births
    found = _born_here(log, events)
    asked = {
        event.learning_id
        for event in events
        if event.event_type == "LearningExtracted"
        or event.absorbed
        or isinstance(event.payload, Erased | Undone | Rescoped)
        or (isinstance(event.payload, Reinforced) and event.payload.concepts)
    }
    found |= log.births(asked - found.keys())
    if isinstance(events, Batch):
        events.births = found
    return found


def _born_here(log: Events, events: Sequence[Recorded]) -> dict[str, tuple[int, bool]]:
    """The learnings whose very first event is among these: known without reading the log, but for its index."""
    here: dict[str, int] = {}
    for event in events:
        if isinstance(event.payload, Extracted):
            here.setdefault(event.learning_id, event.event_id)
    first = log.first_of(here)
    return {learning: (number, False) for learning, number in here.items() if first[learning] == number}


def link(log: Events, graph: Graph, events: Sequence[Recorded]) -> None:
    """Typed edges: proposals are suggestions until somebody accepts them."""
    rows: dict[tuple[str, str, str], EdgeRow] = {}
    for event in events:
        if event.absorbed or isinstance(event.payload, Undone):
            keys = _edge_keys(log, graph, event, rows)
            graph.remove(keys)
            rows = {key: row for key, row in rows.items() if key not in keys}
            rows |= _relink_edges(log, keys, event.event_id)
        elif isinstance(event.payload, Erased):
            graph.drop(event.learning_id)
            rows = {key: row for key, row in rows.items() if event.learning_id not in key[:2]}
        for row in () if event.absorbed else _edges(event):
            key = _key(row)
            rows[key] = _later(rows.get(key), row)
    graph.put(rows.values())


EdgeKey = tuple[str, str, str]


def _key(row: EdgeRow) -> EdgeKey:
    return row.source_id, row.target_id, row.rel_type


def _later(known: EdgeRow | None, row: EdgeRow) -> EdgeRow:
    """What is said of a relation last, with the beginning it has had all along; evidence is not lost to silence."""
    if known is None:
        return row
    evidence = row.evidence or known.evidence
    return replace(row, valid_from=known.valid_from, created_at=known.created_at, evidence=evidence)


def _edge_keys(log: Events, graph: Graph, event: Recorded, rows: Mapping[EdgeKey, EdgeRow]) -> set[EdgeKey]:
    """Every relation that the events of a learning speak of; where it is erased, every one it is part of."""
    events = log.of_learning(event.learning_id, until=event.event_id)
    keys = {_key(row) for event in events for row in _edges(event)}
    if isinstance(event.payload, Erased):
        keys |= {key for key in rows if event.learning_id in key[:2]}
        found = graph.of(event.learning_id)
        keys |= {(row["source_id"], row["target_id"], row["rel_type"]) for row in found}
    return keys


def _relink_edges(log: Events, keys: set[EdgeKey], last: int) -> dict[EdgeKey, EdgeRow]:
    """These relations as the events that count make them; either end may speak of them, and either may be erased."""
    ends = {end for source, target, _ in keys for end in (source, target)}
    events = [event for end in ends for event in standing(log.of_learning(end, until=last))]
    rows: dict[EdgeKey, EdgeRow] = {}
    for event in sorted(events, key=order):
        if isinstance(event.payload, Erased):
            rows = {key: row for key, row in rows.items() if event.learning_id not in key[:2]}
        for row in _edges(event):
            if (key := _key(row)) in keys:
                rows[key] = _later(rows.get(key), row)
    return rows


def _edges(event: Recorded) -> list[EdgeRow]:
    def row(
        source: str,
        target: str,
        relation: str,
        weight: float,
        confidence: float,
        status: str,
        rests: tuple[str, ...] = (),
    ) -> EdgeRow:
        return EdgeRow(
            source_id=source,
            target_id=target,
            rel_type=relation,
            weight=weight,
            confidence=confidence,
            status=status,
            valid_from=event.valid_from,
            created_at=event.transaction_time,
            version=event.event_id,
            valid_until=event.valid_until,
            evidence=rests,
        )

    mine = event.learning_id
    match event.payload:
        case Extracted(edges=edges, evidence=evidence):
            return [
                row(mine, edge.target, edge.relation, edge.weight, edge.confidence, _standing_of(edge), evidence)
                for edge in edges
            ]
        case Superseded(superseded_by=newer):
            return [row(newer, mine, "supersedes", 1.0, 1.0, "active")]
        case Contradicted(contradicted_with=other):
            return [row(mine, other, "contradicts", 1.0, 1.0, "active")]
        case Edge() as said:
            status = {"EdgeProposed": "suggested", "EdgeAccepted": "active"}.get(event.event_type, "rejected")
            return [row(mine, said.target, said.relation, said.weight, said.confidence, status, said.evidence)]
        case _:
            return []


def _standing_of(edge: EdgeProposal) -> str:
    """What a proposal counts as: that one memory ends another's time is never taken from an edge."""
    return "active" if edge.confidence >= PROVEN and edge.relation != "supersedes" else "suggested"


def count(memories: Memories, events: Sequence[Recorded]) -> None:
    """Events by project and type."""
    totals = Counter((event.project_id, event.event_type) for event in events)
    last = {(event.project_id, event.event_type): event for event in events}
    times = {key: event.transaction_time for key, event in last.items()}
    if any(event.absorbed for event in events):  # what is written here is the latest, what comes from elsewhere may not
        for event in events:
            key = event.project_id, event.event_type
            times[key] = max(times[key], event.transaction_time)
    memories.add_stats((*key, total, last[key].event_id, times[key]) for key, total in totals.items())
