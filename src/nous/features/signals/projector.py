"""The read models of what was observed: the latest observation of each session counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nous.kernel.log.event_store import Events
from nous.kernel.log.events import Erased, Recorded, SessionObserved, order

if TYPE_CHECKING:
    from nous.kernel.stores import Observations


def fold_observations(log: Events, observations: Observations, events: Sequence[Recorded]) -> None:
    """Counts and sightings of sessions, as they were last observed."""
    latest: dict[str, Recorded | None] = {}
    for event in events:
        if isinstance(event.payload, Erased):
            latest[event.learning_id] = None
        elif isinstance(event.payload, SessionObserved):
            latest[event.learning_id] = _last(log, event) if event.absorbed else event
    for learning_id, last in latest.items():
        if last is None or not isinstance(last.payload, SessionObserved):
            observations.drop(learning_id)
        else:
            observations.put(learning_id, last.project_id, last.session_id, last.payload, last.event_id)


def _last(events: Events, event: Recorded) -> Recorded | None:
    """The last observation of a session up to an event, whoever wrote it; None when it was erased."""
    told = events.of_learning(event.learning_id, until=event.event_id)
    if any(isinstance(one.payload, Erased) for one in told):
        return None
    return max((one for one in told if isinstance(one.payload, SessionObserved)), key=order, default=None)
