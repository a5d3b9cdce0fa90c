"""The append-only event log.

Inside the program events go by their local numbers; in the log they name each other by global ids, which mean the same
on every device. The two are exchanged here, where events are written and read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from os import urandom
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from nous.errors import BadEvent, StoreError
from nous.kernel.db.database import EVERY, Database, like
from nous.kernel.db.store import Store
from nous.kernel.log.archive_payloads import Cold, is_cold
from nous.kernel.log.clocks import MAX_KEYS, canonical, merge, parse, subsume
from nous.kernel.log.events import (
    TOMBSTONE_JSON,
    Checked,
    Erased,
    Event,
    Payload,
    Recorded,
    Ref,
    Reviewed,
    TeamStanding,
    Undone,
    chain_hash,
    check_event,
    decode_payload,
    head_text,
    item_key,
    payload_hash,
)
from nous.kernel.log.wire import STREAMED, WireEvent
from nous.moments import later


def new_uuid(moment: str) -> str:
    """A fresh global id (UUID version 7). It begins with the time, so the index on it grows at its end."""
    chance = int.from_bytes(urandom(10), "big")
    number = (
        _millis(moment) << 80 | 0x7 << 76 | (chance >> 64 & 0xFFF) << 64 | 0b10 << 62 | chance & 0x3FFF_FFFF_FFFF_FFFF
    )
    text = f"{number:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


@lru_cache(maxsize=4)
def _millis(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp() * 1000)


class StoredEvent(WireEvent, frozen=True):
    """A row of the log, every column as it is on disk: what `verify` reads."""

    event_id: int = 0
    parent_event_id: int | None = None
    arrived_at: str = ""
    absorbed: int = 0


class Device(NamedTuple):
    """A device that wrote events, and the last of them: its number there, its hash, its time."""

    number: int
    id: str
    is_own: int
    last_seq: int
    last_hash: str
    last_time: str


STEP = 0.001  # seconds: what is written after another device's event is later than it
# By `absorbed`: written here, by another device of one's own, by a teammate, by a steward of the team.
STANDINGS: tuple[TeamStanding, ...] = ("", "", "member", "steward")
FIRST = 1  # the device that was here from the beginning: what it wrote before there were devices has its number
REFERRING = frozenset({Undone, Erased, Reviewed})  # payloads that name events or memories


LAST = 2**62  # no event has a higher number


class Events(Store, group="events"):
    """Appends and reads events. Numbers, times and hashes are given here, inside the write transaction."""

    def __init__(self, db: Database, new_id: Callable[[str], str] = new_uuid):
        self.db = db
        self.new_id = new_id
        self.cold = Cold(db)
        self._names: dict[int, str] = {}
        self._held: dict[str, list[Recorded]] | None = None

    def devices(self) -> list[Device]:
        """Every device that wrote something here."""
        return self._state()[0]

    def _state(self) -> tuple[list[Device], int, str]:
        """Every device; and the newest event's number, and when it came."""
        rows = list(self.db.each("events.devices"))
        self._names = {row[0]: row[1] for row in rows}
        return [Device(*row[:6]) for row in rows], rows[-1][6] or 0, rows[-1][7] or ""

    def own_device(self) -> str:
        """The global id of this database as a writer."""
        return self.own_head()[0]

    def own_head(self) -> tuple[str, int]:
        """The global id of this database as a writer, and how many events it wrote."""
        row = self.db.one("events.own_device")
        assert row is not None
        return str(row["device"]), int(row["wrote"])

    def append(self, events: Sequence[Event], now: str) -> list[int | None]:
        """The new event numbers, in order; None where the idempotency key was already known.

        The time of a device never falls: when its clock went back, its newest time is used again, and after another
        device's event a later one than that, so that time agrees with who knew of what.
        """
        if not events:
            return []
        with self.db.transaction():
            checked = [check_event(event) for event in self._outward(events)]
            devices, number, arrived = self._state()
            own = _own(devices)
            known = self._find_known([event.idempotency_key for event in events], own)
            causes = self._causes(events)
            moment = _moment(now, own, devices)
            arrived = max(moment, arrived)
            seq, previous = own.last_seq, own.last_hash
            given: list[int | None] = []
            rows = []
            for event, parts in zip(events, checked, strict=True):
                if event.idempotency_key in known:
                    given.append(None)
                    continue
                known.add(event.idempotency_key)
                number, seq = number + 1, seq + 1
                place = LogPosition(number, self.new_id(moment), own, seq, moment, arrived)
                row = _to_row(event, parts, place, causes, previous)
                previous = row[EVENT_HASH]
                rows.append(row)
                given.append(number)
            if rows:
                self.db.many("events.append", rows)
        return given

    def forget_devices(self) -> None: ...

    def head(self) -> tuple[int, str]:
        """The newest event's number, and when it came; 0 when there is none."""
        row = self.db.one("events.head")
        return (int(row["event_id"]), str(row["arrived_at"])) if row else (0, "")

    def _find_known(self, keys: list[str], own: Device) -> set[str]:
        return {key for (key,) in self.db.each("events.known_keys", keys=_json(keys), device=own.number)}

    def _causes(self, events: Sequence[Event]) -> dict[int, str]:
        """The global ids of the events that these name as their cause."""
        asked = {event.parent_event_id for event in events if event.parent_event_id is not None}
        return self._uuids(asked) if asked else {}

    def _uuids(self, numbers: Iterable[int]) -> dict[int, str]:
        asked = set(numbers)
        found = dict(self.db.each("events.uuids", ids=_json(sorted(asked))))
        if missing := asked - found.keys():
            raise BadEvent(f"there is no event {min(missing)}")
        return found

    def _outward(self, events: Sequence[Event]) -> list[Event]:
        """The events with global ids in the place of local numbers."""
        return [self._with_names(event) if type(event.payload) in REFERRING else event for event in events]

    def _with_names(self, event: Event) -> Event:
        payload = event.payload
        return replace(event, payload=self._name_events(payload)) if isinstance(payload, Undone | Erased) else event

    def _name_events(self, payload: Undone | Erased) -> Payload:
        named = payload.undone_events if isinstance(payload, Undone) else payload.erased_events
        uuids = self._uuids(ref for ref in named if isinstance(ref, int))
        return _rename(payload, tuple(uuids[ref] if isinstance(ref, int) else ref for ref in named))

    def _inward(self, event: Recorded, device: int) -> Recorded:
        """The event with local numbers in the place of global ids; what is not here is left out.

        Events from before there were devices name others by their number on the device, and memories in review too.
        """
        payload = event.payload
        if isinstance(payload, Reviewed):
            if event.schema_version > 2:
                return event
            return replace(event, payload=replace(payload, item=self._item(payload.item, device)))
        assert isinstance(payload, Undone | Erased)
        named = payload.undone_events if isinstance(payload, Undone) else payload.erased_events
        return replace(event, payload=_rename(payload, tuple(self._numbers(named, device))))

    def _numbers(self, named: Sequence[Ref], device: int) -> list[int]:
        uuids = [ref for ref in named if isinstance(ref, str)]
        numbers = [ref for ref in named if isinstance(ref, int)]
        known: dict[Ref, int] = dict(self.db.each("events.numbers", uuids=_json(uuids))) if uuids else {}
        if numbers and device != FIRST:
            rows = self.db.each("events.of_device", device=device, numbers=_json(numbers))
            known |= {seq: number for seq, number, _ in rows}
        elif numbers:
            known |= {number: number for number in numbers}
        return [known[ref] for ref in named if ref in known]

    def _item(self, item: str, device: int) -> str:
        """An item of the review queue with the global ids of its memories."""
        parts = item.split(":")
        numbers = [int(part) for part in parts if part.isdecimal()]
        rows = self.db.each("events.of_device", device=device, numbers=_json(numbers))
        names = {str(seq): learning for seq, _, learning in rows}
        return item_key(parts[0], *(names.get(part, part) for part in parts[1:]))

    def _read(self, rows: Iterable[tuple[Any, ...]]) -> list[Recorded]:
        found = []
        for row in self.cold.warm(rows, number=0, payload=14):
            device = row[16]
            if device not in self._names:
                self.devices()
            event = _from_row(row, self._names.get(device, ""))
            found.append(self._inward(event, device) if type(event.payload) in REFERRING else event)
        return found

    # reading
    def replay(self, after: int = 0, limit: int = 5000) -> Iterator[list[Recorded]]:
        """All events after a number, in order, in batches."""
        while batch := self.read(after, limit):
            yield batch
            after = batch[-1].event_id

    def read(self, after: int, limit: int) -> list[Recorded]:
        """The next events after a number."""
        return self._read(self.db.each("events.replay", after=after, limit=limit))

    def of_learning(self, learning_id: str, until: int = LAST) -> list[Recorded]:
        """Everything that happened to one learning, or what did up to an event."""
        held = {} if self._held is None else self._held
        if learning_id not in held:
            held[learning_id] = self._read(self.db.each("events.of_learning", learning_id=learning_id))
        return [event for event in held[learning_id] if event.event_id <= until]

    @contextmanager
    def unchanging(self) -> Iterator[None]:
        """While it lasts nothing is written: what happened to a learning is read once, whoever asks."""
        self._held = {}
        try:
            yield
        finally:
            self._held = None

    def get(self, event_id: int) -> Recorded | None:
        """One event by number."""
        return next(iter(self.by_id([event_id])), None)

    def by_id(self, event_ids: Iterable[int]) -> list[Recorded]:
        """Events by their numbers, in order."""
        return self._read(self.db.each("events.by_id", ids=_json(list(event_ids))))

    def caused_by(self, event_ids: Iterable[int]) -> list[Recorded]:
        """The events that name one of these as their cause."""
        return self._read(self.db.each("events.caused_by", ids=_json(list(event_ids))))

    def between(self, after: int, until: int, project_id: str | None = None, limit: int = EVERY) -> list[Recorded]:
        """Events after one number and up to another, in order; with a limit, the latest of them."""
        rows = self.db.each("events.between", after=after, until=until, project_id=project_id, limit=limit)
        return self._read(rows)[::-1]

    def by_hand(self, before: int, limit: int) -> list[Recorded]:
        """What was decided by hand before an event, newest first; undoing itself is left out."""
        return self._read(self.db.each("events.by_hand", before=before, limit=limit))

    def births(self, learning_ids: Iterable[str]) -> dict[str, tuple[int, bool]]:
        """The event that introduced each learning, which is its memory's number, and whether it was erased."""
        asked = _json(list(learning_ids))
        rows = self.db.each("events.births", ids=asked, tombstone=TOMBSTONE_JSON)
        return {learning: (number, bool(erased)) for learning, number, erased in rows}

    def first_of(self, learning_ids: Iterable[str]) -> dict[str, int]: ...

    def last_id(self) -> int:
        """The number of the newest event, 0 when there is none."""
        head = self.db.one("events.head")
        return head["event_id"] if head else 0

    def as_of(self, moment: str) -> int:
        """The number of the last event that was known at a moment."""
        row = self.db.one("events.as_of", moment=moment)
        return (row and row["event_id"]) or 0

    def before(self, moment: str) -> int: ...
    def count(self) -> int: ...

    # clocks
    def session_clock(self, session_id: str) -> dict[str, int]:
        """The clock of a session's newest event, empty when it has none."""
        row = self.db.one("events.session_clock", session_id=session_id)
        return parse(row["vector_clock_json"]) if row else {}

    def clocks_given(self, session_id: str) -> list[dict[str, int]]:
        """The clocks of the memories that a session was given, as they stood at that moment; oldest first."""
        rows = self.db.each("events.clocks_given", session_id=session_id)
        return [parse(clock) for clock in dict.fromkeys(clock for (clock,) in rows)]

    def known_to(self, session_id: str) -> dict[str, int]:
        """What a session knows: its own clock, and those of the memories it was given, by its receipts.

        The session's next event carries `tick(known_to(session_id), session_id)`.
        """
        given = subsume({}, self.clocks_given(session_id))
        known = merge(self.session_clock(session_id), given)
        return known if len(known) < MAX_KEYS else self._by_recency(known, given)

    def _by_recency(self, clock: dict[str, int], given: dict[str, int]) -> dict[str, int]:
        """A clock in order of observation: by each session's last event, and what was given just now at the end."""
        last = dict(self.db.each("events.last_of_sessions", ids=_json(list(clock))))
        order = {session: (session in given, last.get(session, 0)) for session in clock}
        return {session: clock[session] for session in sorted(clock, key=order.__getitem__)}

    # integrity and erasure
    def each_row(self) -> Iterator[StoredEvent]:
        """Every row as it is on disk, in order of its number; a cold payload is left out where it cannot be read."""
        unreadable: set[str] = set()
        for row in self.db.each("events.stored"):
            event = StoredEvent(*row)
            if is_cold(event.payload_json) and event.payload_json not in unreadable:
                try:
                    event = replace(event, payload_json=self.cold.payload(event.payload_json, event.event_id))
                except StoreError:
                    unreadable.add(event.payload_json)
            yield event

    def number_of_hash(self, event_hash: str) -> int | None: ...

    def highest_id(self) -> int:
        """The highest number that was ever given, whether the event is still there or not."""
        row = self.db.one("events.highest_id")
        return (row and row["event_id"]) or 0

    def payloads(self, learning_ids: Iterable[str]) -> list[tuple[int, str, str]]:
        """Number, learning and payload of every event of these learnings that was not erased."""
        rows = self.db.each("events.payloads", ids=_json(list(learning_ids)), tombstone=TOMBSTONE_JSON)
        return [(row[0], row[1], row[2]) for row in self.cold.warm(rows, number=0, payload=2)]

    def mentioning(self, text: str) -> list[str]:
        """Learnings of which a payload contains a text, upper or lower case."""
        written = msgspec.json.encode(text).decode()[1:-1]
        here = {learning for (learning,) in self.db.each("events.mentioning", text=like(written))}
        return sorted(here | self.cold.mentioning(written))

    def of_session(self, session_id: str) -> list[str]: ...
    def with_key(self, key: str) -> list[str]: ...
    def of_project(self, project_id: str) -> list[str]: ...

    def of_entities(self, until: int) -> list[Recorded]:
        """What people decided about names, up to an event."""
        return self._read(self.db.each("events.of_entities", until=until))

    def list_erased(self) -> list[tuple[int, str]]:
        """Number and uuid of every event that lost its payload."""
        rows = self.db.each("events.erased", tombstone=TOMBSTONE_JSON)
        return [(number, uuid) for number, uuid in rows]

    def with_payload(self, named: Iterable[str | tuple[str, int]]) -> list[int]:
        """Which events are here and have their payload, of some named by global id, or by device and number there."""
        names = list(named)
        asked = {
            "uuids": _json([name for name in names if isinstance(name, str)]),
            "numbered": _json([name for name in names if not isinstance(name, str)]),
        }
        return [number for (number,) in self.db.each("events.present", **asked, tombstone=TOMBSTONE_JSON)]

    def erase(self, event_ids: Iterable[int]) -> None:
        """Put a tombstone in the place of payloads. Number, order and hashes stay, so the chain still verifies."""
        self.db.many("events.erase", ((TOMBSTONE_JSON, number) for number in event_ids))


class LogPosition(NamedTuple):
    """Where an event stands: here, and on the device that writes it."""

    number: int
    uuid: str
    own: Device
    seq: int
    moment: str
    arrived: str


EVENT_HASH = 21  # where it stands in a row


def _to_row(event: Event, parts: Checked, place: LogPosition, causes: dict[int, str], previous: str) -> tuple[Any, ...]:
    cause = event.parent_event_id
    stream_id = event.learning_id or event.stream_id
    clock = canonical(event.clock) if event.clock else None
    middle = (
        event.event_type,
        event.idempotency_key,
        event.schema_version,
        place.moment,
        parts.valid_from,
        parts.valid_until,
        clock,
    )
    caused_by = causes[cause] if cause is not None else None
    last = (event.session_id, event.project_id, event.source)
    # What is hashed: the same as `Carried.head`.
    head = (place.uuid, event.stream, stream_id, place.own.id, place.seq, *middle, caused_by, *last)
    hashed = payload_hash(parts.payload)
    hashes = (hashed, previous, chain_hash(previous, head_text(head), hashed))
    first = (place.number, place.uuid, event.stream, stream_id, place.own.number, place.seq, *middle, cause, caused_by)
    return (*first, *last, parts.payload.decode(), *hashes, STREAMED, place.arrived, 0)


def _from_row(row: tuple[Any, ...], device: str) -> Recorded:
    clock = row[9]
    is_memory = row[15] == "memory"
    return Recorded(
        event_id=row[0],
        event_uuid=row[1],
        learning_id=row[2] if is_memory else "",
        event_type=row[3],
        idempotency_key=row[4],
        schema_version=row[5],
        transaction_time=row[6],
        valid_from=row[7],
        valid_until=row[8],
        clock=parse(clock) if clock else {},
        parent_event_id=row[10],
        session_id=row[11],
        project_id=row[12],
        source=row[13],
        payload=decode_payload(row[3], row[14], row[5]),
        stream=row[15],
        stream_id=row[2],
        device=device,
        device_seq=row[17],
        absorbed=bool(row[18]),
        standing=STANDINGS[row[18]],
    )


def _own(devices: Sequence[Device]) -> Device:
    """The device that this database writes as: the newest of its own."""
    return next(device for device in reversed(devices) if device.is_own)


def _moment(now: str, own: Device, devices: Sequence[Device]) -> str:
    """The time of what is written now: never before what this device wrote, and after all it has seen of others."""
    moment = max(now, own.last_time)
    seen = max((device.last_time for device in devices if device.number != own.number), default="")
    return later(seen, STEP) if seen >= moment else moment


def _rename(payload: Undone | Erased, named: tuple[Ref, ...]) -> Payload:
    if isinstance(payload, Undone):
        return replace(payload, undone_events=named)
    return replace(payload, erased_events=named)


def _json(values: list[Any]) -> str:
    return msgspec.json.encode(values).decode()
