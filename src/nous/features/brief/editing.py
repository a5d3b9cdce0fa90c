"""The lines that sessions begin with, as a person sees and changes them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nous.errors import Misuse, NotFound
from nous.features.brief.briefs import Brief, ShownLine, role_entries, shown_lines
from nous.features.brief.decide import LineDecision, LineEvent, decide_line, new_order, place_line
from nous.features.brief.roles import Role
from nous.identity import Project
from nous.kernel import gate
from nous.kernel.learn.discretion import BY_HAND, BY_PERSON
from nous.kernel.log.events import Writer, make_event
from nous.kernel.memory.projection import catch_up

if TYPE_CHECKING:
    from nous.app import Nous

MOST_OF_A_SUBJECT = 60  # memories that a search may find for a role
OF_A_SUBJECT = 0.4  # the score, and the share of the best one's, from which a memory is about a subject


def brief(
    nous: Nous, role: Role | None = None, subject: str = "", *, tokens: int = 1500, project: str | None = None
) -> Brief:
    """The lines that a session of a project begins with; for a role also what it needs of a subject."""
    place, now = _start_place(nous, project), nous.clock()
    lines = shown_lines(nous.stores, place, nous.settings.session_start_tokens, now)
    if role is None:
        return Brief(lines)
    told = {one.ids[0] for one in lines if len(one.ids) == 1}  # a line made of several tells none of them whole
    hits = nous.recall(subject, limit=MOST_OF_A_SUBJECT, project=project, records="memories") if subject else []
    least = max((OF_A_SUBJECT, *(OF_A_SUBJECT * hit.score for hit in hits)))
    ranked = [hit.memory.id for hit in hits if hit.memory and hit.score >= least]
    entries, is_about = role_entries(nous.stores.memories, role, place, ranked, tokens, now, told)
    return Brief(lines, role, subject, tuple(entries), is_about)


def brief_decide(
    nous: Nous, action: LineDecision, line: int | str, text: str = "", *, project: str | None = None
) -> Brief:
    """Keep a line of the brief as it is, edit it, drop it until the user says it again, or pin it first.

    No reader changes what was decided. A pinned line is kept already; `unpin` keeps it wherever it stands.
    """
    known = nous.brief(project=project)
    found = _line(known.lines, line)
    if action == "unpin" and found.state != "pinned":
        raise Misuse(f"line {found.number} is not pinned")
    if action == "keep" and found.state == "pinned":
        return known
    return _write_lines(nous, [decide_line(found.key, found.line, found.beside, action, text)], project)


def brief_order(nous: Nous, lines: Sequence[int | str], *, project: str | None = None) -> Brief:
    """Put these lines of the brief first, in this order; the others follow as they were."""
    known = nous.brief(project=project).lines
    numbers = new_order(len(known), [_line(known, one).number for one in lines])
    ordered = [known[number - 1] for number in numbers]
    events = [place_line(one.key, one.line, one.beside, place) for place, one in enumerate(ordered, 1)]
    return _write_lines(nous, events, project)


def _line(lines: Sequence[ShownLine], wanted: int | str) -> ShownLine:
    """A line by its number, or by its key."""
    found = next((one for one in lines if wanted in (one.number, one.key)), None)
    if found is None:
        hint = "`nous brief` lists them" if lines else "sessions of this project begin with nothing yet"
        raise NotFound(f"the brief has no line {wanted}", hint=hint)
    return found


def _write_lines(nous: Nous, events: Sequence[LineEvent], project: str | None) -> Brief:
    """Write what was decided about lines as one decision; the brief as it is then."""
    if nous.speaker.kind == "agent":
        gate.require(nous.speaker, "brief")
    where, last = nous.project(project).id, nous.stores.events.last_id()
    with nous.decision() as now:
        nous.stores.events.append(
            [
                make_event(
                    one.event_type,
                    one.key,
                    one.payload,
                    f"{BY_HAND}:{one.event_type}:{one.key}:{last}",
                    project_id=where,
                    by=Writer(nous.session_id, BY_PERSON),
                    at=now,
                )
                for one in events
            ],
            now,
        )
        catch_up(nous.stores, now)
    nous.changed.add(where)
    return nous.brief(project=project)


def _start_place(nous: Nous, project: str | None) -> Project:
    """Where a session of a project begins: its directory and branch, as they were last seen if nobody is there."""
    place = nous.project(project)
    row = next((row for row in nous.stores.cache.projects() if row["project_id"] == place.id), None)
    if row is None or place.root == row["root"] or os.path.isdir(place.root):
        return place
    return Project(place.id, row["root"], place.branch or row["branch"] or "")
