"""The events of the log: their types, the payload each must carry, versions, hashes and idempotency keys.

An event is what happened to one learning. Its payload is a typed struct; what does not fit is refused with a sentence
that says what and where. `SCHEMA_VERSION` is the version written now; older payloads are read as they are or, where an
`UPCASTERS` entry exists, lifted step by step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Literal, get_args

import msgspec

from nous.core.extraction import EdgeProposal, TemporalConfidence
from nous.core.types import TYPES, Scope
from nous.errors import BadEvent

SCHEMA_VERSION = 2

EventType = Literal[
    "LearningExtracted",
    "LearningValidated",
    "LearningReinforced",
    "LearningWeakened",
    "LearningContradicted",
    "LearningSuperseded",
    "LearningArchived",
    "LearningRestored",
    "LearningPinned",
    "LearningUnpinned",
    "LearningConfirmed",
    "LearningDisputed",
    "LearningErased",
    "EdgeProposed",
    "EdgeAccepted",
    "EdgeRejected",
]
Source = Literal["fs_watch", "fs_reconcile", "historical_backfill", "user_review"]
EVENT_TYPES: tuple[str, ...] = get_args(EventType)
SOURCES: tuple[str, ...] = get_args(Source)


class Payload(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """What every payload may carry: why the event was written."""

    reason: str | None = None


class Extracted(Payload, frozen=True):
    """A learning enters the log."""

    content: str
    extractor_version: str
    type: str
    concepts: tuple[str, ...]
    edges: tuple[EdgeProposal, ...]
    entities: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    confidence: float = 0.7
    scope: Scope = "project"
    scope_confidence: float = 0.5
    branch: str | None = None
    slot: str | None = None
    ref: str | None = None
    pinned: bool = False
    tainted: bool = False
    suggested_target: str | None = None
    temporal_confidence: TemporalConfidence = "medium"


class Validated(Payload, frozen=True):
    """The learning passed its checks, or was seen to hold."""


class Reinforced(Payload, frozen=True):
    """The learning proved useful or was learned again; `evidence` are the records that say so."""

    reinforcement_delta: float
    evidence: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()


class Weakened(Payload, frozen=True):
    """The learning was corrected or did harm."""

    reinforcement_delta: float
    evidence: tuple[str, ...] = ()


class Contradicted(Payload, frozen=True):
    """Another learning says the opposite; both stay, with less weight."""

    contradicted_with: str
    contradiction_multiplier: float


class Superseded(Payload, frozen=True):
    """Another learning replaces this one from the event's `valid_from` on."""

    superseded_by: str


class Archived(Payload, frozen=True):
    """The learning leaves the active set; `reason` is required."""

    reason: str


class Erased(Payload, frozen=True):
    """The learning's payloads were destroyed on request; the numbers are the events that lost theirs."""

    reason: str
    erased_events: tuple[int, ...]


class Edge(Payload, frozen=True):
    """A relation to another learning is proposed, accepted or rejected."""

    target: str
    relation: str
    weight: float = 1.0
    confidence: float = 1.0


PAYLOADS: dict[str, type[Payload]] = {
    "LearningExtracted": Extracted,
    "LearningValidated": Validated,
    "LearningReinforced": Reinforced,
    "LearningWeakened": Weakened,
    "LearningContradicted": Contradicted,
    "LearningSuperseded": Superseded,
    "LearningArchived": Archived,
    "LearningRestored": Payload,
    "LearningPinned": Payload,
    "LearningUnpinned": Payload,
    "LearningConfirmed": Payload,
    "LearningDisputed": Payload,
    "LearningErased": Erased,
    "EdgeProposed": Edge,
    "EdgeAccepted": Edge,
    "EdgeRejected": Edge,
}


class Tombstone(Payload, frozen=True):
    """What is read in the place of a payload that was purged."""


TOMBSTONE = Tombstone()
TOMBSTONE_JSON = '{"erased":true}'


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """An event as somebody wants to append it; the store gives it its number, time and hashes."""

    learning_id: str
    event_type: EventType
    idempotency_key: str
    payload: Payload
    session_id: str
    project_id: str
    source: Source
    valid_from: str | None = None
    valid_until: str | None = None
    clock: dict[str, int] = {}
    parent_event_id: int | None = None
    schema_version: int = SCHEMA_VERSION


class Recorded(Event, frozen=True, kw_only=True):
    """An event as it stands in the log."""

    event_id: int
    event_uuid: str
    transaction_time: str


def _legacy_extracted(old: dict[str, Any]) -> dict[str, Any]:
    """Schema 1 knew neither concepts nor edges nor types; imports of older logs write it."""
    return {"concepts": (), "edges": (), "type": "fact", "extractor_version": "legacy-v1"} | old


UPCASTERS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {
    ("LearningExtracted", 1): _legacy_extracted,
}

_decoders = {name: msgspec.json.Decoder(kind) for name, kind in PAYLOADS.items()}
encode_payload: Callable[[Payload], bytes] = msgspec.json.Encoder(order="deterministic").encode


def decode_payload(event_type: str, raw: str | bytes, schema_version: int = SCHEMA_VERSION) -> Payload:
    """The typed payload of a stored event, lifted to the current version."""
    if raw == TOMBSTONE_JSON:
        return TOMBSTONE
    try:
        if schema_version == SCHEMA_VERSION:
            return _decoders[event_type].decode(raw)
        return _upcast(event_type, raw, schema_version)
    except KeyError:
        raise BadEvent(f"unknown event type {event_type!r}") from None
    except (msgspec.ValidationError, msgspec.DecodeError) as wrong:
        raise BadEvent(f"{event_type} version {schema_version}: {wrong}") from None


def _upcast(event_type: str, raw: str | bytes, version: int) -> Payload:
    if not 1 <= version < SCHEMA_VERSION:
        raise BadEvent(f"{event_type}: schema version {version} is not known (the newest is {SCHEMA_VERSION})")
    plain: dict[str, Any] = msgspec.json.decode(raw)
    for step in range(version, SCHEMA_VERSION):
        if lift := UPCASTERS.get((event_type, step)):
            plain = lift(plain)
    return msgspec.convert(plain, PAYLOADS[event_type])


def check_event(event: Event) -> None:
    """Refuse, with a sentence, an event that does not fit its type."""
    expected = PAYLOADS.get(event.event_type)
    if expected is None:
        raise BadEvent(f"unknown event type {event.event_type!r}")
    if type(event.payload) is not expected:
        raise BadEvent(f"{event.event_type} needs a payload {expected.__name__}, not {type(event.payload).__name__}")
    if event.source not in SOURCES:
        raise BadEvent(f"{event.event_type}: unknown source {event.source!r}")
    if not event.learning_id or not event.idempotency_key:
        raise BadEvent(f"{event.event_type}: learning_id and idempotency_key must not be empty")
    if event.valid_from and event.valid_until and event.valid_until < event.valid_from:
        raise BadEvent(f"{event.event_type}: valid_until {event.valid_until} is before valid_from {event.valid_from}")
    if problem := _PAYLOAD_RULES.get(event.event_type, _no_rule)(event.payload):
        raise BadEvent(f"{event.event_type}: {problem}")


def _no_rule(_: Any) -> str | None:
    return None


def _extracted_rule(payload: Extracted) -> str | None:
    if not payload.content.strip():
        return "content is empty - at `$.content`"
    if payload.type not in TYPES:
        return f"unknown memory type {payload.type!r} - at `$.type`"
    return None if 0.0 <= payload.confidence <= 1.0 else "confidence is outside 0..1 - at `$.confidence`"


def _contradicted_rule(payload: Contradicted) -> str | None:
    inside = 0.0 < payload.contradiction_multiplier <= 1.0
    return None if inside else "the multiplier is outside 0..1 - at `$.contradiction_multiplier`"


_PAYLOAD_RULES: dict[str, Callable[[Any], str | None]] = {
    "LearningExtracted": _extracted_rule,
    "LearningReinforced": lambda p: (
        None if p.reinforcement_delta >= 0 else "the delta is negative - at `$.reinforcement_delta`"
    ),
    "LearningWeakened": lambda p: (
        None if p.reinforcement_delta <= 0 else "the delta is positive - at `$.reinforcement_delta`"
    ),
    "LearningContradicted": _contradicted_rule,
}


def extraction_key(project_id: str, session_id: str, learning_index: int, extractor_version: str) -> str:
    """The idempotency key of an extracted learning, as the ingestion contract defines it."""
    return hashlib.sha256(f"{project_id}:{session_id}:{learning_index}:{extractor_version}".encode()).hexdigest()


def learning_index(evidence: str, nth: int) -> int:
    """A learning's place in its session, independent of how the session was cut into work units.

    It is drawn from the deciding record and the count of learnings that record gave, so reading a session in one piece
    or line by line numbers its learnings alike.
    """
    digest = hashlib.sha256(f"{evidence}#{nth}".encode()).digest()
    return int.from_bytes(digest[:6], "big")


GENESIS = "0" * 64


def chain_hash(previous: str, head: str, payload_hash: str) -> str:
    """The hash of an event: over the one before it, its own columns and the hash of its payload.

    The payload goes in by its hash, so the chain still verifies after the payload itself was erased.
    """
    return hashlib.sha256(f"{previous}\n{head}\n{payload_hash}".encode()).hexdigest()


def payload_hash(raw: str | bytes) -> str:
    """SHA-256 of a payload as stored."""
    return hashlib.sha256(raw if isinstance(raw, bytes) else raw.encode()).hexdigest()
