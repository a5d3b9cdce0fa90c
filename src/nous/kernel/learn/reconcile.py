"""Making the stories of independent sessions agree without destroying any: the full path, run by the worker.

Memories that changed since the last look are compared with their likes, and what follows becomes events. Keys of
events are drawn from the pair, so a second run writes nothing, and a ruling that a person has undone stays undone. One
batch is one transaction, with the mark of how far it came.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from nous.kernel.db.database import EVERY
from nous.kernel.learn.across_sessions import (
    MULTIPLIER,
    Index,
    Ruling,
    are_comparable,
    decide,
    pairs,
    word_of,
)
from nous.kernel.learn.verdicts import Changed
from nous.kernel.log.clocks import merge, tick
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import Contradicted, Edge, Event, EventType, Payload, Superseded, Writer, make_event
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.sharing import is_circle
from nous.providers.words import word_likeness

if TYPE_CHECKING:
    from nous.kernel.stores import Memories, Stores, Vectors, Verdicts

WRITER = Writer("nous:reconcile", "fs_reconcile")
MARK = "builtin-2"  # under which it stands how far reconciliation came
BATCH = 200
NEIGHBOURS = 60  # found by words for one memory, when few changed
DOUBTFUL = 0.5  # how sure it is that two disagree of which a person has to say which one holds
NEAREST = 6  # found by meaning for one memory, itself among them
ALIKE = 0.25  # cosine of the built-in embedder that one unrelated pair in twenty passes
MANY = 20  # changed memories of a project from which all of it is read at once


class Reconciliation(NamedTuple):
    """What reconciliation looked at and what came of it."""

    memories: int = 0
    pairs: int = 0
    contradicted: int = 0
    superseded: int = 0
    flagged: int = 0
    is_done: bool = True

    def plus(self, other: Reconciliation) -> Reconciliation:
        """Both together; done when the later one is."""
        return Reconciliation(
            self.memories + other.memories,
            self.pairs + other.pairs,
            self.contradicted + other.contradicted,
            self.superseded + other.superseded,
            self.flagged + other.flagged,
            other.is_done,
        )


def reconcile(
    stores: Stores,
    clock: Callable[[], str],
    *,
    seconds: float | None = None,
    batch: int = BATCH,
    anew: bool = False,
) -> Reconciliation:
    """Look at every memory that changed since the last time, or at all of them `anew`; stop after so many seconds."""
    deadline = time.monotonic() + seconds if seconds is not None else None
    if anew:
        stores.verdicts.set_reached(MARK, 0, clock())
    total, pools = Reconciliation(), Pools(stores)
    while True:
        catch_up(stores, clock())
        found = _batch(stores.events, stores.memories, stores.vectors, stores.verdicts, clock(), batch, pools)
        if found is None:
            return total
        total = total.plus(found)
        if deadline is not None and time.monotonic() > deadline:
            return total._replace(is_done=False)


class Pools:
    """Where the mates of changed memories are looked for: a whole project when much changed, else by their words."""

    def __init__(self, stores: Stores):
        self.stores = stores
        self.whole: dict[str, Index] = {}

    def of(self, project_id: str, fresh: Sequence[Memory], is_full: bool) -> Index:
        """The memories that the fresh ones of a project may be compared with."""
        if project_id in self.whole:
            return self.whole[project_id]
        if is_full or len(fresh) >= MANY:  # a search per memory costs more than reading the project once
            own = self.stores.memories.listing(project_id, limit=EVERY, with_global=False)
            self.whole[project_id] = Index(own)
            return self.whole[project_id]
        numbers = {number for memory in fresh for number in self._neighbours(memory)}
        return Index(self.stores.memories.by_id(sorted(numbers)))

    def drop(self, memory: Memory) -> None:
        """A memory has ended; nothing is compared with it any more."""
        if index := self.whole.get(memory.project_id):
            index.drop(memory.id)

    def _neighbours(self, memory: Memory) -> list[int]:
        found = self.stores.memories.find_worded(memory.content, NEIGHBOURS, memory.project_id)
        same = self.stores.memories.in_slot(memory.slot, memory.project_id)
        return [memory.id, *found, *(mate.id for mate in same)]


def _batch(
    log: Events, memories: Memories, vectors: Vectors, verdicts: Verdicts, now: str, size: int, pools: Pools
) -> Reconciliation | None:
    """Reconcile the next memories that changed; None when there are none."""
    changed = verdicts.list_changed(verdicts.get_reached(MARK), size)
    if not changed:
        return None
    likely = _candidates(memories, vectors, changed, pools, is_full=len(changed) == size)
    decisions = [decide(a, b, word_likeness) for a, b in likely]
    with log.db.transaction():
        counted = write(log, decisions, now)
        verdicts.set_reached(MARK, changed[-1].version, now)
    for decision in decisions:
        if decision.action == "supersede":
            pools.drop(decision.first)
    return counted._replace(memories=len(changed), pairs=len(likely))


def _candidates(
    memory_store: Memories, vectors: Vectors, changed: Sequence[Changed], pools: Pools, *, is_full: bool
) -> list[tuple[Memory, Memory]]:
    """The pairs to look at: by what both are about, and by what their vectors say."""
    memories = memory_store
    by_project: dict[str, list[int]] = {}
    for row in changed:
        by_project.setdefault(row.project_id, []).append(row.id)
    found: list[tuple[Memory, Memory]] = []
    for project_id, numbers in by_project.items():
        fresh = memories.by_id(numbers)
        found += pairs(fresh, pools.of(project_id, fresh, is_full))
        found += _alike(memory_store, vectors, fresh)
    # What a team or the organisation says is theirs to change, and no device ends it by itself.
    once = {(a.id, b.id): (a, b) for a, b in found}
    return [pair for pair in once.values() if not any(is_circle(one.project_id) for one in pair)]


def _alike(memories: Memories, vector_store: Vectors, fresh: Sequence[Memory]) -> Iterator[tuple[Memory, Memory]]:
    """Fresh memories with those that their vectors are near to, whatever their sessions knew of each other."""
    vectors = vector_store.of([one.id for one in fresh])
    for one in fresh:
        if one.id not in vectors:
            continue
        near = vector_store.nearest(*vectors[one.id], NEAREST, one.project_id)
        alike = [number for number, nearness in near if nearness >= ALIKE and number != one.id]
        for other in memories.by_id(alike):
            first, second = sorted((one, other), key=lambda each: each.id)
            if are_comparable(first, second):
                yield first, second


# -- what follows -----------------------------------------------------------------------------------------------------


def write(events: Events, decisions: Sequence[Ruling], now: str) -> Reconciliation:
    """Append what decisions mean; what was appended before, in whatever order, is not appended again."""
    ended: set[int] = set()
    total = Reconciliation()
    for decision in _in_order(decisions):
        sides = {decision.first.id} if decision.action == "supersede" else {decision.first.id, decision.second.id}
        if decision.action == "nothing" or not ended.isdisjoint(sides):
            continue
        cause = _cause(events, decision) if decision.action == "supersede" else None
        given = events.append(_events(decision, now, cause), now)
        if not any(number is not None for number in given):
            continue
        if decision.action == "supersede":
            ended.add(decision.first.id)
        total = total.plus(
            Reconciliation(
                contradicted=decision.action == "contradict",
                superseded=decision.action == "supersede",
                flagged=decision.action == "flag",
            )
        )
    return total


def _in_order(decisions: Sequence[Ruling]) -> list[Ruling]:
    """What ends before what stays, and of several successors the latest first: not by the order of writing."""
    latest = sorted(decisions, key=lambda one: (_start_of(one.second), one.second.learning_id), reverse=True)
    return sorted(latest, key=lambda one: one.action != "supersede")


def _cause(log: Events, decision: Ruling) -> int | None:
    """The event by which a person took the winner's side after both were known: undoing it takes this back too."""
    taken = ("LearningConfirmed", "LearningPinned")
    events = log.of_learning(decision.second.learning_id) if word_of(decision.second) else []
    return max((event.event_id for event in events if event.event_type in taken), default=None)


def _events(decision: Ruling, now: str, cause: int | None = None) -> list[Event]:
    """The events of one decision: both sides of a contradiction, the end of one, or a suggested edge."""
    one, other, why = decision.first, decision.second, decision.reason
    match decision.action:
        case "contradict":
            return [
                _event(mine, theirs, "LearningContradicted", _contradict(theirs, why), now)
                for mine, theirs in ((one, other), (other, one))
            ]
        case "supersede":
            said = Superseded(superseded_by=other.learning_id, reason=why)
            return [_event(one, other, "LearningSuperseded", said, max(_start_of(one), _start_of(other)), cause)]
        case "flag":
            first, second = sorted((one, other), key=lambda memory: memory.learning_id)
            edge = Edge(target=second.learning_id, relation="contradicts", confidence=DOUBTFUL, reason=why)
            return [_event(first, second, "EdgeProposed", edge, now)]
        case _:
            return []


def _contradict(other: Memory, why: str) -> Contradicted:
    return Contradicted(contradicted_with=other.learning_id, contradiction_multiplier=MULTIPLIER, reason=why)


def _event(
    mine: Memory, other: Memory, event_type: EventType, payload: Payload, valid_from: str, cause: int | None = None
) -> Event:
    """An event that knows both memories. Its key is drawn from the pair, whichever side is met first."""
    pair = ":".join(sorted((mine.learning_id, other.learning_id)))
    decided = f":{cause}" if cause else ""  # another decision of a person is another reason
    return make_event(
        event_type,
        mine.learning_id,
        payload,
        f"reconcile:{event_type}:{pair}:{mine.learning_id}{decided}",
        project_id=mine.project_id,
        by=WRITER,
        at=valid_from,
        cause=cause,
        clock=tick(merge(mine.clock, other.clock), WRITER.session_id),
    )


def _start_of(memory: Memory) -> str:
    return memory.valid_from or memory.created_at
