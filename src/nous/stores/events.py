"""The append-only event log."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from nous.core.clocks import canonical
from nous.core.events import (
    GENESIS,
    Event,
    Recorded,
    chain_hash,
    check_event,
    decode_payload,
    encode_payload,
    payload_hash,
)
from nous.stores.database import Database

_decode_clock = msgspec.json.Decoder(dict[str, int]).decode


def new_uuid() -> str:
    """A fresh global id."""
    return str(uuid.uuid4())


class Events:
    """Appends and reads events. Numbers, times and hashes are given here, inside the write transaction."""

    def __init__(self, db: Database, new_id: Callable[[], str] = new_uuid):
        self.db = db
        self.new_id = new_id

    def append(self, events: Sequence[Event], now: str) -> list[int | None]:
        """The new event numbers, in order; None where the idempotency key was already known.

        Transaction time never falls: when the clock went back, the newest time in the log is used again.
        """
        for event in events:
            check_event(event)
        with self.db.transaction():
            known = self._known([event.idempotency_key for event in events])
            head = self.db.one("events.head") or {"event_id": 0, "transaction_time": now, "event_hash": GENESIS}
            number, previous = head["event_id"], head["event_hash"]
            moment = max(now, head["transaction_time"])
            given: list[int | None] = []
            rows = []
            for event in events:
                if event.idempotency_key in known:
                    given.append(None)
                    continue
                known.add(event.idempotency_key)
                number += 1
                row = _to_row(event, number, self.new_id(), moment, previous)
                previous = row[-1]
                rows.append(row)
                given.append(number)
            self.db.many("events.append", rows)
        return given

    def _known(self, keys: list[str]) -> set[str]:
        found = self.db.each("events.known_keys", keys=msgspec.json.encode(keys).decode())
        return {key for key, _ in found}

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
        row = next(self.db.each("events.get", event_id=event_id), None)
        return _from_row(row) if row else None

    def last_id(self) -> int:
        """The number of the newest event, 0 when there is none."""
        head = self.db.one("events.head")
        return head["event_id"] if head else 0

    def as_of(self, moment: str) -> int:
        """The number of the last event that was known at a moment."""
        row = self.db.one("events.as_of", moment=moment)
        return (row and row["event_id"]) or 0

    def session_clock(self, session_id: str) -> dict[str, int]:
        """The clock of a session's newest event, empty when it has none."""
        row = self.db.one("events.session_clock", session_id=session_id)
        return _decode_clock(row["vector_clock_json"]) if row else {}

    def count(self) -> int:
        """How many events the log holds."""
        row = self.db.one("events.count")
        return row["events"] if row else 0


def _to_row(event: Event, number: int, event_uuid: str, moment: str, previous: str) -> tuple[Any, ...]:
    raw = encode_payload(event.payload)
    clock = canonical(event.clock) if event.clock else None
    head = (
        number,
        event_uuid,
        event.learning_id,
        event.event_type,
        event.idempotency_key,
        event.schema_version,
        moment,
        event.valid_from,
        event.valid_until,
        clock,
    )
    tail = (event.parent_event_id, event.session_id, event.project_id, event.source)
    hashed = payload_hash(raw)
    return (*head, raw.decode(), *tail, hashed, previous, chain_hash(previous, head_text(head, tail), hashed))


def head_text(head: tuple[Any, ...], tail: tuple[Any, ...]) -> str:
    """The columns of an event, without its payload, as the text that is hashed."""
    return "\x1f".join("" if value is None else str(value) for value in (*head, *tail))


def _from_row(row: tuple[Any, ...]) -> Recorded:
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
        clock=_decode_clock(row[9]) if row[9] else {},
        payload=decode_payload(row[3], row[10], row[5]),
        parent_event_id=row[11],
        session_id=row[12],
        project_id=row[13],
        source=row[14],
    )
