"""From events to read models: one fold, several projectors, each with its own checkpoint.

A projector reads events only, in order of their numbers, so it can be rebuilt alone or with the others, and gives the
same rows every time, however the events were cut into batches. What this device writes comes last in the order of all
devices, so one step is enough; what comes from another device may belong further back, and then what it touches is made
anew from all of its events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from nous.errors import NousError
from nous.features.brief.projection import clear_briefs, fold_briefs, fold_read_sessions, fold_tidyings
from nous.features.entities.projector import note_mentions, note_names
from nous.features.review.store import ReviewRow
from nous.features.signals.projector import OBSERVED, fold_observations
from nous.kernel.db.fulltext import place
from nous.kernel.db.sqlite import UNNAMED
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import (
    Contradicted,
    Edge,
    Erased,
    Extracted,
    Recorded,
    Reinforced,
    Rescoped,
    Reviewed,
    Superseded,
    Undone,
    order,
)
from nous.kernel.log.evolve import evolve, fold, standing
from nous.kernel.log.extraction import PROVEN, EdgeProposal
from nous.kernel.memory.graph import EdgeRow
from nous.kernel.memory.memories import TextRow
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.surroundings import clear_text, forget_told, with_context
from nous.kernel.stores import Stores, open_stores
from nous.kernel.types import TYPES
from nous.language.text import index_terms

if TYPE_CHECKING:
    from nous.kernel.stores import Graph, Reviews

BATCH = 5000
REPLAY_BATCH = 20_000  # what changed twice within a batch is written once
SHOWN_DIFFERENCES = 10


class Batch(list[Recorded]):
    """Events that several projectors take in, with what they all want to know of them."""

    births: dict[str, tuple[int, bool]] | None = None

    @classmethod
    def of_memories(cls, events: Sequence[Recorded]) -> Batch:
        """Those that happened to memories."""
        return cls([event for event in events if event.learning_id])


class Projector(NamedTuple):
    """A read model: how to take in events, how to empty it, and the tables it fills.

    One that is not about memories takes in the events of every stream.
    """

    name: str
    apply: Callable[[Stores, Sequence[Recorded]], None]
    clear: Callable[[Stores], None]
    tables: tuple[str, ...]
    of_memories: bool = True


def fold_memories(stores: Stores, events: Sequence[Recorded]) -> None:
    """Current memories and their past versions."""
    now: dict[str, Memory | None] = {**stores.memories.by_learning({event.learning_id for event in events})}
    born = _births(stores.events, events)
    changed: dict[str, Memory] = {}
    past: list[tuple[Memory, int]] = []
    gone: set[int] = set()
    for event in events:
        before = now.get(event.learning_id)
        after = _after(stores.events, before, event, born)
        if after is before:
            continue
        now[event.learning_id] = after
        if isinstance(event.payload, Erased) and after:
            past = [old for old in past if old[0].id != after.id]
            stores.memories.forget_history(after.id)
        elif before is not None and before.status != "erased":
            past.append((before, event.event_id))
        if after:
            changed[event.learning_id] = after
            gone.discard(after.id)
            if before and (before.status, after.status) == ("archived", "active"):
                stores.embeddings.enqueue([after.id])  # its vector may have been pruned meanwhile
        elif before:
            changed.pop(event.learning_id, None)
            gone.add(before.id)
    stores.memories.remove(gone)
    stores.memories.save(changed.values())
    stores.memories.keep_history(past)


def _after(
    events: Events, before: Memory | None, event: Recorded, born: Mapping[str, tuple[int, bool]]
) -> Memory | None:
    """What one more event makes of a memory; where that is no matter of one step, its whole log is folded anew."""
    if before is not None and before.status == "erased" and not event.absorbed:
        return evolve(before, event)
    is_anew = isinstance(event.payload, Undone) or (before is None and isinstance(event.payload, Erased))
    if is_anew or event.absorbed:
        return _same(before, fold(_until(events, event.learning_id, event.event_id)), event)
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


def _until(events: Events, learning_id: str, last: int) -> list[Recorded]:
    """The events of a learning up to a number."""
    return [event for event in events.of_learning(learning_id) if event.event_id <= last]


def index_concepts(stores: Stores, events: Sequence[Recorded]) -> None:
    """Concept tags: an add-wins set per memory."""
    born = _births(stores.events, events)
    rows: dict[tuple[int, str], int] = {}
    for event in events:
        number, is_erased = born.get(event.learning_id, (0, True))
        if isinstance(event.payload, Erased):
            stores.memories.drop_concepts(number)
            rows = {key: version for key, version in rows.items() if key[0] != number}
        elif isinstance(event.payload, Undone) or event.absorbed:
            stores.memories.drop_concepts(number)
            rows = {key: version for key, version in rows.items() if key[0] != number}
            if 0 < number <= event.event_id and not is_erased:
                rows |= _concepts(number, standing(_until(stores.events, event.learning_id, event.event_id)))
        elif isinstance(event.payload, Extracted | Reinforced) and 0 < number <= event.event_id and not is_erased:
            for concept in event.payload.concepts:
                rows.setdefault((number, concept), event.event_id)
    stores.memories.add_concepts((number, concept, version) for (number, concept), version in rows.items())


def _concepts(number: int, events: Sequence[Recorded]) -> dict[tuple[int, str], int]:
    """The tags that the events of one memory give it, each with the event that gave it first."""
    rows: dict[tuple[int, str], int] = {}
    for event in events:
        if isinstance(event.payload, Extracted | Reinforced) and (event.absorbed or event.event_id >= number):
            for concept in event.payload.concepts:
                rows.setdefault((number, concept), event.event_id)
    return rows


def index_text(stores: Stores, events: Sequence[Recorded]) -> None:
    """The full-text index. A memory's content never changes; what is said around it may still come.

    What was undone stays in it, as questions about the time before still have to find it; who searches asks the
    memories what is there now.
    """
    born = _births(stores.events, events)
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
            stores.memories.drop_text(number)
            forget_told(stores.sequences, stores.vectors, number)
        elif isinstance(event.payload, Rescoped | Undone) and number:
            moved = _place_now(stores.events, event)
            if moved and number in rows:
                rows[number] = replace(rows[number], place=moved)
            elif moved:
                stores.memories.set_place(number, moved)
        if event.absorbed and isinstance(event.payload, Extracted | Rescoped) and 0 < number <= event.event_id:
            _retell(stores, event, number, rows)
    stores.memories.add_text(with_context(stores.sequences, rows, told).values())
    stores.embeddings.enqueue(rows)


def _text(number: int, event: Recorded, said: Extracted) -> TextRow:
    """What the text index knows of a memory from the event that introduced it."""
    terms = index_terms(said.content, said.files, said.symbols, said.entities, said.tags)
    return TextRow(number, said.content, terms, " ".join(said.concepts), place=place(event.project_id, said.scope))


def _retell(stores: Stores, event: Recorded, number: int, rows: dict[int, TextRow]) -> None:
    """The words of the device that introduced a memory first, and its place after all that is known of it."""
    births = [
        one for one in _until(stores.events, event.learning_id, event.event_id) if isinstance(one.payload, Extracted)
    ]
    if not births:
        return
    first = min(births, key=order)
    assert isinstance(first.payload, Extracted)
    row = _text(number, first, first.payload)
    row = replace(row, place=_place_now(stores.events, event) or row.place)
    if number in rows:
        rows[number] = row
    else:
        stores.memories.set_text(row)
        stores.embeddings.enqueue([number])


def _place_now(events: Events, event: Recorded) -> str | None:
    """Where a memory belongs after an event that may have changed it; None when there is none any more."""
    memory = fold(_until(events, event.learning_id, event.event_id))
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


def link(stores: Stores, events: Sequence[Recorded]) -> None:
    """Typed edges: proposals are suggestions until somebody accepts them."""
    rows: dict[tuple[str, str, str], EdgeRow] = {}
    for event in events:
        if event.absorbed or isinstance(event.payload, Undone):
            keys = _edge_keys(stores.events, stores.graph, event, rows)
            stores.graph.remove(keys)
            rows = {key: row for key, row in rows.items() if key not in keys}
            rows |= _relink_edges(stores.events, keys, event.event_id)
        elif isinstance(event.payload, Erased):
            stores.graph.drop(event.learning_id)
            rows = {key: row for key, row in rows.items() if event.learning_id not in key[:2]}
        for row in () if event.absorbed else _edges(event):
            key = _key(row)
            rows[key] = _later(rows.get(key), row)
    stores.graph.put(rows.values())


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
    events = _until(log, event.learning_id, event.event_id)
    keys = {_key(row) for event in events for row in _edges(event)}
    if isinstance(event.payload, Erased):
        keys |= {key for key in rows if event.learning_id in key[:2]}
        found = graph.of(event.learning_id)
        keys |= {(row["source_id"], row["target_id"], row["rel_type"]) for row in found}
    return keys


def _relink_edges(log: Events, keys: set[EdgeKey], last: int) -> dict[EdgeKey, EdgeRow]:
    """These relations as the events that count make them; either end may speak of them, and either may be erased."""
    ends = {end for source, target, _ in keys for end in (source, target)}
    events = [event for end in ends for event in standing(_until(log, end, last))]
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


def note_reviews(stores: Stores, events: Sequence[Recorded]) -> None:
    """What was decided about items of the review queue."""
    for event in events:
        if event.absorbed or isinstance(event.payload, Undone):
            _decide_anew(stores.events, stores.reviews, event)
        elif isinstance(event.payload, Erased):
            stores.reviews.drop(event.learning_id)
        elif isinstance(event.payload, Reviewed):
            stores.reviews.put([_review(event, event.payload)])


def _decide_anew(log: Events, reviews: Reviews, event: Recorded) -> None:
    """The decisions about every item of which the events of a learning speak; either of its memories may hold them."""
    events = _until(log, event.learning_id, event.event_id)
    items = {one.payload.item for one in events if isinstance(one.payload, Reviewed)}
    items |= reviews.naming(event.learning_id)
    if not items:
        return
    named = {event.learning_id} | {part for item in items for part in item.split(":")[1:]}
    told = [one for name in sorted(named) for one in standing(_until(log, name, event.event_id))]
    reviews.remove(items)
    rows: dict[str, ReviewRow] = {}
    for one in sorted(told, key=order):
        if isinstance(one.payload, Reviewed) and one.payload.item in items:
            rows[one.payload.item] = _review(one, one.payload)
        elif isinstance(one.payload, Erased):
            rows = {item: row for item, row in rows.items() if not _names(row, one.learning_id)}
    reviews.put(rows.values())


def _names(row: ReviewRow, learning_id: str) -> bool:
    return learning_id == row.learning_id or learning_id in row.item.split(":")


def _review(event: Recorded, said: Reviewed) -> ReviewRow:
    return ReviewRow(said.item, event.learning_id, said.action, said.until, event.event_id)


def count(stores: Stores, events: Sequence[Recorded]) -> None:
    """Events by project and type."""
    totals = Counter((event.project_id, event.event_type) for event in events)
    last = {(event.project_id, event.event_type): event for event in events}
    times = {key: event.transaction_time for key, event in last.items()}
    if any(event.absorbed for event in events):  # what is written here is the latest, what comes from elsewhere may not
        for event in events:
            key = event.project_id, event.event_type
            times[key] = max(times[key], event.transaction_time)
    stores.memories.add_stats((*key, total, last[key].event_id, times[key]) for key, total in totals.items())


PROJECTORS: tuple[Projector, ...] = (
    Projector(
        "memories",
        fold_memories,
        lambda stores: stores.memories.clear("memories", "history"),
        ("memories", "memory_history"),
    ),
    Projector("concepts", index_concepts, lambda stores: stores.memories.clear("concepts"), ("concepts",)),
    Projector("edges", link, lambda stores: stores.graph.clear(), ("edges",)),
    Projector("text", index_text, clear_text, ("memories_fts",)),
    Projector("reviews", note_reviews, lambda stores: stores.reviews.clear(), ("reviews",)),
    Projector(
        "mentions",
        note_mentions,
        lambda stores: stores.entities.clear("mentions", "observations"),
        ("mentions", "observations"),
    ),
    Projector(
        "names",
        note_names,
        lambda stores: stores.entities.clear("names", "moves"),
        ("entity_names", "entity_moves"),
        False,
    ),
    Projector("observations", fold_observations, lambda stores: stores.observations.clear(), OBSERVED),
    Projector("briefs", fold_briefs, clear_briefs, ("briefs", "brief_lines")),
    Projector("readings", fold_read_sessions, lambda stores: stores.read_sessions.clear(), ("read_sessions",)),
    Projector("tidyings", fold_tidyings, lambda stores: stores.tidyings.clear(), ("tidyings",)),
    Projector("stats", count, lambda stores: stores.memories.clear("stats"), ("event_stats",), False),
)


def choose_projectors(names: Sequence[str]) -> tuple[Projector, ...]:
    """The projectors with these names; all when none is named."""
    if unknown := set(names) - {projector.name for projector in PROJECTORS}:
        known = ", ".join(projector.name for projector in PROJECTORS)
        raise NousError(f"there is no projector {sorted(unknown)[0]!r}", hint=f"one of {known}")
    return tuple(projector for projector in PROJECTORS if not names or projector.name in names)


def catch_up(stores: Stores, now: str, projectors: Sequence[Projector] = PROJECTORS, batch: int = BATCH) -> int:
    """Take in every event the read models have not seen; how many. Rows and checkpoints commit together."""
    taken = 0
    while step := _step(stores, now, projectors, batch):
        taken += step
        if step < batch:
            break
    return taken


def _step(stores: Stores, now: str, projectors: Sequence[Projector], limit: int) -> int:
    with stores.db.transaction():
        known = stores.memories.checkpoints()
        done = {projector.name: known.get(projector.name, 0) for projector in projectors}
        first = min(done.values())
        batch = stores.events.read(first, limit)
        if not batch:
            return 0
        of_memories = Batch.of_memories(batch)
        with stores.events.unchanging():
            for projector in projectors:
                reached = done[projector.name]
                taken: Sequence[Recorded] = of_memories if projector.of_memories else batch
                fresh = taken if reached == first else [event for event in taken if event.event_id > reached]
                if fresh:
                    projector.apply(stores, fresh)
        last = batch[-1].event_id
        stores.memories.set_checkpoints((name for name, reached in done.items() if last > reached), last, now)
    return len(batch)


def replay(stores: Stores, now: str, projectors: Sequence[Projector] = PROJECTORS, batch: int = REPLAY_BATCH) -> int:
    """Empty the read models and build them again from the whole log; how many events were read.

    One transaction: readers see the old rows until the new ones are complete, and a crash leaves the old ones.
    """
    with stores.db.transaction():
        for projector in projectors:
            projector.clear(stores)
        stores.memories.set_checkpoints((projector.name for projector in projectors), 0, now)
        return catch_up(stores, now, projectors, batch)


# is what we have what the log says?
class Difference(NamedTuple):
    """A row of a read model that is not what a replay gives; None where there is no such row."""

    table: str
    live: tuple[Any, ...] | None
    replayed: tuple[Any, ...] | None


class Comparison(NamedTuple):
    """What comparing the read models with a replay gave: rows compared by table, and the first differences."""

    events: int
    rows: dict[str, int]
    differences: list[Difference]


def compare_with_replay(stores: Stores, now: str, projectors: Sequence[Projector] = PROJECTORS) -> Comparison:
    """Build the read models into a scratch database and compare them, row by row, with the live ones.

    The live ones are read in one snapshot, so work may go on meanwhile. They must have caught up with the log.
    """
    with stores.db.snapshot():
        scratch = open_stores(UNNAMED)  # whoever kills this leaves no file with words in it
        try:
            scratch.events = stores.events  # the log is read where it is; only the rows are built anew
            events = replay(scratch, now, projectors)
            rows, found = compare_rows(stores, scratch, projectors)
        finally:
            scratch.close()
    return Comparison(events, rows, found)


def compare_rows(
    live: Stores, other: Stores, projectors: Sequence[Projector] = PROJECTORS
) -> tuple[dict[str, int], list[Difference]]:
    """How many rows the read models of two databases have, by table, and the first of each that differ."""
    rows: dict[str, int] = {}
    found: list[Difference] = []
    for table in (table for projector in projectors for table in projector.tables):
        rows[table], different = _compare(live, other, table)
        found += different
    return rows, found


def _compare(live: Stores, scratch: Stores, table: str) -> tuple[int, list[Difference]]:
    """How many rows there are, and the first that differ. Both sides come in the order of their keys."""
    compared = 0
    different: list[Difference] = []
    for mine, other in _side_by_side(live.memories.rows_of(table), scratch.memories.rows_of(table)):
        compared += 1
        if mine != other and len(different) < SHOWN_DIFFERENCES:
            different.append(Difference(table, mine, other))
    return compared, different


RowPair = tuple[tuple[Any, ...] | None, tuple[Any, ...] | None]


def _side_by_side(left: Iterator[tuple[Any, ...]], right: Iterator[tuple[Any, ...]]) -> Iterator[RowPair]:
    """Two ordered streams of (key, row), matched by key."""
    a, b = next(left, None), next(right, None)
    while a or b:
        if b is None or (a is not None and a[0] < b[0]):
            yield (a[1] if a else None), None
            a = next(left, None)
        elif a is None or b[0] < a[0]:
            yield None, b[1]
            b = next(right, None)
        else:
            yield a[1], b[1]
            a, b = next(left, None), next(right, None)
