"""What somebody tells Nous directly: one note or many, in one transaction.

A note with a `ref` is the caller's own: the same ref and words are the same memory, the same ref with other words
replaces it, a new ref is always a new memory. A note without one is compared with everything known, like anything
learned.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from nous import moments
from nous.errors import NousError
from nous.kernel.learn.discretion import BY_HAND, redact_payload
from nous.kernel.learn.introduce import AGENT, Origin, event, introduction, next_clock
from nous.kernel.learn.learn import take_up
from nous.kernel.learn.story import with_description, with_names
from nous.kernel.learn.witness import UserQuote
from nous.kernel.log.clocks import tick
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import Event, Superseded
from nous.kernel.log.extraction import MAX_CONTENT, EdgeProposal, Learning, Rejection, check
from nous.kernel.memory.memories import Memories
from nous.kernel.memory.packet_cache import Cache
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores
from nous.kernel.types import TYPES, Scope
from nous.language.until import find_expiry, is_for_a_time
from nous.redact import redact_text

LONGEST = 8000
LONGEST_CODE = 64_000  # of one function or class, which is never split
SURE = 0.95
BY_AGENT = "by-agent"
AGENTS_WORD = 0.6  # what an assistant says of its own accord
USERS_TYPES = ("preference", "requirement", "decision")  # what only the user can say for themselves
AT_ONCE = 1000

Clocks = dict[str, dict[str, int]]


class Note(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something to keep, and what is known of it. `by_agent`: an assistant asks for it; `doubted`: to be reviewed."""

    text: str
    type: str = "fact"
    scope: Scope = "project"
    valid_from: str | None = None
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    session: str | None = None
    ref: str | None = None
    pin: bool = False
    by_agent: bool = False
    doubted: bool = False
    symbols: tuple[str, ...] = ()
    edges: tuple[EdgeProposal, ...] = ()


def as_agents_word(note: Note, quote: UserQuote) -> Note:
    """A note as far as an agent may speak: the user's if their own sentence says it, else its own, for its project."""
    if quote.sentence:
        reach: Scope = note.scope if note.scope != "global" or quote.is_everywhere else "project"
        return msgspec.structs.replace(note, scope=reach, pin=False)
    type_ = "fact" if note.type in USERS_TYPES else note.type
    doubted = bool(quote.doubt)
    return msgspec.structs.replace(
        note, type=type_, scope="project", pin=False, ref=None, by_agent=True, doubted=doubted
    )


class RefHolder(msgspec.Struct, frozen=True):
    """The memory that holds a ref now."""

    id: int
    learning_id: str
    content: str


def as_notes(rows: Iterable[Mapping[str, Any]]) -> list[Note]:
    """Notes from plain rows; what does not fit is named in the error."""
    try:
        return [msgspec.convert(dict(row), Note, strict=False) for row in rows]
    except msgspec.ValidationError as wrong:
        raise NousError(f"a row does not fit: {wrong}") from None


def keep(
    stores: Stores,
    notes: Sequence[Note],
    project_id: str,
    session_id: str,
    now: str,
) -> list[int]:
    """The memory numbers of the notes, in order. All of them are kept, or none."""
    notes = [redact_payload(note) for note in notes]
    learnings = [_learning(note, session_id) for note in notes]
    with stores.db.transaction():
        catch_up(stores, now)
        numbers: list[int] = [0] * len(notes)
        own = [at for at, note in enumerate(notes) if note.ref is not None]
        for start in range(0, len(own), AT_ONCE):
            chosen = own[start : start + AT_ONCE]
            kept = _keep_own(stores, [(notes[at], learnings[at]) for at in chosen], project_id, session_id, now)
            for at, number in zip(chosen, kept, strict=True):
                numbers[at] = number
        for at, note in enumerate(notes):
            if note.ref is None:
                numbers[at] = _keep_compared(stores, note, learnings[at], project_id, session_id, now)
    return numbers


# The words of a payload; the rest are ids, and what undoing needs to the byte.


def _learning(note: Note, session_id: str) -> Learning:
    """The note as a learning that keeps the contract; a person may say more at once than an extractor."""
    if note.type not in TYPES:
        raise NousError(f"unknown type {note.type!r}", hint="one of " + ", ".join(sorted(TYPES)))
    is_code = note.type == "code"  # the only thing that is kept with its lines
    clean = note.text if is_code else redact_text(" ".join(note.text.split()))[0]
    if len(clean) > (longest := LONGEST_CODE if is_code else LONGEST):
        raise NousError(f"this cannot be kept: longer than {longest} characters")
    learning = Learning(
        content=clean,
        type=note.type,
        evidence=(f"{note.session or session_id}:{uuid.uuid4()}",),
        confidence=AGENTS_WORD if note.by_agent else SURE,
        tainted=note.doubted,
        scope=note.scope,
        files=note.files,
        entities=tuple(" ".join(name.split()) for name in note.entities),
        symbols=note.symbols,
        edges=note.edges,
    )
    short = " ".join(clean.split())[:MAX_CONTENT]
    if isinstance(refused := check(msgspec.structs.replace(learning, content=short)), Rejection):
        raise NousError(f"this cannot be kept: {refused.reason}")
    if is_code:
        return learning  # names and relations are for prose
    return with_names(learning) if note.ref is not None else with_description(learning)


def _origin(cache: Cache, note: Note, project_id: str, session_id: str, now: str) -> Origin:
    moment = moments.parse(note.valid_from, now) if note.valid_from else now
    place = cache.root(project_id) if note.files else ""
    source, teller = (AGENT, BY_AGENT) if note.by_agent else ("user_review", BY_HAND)
    return Origin(project_id, note.session or session_id, source, moment, teller, place=place)


def _keep_compared(stores: Stores, note: Note, learning: Learning, project_id: str, session_id: str, now: str) -> int:
    """Keep a note like anything learned: what is already known grows stronger instead."""
    origin = _origin(stores.cache, note, project_id, session_id, now)
    if is_for_a_time(learning.content) and (expiry := find_expiry(learning.content, origin.valid_from)):
        learning = msgspec.structs.replace(learning, valid_until=expiry.moment)
    extra = {"tags": note.tags, "pinned": note.pin}
    _, event_id = take_up(stores, learning, origin, f"{BY_HAND}:{learning.evidence[0]}", now, extra)
    learned = stores.events.get(event_id)
    found = stores.memories.by_learning([learned.learning_id]) if learned else {}
    return next((memory.id for memory in found.values()), event_id)


def _keep_own(
    stores: Stores, rows: Sequence[tuple[Note, Learning]], project_id: str, session_id: str, now: str
) -> list[int]:
    """Keep notes with refs: two appends and one projection for all of them."""
    holders = _holders(stores.memories, {note.ref for note, _ in rows if note.ref}, project_id)
    clocks: dict[str, dict[str, int]] = {}
    born: list[Event] = []
    places: list[int | str] = []  # a memory's number, or the learning that will get one
    ends: list[tuple[Note, str, str]] = []
    for note, learning in rows:
        assert note.ref is not None
        holder = holders.get(note.ref)
        if holder and holder.content == learning.content:
            places.append(holder.id or holder.learning_id)
            continue
        event = _born(stores.events, note, learning, _origin(stores.cache, note, project_id, session_id, now), clocks)
        born.append(event)
        places.append(event.learning_id)
        if holder:
            ends.append((note, holder.learning_id, event.learning_id))
        holders[note.ref] = RefHolder(0, event.learning_id, learning.content)
    given = stores.events.append(born, now)
    numbers = {event.learning_id: number or 0 for event, number in zip(born, given, strict=True)}
    stores.events.append(
        [
            _end(
                stores.events, old, new, _origin(stores.cache, note, project_id, session_id, now), clocks, numbers[new]
            )
            for note, old, new in ends
        ],
        now,
    )
    catch_up(stores, now)
    return [numbers[place] if isinstance(place, str) else place for place in places]


def _holders(memories: Memories, refs: set[str], project_id: str) -> dict[str, RefHolder]:
    found = memories.by_refs(refs, project_id)
    return {ref: RefHolder(memory.id, memory.learning_id, memory.content) for ref, memory in found.items()}


def _born(events: Events, note: Note, learning: Learning, origin: Origin, clocks: Clocks) -> Event:
    key = f"{BY_HAND}:{learning.evidence[0]}"
    clock = _tick(events, origin.session_id, clocks)
    return introduction(learning, origin, key, clock, tags=note.tags, ref=note.ref, pinned=note.pin)


def _end(events: Events, old: str, new: str, origin: Origin, clocks: Clocks, parent: int) -> Event:
    said = Superseded(superseded_by=new, reason="the same ref with other words")
    clock = _tick(events, origin.session_id, clocks)
    key = f"{BY_HAND}:superseded:{old}:{new}"
    return event(origin, old, "LearningSuperseded", key, said, clock, cause=parent)


def _tick(events: Events, session: str, clocks: Clocks) -> dict[str, int]:
    """The clock of a session's next event; what a session knew is asked once for a whole batch."""
    clocks[session] = tick(clocks[session], session) if session in clocks else next_clock(events, session)
    return clocks[session]
