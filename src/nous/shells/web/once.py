"""Writes over HTTP are done once under their key: a repeated request is answered as the first one was."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from typing import Any

import msgspec

from nous.app import Nous
from nous.errors import Conflict, Misuse
from nous.kernel.views import Written, written_memories

SCHEMA = "1"
MOST_SHOWN = 100


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks: a client, perhaps in a session, and under which key a write is done once only."""

    client_id: str = ""
    session_id: str = ""
    project_id: str = ""
    source: str = ""
    tenant_id: str = ""
    idempotency_key: str = ""
    schema_version: str = SCHEMA


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


def work_once(nous: Nous, who: Identity, route: str, body: bytes, do: Callable[[], Any]) -> tuple[Any, bool]:
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


def _answer(nous: Nous, done: Written) -> dict[str, Any]:
    """The memories as they are now, the first of them if there are many, and the events."""
    return {"memories": written_memories(nous, done, MOST_SHOWN), "events": done.events} | done.told
