"""Whether the log is what it was: every event hashed again, every number, time and tombstone looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from nous.core.events import (
    GENESIS,
    TOMBSTONE_JSON,
    Erased,
    chain_hash,
    decode_payload,
    head_text,
    payload_hash,
)
from nous.errors import BadEvent
from nous.stores import Stores
from nous.stores.events import StoredEvent

SHOWN = 20
NEARBY = 1000  # how far an event that was moved is looked for

Kind = Literal["changed", "missing", "reordered", "time", "payload", "tombstone", "parent", "read model", "unfinished"]


class Problem(NamedTuple):
    """Something that is not as it was written: what kind, which event (0: none), and a sentence."""

    kind: Kind
    event_id: int
    said: str


class Report(NamedTuple):
    """What verifying the log gave."""

    events: int
    erased: int
    head: str
    problems: list[Problem]
    more: int

    @property
    def ok(self) -> bool:
        return not self.problems


class Watch:
    """What is known so far while the log is read from its beginning."""

    def __init__(self) -> None:
        self.last = 0
        self.hash = GENESIS
        self.time = ""
        self.events = 0
        self.tombstones: set[int] = set()
        self.accounted: set[int] = set()


def verify(stores: Stores) -> Report:
    """Read the whole log in one snapshot and name every event that was changed, removed or moved."""
    watch = Watch()
    with stores.db.snapshot():
        found: list[Problem] = []
        more = 0
        for problem in _problems(stores, watch):
            if len(found) < SHOWN:
                found.append(problem)
            else:
                more += 1
    return Report(watch.events, len(watch.tombstones), watch.hash, found, more)


def _problems(stores: Stores, watch: Watch) -> Iterator[Problem]:
    for event in stores.events.stored():
        yield from _order(stores, watch, event)
        yield from _content(watch, event)
        watch.last, watch.hash, watch.time = event.event_id, event.event_hash, event.transaction_time
        watch.events += 1
    yield from _end(stores, watch)
    for number in sorted(watch.tombstones - watch.accounted):
        yield Problem("tombstone", number, f"event {number} lost its payload, but no erasure names it")
    for number in sorted(watch.accounted - watch.tombstones):
        yield Problem("tombstone", number, f"event {number} was erased, but its payload is there")


def _order(stores: Stores, watch: Watch, event: StoredEvent) -> Iterator[Problem]:
    """Numbers without a gap, each event chained to the one before it, time that never falls."""
    number = event.event_id
    if number > watch.last + 1:
        yield Problem("missing", watch.last + 1, _range(watch.last + 1, number - 1) + " missing")
    elif event.prev_hash != watch.hash:
        before = stores.events.number_of_hash(event.prev_hash)
        place = f"it was written after event {before}" if before else "the event it was written after is not here"
        yield Problem("reordered", number, f"event {number} does not follow event {watch.last}: {place}")
    if event.transaction_time < watch.time:
        yield Problem("time", number, f"event {number} says {event.transaction_time}, which is before {watch.time}")
    if event.parent_event_id is not None and not 0 < event.parent_event_id < number:
        yield Problem("parent", number, f"event {number} names {event.parent_event_id} as its cause, which came later")


def _content(watch: Watch, event: StoredEvent) -> Iterator[Problem]:
    """Columns that fit their hash, a payload that fits its own hash and its type."""
    number = event.event_id
    if not _fits(event, number):
        yield _changed_or_moved(event)
    if event.payload_json == TOMBSTONE_JSON:
        watch.tombstones.add(number)
        return
    if payload_hash(event.payload_json) != event.payload_hash:
        yield Problem("payload", number, f"the payload of event {number} ({event.event_type}) was changed")
        return
    try:
        said = decode_payload(event.event_type, event.payload_json, event.schema_version)
    except BadEvent as wrong:
        yield Problem("payload", number, f"event {number} cannot be read: {wrong}")
        return
    if isinstance(said, Erased):
        watch.accounted.update(said.erased_events)


def _fits(event: StoredEvent, number: int) -> bool:
    return chain_hash(event.prev_hash, head_text(event.head(number)), event.payload_hash) == event.event_hash


def _changed_or_moved(event: StoredEvent) -> Problem:
    """An event whose hash fits another number was moved; one whose hash fits none was changed."""
    number = event.event_id
    for distance in range(1, NEARBY):
        for other in (number - distance, number + distance):
            if other > 0 and _fits(event, other):
                return Problem("reordered", number, f"event {number} is out of order: it was event {other}")
    return Problem("changed", number, f"event {number} ({event.event_type}) was changed: it does not fit its hash")


def _end(stores: Stores, watch: Watch) -> Iterator[Problem]:
    """What was cut off at the end, and what hangs on to it."""
    highest = stores.events.highest_id()
    if highest > watch.last:
        yield Problem("missing", watch.last + 1, _range(watch.last + 1, highest) + " missing at the end")
    for name, done in stores.memories.checkpoints().items():
        if done > watch.last:
            yield Problem(
                "read model", done, f"the read model {name!r} knows event {done}, the log ends at {watch.last}"
            )
    for row in stores.erasures.unfinished():
        number = row["last_event_id"]
        yield Problem("unfinished", number, f"the erasure of event {number} left traces: run `nous purge --finish`")


def _range(first: int, last: int) -> str:
    return f"event {first} is" if first == last else f"events {first} to {last} are"
