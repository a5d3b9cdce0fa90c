"""The brief that each reading left, what people decided about its lines, and what each session was about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from nous.features.brief.store import DecidedLine
from nous.kernel.log.events import (
    BriefLineDropped,
    BriefLineEdited,
    BriefLineKept,
    BriefLinePinned,
    BriefLinePlaced,
    BriefWritten,
    Erased,
    Payload,
    ProjectTidied,
    Recorded,
    SessionRead,
    Undone,
    order,
)
from nous.kernel.log.evolve import standing

if TYPE_CHECKING:
    from nous.kernel.stores import BriefLines, Briefs, Events, ReadSessions, Tidyings

Put = Callable[[Sequence[Recorded]], None]
Drop = Callable[[str], None]


def fold_briefs(log: Events, briefs: Briefs, brief_lines: BriefLines, events: Sequence[Recorded]) -> None:
    """Briefs by session; the one of a project's latest session is its brief."""

    def put_brief(told: Sequence[Recorded]) -> None:
        if isinstance(last := told[-1].payload, BriefWritten):
            briefs.put(told[-1], last)

    _fold(log, events, BriefWritten, put_brief, briefs.drop)
    fold_brief_lines(log, brief_lines, events)


def fold_brief_lines(log: Events, brief_lines: BriefLines, events: Sequence[Recorded]) -> None:
    """What people decided about lines of briefs, each line by all that still counts of it."""
    touched = {one.learning_id: one for one in events if isinstance(one.payload, (BriefLineKept, Undone, Erased))}
    for last in touched.values():
        told = log.of_learning(last.learning_id, until=last.event_id)
        if decided := decided_line([one for one in standing(told) if isinstance(one.payload, BriefLineKept)]):
            brief_lines.put(decided)
        else:
            brief_lines.drop(last.learning_id)


def decided_line(events: Sequence[Recorded]) -> DecidedLine | None:
    """What a person's decisions about one line, in their order, amount to."""
    line: DecidedLine | None = None
    for event in events:
        line = _after(line, event)
    return line


def _after(line: DecidedLine | None, event: Recorded) -> DecidedLine | None:
    said = event.payload
    assert isinstance(said, BriefLineKept)
    line = line or DecidedLine(event.learning_id, event.project_id, said.line.text, said.line.sources)
    at = event.valid_from or event.transaction_time
    line = replace(line, version=event.event_id, at=line.at or at, beside=said.beside or line.beside)
    match said:
        case BriefLinePlaced(place=place):
            return replace(line, place=place)
        case BriefLineEdited(text=text):
            return replace(line, words=text, state="pinned" if line.state == "pinned" else "kept", at=at)
        case BriefLineDropped():
            return replace(line, state="dropped", at=at)
        case BriefLinePinned():
            return replace(line, state="pinned", at=at)
        case _:
            return replace(line, state="kept", at=at)


def fold_read_sessions(log: Events, read_sessions: ReadSessions, events: Sequence[Recorded]) -> None:
    """What sessions were about, as they were last read, and what their earlier parts named, left open and closed."""

    def put_session(told: Sequence[Recorded]) -> None:
        parts = [one.payload for one in told if isinstance(one.payload, SessionRead)]
        read_sessions.put(told[-1], whole_session(parts))

    _fold(log, events, SessionRead, put_session, read_sessions.drop)


def whole_session(parts: Sequence[SessionRead]) -> SessionRead:
    """A session that was read in parts: an open end keeps its number, whatever a later part adds."""
    lists: dict[str, dict[Any, None]] = {"open": {}, "done": {}, "topics": {}, "things": {}, "causes": {}}
    for part in parts:
        for name, kept in lists.items():
            kept.update(dict.fromkeys(getattr(part, name)))
    return replace(parts[-1], **{name: tuple(kept) for name, kept in lists.items()})


def fold_tidyings(log: Events, tidyings: Tidyings, events: Sequence[Recorded]) -> None:
    """Groups and page of each project, as it was last tidied."""

    def put_tidying(told: Sequence[Recorded]) -> None:
        if isinstance(last := told[-1].payload, ProjectTidied):
            tidyings.put(told[-1], last)

    _fold(log, events, ProjectTidied, put_tidying, tidyings.drop)


def _fold(log: Events, events: Sequence[Recorded], kind: type[Payload], put: Put, drop: Drop) -> None:
    touched = {one.learning_id: one for one in events if isinstance(one.payload, (kind, Undone, Erased))}
    for last in touched.values():
        told = log.of_learning(last.learning_id, until=last.event_id)
        counting = [one for one in standing(told) if isinstance(one.payload, kind)]
        if counting:
            put(sorted(counting, key=order))
        else:
            drop(last.learning_id)
