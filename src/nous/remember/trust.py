"""The trust level of a project: what was chosen last and not taken back."""

from __future__ import annotations

from collections.abc import Sequence

from nous.core.events import ProjectTrusted, Recorded
from nous.core.evolve import standing
from nous.stores import Stores


def fold_trust(stores: Stores, events: Sequence[Recorded]) -> None:
    """Chosen levels. Choices are few, so all of a project are read again when one comes."""
    for stream in sorted({event.stream_id for event in events if event.stream == "project"}):
        told = [event for event in stores.events.of_learning(stream) if event.event_id <= events[-1].event_id]
        last = next((one for one in reversed(standing(told)) if isinstance(one.payload, ProjectTrusted)), None)
        if last is None or not isinstance(last.payload, ProjectTrusted):
            stores.trust.drop(stream)
        else:
            stores.trust.put(stream, last.payload.level, last.transaction_time, last.event_id)
