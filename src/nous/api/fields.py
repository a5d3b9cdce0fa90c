"""What is shown of memories, events, questions and hits: the JSON fields of every door, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from nous.app import Answer, Recalled, Spoken, history, review
from nous.core.events import Recorded
from nous.core.memory import Memory


def memory_fields(memory: Memory, authors: Mapping[str, str] = {}) -> dict[str, Any]:
    """A memory as the documented JSON fields; `authors` says who told of it, where it came through a hub."""
    return {
        "id": memory.id,
        "content": memory.content,
        "type": memory.type,
        "kind": memory.kind,
        "scope": memory.scope,
        "status": memory.status,
        "confidence": round(memory.confidence, 4),
        "strength": round(memory.strength, 4),
        "project_id": memory.project_id,
        "session_id": memory.session_id,
        "branch": memory.branch,
        "valid_from": memory.valid_from,
        "valid_until": memory.valid_until,
        "created_at": memory.created_at,
        "evidence": memory.evidence,
        "files": memory.files,
        "anchors": msgspec.to_builtins(memory.anchors),
        "concepts": memory.concepts,
        "entities": memory.entities,
        "relations": msgspec.to_builtins(memory.relations),
        "tags": memory.tags,
        "slot": memory.slot,
        "replaces": memory.replaces,
        "last_said_at": memory.last_said_at,
        "ref": memory.ref,
        "pinned": memory.pinned,
        "confirmed": memory.confirmed,
        "disputed": memory.disputed,
        "tainted": memory.tainted,
        "superseded_by": memory.superseded_by,
        "contradicted_with": memory.contradicted_with,
        "learning_id": memory.learning_id,
        "global_id": memory.learning_id,
        "extractor": memory.extractor,
        "source": memory.source,
        "author": authors.get(memory.learning_id),
    }


def exchange_fields(found: Spoken) -> dict[str, Any]:
    """An exchange that recall found, as the documented JSON fields."""
    place = found.place
    return {
        "id": place.uuid,
        "record": "exchange",
        "content": found.content,
        "type": "exchange",
        "project_id": place.project_id,
        "session_id": place.session_id,
        "agent_id": place.agent_id or None,
        "branch": place.branch or None,
        "valid_from": place.at,
        "valid_until": None,
        "created_at": place.at,
        "evidence": found.evidence,
        "label": place.label,
        "topics": place.topics,
        "files": place.files,
        "tainted": place.tainted,
        "standing": found.standing,
    }


def hit_fields(hit: Recalled, explain: bool, authors: Mapping[str, str] = {}) -> dict[str, Any]:
    """A memory or an exchange that answers, with its score; with what that is made of when somebody wants to know."""
    if hit.memory:
        fields = {"record": "memory"} | memory_fields(hit.memory, authors) | {"stale": hit.stale}
        fields["exchange"] = exchange_fields(hit.exchange) if hit.exchange else None
    else:
        assert hit.exchange is not None
        fields = exchange_fields(hit.exchange)
        fields["memory"] = memory_fields(hit.distilled, authors) if hit.distilled else None
    fields |= {"score": round(hit.score, 6), "trail": msgspec.to_builtins(hit.trail)}
    if explain:
        fields |= {"shares": {part: round(share, 6) for part, share in hit.shares.items()}, "found_by": hit.found_by}
    return fields


def answer_fields(answer: Answer, authors: Mapping[str, str] = {}) -> dict[str, Any]:
    """An answer with its citations; what they name stands in the hits."""
    names = [hit.id for hit in answer.hits]
    sentences = [{"text": one.text, "cites": [names[at - 1] for at in one.notes]} for one in answer.sentences]
    return {
        "answer": " ".join(one.text for one in answer.sentences) or None,
        "sentences": sentences,
        "model": answer.model,
        "reason": answer.reason or None,
        "hits": [hit_fields(hit, False, authors) for hit in answer.hits],
    }


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


def entry_fields(entry: history.LogEntry) -> dict[str, Any]:
    """An event of the log, with its memory and how deep it stands below its cause."""
    return event_fields(entry.event, entry.said) | {"memory_id": entry.memory_id, "depth": entry.depth}


def belief_fields(belief: history.Belief, numbers: dict[str, int]) -> dict[str, Any]:
    """What became of one memory between two moments."""
    return {
        "id": belief.memory_id,
        "change": belief.change,
        "before": memory_fields(belief.before) if belief.before else None,
        "after": memory_fields(belief.after) if belief.after else None,
        "events": [event_fields(event, history.told(event.payload, numbers)) for event in belief.events],
    }


def item_fields(item: review.ReviewItem) -> dict[str, Any]:
    """An item as the documented JSON fields."""
    return {
        "id": item.id,
        "kind": item.kind,
        "question": item.question,
        "why": item.why,
        "actions": item.actions,
        "relation": item.relation,
        "subject": item.subject,
        "memory": memory_fields(item.memory),
        "other": memory_fields(item.other) if item.other else None,
    }
