"""What a person or an agent says of memories by hand: each is one decision, written to the log."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from nous.core.events import Archived, Contested, EventType, Payload, Superseded, Writer, make_event
from nous.core.evolve import standing
from nous.core.memory import Memory
from nous.core.outcome import Outcome, OutcomeSignal
from nous.core.sharing import ORGANISATION, TEAM, WRITES, is_circle, scope_of
from nous.core.types import Scope
from nous.errors import Forbidden, Misuse, NotFound, NousError
from nous.kernel import gate
from nous.remember import projects
from nous.remember.by_hand import (
    BY_HAND,
    WORDS,
    Note,
    as_agents_word,
    as_notes,
    discreet,
    keep,
    nameless,
    refuse_bare_secret,
)
from nous.remember.learn import BY_PERSON
from nous.remember.projection import catch_up
from nous.remember.reinforce import SAID, record
from nous.remember.witness import UserQuote, find_in_session, find_wish_to_forget

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
    return _keep(nous, [_spoken(nous, note, project)], project)[0]


def remember_many(nous: Nous, rows: Iterable[Mapping[str, Any]], *, project: str | None = None) -> list[int]:
    """Keep many things in one transaction and embed them; their numbers. A row has the parameters of `remember`."""
    numbers = _keep(nous, [_spoken(nous, note, project) for note in as_notes(rows)], project)
    nous.embed()
    return numbers


def _spoken(nous: Nous, note: Note, project: str | None) -> Note:
    """A note as far as whoever speaks may say it."""
    if nous.speaker.kind != "agent":
        return note
    where = nous.project(project).id
    gate.require(nous.speaker, "remember", gate.Target(where))
    return as_agents_word(note, find_in_session(os.environ, nous.speaker.place, note.text, where))


def _keep(nous: Nous, notes: Sequence[Note], project: str | None) -> list[int]:
    where = nous.project(project)
    notes = [_for_circle(nous, note, where.id) for note in notes]
    with nous.decision() as now:
        if not is_circle(where.id):
            projects.see(nous.stores, where, nous.settings.data_dir, now)
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


def forget(nous: Nous, memory_id: int, reason: str = "forgotten by the user") -> bool:
    """Take a memory out of use; whether a person had not done so before. Its history stays; `purge` destroys."""
    _require_quote(nous, lambda: _asked_to_forget(nous, nous.peek(memory_id)), f"nous forget {memory_id}")
    memory = nous.peek(memory_id)
    if memory.status == "archived":
        told = standing(nous.stores.events.of_learning(memory.learning_id))
        if [one.source for one in told if isinstance(one.payload, Archived)][-1:] == [BY_PERSON]:
            return False
    nous.mark([nous.peek(memory_id)], "LearningArchived", Archived(reason=reason))
    return True


def _asked_to_forget(nous: Nous, memory: Memory) -> UserQuote:
    _own(nous, memory)
    return find_wish_to_forget(os.environ, nous.speaker.place, memory.id, memory.content)


def _require_quote(nous: Nous, quote: Callable[[], UserQuote], command: str) -> None:
    """Refuse an agent what the user did not ask for in its session."""
    if nous.speaker.kind == "agent" and not quote().sentence:
        hint = f"they can, in a terminal outside the session: {command}"
        raise Forbidden("the user did not say this in this session", hint=hint)


def _said(nous: Nous, text: str, memory: Memory) -> UserQuote:
    _own(nous, memory)
    return find_in_session(os.environ, nous.speaker.place, text)


def _own(nous: Nous, memory: Memory) -> None:
    """Hide from an agent what belongs to another project than the one it works in."""
    here = nous.project(nous.speaker.place).id
    if memory.project_id not in (here, *nous.stores.circles.of_project(here)) and memory.scope != "global":
        raise NotFound(f"there is no memory #{memory.id}")


def pin(nous: Nous, memory_id: int) -> None:
    """Always show a memory, and never let it fade."""
    memory = nous.peek(memory_id)
    seen, heir = {memory.learning_id}, memory
    while heir.superseded_by and heir.superseded_by not in seen:  # to the last of those that took its place
        seen.add(heir.superseded_by)
        heir = nous.stores.memories.by_learning([heir.superseded_by]).get(heir.superseded_by, heir)
    if memory.status == "superseded":
        raise NousError(f"memory #{memory_id} was replaced by #{heir.id}", hint=f"`nous pin {heir.id}`")
    if memory.status == "archived":
        raise NousError(f"memory #{memory_id} is out of use", hint="`nous remember` its words again, or `nous undo`")
    nous.mark([nous.peek(memory_id)], "LearningPinned", Payload())


def unpin(nous: Nous, memory_id: int) -> None:
    """Show a memory only when it is called for, and let it fade like any other."""
    nous.mark([nous.peek(memory_id)], "LearningUnpinned", Payload())


def restore(nous: Nous, memory_id: int, reason: str = "restored by the user") -> None:
    """Bring back a memory that was forgotten or has faded."""
    memory = nous.peek(memory_id)
    if memory.status == "superseded":
        raise NousError(f"memory #{memory_id} was replaced", hint="undo what replaced it, or correct its successor")
    if memory.status == "archived":
        nous.mark([nous.peek(memory_id)], "LearningRestored", Payload(reason=reason))


def confirm(nous: Nous, memory_id: int) -> None:
    """Say that a memory is true; it is protected from fading."""
    memory = nous.peek(memory_id)
    _require_quote(nous, lambda: _said(nous, memory.content, memory), f"nous confirm {memory_id}")
    nous.mark([nous.peek(memory_id)], "LearningConfirmed", Payload())


def dispute(nous: Nous, memory_id: int, reason: str = "disputed by the user") -> None:
    """Say that a memory may be wrong; it is no longer shown unasked until somebody decides.

    Where a team discusses (`disputes`), it is shown meanwhile, less sure and with a badge, and this is one more
    remark about it.
    """
    if nous.settings.serve_hub or nous.settings.disputes == "discuss":
        nous.mark([nous.peek(memory_id)], "LearningContested", Contested(reason=reason, author=nous.author))
    else:
        nous.mark([nous.peek(memory_id)], "LearningDisputed", Payload(reason=reason))


def correct(nous: Nous, memory_id: int, text: str) -> int:
    """Replace a memory by better words; the number of the new one. The old one keeps its history."""
    old = nous.peek(memory_id)
    _require_quote(nous, lambda: _said(nous, text, old), f"nous correct {memory_id} TEXT")
    note = Note(text=text, type=old.type, scope=old.scope, files=old.files, ref=old.ref)
    with nous.decision():
        [new] = _keep(nous, [note], old.project_id)
        if new != memory_id:
            newer = nous.peek(new)
            if nous.peek(memory_id).status == "active":
                said = Superseded(superseded_by=newer.learning_id, reason="corrected by the user")
                nous.mark([nous.peek(memory_id)], "LearningSuperseded", said, cause=newer.id)
    return new


def mark(
    nous: Nous,
    memories: Sequence[Memory],
    event_type: EventType,
    payload: Payload,
    cause: int | None = None,
    source: str = BY_PERSON,
) -> Sequence[int | None]:
    """Append one event by hand to each of some memories, as one decision; the events' numbers."""
    payload = discreet(payload, WORDS)
    with nous.decision() as now:
        events = [
            make_event(
                event_type,
                memory.learning_id,
                payload,
                f"{BY_HAND}:{event_type}:{memory.learning_id}:{memory.version}",
                project_id=memory.project_id,
                by=Writer(nous.session_id, source),
                at=now,
                cause=cause,
            )
            for memory in memories
        ]
        numbers = nous.stores.events.append(events, now)
        catch_up(nous.stores, now)
    nous.changed.update(memory.project_id for memory in memories)
    return numbers


def feedback(nous: Nous, memory_id: int, signal: OutcomeSignal, *, session: str | None = None) -> bool:
    """Say what came of a memory; False when the session had said so before."""
    memory = nous.peek(memory_id)
    outcome = Outcome(signal, SAID[signal])
    with nous.decision() as now:
        counted = record(nous.stores, memory, outcome, nameless(_counted_session(nous, session)), now)
        catch_up(nous.stores, now)
    nous.changed.add(memory.project_id)
    return counted


def _counted_session(nous: Nous, session: str | None) -> str:
    """The session that an outcome counts once in: an agent cannot choose another than its own."""
    if nous.speaker.kind == "agent":
        return os.environ.get("CLAUDE_CODE_SESSION_ID") or f"agent-{nous.project(nous.speaker.place).id}"
    return session or nous.session_id
