"""Events as somebody in some session writes them: where they come from is said once, here."""

from __future__ import annotations

import os
import uuid
from datetime import datetime
from typing import Any, NamedTuple

from nous.identity import head_commit, work_tree
from nous.kernel.hooks import anchors
from nous.kernel.log.clocks import tick
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import SCHEMA_VERSION, Event, EventType, Extracted, Payload, Source, Writer, make_event
from nous.kernel.log.extraction import Anchor, Learning
from nous.kernel.types import HEADINGS, TYPES

NAMESPACE = uuid.UUID("6d1c1f5e-3f0a-5d7b-9a52-6e6f75732031")
AGENT = "agent"  # the source of what an agent says of its own accord
ABOUT_CODE = frozenset(HEADINGS[1:-1])
SHARED = tuple(name for name in Extracted.__struct_fields__ if name in Learning.__struct_fields__)


class Origin(NamedTuple):
    """Where a learning comes from; `by_user`: the user's words decided it; `place`: where its files are named from."""

    project_id: str
    session_id: str
    source: Source
    valid_from: str
    extractor: str
    by_user: bool = False
    place: str = ""


def next_clock(events: Events, session_id: str) -> dict[str, int]:
    """The clock of a session's next event: what it knew and was given, and one more."""
    return tick(events.known_to(session_id), session_id)


def event(
    origin: Origin,
    learning_id: str,
    event_type: EventType,
    key: str,
    payload: Payload,
    clock: dict[str, int],
    **more: Any,
) -> Event:
    """An event that happens to a learning; `more` are further columns."""
    columns: dict[str, Any] = {"at": origin.valid_from, "project_id": origin.project_id} | more
    by = Writer(origin.session_id, origin.source)
    return make_event(event_type, learning_id, payload, key, by=by, clock=clock, **columns)


def introduction(
    learning: Learning,
    origin: Origin,
    key: str,
    clock: dict[str, int],
    *,
    cause: int | None = None,
    schema_version: int = SCHEMA_VERSION,
    **extra: Any,
) -> Event:
    """A LearningExtracted; `extra` are further fields of its payload, `cause` is the event that it follows from."""
    said = {name: getattr(learning, name) for name in SHARED}
    extra.setdefault("anchors", with_anchors(learning, origin))
    return event(
        origin,
        str(uuid.uuid5(NAMESPACE, key)),
        "LearningExtracted",
        key,
        Extracted(extractor_version=origin.extractor, **said | extra),
        clock,
        until=learning.valid_until,
        cause=cause,
        schema_version=schema_version,
    )


def with_anchors(learning: Learning, origin: Origin) -> tuple[Anchor, ...]:
    """What a learning about code speaks of, as it stands on the disk. A rule or a state of work speaks of no code."""
    if not learning.files or TYPES[learning.type].heading not in ABOUT_CODE or not os.path.isdir(origin.place):
        return ()
    said = datetime.fromisoformat(origin.valid_from).timestamp()
    tree = work_tree(origin.place)
    found = anchors.take(tree, origin.place, learning.files, learning.symbols, said)
    commit = head_commit(tree) if found else ""
    return tuple(Anchor(file, symbol, hash, commit if hash else "") for file, symbol, hash in found)
