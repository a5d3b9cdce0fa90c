"""The brief that each reading left, and what each session was about: what was last written and not taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nous.core.events import BriefWritten, Erased, Payload, ProjectTidied, Recorded, SessionRead, Undone, order
from nous.core.evolve import standing
from nous.stores import Stores

Put = Callable[[Recorded], None]
Drop = Callable[[str], None]


def fold_briefs(stores: Stores, events: Sequence[Recorded]) -> None:
    """Briefs by session; the one of a project's latest session is its brief."""

    def put(event: Recorded) -> None:
        if isinstance(event.payload, BriefWritten):
            stores.briefs.put(event, event.payload)

    _fold(stores, events, BriefWritten, put, stores.briefs.drop)


def fold_read_sessions(stores: Stores, events: Sequence[Recorded]) -> None:
    """What sessions were about, as they were last read."""

    def put(event: Recorded) -> None:
        if isinstance(event.payload, SessionRead):
            stores.read_sessions.put(event, event.payload)

    _fold(stores, events, SessionRead, put, stores.read_sessions.drop)


def fold_tidyings(stores: Stores, events: Sequence[Recorded]) -> None:
    """Groups and page of each project, as it was last tidied."""

    def put(event: Recorded) -> None:
        if isinstance(event.payload, ProjectTidied):
            stores.tidyings.put(event, event.payload)

    _fold(stores, events, ProjectTidied, put, stores.tidyings.drop)


def _fold(stores: Stores, events: Sequence[Recorded], kind: type[Payload], put: Put, drop: Drop) -> None:
    touched = {one.learning_id: one for one in events if isinstance(one.payload, (kind, Undone, Erased))}
    for last in touched.values():
        told = [one for one in stores.events.of_learning(last.learning_id) if one.event_id <= last.event_id]
        counting = [one for one in standing(told) if isinstance(one.payload, kind)]
        if counting:
            put(max(counting, key=order))
        else:
            drop(last.learning_id)
