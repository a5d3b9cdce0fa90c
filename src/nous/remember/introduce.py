"""An event that introduces a learning, for those who have already compared it with what is known."""

from __future__ import annotations

import uuid
from typing import Any

from nous.core.clocks import tick
from nous.core.events import SCHEMA_VERSION, Event, Extracted
from nous.core.extraction import Learning
from nous.remember.learn import NAMESPACE, Origin
from nous.stores import Stores

SHARED = tuple(name for name in Extracted.__struct_fields__ if name in Learning.__struct_fields__)


def introduction(
    stores: Stores,
    learning: Learning,
    origin: Origin,
    key: str,
    *,
    cause: int | None = None,
    schema_version: int = SCHEMA_VERSION,
    **extra: Any,
) -> Event:
    """A LearningExtracted; `extra` are further fields of its payload, `cause` is the event that it follows from."""
    said = {name: getattr(learning, name) for name in SHARED}
    return Event(
        learning_id=str(uuid.uuid5(NAMESPACE, key)),
        event_type="LearningExtracted",
        idempotency_key=key,
        payload=Extracted(extractor_version=origin.extractor, **said, **extra),
        session_id=origin.session_id,
        project_id=origin.project_id,
        source=origin.source,
        valid_from=origin.valid_from,
        valid_until=learning.valid_until,
        clock=tick(stores.events.known_to(origin.session_id), origin.session_id),
        parent_event_id=cause,
        schema_version=schema_version,
    )
