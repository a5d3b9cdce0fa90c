"""Whether the log is what it was: every event hashed again, every number, time and tombstone looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from nous.errors import BadEvent, StoreError
from nous.kernel.log.archive_payloads import is_cold
from nous.kernel.log.event_store import STANDINGS, Events, StoredEvent
from nous.kernel.log.events import ERASURES, GENESIS, Erased, decode_payload, payload_hash
from nous.kernel.log.wire import WireEvent

if TYPE_CHECKING:
    from nous.kernel.stores import Erasures, Memories, Stores

SHOWN = 20

DamageKind = Literal[
    "changed", "missing", "reordered", "time", "payload", "tombstone", "parent", "read model", "unfinished", "archive"
]


class Problem(NamedTuple):
    """Something that is not as it was written: what kind, which event (0: none), and a sentence."""

    kind: DamageKind
    event_id: int
    said: str


class VerifyReport(NamedTuple):
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
        self.arrived = ""
        self.hash = GENESIS
        self.events = 0
        self.heads: dict[str, WireEvent] = {}
        self.tombstones: dict[str, WireEvent] = {}
        self.numbers: dict[str, int] = {}
        self.erased_streams: set[str] = set()
        self.accounted: set[str | tuple[str, int]] = set()
        self.unreadable: dict[str, int] = {}
        self.foreign: set[str] = set()


def verify(stores: Stores) -> VerifyReport:
    """Read the whole log in one snapshot and name every event that was changed, removed or moved."""
    watch = Watch()
    with stores.db.snapshot():
        found: list[Problem] = []
        more = 0
        for problem in _problems(stores.events, stores.memories, stores.erasures, watch):
            if len(found) < SHOWN:
                found.append(problem)
            else:
                more += 1
    return VerifyReport(watch.events, len(watch.tombstones), watch.hash, found, more)


def _problems(log: Events, memories: Memories, erasures: Erasures, watch: Watch) -> Iterator[Problem]:
    for event in log.each_row():
        yield from _order(log, watch, event)
        yield from _content(watch, event)
        watch.last, watch.hash, watch.arrived = event.event_id, event.event_hash, event.arrived_at
        if event.device not in watch.heads or event.device_seq > watch.heads[event.device].device_seq:
            watch.heads[event.device] = event
        watch.events += 1
    yield from _end(log, memories, erasures, watch)
    yield from _erasures(log, watch)
    yield from _archives(log, watch)


def _order(events: Events, watch: Watch, event: StoredEvent) -> Iterator[Problem]:
    """Numbers without a gap; on each device too, every event chained to the one before it, time that never falls."""
    number = event.event_id
    if number > watch.last + 1:
        yield Problem("missing", watch.last + 1, _range(watch.last + 1, number - 1) + " missing")
    before = watch.heads.get(event.device)
    if before and event.absorbed and event.device_seq < before.device_seq:
        yield from _late(events, event)
        return
    seq, previous, time = 0, GENESIS, ""
    if before:
        seq, previous, time = before.device_seq, before.event_hash, before.transaction_time
    if event.prev_hash != previous and number == watch.last + 1 and not _goes_on(events, event, seq):
        yield Problem("reordered", number, _describe_misplaced(events, event, seq))
    if event.transaction_time < time:
        yield Problem("time", number, f"event {number} says {event.transaction_time}, which is before {time}")
    elif event.arrived_at < watch.arrived:
        yield Problem("time", number, f"event {number} came {event.arrived_at}, which is before {watch.arrived}")
    if event.parent_event_id is not None and not (0 < event.parent_event_id < number or event.absorbed):
        yield Problem("parent", number, f"event {number} names {event.parent_event_id} as its cause, which came later")


def _late(events: Events, event: StoredEvent) -> Iterator[Problem]:
    """An event that was kept for later came after those that follow it; what it follows is here."""
    if event.prev_hash != GENESIS and events.number_of_hash(event.prev_hash) is None:
        yield Problem("reordered", event.event_id, _describe_misplaced(events, event, event.device_seq - 1))


def _goes_on(events: Events, event: StoredEvent, seq: int) -> bool:
    """Whether a device goes on from what another name holds: a copy of a log from before there were devices."""
    if not event.absorbed or event.device_seq <= seq + 1:
        return False
    return events.number_of_hash(event.prev_hash) is not None


def _describe_misplaced(events: Events, event: StoredEvent, seq: int) -> str:
    before = events.number_of_hash(event.prev_hash)
    place = f"it was written after event {before}" if before else "the event it was written after is not here"
    due = f"it is number {event.device_seq} of its device, and {seq + 1} was due"
    return f"event {event.event_id} is out of order: {due}; {place}"


def _content(watch: Watch, event: StoredEvent) -> Iterator[Problem]:
    """Columns that fit their hash, a payload that fits its own hash and its type."""
    number = event.event_id
    if not event.fits:
        yield Problem("changed", number, f"event {number} ({event.event_type}) was changed: it does not fit its hash")
    if event.event_type in ERASURES:
        watch.erased_streams.add(event.stream_id)
    if event.is_erased:
        watch.tombstones[event.event_uuid] = event
        watch.numbers[event.event_uuid] = number
        if STANDINGS[event.absorbed]:  # a teammate may send what never had words
            watch.foreign.add(event.event_uuid)
        return
    if is_cold(event.payload_json):
        watch.unreadable.setdefault(event.payload_json, number)
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
        watch.accounted.update((event.device, ref) if isinstance(ref, int) else ref for ref in said.erased_events)


def _erasures(events: Events, watch: Watch) -> Iterator[Problem]:
    """Payloads that are gone without an erasure, and payloads that are there in spite of one."""
    for uuid, event in watch.tombstones.items():
        if event.stream_id not in watch.erased_streams and uuid not in watch.foreign:
            number = watch.numbers[uuid]
            yield Problem("tombstone", number, f"event {number} lost its payload, but no erasure names it")
    gone = watch.tombstones.keys() | {(event.device, event.device_seq) for event in watch.tombstones.values()}
    for number in events.with_payload(watch.accounted - gone):
        yield Problem("tombstone", number, f"event {number} was erased, but its payload is there")


def _archives(events: Events, watch: Watch) -> Iterator[Problem]:
    """Segments of cold events that cannot be read; the chain over their hashes still holds."""
    for mark, number in watch.unreadable.items():
        try:
            events.cold.payload(mark, number)
        except StoreError as problem:
            yield Problem("archive", number, str(problem))


def _end(log: Events, memories: Memories, erasures: Erasures, watch: Watch) -> Iterator[Problem]:
    """What was cut off at the end, and what hangs on to it."""
    highest = log.highest_id()
    if highest > watch.last:
        yield Problem("missing", watch.last + 1, _range(watch.last + 1, highest) + " missing at the end")
    for device in log.devices():
        last = watch.heads.get(device.id)
        is_last = last is not None and last.event_hash == device.last_hash
        if device.last_seq and not is_last and log.number_of_hash(device.last_hash) is None:
            said = f"event {device.last_seq} of device {device.id[:8]} is missing: it was the last"
            yield Problem("missing", watch.last, said)
    for name, done in memories.checkpoints().items():
        if done > watch.last:
            yield Problem(
                "read model", done, f"the read model {name!r} knows event {done}, the log ends at {watch.last}"
            )
    for row in erasures.list_unfinished():
        number = row["last_event_id"]
        yield Problem("unfinished", number, f"the erasure of event {number} left traces: `nous admin purge --finish`")


def _range(first: int, last: int) -> str:
    return f"event {first} is" if first == last else f"events {first} to {last} are"
