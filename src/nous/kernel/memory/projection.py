"""From events to read models: one fold, several projectors, each with its own checkpoint.

A projector reads events only, in order of their numbers, so it can be rebuilt alone or with the others, and gives the
same rows every time, however the events were cut into batches. What this device writes comes last in the order of all
devices, so one step is enough; what comes from another device may belong further back, and then what it touches is made
anew from all of its events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from nous.errors import NousError
from nous.kernel.db.sqlite import UNNAMED
from nous.kernel.feature import Projector, features, resolve
from nous.kernel.stores import open_stores

if TYPE_CHECKING:
    from nous.kernel.log.events import Recorded
    from nous.kernel.stores import Events, Memories, Stores

BATCH = 5000
REPLAY_BATCH = 20_000  # what changed twice within a batch is written once
SHOWN_DIFFERENCES = 10

_FOLDS = "nous.kernel.memory.projectors"
KERNEL: tuple[Projector, ...] = (
    Projector(
        "memories",
        f"{_FOLDS}:fold_memories",
        ("events", "memories", "embeddings"),
        (("memories", "memories", "history"),),
        ("memories", "memory_history"),
    ),
    Projector(
        "concepts", f"{_FOLDS}:index_concepts", ("events", "memories"), (("memories", "concepts"),), ("concepts",)
    ),
    Projector("edges", f"{_FOLDS}:link", ("events", "graph"), (("graph",),), ("edges",)),
    Projector(
        "text",
        f"{_FOLDS}:index_text",
        ("events", "memories", "sequences", "vectors", "embeddings"),
        (("memories", "text"), ("sequences",)),
        ("memories_fts",),
    ),
    Projector("stats", f"{_FOLDS}:count", ("memories",), (("memories", "stats"),), ("event_stats",), False),
)


class Batch(list["Recorded"]):
    """Events that several projectors take in, with what they all want to know of them."""

    births: dict[str, tuple[int, bool]] | None = None

    @classmethod
    def of_memories(cls, events: Sequence[Recorded]) -> Batch:
        """Those that happened to memories."""
        return cls([event for event in events if event.learning_id])


@cache
def projectors() -> tuple[Projector, ...]:
    """Every read model: the kernel's own, and those of features."""
    return (*KERNEL, *(projector for feature in features() for projector in feature.projectors))


def choose_projectors(names: Sequence[str]) -> tuple[Projector, ...]:
    """The projectors with these names; all when none is named."""
    known = [projector.name for projector in projectors()]
    if unknown := set(names) - {*known}:
        raise NousError(f"there is no projector {sorted(unknown)[0]!r}", hint=f"one of {', '.join(known)}")
    return tuple(projector for projector in projectors() if not names or projector.name in names)


def clear(stores: Stores, projector: Projector) -> None:
    """Empty a read model."""
    for store, *words in projector.clears:
        getattr(stores, store).clear(*words)


def catch_up(stores: Stores, now: str, chosen: Sequence[Projector] | None = None, batch: int = BATCH) -> int:
    """Take in every event the read models have not seen; how many. Rows and checkpoints commit together."""
    taken = 0
    while step := _step(stores, now, chosen or projectors(), batch):
        taken += step
        if step < batch:
            break
    return taken


def _step(stores: Stores, now: str, chosen: Sequence[Projector], limit: int) -> int:
    with stores.db.transaction():
        known = stores.memories.checkpoints()
        done = {projector.name: known.get(projector.name, 0) for projector in chosen}
        first = min(done.values())
        batch = stores.events.read(first, limit)
        if not batch:
            return 0
        of_memories = Batch.of_memories(batch)
        with stores.events.unchanging():
            for projector in chosen:
                reached = done[projector.name]
                taken: Sequence[Recorded] = of_memories if projector.of_memories else batch
                fresh = taken if reached == first else [event for event in taken if event.event_id > reached]
                if fresh:
                    resolve(projector.fold)(*(getattr(stores, one) for one in projector.takes), fresh)
        last = batch[-1].event_id
        stores.memories.set_checkpoints((name for name, reached in done.items() if last > reached), last, now)
    return len(batch)


def replay(stores: Stores, now: str, chosen: Sequence[Projector] | None = None, batch: int = REPLAY_BATCH) -> int:
    """Empty the read models and build them again from the whole log; how many events were read.

    One transaction: readers see the old rows until the new ones are complete, and a crash leaves the old ones.
    """
    with stores.db.transaction():
        for projector in chosen or projectors():
            clear(stores, projector)
        stores.memories.set_checkpoints((projector.name for projector in chosen or projectors()), 0, now)
        return catch_up(stores, now, chosen, batch)


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


def compare_with_replay(
    log: Events, memories: Memories, now: str, chosen: Sequence[Projector] | None = None
) -> Comparison:
    """Build the read models into a scratch database and compare them, row by row, with the live ones.

    The live ones are read in one snapshot, so work may go on meanwhile. They must have caught up with the log.
    """
    with log.db.snapshot():
        scratch = open_stores(UNNAMED)  # whoever kills this leaves no file with words in it
        try:
            scratch.events = log  # the log is read where it is; only the rows are built anew
            events = replay(scratch, now, chosen)
            rows, found = compare_rows(memories, scratch.memories, chosen)
        finally:
            scratch.close()
    return Comparison(events, rows, found)


def compare_rows(
    live: Memories, other: Memories, chosen: Sequence[Projector] | None = None
) -> tuple[dict[str, int], list[Difference]]:
    """How many rows the read models of two databases have, by table, and the first of each that differ."""
    rows: dict[str, int] = {}
    found: list[Difference] = []
    for table in (table for projector in chosen or projectors() for table in projector.tables):
        rows[table], different = _compare(live, other, table)
        found += different
    return rows, found


def _compare(live: Memories, scratch: Memories, table: str) -> tuple[int, list[Difference]]:
    """How many rows there are, and the first that differ. Both sides come in the order of their keys."""
    compared = 0
    different: list[Difference] = []
    for mine, other in _side_by_side(live.rows_of(table), scratch.rows_of(table)):
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
