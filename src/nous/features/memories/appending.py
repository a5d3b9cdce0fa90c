"""For other programs: single events of the log, and what came of a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from nous.errors import BadEvent, Forbidden, Misuse
from nous.features.memories.operations import SERVICE, Appending, Reporting
from nous.kernel.asking import number_of
from nous.kernel.learn.discretion import WORDS, redact_payload, redact_session_id
from nous.kernel.log.events import PAYLOADS, STREAM_OF, Contested, Payload, Writer, make_event
from nous.kernel.memory.projection import catch_up
from nous.kernel.types import OutcomeSignal
from nous.kernel.viewer import Viewer
from nous.kernel.views import Written

if TYPE_CHECKING:
    from nous.app import Nous


def append(nous: Nous, viewer: Viewer, asked: Appending) -> Written:
    """Write one event; a key that is known writes nothing."""
    try:
        payload = msgspec.convert(asked.payload, PAYLOADS[asked.event_type])
    except msgspec.ValidationError as wrong:
        raise BadEvent(f"{asked.event_type}: {wrong}") from None
    if STREAM_OF[asked.event_type] != "memory":
        raise BadEvent(f"{asked.event_type} is written by Nous itself")
    payload = _in_own_name(nous, asked, payload)
    known = nous.stores.memories.by_learning([asked.learning_id]).get(asked.learning_id)
    if known and asked.project not in (None, known.project_id):
        raise Misuse(f"{asked.learning_id} is a memory of {known.project_id}", hint="leave `project` out")
    project = asked.project or (known.project_id if known else "")
    if not project:
        raise Misuse(f"there is no memory {asked.learning_id}", hint="say its `project`")
    event = make_event(
        asked.event_type,
        asked.learning_id,
        redact_payload(payload, (*WORDS, "concepts", "entities", "files", "symbols", "slot")),
        f"service:{redact_session_id(asked.idempotency_key)}",
        project_id=project,
        by=Writer(
            redact_session_id(nous.session_id if nous.author else asked.session or nous.session_id), asked.source
        ),
        at=asked.valid_from,
        cause=asked.parent_event_id,
    )
    now = nous.clock()
    with nous.stores.db.transaction():
        [number] = nous.stores.events.append([event], now)
        catch_up(nous.stores, now)
    born = nous.stores.events.births([asked.learning_id]).get(asked.learning_id)
    return Written((born[0],) if born else (), told={"event": number, "known": number is None})


def _in_own_name(nous: Nous, asked: Appending, payload: Payload) -> Payload:
    """The payload as whoever asks may say it: a token writes as a service, and remarks under its own name."""
    if nous.speaker.kind == "person":
        return payload
    if asked.source != SERVICE:
        raise Forbidden(f"a token writes as {SERVICE!r}, not as {asked.source!r}")
    return msgspec.structs.replace(payload, author=nous.author) if isinstance(payload, Contested) else payload


def feedback(nous: Nous, viewer: Viewer, asked: Reporting) -> Written:
    """Say what came of a memory. A session that failed does not make what it used more useful."""
    number = number_of(nous, str(asked.memory_id))
    signal: OutcomeSignal = (
        "ignored" if asked.signal == "useful" and asked.session_outcome == "failure" else asked.signal
    )
    counted = nous.feedback(number, signal, session=asked.session)
    return Written((number,), told={"counted": counted, "signal": signal})
