"""The whole lifecycle of a memory as one fold. Live projection, replay and tests all call `evolve`."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from nous.errors import BadEvent
from nous.kernel.log.events import (
    ERASURES,
    Archived,
    BriefLineKept,
    Contested,
    Contradicted,
    Erased,
    Extracted,
    Payload,
    Placed,
    Recorded,
    Reinforced,
    Rescoped,
    Reviewed,
    Superseded,
    Tombstone,
    Undone,
    Weakened,
    order,
)
from nous.kernel.memory.memory import PLACED, Memory
from nous.kernel.sharing import CONTESTED, CONTESTED_FACTOR, PERSONAL_MARKS, SETTLING, SHARED_SCOPES, shared_scope
from nous.kernel.types import TYPES

INITIAL_STRENGTH = 0.5
SUPERSEDED = 0.5
DEVICE = 20  # letters with which all chains of one device begin


def evolve(memory: Memory | None, event: Recorded) -> Memory | None:
    """What a learning has become after one more event."""
    payload = event.payload
    if isinstance(payload, Extracted):
        return memory if memory else _born(event, payload)
    if isinstance(payload, Tombstone):
        return _apply_erasure(event) if memory is None and event.event_type == "LearningExtracted" else memory
    if memory is None or _exceeds_rights(memory, event):
        return memory
    return _apply_change(memory, event, payload)


def _exceeds_rights(memory: Memory, event: Recorded) -> bool:
    """Whether this is more than a teammate may do to a memory: mark it for others, or settle what a team discusses."""
    if event.standing != "member":
        return False
    return event.event_type in (SETTLING if CONTESTED in memory.tags else PERSONAL_MARKS)


def fold(events: Sequence[Recorded]) -> Memory | None:
    """What a learning is after all of its events, whatever the order in which they came here.

    What was undone counts as if it had never happened. `id` is the number of the first event that introduced it here.
    """
    memory: Memory | None = None
    births = [event for event in events if event.event_type == "LearningExtracted"]
    born = min(births, key=lambda event: (isinstance(event.payload, Tombstone), *order(event)), default=None)
    for event in standing(events):
        if event is born or event.event_type != "LearningExtracted":
            memory = evolve(memory, event)
    if memory is None or len(births) == 1:
        return memory
    return replace(memory, id=min(event.event_id for event in births))


# What adds up, so that it must not count twice when two devices read the same records.
ADDS_UP = frozenset(
    {"LearningExtracted", "LearningReinforced", "LearningWeakened", "LearningContradicted", "LearningSuperseded"}
)


def standing(events: Sequence[Recorded]) -> list[Recorded]:
    """The events of a learning that count, in the order of all devices.

    Not those that were undone, unless the undoing was undone: read backwards, every undoing is met before what it
    undoes. An erasure cannot be undone. What two devices wrote down alike counts once, and is undone as one.
    """
    ordered = sorted(events, key=order)
    deeds = {event.event_id: _deed_key(event) for event in ordered}
    undone: set[str] = set()
    kept: list[Recorded] = []
    for event in reversed(ordered):
        if deeds[event.event_id] in undone and event.event_type not in ERASURES:
            continue
        if isinstance(event.payload, Undone):
            undone.update(deeds[ref] for ref in _taken_back(event, event.payload, ordered) if ref in deeds)
        kept.append(event)
    first = {deeds[event.event_id]: event for event in kept}
    return [event for event in reversed(kept) if first[deeds[event.event_id]] is event]


def _taken_back(undoing: Recorded, said: Undone, ordered: Sequence[Recorded]) -> list[int]:
    """The events that an undoing takes back. A teammate's reaches no mark or remark of somebody else, and nothing of
    somebody else while a team discusses the memory."""
    named = [ref for ref in said.undone_events if isinstance(ref, int)]
    if undoing.standing != "member":
        return named
    others = {event.event_id: event.event_type for event in ordered if event.device[:DEVICE] != undoing.device[:DEVICE]}
    remarks = [event for event in ordered if event.event_type == "LearningContested" and order(event) < order(undoing)]
    if remarks:
        return [ref for ref in named if ref not in others]
    return [ref for ref in named if others.get(ref) not in PERSONAL_MARKS]


def _deed_key(event: Recorded) -> str:
    """What an event stands for: two devices that read the same records wrote the same deed; a person's decision is one
    of its own."""
    if event.event_type not in ADDS_UP or event.source == "user_review":
        return event.event_uuid or str(event.event_id)
    return f"{event.event_type}:{event.idempotency_key}"


def _apply_change(memory: Memory, event: Recorded, payload: Payload) -> Memory:
    version = event.event_id
    match payload:
        case Erased():
            return _forgotten(memory, version)
        case _ if memory.status == "erased":
            return memory
        case BriefLineKept():
            return memory  # a line of a brief is no memory, whatever somebody calls it
        case Reviewed():
            return replace(memory, version=version)
        case Contested():
            factor = 1.0 if CONTESTED in memory.tags else CONTESTED_FACTOR
            return replace(
                memory, version=version, tags=_union(memory.tags, (CONTESTED,)), confidence=memory.confidence * factor
            )
        case Placed():
            return replace(memory, version=version, tags=_union(memory.tags, (PLACED,)))
        case Reinforced():
            return replace(
                memory,
                version=version,
                **_stronger(memory, gained=payload.reinforcement_delta),
                evidence=_union(memory.evidence, payload.evidence),
                concepts=_union(memory.concepts, payload.concepts),
                last_said_at=_last_said(memory, event) if payload.evidence else memory.last_said_at,
            )
        case Weakened():
            return replace(memory, version=version, **_stronger(memory, lost=-payload.reinforcement_delta))
        case Contradicted():
            return replace(
                memory,
                version=version,
                **_stronger(memory, factor=payload.contradiction_multiplier),
                contradicted_with=_union(memory.contradicted_with, (payload.contradicted_with,)),
            )
        case Superseded():
            return replace(
                memory,
                version=version,
                status="superseded",
                **_stronger(memory, factor=SUPERSEDED),
                valid_until=event.valid_from or event.transaction_time,
                superseded_by=payload.superseded_by,
            )
        case Rescoped(scope=scope):
            if event.standing:  # what holds everywhere is a person's own, and nobody else makes it so or ends it
                is_own = memory.scope not in SHARED_SCOPES
                scope = memory.scope if is_own else shared_scope(memory.project_id, scope)
            return replace(memory, version=version, scope=scope)
        case Archived():
            return replace(memory, version=version, status="archived", archived_reason=payload.reason)
        case _:
            return _apply_mark(memory, event, version)


def _stronger(memory: Memory, gained: float = 0.0, lost: float = 0.0, factor: float = 1.0) -> dict[str, float]:
    """A memory's strength after one more gain, loss or factor, the same in whatever order they come.

    What was gained counts up to full strength and no further, so that a loss is felt at once; factors come last. Half
    to begin with, gained 0.1 and contradicted once: (0.5 + 0.1) * 0.7 = 0.42.
    """
    gains, losses, factors = memory.gained + gained, memory.lost + lost, memory.factor * factor
    earned = INITIAL_STRENGTH + min(gains, 1.0 - INITIAL_STRENGTH) - losses
    return {"strength": _clamp(earned) * factors, "gained": gains, "lost": losses, "factor": factors}


def _apply_mark(memory: Memory, event: Recorded, version: int) -> Memory:
    """Events that set a mark and carry nothing else."""
    match event.event_type:
        case "LearningValidated" | "EdgeProposed" | "EdgeAccepted" | "EdgeRejected" | "EventsUndone":
            return memory
        case "LearningRestored":
            again = replace(memory, version=version, status="active", archived_reason=None)
            return replace(again, superseded_by=None, valid_until=None)
        case "LearningPinned":
            return replace(memory, version=version, pinned=True)
        case "LearningUnpinned":
            return replace(memory, version=version, pinned=False)
        case "LearningConfirmed":
            tags = tuple(tag for tag in memory.tags if tag != CONTESTED)
            settled = replace(memory, version=version, confirmed=True, disputed=False, tags=tags)
            return replace(settled, tainted=False, confidence=1.0)
        case "LearningDisputed":
            doubted = memory.confidence * 0.5
            return replace(memory, version=version, disputed=True, confirmed=False, confidence=doubted)
        case _:
            raise BadEvent(f"no meaning is defined for {event.event_type}")


def _born(event: Recorded, said: Extracted) -> Memory:
    return Memory(
        id=event.event_id,
        learning_id=event.learning_id,
        project_id=event.project_id,
        session_id=event.session_id,
        type=said.type,
        kind=TYPES[said.type].kind,
        content=said.content,
        created_at=event.transaction_time,
        version=event.event_id,
        scope=shared_scope(event.project_id, said.scope) if event.standing else said.scope,
        strength=INITIAL_STRENGTH,
        confidence=said.confidence,
        temporal_confidence=said.temporal_confidence,
        valid_from=event.valid_from,
        valid_until=event.valid_until,
        branch=said.branch,
        slot=said.slot,
        replaces=said.replaces,
        ref=said.ref,
        source=event.source,
        extractor=said.extractor_version,
        pinned=said.pinned and event.standing != "member",
        tainted=said.tainted,
        concepts=said.concepts,
        entities=said.entities,
        relations=said.relations,
        files=said.files,
        symbols=said.symbols,
        evidence=said.evidence,
        tags=said.tags,
        anchors=said.anchors,
        clock=event.clock,
        by=said.by,
    )


def _apply_erasure(event: Recorded) -> Memory:
    """A memory whose payload is gone: only the fact that there was one remains."""
    return Memory(
        id=event.event_id,
        learning_id=event.learning_id,
        project_id=event.project_id,
        session_id=event.session_id,
        type="fact",
        kind="semantic",
        content="",
        created_at=event.transaction_time,
        version=event.event_id,
        status="erased",
    )


def _forgotten(memory: Memory, version: int) -> Memory:
    """What `_erased` gives on replay, so that live and replayed read models agree."""
    kept = {name: getattr(memory, name) for name in ("id", "learning_id", "project_id", "session_id", "created_at")}
    return Memory(**kept, type="fact", kind="semantic", content="", version=version, status="erased")


def is_true_at(memory: Memory, moment: str) -> bool:
    """Whether what a memory says held at a moment, as far as we know; a superseded one held until its successor."""
    begun = memory.valid_from is None or memory.valid_from <= moment
    over = memory.valid_until is not None and memory.valid_until <= moment
    return memory.status in ("active", "superseded") and begun and not over


def _last_said(memory: Memory, event: Recorded) -> str | None:
    """When it was last said, now that it was said again: records that are read late may speak of an earlier day."""
    said = event.valid_from or event.transaction_time
    return said if said > (memory.last_said_at or memory.valid_from or "") else memory.last_said_at


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))


def _union(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """Add-wins union in order of first sight."""
    return tuple(dict.fromkeys((*old, *new))) if new else old
