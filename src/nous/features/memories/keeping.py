"""What a person or an agent tells by hand, and better words for it: each is one decision, written to the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from nous.errors import Forbidden, Misuse, NotFound
from nous.features.memories.marking import find_change
from nous.kernel import gate, projects
from nous.kernel.learn.by_hand import Note, as_agents_word, as_notes, keep
from nous.kernel.learn.discretion import refuse_bare_secret
from nous.kernel.learn.learn import disagrees
from nous.kernel.learn.witness import find_in_session
from nous.kernel.log.events import Superseded
from nous.kernel.sharing import ORGANISATION, TEAM, WRITES, is_circle, scope_of
from nous.kernel.speaker import client_environment
from nous.kernel.types import Scope

if TYPE_CHECKING:
    from nous.app import Nous


def remember(
    nous: Nous,
    text: str,
    *,
    type: str = "fact",
    project: str | None = None,
    scope: Scope = "project",
    valid_from: str | None = None,
    tags: Iterable[str] = (),
    files: Iterable[str] = (),
    entities: Iterable[str] = (),
    session: str | None = None,
    ref: str | None = None,
    pin: bool = False,
) -> int:
    """Keep something; the number of its memory. What is already known grows stronger instead.

    What an agent says is kept as its word, unless a sentence of the user in its session says it.
    """
    refuse_bare_secret(text)
    note = Note(
        text=text,
        type=type,
        scope=scope,
        valid_from=valid_from,
        tags=tuple(tags),
        files=tuple(files),
        entities=tuple(entities),
        session=session,
        ref=ref,
        pin=pin,
    )
    return _keep(nous, [_as_spoken(nous, note, project)], project)[0]


def remember_many(nous: Nous, rows: Iterable[Mapping[str, Any]], *, project: str | None = None) -> list[int]:
    """Keep many things in one transaction and embed them; their numbers. A row has the parameters of `remember`."""
    numbers = _keep(nous, [_as_spoken(nous, note, project) for note in as_notes(rows)], project)
    nous.embed()
    return numbers


def _as_spoken(nous: Nous, note: Note, project: str | None) -> Note:
    """A note as far as whoever speaks may say it."""
    if nous.speaker.kind != "agent":
        return note
    where = nous.project(project).id
    gate.require(nous.speaker, "remember", gate.Target(where))
    return as_agents_word(note, find_in_session(client_environment(), nous.speaker.place, note.text, where))


def _keep(nous: Nous, notes: Sequence[Note], project: str | None) -> list[int]:
    where = nous.project(project)
    notes = [_for_circle(nous, note, where.id) for note in notes]
    with nous.decision() as now:
        if not is_circle(where.id):
            projects.see(nous.stores.cache, nous.stores.projects, where, nous.settings.data_dir, now)
        numbers = keep(nous.stores, notes, where.id, nous.session_id, now)
    nous.changed.add(where.id)
    return numbers


def team(nous: Nous, name: str) -> str:
    """The circle of a team, by its name."""
    circle = TEAM + name.removeprefix(TEAM).strip()
    if circle not in nous.stores.circles.list_known():
        raise NotFound(f"there is no team {name!r}", hint="`nous admin team list` names them, `… add` makes one")
    return circle


def _for_circle(nous: Nous, note: Note, project_id: str) -> Note:
    """A note with the scope of its team or the organisation, where this device may write for them."""
    scope = scope_of(project_id)
    if scope == "project":
        if note.scope in WRITES:
            raise Misuse(f"say for which {note.scope}", hint=f"its project is {TEAM}NAME, or {ORGANISATION}")
        return note
    if project_id not in nous.stores.circles.list_known():
        raise NotFound(
            f"there is no {project_id} here", hint="`nous admin team list` names them, `nous admin sync` asks"
        )
    if project_id not in nous.stores.circles.list_writable():
        raise Forbidden(f"only who has the right {WRITES[scope]} writes for {project_id}")
    return msgspec.structs.replace(note, scope=scope)


def correct(nous: Nous, memory_id: int, text: str) -> int:
    """Replace a memory by better words; the number of the new one. The old one keeps its history.

    What an agent says takes a sentence of the user in its session that means this memory. Where that is open, both are
    kept, and the review asks.
    """
    old = nous.peek(memory_id)
    note, is_open = Note(text=text, type=old.type, scope=old.scope, files=old.files, ref=old.ref), False
    if nous.speaker.kind == "agent":
        quote = find_change(nous, text, old)
        note = as_agents_word(note, quote)
        is_open = quote.is_open or note.scope != old.scope
        note = msgspec.structs.replace(note, ref=None, type="fact") if is_open else note
    with nous.decision():
        [new] = _keep(nous, [note], old.project_id)
        newer, older = nous.peek(new), nous.peek(memory_id)
        if new == memory_id or older.status != "active":
            return new
        if is_open:
            nous.mark([newer], "EdgeProposed", disagrees(older.learning_id), cause=newer.id)
        else:
            said = Superseded(superseded_by=newer.learning_id, reason="corrected by the user")
            nous.mark([older], "LearningSuperseded", said, cause=newer.id)
    return new
