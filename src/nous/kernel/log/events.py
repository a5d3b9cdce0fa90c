"""The events of the log: their types, the payload each must carry, versions, hashes and idempotency keys.

An event belongs to a stream: the memory, entity, episode, piece of code, project or member to which it happened, each
with an id that is the same on every device. Its payload is a typed struct; what does not fit is refused with a sentence
that says what and where. `SCHEMA_VERSION` is the version written now; older payloads are lifted step by step by
`UPCASTERS` when they are read. From version 3 on events name each other by their global ids.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec
from msgspec import Meta

from nous import moments
from nous.errors import BadEvent
from nous.kernel.log.clocks import MAX_KEYS
from nous.kernel.log.extraction import Anchor, EdgeProposal, RelationName, TemporalConfidence, Triple
from nous.kernel.log.sighting import Sighting
from nous.kernel.types import TYPES, Scope

SCHEMA_VERSION = 3

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
    "EventsUndone",
    "LearningReviewed",
    "LearningRescoped",
    "EntityMerged",
    "EntityRenamed",
    "EntitySplit",
    "EntityRejected",
    "EntityErased",
    "SessionObserved",
    "InterventionNoted",
    "LearningPlaced",
    "ProjectTrusted",
    "RulesApplied",
    "LearningContested",
    "SessionRead",
    "BriefWritten",
    "BriefLineKept",
    "BriefLineEdited",
    "BriefLineDropped",
    "BriefLinePinned",
    "BriefLinePlaced",
    "ProjectTidied",
]
Stream = Literal["memory", "entity", "episode", "code", "project", "member"]
Source = str  # who wrote it; an open set: fs_watch, fs_reconcile, historical_backfill, user_review so far
Ref = int | Annotated[str, Meta(pattern=r"^[0-9a-f-]{36}$")]  # another event: here by its number, in the log by its id
TeamStanding = Literal["", "member", "steward"]  # whose word an event is: one's own, a teammate's or a steward's
EVENT_TYPES: tuple[str, ...] = get_args(EventType)
STREAMS: tuple[str, ...] = get_args(Stream)

SaidBy = Literal["", "user", "agent", "tool"]  # whose word a learning is, by the records it rests on; "" is not known
NonEmpty = Annotated[str, Meta(pattern=r"\S")]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]


class Payload(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """What every payload may carry: why the event was written.

    `gc=False`: payloads cannot form cycles, and a replay makes millions of them.
    """

    reason: str | None = None


class Extracted(Payload, frozen=True, gc=False):
    """A learning enters the log."""

    content: NonEmpty
    extractor_version: str
    type: str
    concepts: tuple[str, ...]
    edges: tuple[EdgeProposal, ...]
    entities: tuple[str, ...] = ()
    relations: tuple[Triple, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    confidence: Share = 0.7
    scope: Scope = "project"
    scope_confidence: Share = 0.5
    branch: str | None = None
    slot: str | None = None
    replaces: str | None = None
    ref: str | None = None
    pinned: bool = False
    tainted: bool = False
    suggested_target: str | None = None
    temporal_confidence: TemporalConfidence = "medium"
    anchors: tuple[Anchor, ...] = ()
    reasons: tuple[str, ...] = ()
    by: SaidBy = ""


class Validated(Payload, frozen=True, gc=False):
    """The learning passed its checks, or was seen to hold."""


class Reinforced(Payload, frozen=True, gc=False):
    """The learning proved useful or was learned again; `evidence` are the records that say so."""

    reinforcement_delta: Annotated[float, Meta(ge=0.0)]
    evidence: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()


class Weakened(Payload, frozen=True, gc=False):
    """The learning was corrected or did harm."""

    reinforcement_delta: Annotated[float, Meta(le=0.0)]
    evidence: tuple[str, ...] = ()


class Contradicted(Payload, frozen=True, gc=False):
    """Another learning says the opposite; both stay, with less weight."""

    contradicted_with: NonEmpty
    contradiction_multiplier: Annotated[float, Meta(gt=0.0, le=1.0)]


class Superseded(Payload, frozen=True, gc=False):
    """Another learning replaces this one from the event's `valid_from` on."""

    superseded_by: NonEmpty


class Archived(Payload, frozen=True, gc=False):
    """The learning leaves the active set; `reason` is required."""

    reason: NonEmpty


class Erased(Payload, frozen=True, gc=False):
    """The learning's payloads were destroyed on request; named are the events that lost theirs."""

    reason: NonEmpty
    erased_events: tuple[Ref, ...]


class Edge(Payload, frozen=True, gc=False):
    """A relation to another learning is proposed, accepted or rejected."""

    target: NonEmpty
    relation: RelationName
    weight: Share = 1.0
    confidence: Share = 1.0
    evidence: tuple[str, ...] = ()


class Undone(Payload, frozen=True, gc=False):
    """Earlier events of the same learning no longer count; one of them may itself be an undoing."""

    undone_events: Annotated[tuple[Ref, ...], Meta(min_length=1)]


Decision = Literal["keep", "edit", "merge", "supersede", "reject", "pin", "later"]


class Reviewed(Payload, frozen=True, gc=False):
    """A person decided about an item of the review queue; what follows names this event as its cause.

    The item names its memories by their global ids. With `until` it comes back then.
    """

    item: NonEmpty
    action: Decision
    until: str | None = None


def item_key(kind: str, *parts: str) -> str:
    """What an item of the review queue is called everywhere: its kind, and the global ids of its memories.

    The two sides of a question that has no direction come in the order of their ids.
    """
    ends = sorted(parts) if kind in ("conflict", "duplicate", "entity") else parts
    return ":".join((kind, *ends))


class Rescoped(Payload, frozen=True, gc=False):
    """The learning holds in another range of places."""

    scope: Scope


class EntityMerged(Payload, frozen=True, gc=False):
    """A person says that an entity is another one by a different name; `into` is that one's id."""

    name: NonEmpty
    into: NonEmpty
    into_name: NonEmpty
    into_project: str | None = None


class EntityRenamed(Payload, frozen=True, gc=False):
    """A person says what an entity is called."""

    name: NonEmpty
    to: NonEmpty


class EntitySplit(Payload, frozen=True, gc=False):
    """A person says that a name stood for two things: what these learnings call so is another entity.

    Without learnings, `apart` was merged and is an entity of its own again.
    """

    name: NonEmpty
    apart: NonEmpty
    apart_name: NonEmpty
    learnings: tuple[str, ...] = ()


class EntityRejected(Payload, frozen=True, gc=False):
    """A person says that a name is no entity."""

    name: NonEmpty


class SeenFile(NamedTuple):
    """A file of a session: how often it was read and changed, and in which of its calls first."""

    path: str
    reads: int
    edits: int
    first: int


class SeenError(NamedTuple):
    """An error of a session by its fingerprint: what it says, how often it came, and what ended it."""

    fingerprint: str
    tool: str
    message: str
    times: int
    ended_by: str


class SessionObserved(Payload, frozen=True, gc=False):
    """What happened in a session, counted and bounded, so that it is known when the transcript is gone.

    `learning_id` is made from the session's id, so that an erasure reaches it as it reaches a memory.
    """

    kind: str
    started_at: str = ""
    ended_at: str = ""
    prompts: int = 0
    calls: int = 0
    corrections: int = 0
    failures: int = 0
    rereads: int = 0
    tokens: int = 0
    agents: int = 0
    phases: dict[str, int] = {}
    files: tuple[SeenFile, ...] = ()
    errors: tuple[SeenError, ...] = ()
    sightings: tuple[Sighting, ...] = ()


class NamedThing(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A thing that a reader found named in a session: what it is, and its other names."""

    name: NonEmpty
    kind: str = ""
    also: tuple[str, ...] = ()
    what: str = ""


class EstablishedCause(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What led to what, and the records that show it."""

    cause: NonEmpty
    effect: NonEmpty
    evidence: tuple[str, ...] = ()


class SessionRead(Payload, frozen=True, gc=False):
    """A reader read a session up to a record: what it was about, how it ended, what is open.

    Everything else that the reading did names this event as its cause, so that undoing it undoes the reading.
    `done` are open ends of earlier sessions that it closed, each by its session and number. `learning_id` is made from
    the session's id, so that an erasure reaches it as it reaches a memory.
    """

    reader: NonEmpty
    until: str = ""
    title: str = ""
    summary: str = ""
    outcome: str = ""
    open: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    things: tuple[NamedThing, ...] = ()
    causes: tuple[EstablishedCause, ...] = ()


class BriefLine(msgspec.Struct, frozen=True, gc=False):
    """A line that sessions begin with, and the learnings it rests on."""

    text: NonEmpty
    sources: Annotated[tuple[NonEmpty, ...], Meta(min_length=1)]


class BriefWritten(Payload, frozen=True, gc=False):
    """The whole brief of a project, best line first; the one of the latest session counts.

    `learning_id` is made from the session's id, so that an erasure reaches it as it reaches a memory.
    """

    reader: NonEmpty
    lines: tuple[BriefLine, ...]


class BriefLineKept(Payload, frozen=True, kw_only=True, gc=False):
    """A person decided that a line of a project's brief stays, whatever a reader writes next.

    `line` is the line as the person saw it first. `learning_id` is made from the project and that line, so that what
    is decided about it later happens to the same stream, and an erasure reaches it as it reaches a memory. `beside` are
    other lines of then that rest on the same memories: they are lines of their own.
    """

    line: BriefLine
    beside: tuple[NonEmpty, ...] = ()


class BriefLinePinned(BriefLineKept, frozen=True, kw_only=True, gc=False):
    """A person decided that a line stays and comes first."""


class BriefLineEdited(BriefLineKept, frozen=True, kw_only=True, gc=False):
    """A person put a line into other words; it stays in these."""

    text: NonEmpty


class BriefLineDropped(BriefLineKept, frozen=True, kw_only=True, gc=False):
    """A person took a line out; it stays away until the user says it again."""


class BriefLinePlaced(BriefLineKept, frozen=True, kw_only=True, gc=False):
    """A person said where a line stands among the others; whether it stays is the reader's to say."""

    place: Annotated[int, Meta(ge=1, le=1000)]


class MemoryGroup(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """Memories of a project about one subject: its label, what it is about, and the learnings."""

    label: NonEmpty
    about: str
    members: Annotated[tuple[NonEmpty, ...], Meta(min_length=1)]


class PageSection(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A section of a project's page; every line names the learnings that it rests on."""

    heading: NonEmpty
    lines: tuple[BriefLine, ...]


class ProjectTidied(Payload, frozen=True, gc=False):
    """All memories of a project were gone through: the groups they fall into, and the project's page.

    What was merged, ended, edited or asked names this event as its cause, so that undoing it undoes the tidying.
    `memories` is how many were in use before. `learning_id` is made from the project's id, so that an erasure reaches
    it as it reaches a memory.
    """

    reader: NonEmpty
    groups: tuple[MemoryGroup, ...] = ()
    page: tuple[PageSection, ...] = ()
    memories: int = 0


class Placed(Payload, frozen=True, gc=False):
    """The learning was written into an instruction file: which bytes were added to which, and what it was before."""

    file: NonEmpty
    addition: NonEmpty
    before: str = ""
    is_new: bool = False


class InterventionNoted(Payload, frozen=True, gc=False):
    """What an observer wanted said: that it was raised, that a session was told, or what came of it there.

    Observers are gone; what earlier versions wrote stays readable. `learning_id` is the intervention's own, so that an
    erasure reaches its words.
    """

    state: Literal["raised", "delivered", "settled"]
    observer: str
    text: NonEmpty
    confidence: Share = 1.0
    scope: str = "project"
    session: str = ""
    outcome: str = ""


class ProjectTrusted(Payload, frozen=True, gc=False):
    """A person chose a trust level for a project. Levels are gone; what earlier versions wrote stays readable."""

    level: Literal[1, 2, 3, 4]


class RulesApplied(Payload, frozen=True, gc=False):
    """The rules of a newer version were applied to what older ones had kept of a project.

    Whatever that retired or reworded names this event as its cause, so that undoing it undoes the whole of it.
    """

    version: NonEmpty


class Contested(Payload, frozen=True, gc=False):
    """A member of a team doubts the learning, or says more about the doubt: one remark of a thread."""

    reason: NonEmpty
    author: str = ""


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
    "EventsUndone": Undone,
    "LearningReviewed": Reviewed,
    "LearningRescoped": Rescoped,
    "EntityMerged": EntityMerged,
    "EntityRenamed": EntityRenamed,
    "EntitySplit": EntitySplit,
    "EntityRejected": EntityRejected,
    "EntityErased": Erased,
    "SessionObserved": SessionObserved,
    "InterventionNoted": InterventionNoted,
    "LearningPlaced": Placed,
    "ProjectTrusted": ProjectTrusted,
    "RulesApplied": RulesApplied,
    "LearningContested": Contested,
    "SessionRead": SessionRead,
    "BriefWritten": BriefWritten,
    "BriefLineKept": BriefLineKept,
    "BriefLineEdited": BriefLineEdited,
    "BriefLineDropped": BriefLineDropped,
    "BriefLinePinned": BriefLinePinned,
    "BriefLinePlaced": BriefLinePlaced,
    "ProjectTidied": ProjectTidied,
}
# To what each type of event happens. What happened to anything can be undone: its stream is that of what is undone.
STREAM_OF: dict[str, Stream] = {name: "entity" if name.startswith("Entity") else "memory" for name in PAYLOADS} | {
    "ProjectTrusted": "project",
    "RulesApplied": "project",
}
ERASURES = ("LearningErased", "EntityErased")


def happens_to(event_type: str, stream: str) -> bool:
    """Whether a type of event can happen to something of a stream."""
    return STREAM_OF.get(event_type) == stream or (event_type == "EventsUndone" and stream in STREAMS)


class Tombstone(Payload, frozen=True, gc=False):
    """What is read in the place of a payload that was purged."""


TOMBSTONE = Tombstone()
TOMBSTONE_JSON = '{"erased":true}'


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An event as somebody wants to append it; the store gives it its number, time and hashes.

    What happens to a memory names its learning, whose id is the id of its stream; what does not has no learning and
    names its stream.
    """

    learning_id: str = ""
    stream: Stream = "memory"
    stream_id: str = ""
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


class Recorded(Event, frozen=True, kw_only=True, gc=False):
    """An event as it stands in the log: with its local number, its global id, and the device that wrote it.

    `absorbed`: another device wrote it, and it came here later. `standing`: from somebody of a team, and as whose word.
    """

    event_id: int
    event_uuid: str
    transaction_time: str
    device: str = ""
    device_seq: int = 0
    absorbed: bool = False
    standing: TeamStanding = ""


class Writer(NamedTuple):
    """Who writes an event: in which session, and as what."""

    session_id: str
    source: Source


def make_event(
    event_type: EventType,
    of: str,
    payload: Payload,
    key: str,
    *,
    project_id: str,
    by: Writer,
    at: str | None = None,
    until: str | None = None,
    cause: int | None = None,
    clock: dict[str, int] | None = None,
    schema_version: int = SCHEMA_VERSION,
    stream: Stream | None = None,
) -> Event:
    """An event of this type that happens to the stream with the global id `of`; the one place where events are made.

    `at` and `until` say when it holds, `cause` is the number of the event it follows from, `key` makes it happen once.
    `stream` is given for what may happen to any.
    """
    stream = stream or STREAM_OF[event_type]
    return Event(
        learning_id=of if stream == "memory" else "",
        stream=stream,
        stream_id="" if stream == "memory" else of,
        event_type=event_type,
        idempotency_key=key,
        payload=payload,
        session_id=by.session_id,
        project_id=project_id,
        source=by.source,
        valid_from=at,
        valid_until=until,
        clock=clock or {},
        parent_event_id=cause,
        schema_version=schema_version,
    )


def order(event: Recorded) -> tuple[str, str, int]:
    """Where an event stands among all events of all devices, the same wherever it is asked.

    A device never writes a time at or before one it has seen of another device, so what knew of something else comes
    after it; the device's name decides between those that could not know of each other.
    """
    return event.transaction_time, event.device, event.device_seq


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
        if schema_version == SCHEMA_VERSION or _is_unchanged(event_type, schema_version):
            return _decoders[event_type].decode(raw)
        return _upcast(event_type, raw, schema_version)
    except KeyError:
        raise BadEvent(f"unknown event type {event_type!r}") from None
    except (msgspec.ValidationError, msgspec.DecodeError) as wrong:
        raise BadEvent(f"{event_type} version {schema_version}: {wrong}") from None


def _is_unchanged(event_type: str, version: int) -> bool:
    """Whether a payload of an older version is read as it is."""
    return 1 <= version < SCHEMA_VERSION and not any(
        (event_type, step) in UPCASTERS for step in range(version, SCHEMA_VERSION)
    )


def _upcast(event_type: str, raw: str | bytes, version: int) -> Payload:
    if not 1 <= version < SCHEMA_VERSION:
        raise BadEvent(f"{event_type}: schema version {version} is not known (the newest is {SCHEMA_VERSION})")
    plain: dict[str, Any] = msgspec.json.decode(raw)
    for step in range(version, SCHEMA_VERSION):
        if lift := UPCASTERS.get((event_type, step)):
            plain = lift(plain)
    return msgspec.convert(plain, PAYLOADS[event_type])


class Checked(NamedTuple):
    """An event that fits its type: its payload as stored, and its validity in the stored form."""

    payload: bytes
    valid_from: str | None
    valid_until: str | None


def check_event(event: Event) -> Checked:
    """The event's parts as they will be stored, once all of it was found to fit; else a sentence that says why not.

    A struct made in Python does not check its fields. Reading the payload back with its own decoder does, and costs
    about a microsecond.
    """
    expected = PAYLOADS.get(event.event_type)
    if expected is None:
        raise BadEvent(f"unknown event type {event.event_type!r}")
    if type(event.payload) is not expected:
        raise BadEvent(f"{event.event_type} needs a payload {expected.__name__}, not {type(event.payload).__name__}")
    begins, ends = _utc(event, "valid_from"), _utc(event, "valid_until")
    if problem := _envelope_problem(event, begins, ends):
        raise BadEvent(f"{event.event_type}: {problem}")
    if isinstance(event.payload, Extracted) and event.payload.type not in TYPES:
        raise BadEvent(f"{event.event_type}: unknown memory type {event.payload.type!r} - at `$.type`")
    raw = encode_payload(event.payload)
    decode_payload(event.event_type, raw)
    return Checked(raw, begins, ends)


_stored_form = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z").fullmatch


def _utc(event: Event, name: Literal["valid_from", "valid_until"]) -> str | None:
    """A moment in the stored form, in which text order is time order."""
    given: str | None = getattr(event, name)
    if given is None or _stored_form(given):
        return given
    try:
        return moments.text(datetime.fromisoformat(given))
    except (ValueError, TypeError, OverflowError):
        raise BadEvent(f"{event.event_type}: {given!r} is no moment - at `{name}`") from None


def _envelope_problem(event: Event, begins: str | None, ends: str | None) -> str | None:
    """What is wrong with an event's own columns, and where; None when nothing is."""
    if not event.source.strip():
        return "it must not be empty - at `source`"
    if not 1 <= event.schema_version <= SCHEMA_VERSION:
        return f"version {event.schema_version} is not known, the newest is {SCHEMA_VERSION} - at `schema_version`"
    if not event.idempotency_key:
        return "it must not be empty - at `idempotency_key`"
    if problem := _stream_problem(event):
        return problem
    if begins and ends and ends < begins:
        return f"{ends} is before valid_from {begins} - at `valid_until`"
    return _clock_problem(event.clock) if event.clock else None


def _stream_problem(event: Event) -> str | None:
    if not happens_to(event.event_type, event.stream):
        return f"it happens to a {STREAM_OF[event.event_type]}, not to `{event.stream}` - at `stream`"
    if event.stream == "memory":
        if not event.learning_id:
            return "it must not be empty - at `learning_id`"
        return None if event.stream_id in ("", event.learning_id) else "it is not the learning's id - at `stream_id`"
    if event.learning_id:
        return f"a {event.stream} is no learning - at `learning_id`"
    return None if event.stream_id else "it must not be empty - at `stream_id`"


def _clock_problem(clock: dict[str, int]) -> str | None:
    if len(clock) > MAX_KEYS:
        return f"{len(clock)} sessions are more than {MAX_KEYS} - at `clock`"
    for session, count in clock.items():
        if not session or type(count) is not int or count < 1:
            return f"{count!r} is no positive number - at `clock[{session}]`"
    return None


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


_global_id = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch


def as_number(text: str) -> int | None:
    """The number of a memory or an event, as somebody wrote it; None when it is none that a store can hold."""
    return int(text) if text.isdecimal() and len(text) < 19 else None


def is_global_id(text: str) -> bool:
    """Whether a text can be the global id of a memory or an event."""
    return _global_id(text) is not None


GENESIS = "0" * 64


def chain_hash(previous: str, head: bytes, payload_hash: str) -> str:
    """The hash of an event: over the one before it, its own columns (see `head_text`) and the hash of its payload.

    The payload goes in by its hash, so the chain still verifies after the payload itself was erased.
    """
    return hashlib.sha256(b"%b\n%b\n%b" % (previous.encode(), head, payload_hash.encode())).hexdigest()


# The columns that are hashed as they are, in this order; a list in JSON tells None from "" and 1 from "1".
head_text: Callable[[Sequence[Any]], bytes] = msgspec.json.Encoder().encode


def payload_hash(raw: str | bytes) -> str:
    """SHA-256 of a payload as stored."""
    return hashlib.sha256(raw if isinstance(raw, bytes) else raw.encode()).hexdigest()
