"""The append-only event log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from os import urandom
from typing import Any

import msgspec

from nous.core.clocks import MAX_KEYS, canonical, merge, parse, subsume
from nous.core.events import (
    GENESIS,
    TOMBSTONE_JSON,
    Checked,
    Event,
    Recorded,
    chain_hash,
    check_event,
    decode_payload,
    head_text,
    payload_hash,
)
from nous.stores.database import Database, like


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


class StoredEvent(msgspec.Struct, frozen=True, array_like=True):
    """A row of the log, every column as it is on disk: what `verify` reads."""

    event_id: int
    event_uuid: str
    learning_id: str
    event_type: str
    idempotency_key: str
    schema_version: int
    transaction_time: str
    valid_from: str | None
    valid_until: str | None
    vector_clock_json: str | None
    parent_event_id: int | None
    session_id: str
    project_id: str
    source: str
    payload_json: str
    payload_hash: str
    prev_hash: str
    event_hash: str

    def head(self, event_id: int | None = None) -> tuple[Any, ...]:
        """The columns that the event's hash covers, with its own number or as if it had another."""
        own = msgspec.structs.astuple(self)[:14]
        return own if event_id is None else (event_id, *own[1:])


class Events:
    """Appends and reads events. Numbers, times and hashes are given here, inside the write transaction."""

    def __init__(self, db: Database, new_id: Callable[[str], str] = new_uuid):
        self.db = db
        self.new_id = new_id

    def append(self, events: Sequence[Event], now: str) -> list[int | None]:
        """The new event numbers, in order; None where the idempotency key was already known.

        Transaction time never falls: when the clock went back, the newest time in the log is used again.
        """
        checked = [check_event(event) for event in events]
        with self.db.transaction():
            known = self._known([event.idempotency_key for event in events])
            head = self.db.one("events.head") or {"event_id": 0, "transaction_time": now, "event_hash": GENESIS}
            number, previous = head["event_id"], head["event_hash"]
            moment = max(now, head["transaction_time"])
            given: list[int | None] = []
            rows = []
            for event, parts in zip(events, checked, strict=True):
                if event.idempotency_key in known:
                    given.append(None)
                    continue
                known.add(event.idempotency_key)
                number += 1
                row = _to_row(event, parts, number, self.new_id(moment), moment, previous)
                previous = row[-1]
                rows.append(row)
                given.append(number)
            self.db.many("events.append", rows)
        return given

    def _known(self, keys: list[str]) -> set[str]:
        return {key for (key,) in self.db.each("events.known_keys", keys=_json(keys))}

    # reading
    def replay(self, after: int = 0, limit: int = 5000) -> Iterator[list[Recorded]]:
        """All events after a number, in order, in batches."""
        while batch := self.read(after, limit):
            yield batch
            after = batch[-1].event_id

    def read(self, after: int, limit: int) -> list[Recorded]:
        """The next events after a number."""
        return [_from_row(row) for row in self.db.each("events.replay", after=after, limit=limit)]

    def of_learning(self, learning_id: str) -> list[Recorded]:
        """Everything that happened to one learning."""
        return [_from_row(row) for row in self.db.each("events.of_learning", learning_id=learning_id)]

    def get(self, event_id: int) -> Recorded | None:
        """One event by number."""
        return next(iter(self.by_id([event_id])), None)

    def by_id(self, event_ids: Iterable[int]) -> list[Recorded]:
        """Events by their numbers, in order."""
        return [_from_row(row) for row in self.db.each("events.by_id", ids=_json(list(event_ids)))]

    def caused_by(self, event_ids: Iterable[int]) -> list[Recorded]:
        """The events that name one of these as their cause."""
        return [_from_row(row) for row in self.db.each("events.caused_by", ids=_json(list(event_ids)))]

    def between(self, after: int, until: int, project_id: str | None = None, limit: int = -1) -> list[Recorded]:
        """Events after one number and up to another, in order; with a limit, the latest of them."""
        rows = self.db.each("events.between", after=after, until=until, project_id=project_id, limit=limit)
        return [_from_row(row) for row in rows][::-1]

    def by_hand(self, before: int, limit: int) -> list[Recorded]:
        """What was decided by hand before an event, newest first; undoing itself is left out."""
        return [_from_row(row) for row in self.db.each("events.by_hand", before=before, limit=limit)]

    def births(self, learning_ids: Iterable[str]) -> dict[str, tuple[int, bool]]:
        """The event that introduced each learning, which is its memory's number, and whether it was erased."""
        asked = _json(list(learning_ids))
        rows = self.db.each("events.births", ids=asked, tombstone=TOMBSTONE_JSON)
        return {learning: (number, bool(erased)) for learning, number, erased in rows}

    def first_of(self, learning_ids: Iterable[str]) -> dict[str, int]:
        """The number of each learning's first event, whatever it was."""
        return dict(self.db.each("events.first_of", ids=_json(list(learning_ids))))

    def last_id(self) -> int:
        """The number of the newest event, 0 when there is none."""
        head = self.db.one("events.head")
        return head["event_id"] if head else 0

    def as_of(self, moment: str) -> int:
        """The number of the last event that was known at a moment."""
        row = self.db.one("events.as_of", moment=moment)
        return (row and row["event_id"]) or 0

    def before(self, moment: str) -> int:
        """The number of the last event that is older than a moment."""
        row = self.db.one("events.before", moment=moment)
        return row["event_id"] if row else 0

    def count(self) -> int:
        """How many events the log holds."""
        row = self.db.one("events.count")
        return row["events"] if row else 0

    # clocks
    def session_clock(self, session_id: str) -> dict[str, int]:
        """The clock of a session's newest event, empty when it has none."""
        row = self.db.one("events.session_clock", session_id=session_id)
        return parse(row["vector_clock_json"]) if row else {}

    def clocks_of(self, memory_ids: Iterable[int], as_of: int | None = None) -> list[dict[str, int]]:
        """The clocks of memories: of every event that made them what they are, or were after an event; oldest first."""
        rows = self.db.each("events.clocks_of", ids=_json(list(memory_ids)), event_id=as_of)
        return [parse(clock) for (clock,) in rows]

    def clocks_given(self, session_id: str) -> list[dict[str, int]]:
        """The clocks of the memories that a session was given, as they stood at that moment; oldest first."""
        return [parse(clock) for (clock,) in self.db.each("events.clocks_given", session_id=session_id)]

    def known_to(self, session_id: str, memory_ids: Iterable[int] = ()) -> dict[str, int]:
        """What a session knows: its own clock, and those of the memories it was given.

        Given are those of its receipts, and `memory_ids` besides. The session's next event carries
        `tick(known_to(session_id), session_id)`.
        """
        given = subsume({}, [*self.clocks_given(session_id), *self.clocks_of(memory_ids)])
        known = merge(self.session_clock(session_id), given)
        return known if len(known) < MAX_KEYS else self._by_recency(known, given)

    def _by_recency(self, clock: dict[str, int], given: dict[str, int]) -> dict[str, int]:
        """A clock in order of observation: by each session's last event, and what was given just now at the end."""
        last = dict(self.db.each("events.last_of_sessions", ids=_json(list(clock))))
        order = {session: (session in given, last.get(session, 0)) for session in clock}
        return {session: clock[session] for session in sorted(clock, key=order.__getitem__)}

    # integrity and erasure
    def stored(self) -> Iterator[StoredEvent]:
        """Every row as it is on disk, in order of its number."""
        for row in self.db.each("events.stored"):
            yield StoredEvent(*row)

    def number_of_hash(self, event_hash: str) -> int | None:
        """The number of the event with a hash."""
        row = self.db.one("events.by_hash", event_hash=event_hash)
        return row["event_id"] if row else None

    def highest_id(self) -> int:
        """The highest number that was ever given, whether the event is still there or not."""
        row = self.db.one("events.highest_id")
        return (row and row["event_id"]) or 0

    def payloads(self, learning_ids: Iterable[str]) -> list[tuple[int, str, str]]:
        """Number, learning and payload of every event of these learnings that was not erased."""
        rows = self.db.each("events.payloads", ids=_json(list(learning_ids)), tombstone=TOMBSTONE_JSON)
        return list(rows)

    def mentioning(self, text: str) -> list[str]:
        """Learnings of which a payload contains a text, upper or lower case."""
        return [
            learning
            for (learning,) in self.db.each("events.mentioning", text=like(msgspec.json.encode(text).decode()[1:-1]))
        ]

    def of_session(self, session_id: str) -> list[str]:
        """Learnings that a session introduced."""
        return [learning for (learning,) in self.db.each("events.of_session", session_id=session_id)]

    def of_project(self, project_id: str) -> list[str]:
        """Learnings of a project."""
        return [learning for (learning,) in self.db.each("events.of_project", project_id=project_id)]

    def erased(self) -> list[tuple[int, str]]:
        """Number and uuid of every event that lost its payload."""
        rows = self.db.each("events.erased", tombstone=TOMBSTONE_JSON)
        return [(number, uuid) for number, uuid in rows]

    def erase(self, event_ids: Iterable[int]) -> None:
        """Put a tombstone in the place of payloads. Number, order and hashes stay, so the chain still verifies."""
        self.db.many("events.erase", ((TOMBSTONE_JSON, number) for number in event_ids))


def _to_row(event: Event, parts: Checked, number: int, event_uuid: str, moment: str, previous: str) -> tuple[Any, ...]:
    head = (
        number,
        event_uuid,
        event.learning_id,
        event.event_type,
        event.idempotency_key,
        event.schema_version,
        moment,
        parts.valid_from,
        parts.valid_until,
        canonical(event.clock) if event.clock else None,
        event.parent_event_id,
        event.session_id,
        event.project_id,
        event.source,
    )
    hashed = payload_hash(parts.payload)
    return (*head, parts.payload.decode(), hashed, previous, chain_hash(previous, head_text(head), hashed))


def _from_row(row: tuple[Any, ...]) -> Recorded:
    clock = row[9]
    return Recorded(
        event_id=row[0],
        event_uuid=row[1],
        learning_id=row[2],
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
    )


def _json(values: list[Any]) -> str:
    return msgspec.json.encode(values).decode()
