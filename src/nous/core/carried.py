"""An event as it travels between devices: with everything its hash covers, without local numbers."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from nous.core.events import (
    TOMBSTONE_JSON,
    chain_hash,
    decode_payload,
    happens_to,
    head_text,
    payload_hash,
)
from nous.errors import BadEvent

NUMBERED = 1  # the chain of logs before streams: the hash covers the event's number and that of its cause
STREAMED = 2  # the chain written now: global ids only


class Carried(msgspec.Struct, frozen=True, omit_defaults=True):
    """One event with the names it has everywhere. `cause_seq` is what an old chain covers: the cause's number."""

    event_uuid: str
    stream: str
    stream_id: str
    device: str
    device_seq: int
    event_type: str
    idempotency_key: str
    schema_version: int
    transaction_time: str
    valid_from: str | None
    valid_until: str | None
    vector_clock_json: str | None
    parent_uuid: str | None
    session_id: str
    project_id: str
    source: str
    payload_json: str
    payload_hash: str
    prev_hash: str
    event_hash: str
    chain: int = STREAMED
    cause_seq: int | None = None

    def head(self) -> tuple[Any, ...]:
        """The columns that the event's hash covers."""
        middle = (
            self.event_type,
            self.idempotency_key,
            self.schema_version,
            self.transaction_time,
            self.valid_from,
            self.valid_until,
            self.vector_clock_json,
        )
        last = (self.session_id, self.project_id, self.source)
        if self.chain == NUMBERED:
            return (self.device_seq, self.event_uuid, self.stream_id, *middle, self.cause_seq, *last)
        names = (self.event_uuid, self.stream, self.stream_id, self.device, self.device_seq)
        return (*names, *middle, self.parent_uuid, *last)

    @property
    def fits(self) -> bool:
        """Whether the columns are those that were hashed."""
        return chain_hash(self.prev_hash, head_text(self.head()), self.payload_hash) == self.event_hash

    @property
    def is_erased(self) -> bool:
        return self.payload_json == TOMBSTONE_JSON


encode: Any = msgspec.json.Encoder().encode
decode: Any = msgspec.json.Decoder(Carried).decode


def check_carried(event: Carried) -> None:
    """Refuse an event of another device that was changed on its way, or that does not fit its type."""
    name = f"event {event.device_seq} of device {event.device[:8]}"
    if not event.fits:
        raise BadEvent(f"{name} does not fit its hash")
    if not happens_to(event.event_type, event.stream) or not event.stream_id or not event.idempotency_key:
        raise BadEvent(f"{name} is a {event.event_type} of {event.stream!r}, which this Nous does not know")
    if event.is_erased:
        return
    if payload_hash(event.payload_json) != event.payload_hash:
        raise BadEvent(f"the payload of {name} does not fit its hash")
    decode_payload(event.event_type, event.payload_json, event.schema_version)


def rechained(event: Carried, device: str, seq: int, previous: str) -> Carried:
    """An event as it stands in another chain: with its global id, its times and words."""
    moved = replace(
        event, device=device, device_seq=seq, prev_hash=previous, chain=STREAMED, cause_seq=None, event_hash=""
    )
    return replace(moved, event_hash=chain_hash(previous, head_text(moved.head()), moved.payload_hash))
