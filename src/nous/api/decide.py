"""Writing: remember, correct, confirm, pin, forget, restore, many at once, decide in review, undo, say what came of it.

Every write is one decision, in one transaction, and answers with the memories as they are now and the events it wrote.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from nous.api.memories import Filter, by_numbers, filters, number_of
from nous.app import Nous
from nous.core.events import Archived, Decision, EventType, Payload
from nous.core.memory import Memory
from nous.core.outcome import OutcomeSignal
from nous.core.types import Scope
from nous.errors import Conflict, Misuse
from nous.kernel.viewer import Viewer
from nous.stores.database import EVERY

SCHEMA = "1"
Text = Annotated[str, Meta(min_length=1, max_length=8000, description="one plain sentence")]
Bulk = Literal["forget", "restore", "confirm", "pin", "unpin"]


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks: a client, perhaps in a session, and under which key a write is done once only."""

    client_id: str = ""
    session_id: str = ""
    project_id: str = ""
    source: str = ""
    tenant_id: str = ""
    idempotency_key: str = ""
    schema_version: str = SCHEMA


class Written(msgspec.Struct, frozen=True):
    """What a write did: the memories it is about, the events it wrote, and what else there is to say. No text."""

    memories: tuple[int, ...] = ()
    events: tuple[int, ...] = ()
    told: dict[str, Any] = {}


class Telling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something to remember."""

    text: Text
    type: Annotated[str, Meta(description="a memory type")] = "fact"
    project: Annotated[str | None, Meta(description="a project's id, or a path in it")] = None
    scope: Annotated[Scope, Meta(description="where it holds")] = "project"
    files: Annotated[tuple[str, ...], Meta(description="files it is about")] = ()
    tags: Annotated[tuple[str, ...], Meta(description="words of your own to find it by")] = ()
    pin: Annotated[bool, Meta(description="always show it")] = False


class Marking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision about one memory."""

    id: Annotated[str, Meta(description="the number of a memory, or its global id")]


class Reasoned(Marking, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision about one memory, and why."""

    reason: Annotated[str, Meta(max_length=500, description="why, in a few words")] = ""


class Rewording(Marking, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Better words for a memory."""

    text: Text


class Judging(Marking, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What came of a memory."""

    signal: Annotated[OutcomeSignal, Meta(description="useful, corrected (it was wrong) or ignored")]
    session: Annotated[str | None, Meta(description="the session in which it did")] = None


class Many(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision about many memories: those named, or those that a filter lets pass."""

    action: Annotated[Bulk, Meta(description="what to do with each")]
    ids: Annotated[tuple[int, ...], Meta(max_length=10_000, description="numbers of memories")] = ()
    filter: Annotated[Filter | None, Meta(description="the filters of `GET /v1/memories`")] = None
    reason: Annotated[str, Meta(max_length=500, description="why, in a few words")] = ""
    dry_run: Annotated[bool, Meta(description="only count")] = False
    expected: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="refuse when it would be another number")
    ] = None


class Deciding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer to a question of the review."""

    item: Annotated[str, Meta(description="the id of the question")]
    action: Annotated[Decision, Meta(description="one of the question's `actions`")]
    text: Annotated[Annotated[str, Meta(max_length=8000)] | None, Meta(description="with `edit`: the new words")] = None
    swap: Annotated[bool, Meta(description="decide about the other memory of the two")] = False


class Undo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Events to take back, or how many decisions."""

    events: Annotated[tuple[int, ...], Meta(description="numbers of events")] = ()
    last: Annotated[int, Meta(ge=1, le=100, description="without `events`: how many decisions by hand")] = 1
    project: Annotated[str | None, Meta(description="only decisions in this project")] = None
    reason: Annotated[str, Meta(max_length=500, description="why; it stays in the log")] = "undone by the user"


# -- once -----------------------------------------------------------------------------------------------------------


def once(nous: Nous, who: Identity, route: str, body: bytes, do: Callable[[], Written]) -> tuple[dict[str, Any], bool]:
    """What a write answers, and whether it was done before under the same key.

    Who asked is kept beside the numbers of the events that were written.
    """
    key = who.idempotency_key or f"none-{uuid.uuid4()}"
    with nous.stores.db.transaction():
        known = _done_before(nous, who, key, route, body)
        if known is not None:
            return _answer(nous, msgspec.json.decode(known, type=Written)), True
        if who.session_id:
            nous.session_id = who.session_id
        before = nous.stores.events.last_id()
        with nous.decision():
            done = do()
        done = msgspec.structs.replace(done, events=tuple(range(before + 1, nous.stores.events.last_id() + 1)))
        _note(nous, who, key, route, body, before, done)
    return _answer(nous, done), False


def worked(nous: Nous, who: Identity, route: str, body: bytes, do: Callable[[], Any]) -> tuple[Any, bool]:
    """What longer work answers, and whether it was done before under the same key.

    Such work takes its own transactions, and what it did halfway is not done twice: without a key it is begun again.
    """
    known = _done_before(nous, who, who.idempotency_key, route, body) if who.idempotency_key else None
    if known is not None:
        return msgspec.json.decode(known), True
    before = nous.stores.events.last_id()
    done = do()
    if who.idempotency_key:
        with nous.stores.db.transaction():
            _note(nous, who, who.idempotency_key, route, body, before, done)
    return done, False


def _done_before(nous: Nous, who: Identity, key: str, route: str, body: bytes) -> str | None:
    """What was answered under a key, if it was used; another request under the same key is refused."""
    if who.schema_version != SCHEMA:
        raise Misuse(f"this is version {SCHEMA} of the API, not {who.schema_version}")
    known = nous.stores.browse.request(who.client_id, key)
    if known is None:
        return None
    if known["body_hash"] != _hash(key, route, body):
        raise Conflict(f"the key {key!r} was used for another request", hint="take a new key for a new request")
    answer: str = known["answer"]
    return answer


def _hash(key: str, route: str, body: bytes) -> str:
    return hashlib.sha256(f"{key}\0{route}\0".encode() + body).hexdigest()


def _note(nous: Nous, who: Identity, key: str, route: str, body: bytes, before: int, done: Any) -> None:
    nous.stores.browse.note_request(
        client_id=who.client_id,
        idempotency_key=key,
        session_id=nous.session_id,
        project_id=who.project_id,
        source=who.source,
        tenant_id=who.tenant_id,
        route=route,
        body_hash=_hash(key, route, body),
        first_event=before + 1,
        last_event=nous.stores.events.last_id(),
        answer=msgspec.json.encode(done).decode(),
        at=nous.clock(),
    )


MOST_SHOWN = 100


def _answer(nous: Nous, done: Written) -> dict[str, Any]:
    """The memories as they are now, the first of them if there are many, and the events."""
    return {"memories": by_numbers(nous, list(done.memories[:MOST_SHOWN])), "events": done.events} | done.told


# -- what can be written --------------------------------------------------------------------------------------------


def remember(nous: Nous, asked: Telling) -> Written:
    """Keep something; what is known already grows stronger instead."""
    given = {name: getattr(asked, name) for name in ("type", "project", "scope", "files", "tags", "pin")}
    return Written((nous.remember(asked.text, **given),))


def correct(nous: Nous, asked: Rewording) -> Written:
    """Put better words in the place of a memory."""
    old = number_of(nous, asked.id)
    return Written((nous.correct(old, asked.text), old))


def confirm(nous: Nous, asked: Marking) -> Written:
    """Say that a memory is true."""
    return _marked(nous, asked, nous.confirm)


def pin(nous: Nous, asked: Marking) -> Written:
    """Always show a memory."""
    return _marked(nous, asked, nous.pin)


def unpin(nous: Nous, asked: Marking) -> Written:
    """Show a memory only when it is called for."""
    return _marked(nous, asked, nous.unpin)


def restore(nous: Nous, asked: Marking) -> Written:
    """Bring back a memory that was forgotten or has faded."""
    return _marked(nous, asked, nous.restore)


def forget(nous: Nous, asked: Reasoned) -> Written:
    """Take a memory out of use."""
    return _marked(nous, asked, lambda number: nous.forget(number, asked.reason or "forgotten by the user"))


def dispute(nous: Nous, asked: Reasoned) -> Written:
    """Say that a memory may be wrong."""
    return _marked(nous, asked, lambda number: nous.dispute(number, asked.reason or "disputed by the user"))


def _marked(nous: Nous, asked: Marking, mark: Callable[[int], None]) -> Written:
    number = number_of(nous, asked.id)
    mark(number)
    return Written((number,))


def feedback(nous: Nous, asked: Judging) -> Written:
    """Say what came of a memory; twice in a session counts once."""
    number = number_of(nous, asked.id)
    counted = nous.feedback(number, asked.signal, session=asked.session)
    return Written((number,), told={"counted": counted})


BULK: dict[Bulk, tuple[EventType, Callable[[Memory], bool]]] = {
    "forget": ("LearningArchived", lambda memory: memory.status == "active"),
    "restore": ("LearningRestored", lambda memory: memory.status == "archived"),
    "confirm": ("LearningConfirmed", lambda memory: memory.status == "active" and not memory.confirmed),
    "pin": ("LearningPinned", lambda memory: memory.status == "active" and not memory.pinned),
    "unpin": ("LearningUnpinned", lambda memory: memory.pinned),
}


def bulk(nous: Nous, asked: Many, viewer: Viewer) -> Written:
    """Do the same with many memories, as one decision that one undo takes back."""
    event_type, is_due = BULK[asked.action]
    found = chosen(nous, asked, viewer)
    due = [memory for memory in found if is_due(memory)]
    if asked.expected is not None and asked.expected != len(due):
        raise Conflict(f"it would be {len(due)} memories, not {asked.expected}", hint="look again: something changed")
    numbers = tuple(memory.id for memory in due)
    if not asked.dry_run and due:
        why = asked.reason or f"{asked.action} by the user, {len(due)} at once"
        payload = Archived(reason=why) if asked.action == "forget" else Payload(reason=why)
        nous.mark(due, event_type, payload)
    return Written(numbers, told={"count": len(due), "matched": len(found), "dry_run": asked.dry_run})


def chosen(nous: Nous, asked: Many, viewer: Viewer) -> list[Memory]:
    """The memories that a decision about many is about."""
    if bool(asked.ids) == (asked.filter is not None):
        raise Misuse("say which memories: `ids` or `filter`, one of them")
    if asked.filter is None:
        return nous.stores.memories.by_id(asked.ids)
    if asked.filter.as_of:
        raise Misuse("what was known earlier cannot be changed now", hint="leave out `as_of`")
    wanted = filters(nous, asked.filter)
    found = nous.stores.browse.memories(wanted, sort="newest", limit=EVERY, cursor=None, as_of=None, viewer=viewer)
    return nous.stores.memories.by_id([number for number, _ in found])


def decide(nous: Nous, asked: Deciding) -> Written:
    """Answer a question of the review."""
    item = nous.decide(asked.item, asked.action, text=asked.text, swap=asked.swap)
    numbers = tuple(memory.id for memory in (item.memory, item.other) if memory)
    return Written(numbers, told={"item": item.id, "action": asked.action})


def undo(nous: Nous, asked: Undo) -> Written:
    """Take back events and what they caused, or the last decisions by hand."""
    every = asked.project is None
    done = nous.undo(asked.events, last=asked.last, reason=asked.reason, project=asked.project, all_projects=every)
    names = nous.stores.events.births(event.learning_id for event in done.undone)
    numbers = tuple(dict.fromkeys(number for number, _ in names.values()))
    return Written(numbers, told={"undone": [event.event_id for event in done.undone], "undone_by": done.undone_by})
