"""An event as it travels between devices: with everything its hash covers, without local numbers."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from nous.errors import BadEvent
from nous.kernel.log.events import TOMBSTONE_JSON, TeamStanding, chain_hash, head_text, payload_hash

NUMBERED = 1  # the chain of logs before streams: the hash covers the event's number and that of its cause
STREAMED = 2  # the chain written now: global ids only
WITHHELD_JSON = '{"withheld":true}'  # in the place of words that were refused: the chain goes on, nobody hears them
LARGEST_HEAD = 16_000  # characters of an event without its payload

_is_device = re.compile(r"[0-9a-f]{32}").fullmatch
_is_hash = re.compile(r"[0-9a-f]{64}").fullmatch


class Hold(NamedTuple):
    """Why an event that arrived does not count: kept for later, or refused for good."""

    kind: Literal["later", "refused"]
    reason: str


class WireEvent(msgspec.Struct, frozen=True, omit_defaults=True):
    """One event with the names it has everywhere. `cause_seq` is what an old chain covers: the cause's number.

    `standing` is not hashed: whoever passes an event on says whether it came from a team, and as whose word.
    """

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
    standing: TeamStanding = ""

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

    @property
    def is_withheld(self) -> bool:
        return self.payload_json == WITHHELD_JSON


encode: Any = msgspec.json.Encoder().encode
decode: Any = msgspec.json.Decoder(WireEvent).decode


def is_device(name: str) -> bool:
    """Whether a text can be the name of a device: it becomes the name of a folder."""
    return _is_device(name) is not None


def check_carried(event: WireEvent) -> None:
    """Refuse an event that has no place in a chain: its names are none, or it was changed on its way."""
    if not is_device(event.device):
        raise BadEvent(f"{event.device[:40]!r} is no name of a device")
    name = f"event {event.device_seq} of device {event.device[:8]}"
    hashes = (event.prev_hash, event.event_hash, event.payload_hash)
    if not 1 <= event.device_seq < 2**53 or event.chain not in (NUMBERED, STREAMED) or not all(map(_is_hash, hashes)):
        raise BadEvent(f"{name} has no place in a chain")
    head = head_text(event.head())
    if len(head) > LARGEST_HEAD:
        raise BadEvent(f"the names of {name} are too long")
    if chain_hash(event.prev_hash, head, event.payload_hash) != event.event_hash:
        raise BadEvent(f"{name} does not fit its hash")
    is_gone = event.is_erased or event.is_withheld
    if not is_gone and payload_hash(event.payload_json) != event.payload_hash:
        raise BadEvent(f"the payload of {name} does not fit its hash")


def rechain_event(event: WireEvent, device: str, seq: int, previous: str) -> WireEvent:
    """An event as it stands in another chain: with its global id, its times and words."""
    moved = replace(
        event, device=device, device_seq=seq, prev_hash=previous, chain=STREAMED, cause_seq=None, event_hash=""
    )
    return replace(moved, event_hash=chain_hash(previous, head_text(moved.head()), moved.payload_hash))
