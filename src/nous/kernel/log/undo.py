"""Taking back what happened. Nothing is deleted: an event says that earlier ones no longer count, and it can itself be
undone. What an event caused is taken back with it, and a contradiction on both of its sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from nous.errors import NotFound, NousError
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import (
    ERASURES,
    Contradicted,
    Event,
    Extracted,
    Recorded,
    Reviewed,
    Superseded,
    Tombstone,
    Undone,
    Writer,
    make_event,
)
from nous.kernel.log.evolve import standing
from nous.kernel.memory.consolidation import EXTRACTOR

PAGE = 200
NEWEST = 2**62


class Undoing(NamedTuple):
    """What was taken back, and the events that did it, one for each learning or entity."""

    undone: list[Recorded]
    undone_by: list[int]


def plan_undo(events: Events, event_ids: Iterable[int]) -> list[Recorded]:
    """These events with everything they caused that still counts; a sentence when one of them cannot be undone."""
    asked = sorted(set(event_ids))
    found = events.by_id(asked)
    if missing := set(asked) - {event.event_id for event in found}:
        raise NotFound(f"there is no event {min(missing)}")
    for event in found:
        if problem := _refusal(events, event):
            raise NousError(f"event {event.event_id} cannot be undone: {problem}")
    return _with_effects(events, found)


def latest(events: Events, decisions: int, project_id: str | None) -> list[Recorded]:
    """The last decisions made by hand that still count, in one project or in any, with everything they caused."""
    found: list[Recorded] = []
    for decision in _decisions(events, project_id):
        if alive := [event for event in decision if _refusal(events, event) is None]:
            found += alive
            decisions -= 1
        if not decisions:
            break
    if not found:
        raise NotFound("there is no decision to undo" + (" in this project" if project_id else ""))
    return _with_effects(events, found)


def _decisions(log: Events, project_id: str | None) -> Iterator[list[Recorded]]:
    """What was decided by hand, newest first: events that one session wrote at one moment are one decision."""
    for _, events in groupby(_by_hand(log, project_id), key=_moment):
        yield list(events)


def _by_hand(events: Events, project_id: str | None) -> Iterator[Recorded]:
    before = NEWEST
    while page := events.by_hand(before, PAGE):
        yield from (event for event in page if project_id is None or event.project_id == project_id)
        before = page[-1].event_id


def _refusal(events: Events, event: Recorded) -> str | None:
    """Why an event cannot be undone; None when it can."""
    if event.event_type in ERASURES or isinstance(event.payload, Tombstone):
        return "what was erased is gone"
    counts = standing(events.of_learning(event.stream_id))
    return None if any(other.event_id == event.event_id for other in counts) else "it is undone already"


def _with_effects(log: Events, events: Sequence[Recorded]) -> list[Recorded]:
    """Events and what follows from them, as far as it counts, in order."""
    found = {event.event_id: event for event in events}
    waiting = list(events)
    while waiting:
        further = [*log.caused_by([event.event_id for event in waiting])]
        further += [other for event in waiting for other in _alongside(log, event)]
        waiting = [event for event in further if event.event_id not in found and _refusal(log, event) is None]
        found |= {event.event_id: event for event in waiting}
    return [found[number] for number in sorted(found)]


def _alongside(events: Events, event: Recorded) -> list[Recorded]:
    """What means nothing without an event: the other side of a contradiction, and the life of what was introduced."""
    match event.payload:
        case Extracted():
            return [other for other in events.of_learning(event.learning_id) if not _is_undoing(other)]
        case Superseded() if event.parent_event_id is not None:  # what ended in a memory made of several ends with it
            cause = events.by_id([event.parent_event_id])
            return [
                one
                for one in cause
                if isinstance(one.payload, Extracted) and one.payload.extractor_version == EXTRACTOR
            ]
        case Contradicted(contradicted_with=other_side):
            return [
                other
                for other in events.of_learning(other_side)
                if isinstance(other.payload, Contradicted) and other.payload.contradicted_with == event.learning_id
            ]
        case Reviewed():  # what was decided at that moment is one decision
            nearby = events.between(event.event_id, event.event_id + PAGE)
            return [other for other in nearby if _moment(other) == _moment(event)]
        case Undone() if event.parent_event_id is not None:  # what was undone together comes back together
            return [other for other in events.by_id([event.parent_event_id]) if _is_undoing(other)]
        case _:
            return []


def _moment(event: Recorded) -> tuple[str, str]:
    return event.session_id, event.transaction_time


def _is_undoing(event: Recorded) -> bool:
    return isinstance(event.payload, Undone)


def undo(
    log: Events, events: Sequence[Recorded], session_id: str, reason: str, now: str, cause: int | None = None
) -> Undoing:
    """Say of each learning or entity that these events of it no longer count. The read models follow."""
    by_stream: dict[str, list[Recorded]] = {}
    for event in events:
        by_stream.setdefault(event.stream_id, []).append(event)
    numbers: list[int] = []
    for stream, undone in by_stream.items():
        said = _undoing(log, stream, undone, session_id, reason, numbers[0] if numbers else cause)
        numbers += [number for number in log.append([said], now) if number is not None]
    return Undoing(list(events), numbers)


def _undoing(
    events: Events, stream_id: str, undone: Sequence[Recorded], session_id: str, reason: str, cause: int | None
) -> Event:
    last = events.of_learning(stream_id)[-1].event_id  # after another undoing the same one is a new event
    said = Undone(undone_events=tuple(event.event_id for event in undone), reason=reason)
    by = Writer(session_id, "user_review")
    key, first = f"undone:{stream_id}:{last}", undone[0]
    return make_event(
        "EventsUndone", stream_id, said, key, project_id=first.project_id, by=by, cause=cause, stream=first.stream
    )
