"""What is shown of memories, exchanges and events: the JSON fields of every door, in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, UnsetType

from nous.kernel.log.events import Recorded
from nous.kernel.log.extraction import Anchor, Triple
from nous.kernel.memory.memory import Memory, Status
from nous.kernel.types import Kind, Scope, Standing

if TYPE_CHECKING:
    from nous.app import Nous
    from nous.features.exchanges.search import Spoken
    from nous.features.memories.finding import Answer, Recalled


class MemoryView(msgspec.Struct, frozen=True, kw_only=True):
    """A memory as the documented JSON fields; `author` says who told of it, where it came through a hub."""

    id: int
    content: str
    type: str
    kind: Kind
    scope: Scope
    status: Status
    confidence: float
    strength: float
    project_id: str
    session_id: str
    branch: str | None
    valid_from: str | None
    valid_until: str | None
    created_at: str
    evidence: tuple[str, ...]
    files: tuple[str, ...]
    anchors: tuple[Anchor, ...]
    concepts: tuple[str, ...]
    entities: tuple[str, ...]
    relations: tuple[Triple, ...]
    tags: tuple[str, ...]
    slot: str | None
    replaces: str | None
    last_said_at: str | None
    ref: str | None
    pinned: bool
    confirmed: bool
    disputed: bool
    tainted: bool
    superseded_by: str | None
    contradicted_with: tuple[str, ...]
    learning_id: str
    global_id: str
    extractor: str
    source: str
    author: str | None


OF_MEMORY = tuple(name for name in MemoryView.__struct_fields__ if name in Memory.__struct_fields__)


class ExchangeView(msgspec.Struct, frozen=True, kw_only=True, tag_field="record", tag="exchange"):
    """An exchange that recall found, as the documented JSON fields."""

    id: str
    content: str
    type: str = "exchange"
    project_id: str
    session_id: str
    agent_id: str | None
    branch: str | None
    valid_from: str
    valid_until: None = None
    created_at: str
    evidence: tuple[str, ...]
    label: str
    topics: tuple[str, ...]
    files: tuple[str, ...]
    tainted: bool
    standing: Standing


class MemoryHit(MemoryView, frozen=True, kw_only=True, tag_field="record", tag="memory"):
    """A memory that answers, with its score; with what that is made of when somebody wants to know."""

    stale: tuple[str, ...]
    exchange: ExchangeView | None
    score: float
    shares: dict[str, float] | UnsetType = UNSET
    found_by: tuple[str, ...] | UnsetType = UNSET


class ExchangeHit(ExchangeView, frozen=True, kw_only=True):
    """An exchange that answers, with a memory that came from it and matches too."""

    memory: MemoryView | None
    score: float
    shares: dict[str, float] | UnsetType = UNSET
    found_by: tuple[str, ...] | UnsetType = UNSET


class Hits(msgspec.Struct, frozen=True):
    """What answers a question, best first."""

    items: tuple[MemoryHit | ExchangeHit, ...]
    took_ms: float = 0.0
    next: None = None


class Sentence(msgspec.Struct, frozen=True):
    """A sentence of an answer, with the ids of the hits it rests on."""

    text: str
    cites: tuple[int | str, ...]


class Answered(msgspec.Struct, frozen=True):
    """An answer with its citations; what they name stands in the hits. Without one, `reason` says why."""

    answer: str | None
    sentences: tuple[Sentence, ...]
    model: str | None
    reason: str | None
    hits: tuple[MemoryHit | ExchangeHit, ...]


class Memories(msgspec.Struct, frozen=True):
    """A page of memories, where the next one begins, and on the first one how many there are in all."""

    items: tuple[MemoryView, ...]
    next: str | None = None
    total: int | None = None


class MemoryDetails(msgspec.Struct, frozen=True):
    """A memory, the words it was learned from, everything that explains it, and the memories that it names."""

    memory: MemoryView
    said: tuple[Any, ...]
    explanation: dict[str, Any]
    others: tuple[MemoryView, ...]


class Written(msgspec.Struct, frozen=True):
    """What a write did: the memories it is about, the events it wrote, and what else there is to say. No text."""

    memories: tuple[int, ...] = ()
    events: tuple[int, ...] = ()
    told: dict[str, Any] = {}


class MemoryAnswer(msgspec.Struct, frozen=True):
    """What a write answers: the memories as they are now, and the numbers of the events it wrote."""

    memories: tuple[MemoryView, ...]
    events: tuple[int, ...]


def memory_view(memory: Memory, authors: Mapping[str, str] = {}) -> MemoryView:
    """A memory as it is shown."""
    given = {name: getattr(memory, name) for name in OF_MEMORY}
    given |= {"confidence": round(memory.confidence, 4), "strength": round(memory.strength, 4)}
    return MemoryView(**given, global_id=memory.learning_id, author=authors.get(memory.learning_id))


def memory_views(nous: Nous, memories: Iterable[Memory]) -> tuple[MemoryView, ...]:
    """Memories as they are shown, with who told of them."""
    found = list(memories)
    authors = nous.authors(found)
    return tuple(memory_view(memory, authors) for memory in found)


def written_memories(nous: Nous, done: Written, most: int = 100) -> list[MemoryView]:
    """The memories that a write was about as they are now; those that are gone are left out."""
    numbers = list(dict.fromkeys(done.memories[:most]))
    known = {memory.id: memory for memory in nous.stores.memories.by_id(numbers)}
    return [memory_view(known[number]) for number in numbers if number in known]


def memory_fields(memory: Memory) -> dict[str, Any]:
    """A memory as plain data, where more is put beside it."""
    found: dict[str, Any] = msgspec.to_builtins(memory_view(memory))
    return found


def _exchange(found: Spoken) -> dict[str, Any]:
    place = found.place
    same = {name: getattr(place, name) for name in ("project_id", "session_id", "label", "topics", "files", "tainted")}
    return same | {
        "id": place.uuid,
        "content": found.content,
        "agent_id": place.agent_id or None,
        "branch": place.branch or None,
        "valid_from": place.at,
        "created_at": place.at,
        "evidence": found.evidence,
        "standing": found.standing,
    }


def hit_view(hit: Recalled, explain: bool, authors: Mapping[str, str] = {}) -> MemoryHit | ExchangeHit:
    """A memory or an exchange that answers, as it is shown."""
    given: dict[str, Any] = {"score": round(hit.score, 6)}
    if explain:
        given |= {"shares": {part: round(share, 6) for part, share in hit.shares.items()}, "found_by": hit.found_by}
    if hit.memory is None:
        assert hit.exchange is not None
        memory = memory_view(hit.distilled, authors) if hit.distilled else None
        return ExchangeHit(**_exchange(hit.exchange), **given, memory=memory)
    exchange = ExchangeView(**_exchange(hit.exchange)) if hit.exchange else None
    return MemoryHit(
        **msgspec.structs.asdict(memory_view(hit.memory, authors)), **given, stale=hit.stale, exchange=exchange
    )


def answer_view(answer: Answer, authors: Mapping[str, str] = {}) -> Answered:
    """An answer as it is shown."""
    names = [hit.id for hit in answer.hits]
    return Answered(
        " ".join(one.text for one in answer.sentences) or None,
        tuple(Sentence(one.text, tuple(names[at - 1] for at in one.notes)) for one in answer.sentences),
        answer.model,
        answer.reason or None,
        tuple(hit_view(hit, False, authors) for hit in answer.hits),
    )


def event_fields(event: Recorded, said: str) -> dict[str, Any]:
    """An event as the documented JSON fields; `said` is what it says on one line."""
    return {
        "event_id": event.event_id,
        "time": event.transaction_time,
        "type": event.event_type,
        "said": said,
        "reason": event.payload.reason,
        "parent_event_id": event.parent_event_id,
        "learning_id": event.learning_id,
        "project_id": event.project_id,
        "session_id": event.session_id,
        "source": event.source,
        "global_id": event.event_uuid,
        "stream": event.stream,
        "stream_id": event.stream_id,
        "device": event.device,
        "device_seq": event.device_seq,
        "valid_from": event.valid_from,
        "valid_until": event.valid_until,
        "clock": event.clock,
        "payload": msgspec.to_builtins(event.payload),
    }


def entry_fields(entry: Any) -> dict[str, Any]:
    """An event of the log, with its memory and how deep it stands below its cause."""
    return event_fields(entry.event, entry.said) | {"memory_id": entry.memory_id, "depth": entry.depth}
