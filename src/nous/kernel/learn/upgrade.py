"""After an upgrade: what older rules had kept and today's would not is retired once, in the background.

It goes session by session, oldest first, a little at a time, and goes on where it stopped. Nothing is erased: every
retirement is an event, and all of a project's hang on one `RulesApplied` event, which `nous undo` takes back.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from nous.kernel.db.database import EVERY, Row
from nous.kernel.log.events import (
    Archived,
    Event,
    EventType,
    RulesApplied,
    Source,
    Superseded,
    Writer,
    extraction_key,
    learning_index,
    make_event,
)
from nous.kernel.log.extraction import EXTRACTOR_VERSION, Learning, Rejection, family

if TYPE_CHECKING:
    from nous.kernel.capture.transcript import Turn
    from nous.kernel.memory.memory import Memory
    from nous.kernel.stores import Events, Outcomes, Stores, Transcripts

STEP_SECONDS = 5.0  # how long one step works; the daemon does other things in between
SOURCE: Source = "historical_backfill"
ALIKE = 0.2  # the share of words from which on two readings of one record may be about the same


class UpgradeState(msgspec.Struct, frozen=True):
    """How far the rules of a version went through older memories; `until` is the last session, by its end and id."""

    version: str
    until: tuple[str, str] = ("", "")
    sessions: int = 0
    retired: int = 0
    reworded: int = 0
    projects: tuple[str, ...] = ()
    is_done: bool = False


class Reader(Protocol):
    """An extractor of one version that reads a whole session."""

    version: str

    def read(self, session_id: str, project_id: str, turns: Sequence[Turn]) -> list[Learning | Rejection]: ...


def upgrade_state(outcomes: Outcomes, version: str = EXTRACTOR_VERSION) -> UpgradeState | None:
    """How far it came; None when it has not begun."""
    row = outcomes.step(_step(version))
    try:
        return msgspec.json.decode(row["said"], type=UpgradeState) if row else None
    except msgspec.DecodeError:
        return None


def upgrade_report(log: Events, outcomes: Outcomes, project_id: str | None = None) -> dict[str, Any] | None:
    """How far today's rules went through older memories, when something came of it or it still goes on; else None.

    `events` take it back, those of one project or of all.
    """
    state, row = upgrade_state(outcomes), outcomes.step(_step(EXTRACTOR_VERSION))
    if state is None or row is None or (state.is_done and not state.projects):
        return None
    events = [
        event.event_id
        for project in state.projects
        if project_id in (None, project)
        for event in log.of_learning(project)
        if isinstance(event.payload, RulesApplied) and event.payload.version == state.version
    ]
    found: dict[str, Any] = {name: getattr(state, name) for name in ("version", "sessions", "retired", "reworded")}
    return found | {"done": state.is_done, "at": row["finished_at"], "events": events}


def _step(version: str) -> str:
    return f"upgrade to {version}"


def retire_old(
    stores: Stores,
    clock: Callable[[], str],
    reader: Reader,
    *,
    seconds: float = STEP_SECONDS,
    is_stopping: Callable[[], bool] = lambda: False,
    timer: Callable[[], float] = time.monotonic,
) -> UpgradeState:
    """Go through more sessions for so long, and say how far it came."""
    from nous.kernel.memory.projection import catch_up

    state = upgrade_state(stores.outcomes, reader.version) or UpgradeState(reader.version)
    if state.is_done:
        return state
    began = timer()
    catch_up(stores, clock())
    for row in _remaining(stores.transcripts, state):
        state = _after(state, row, retire_outdated(stores, reader, row, clock))
        _keep(stores.events, stores.outcomes, state, clock())
        if timer() - began > seconds or is_stopping():
            return state
    state = msgspec.structs.replace(state, is_done=True)
    _keep(stores.events, stores.outcomes, state, clock())
    return state


def _remaining(transcripts: Transcripts, state: UpgradeState) -> list[Row]:
    rows = sorted(transcripts.sessions(None, EVERY), key=_place)
    return [row for row in rows if _place(row) > state.until]


def _place(row: Row) -> tuple[str, str]:
    return row["last_at"], row["session_id"]


def _after(state: UpgradeState, row: Row, done: Sequence[Retirement]) -> UpgradeState:
    touched = {*state.projects, row["project_id"]} if done else set(state.projects)
    reworded = sum(one.new is not None for one in done)
    return msgspec.structs.replace(
        state,
        until=_place(row),
        sessions=state.sessions + 1,
        retired=state.retired + len(done) - reworded,
        reworded=state.reworded + reworded,
        projects=tuple(sorted(touched)),
    )


def _keep(log: Events, outcomes: Outcomes, state: UpgradeState, now: str) -> None:
    said = msgspec.json.encode(state).decode()
    outcomes.set_step(_step(state.version), log.last_id(), now, said)


# -- one session ----------------------------------------------------------------------------------------------------


class Retirement(NamedTuple):
    """A memory that today's rules would not keep, and what they say instead; None where they say nothing."""

    old: Memory
    new: Learning | None = None


def retire_outdated(stores: Stores, reader: Reader, row: Row, clock: Callable[[], str]) -> list[Retirement]:
    """Take out of use, or reword, what older rules kept of a session and these would not; nothing is added.

    What a person taught, pinned, confirmed or edited stays, so does what is not of the rules' making, and what a model
    has read: no rule knows better. One `RulesApplied` event of the project is the cause of all of it.
    """
    from nous.kernel.memory.projection import catch_up

    session_id, project_id = row["session_id"], row["project_id"]
    known = sorted(
        stores.memories.by_learning(stores.events.of_session(session_id)).values(), key=lambda memory: memory.id
    )
    mine = [memory for memory in known if _is_meant(memory, reader.version)]
    turns = list(stores.transcripts.turns(session_id, inherited=True)) if mine else []
    if not turns or stores.read_sessions.get(session_id) is not None:
        return []
    found = reader.read(session_id, project_id, turns)
    wanted = [
        one
        for one in compare(found, mine, known)
        if _is_outdated(stores.events, stores.transcripts, reader, one, session_id)
    ]
    if not wanted:
        return []
    counted: Counter[str] = Counter()
    now = clock()
    with stores.db.transaction():
        cause = _application_event(stores.events, project_id, reader, now)
        for old, new in wanted:
            if new is None:
                said = Archived(reason=f"{reader.version} no longer finds it")
                stores.events.append([_effect(old, "dropped", said, cause, reader.version, now)], now)
                continue
            index = learning_index(new.evidence[-1], counted[new.evidence[-1]])
            counted[new.evidence[-1]] += 1
            if number := _reword(stores.events, old, new, row, reader.version, index, cause, now):
                stores.extractions.mark(project_id, session_id, index, number, reader.version, now)
        catch_up(stores, now)
    return wanted


def _is_meant(memory: Memory, version: str) -> bool:
    """Whether another version of the same family kept it, and no person did."""
    is_older = memory.extractor != version and family(memory.extractor) == family(version)
    return is_older and memory.status == "active" and not memory.pinned and not memory.confirmed


def compare(
    found: Iterable[Learning | Rejection], mine: Sequence[Memory], known: Sequence[Memory]
) -> Iterator[Retirement]:
    """What of `mine` a new reading says otherwise or no longer says; `known` is all that the session taught."""
    matched: set[int] = set()
    for learning in found:
        if isinstance(learning, Rejection):
            continue
        old = _counterpart(learning, [memory for memory in known if memory.id not in matched])
        if old is None:
            continue
        matched.add(old.id)
        if old in mine and not _says_the_same(learning, old):
            yield Retirement(old, learning)
    yield from (Retirement(memory) for memory in mine if memory.id not in matched)


def _counterpart(learning: Learning, known: Sequence[Memory]) -> Memory | None:
    """The memory that the same records taught before: the same words first, then the likeliest."""
    from nous.language.likeness import jaccard, tokens

    same = next((memory for memory in known if memory.content == learning.content), None)
    if same is not None:
        return same
    near = [memory for memory in known if set(learning.evidence) & set(memory.evidence)]
    likeness = {memory.id: jaccard(tokens(learning.content), tokens(memory.content)) for memory in near}
    near = [
        memory for memory in near if likeness[memory.id] >= ALIKE or (learning.slot and learning.slot == memory.slot)
    ]
    return max(near, key=lambda memory: (likeness[memory.id], -memory.id), default=None)


def _says_the_same(learning: Learning, old: Memory) -> bool:
    from nous.kernel.learn.relearn import judge

    if old.scope == "global" and learning.scope == "project":  # told to every project, and meant for one
        return False
    if learning.content == old.content:
        return True
    return judge(learning, learning.valid_from or "", [old]).repeats is not None and learning.type == old.type


def _is_outdated(log: Events, transcripts: Transcripts, reader: Reader, one: Retirement, session_id: str) -> bool:
    """Whether no person decided about it, it was not retired before, and no other session says it."""
    events = log.of_learning(one.old.learning_id)
    if any(event.source == "user_review" for event in events):
        return False
    if one.new is not None:
        return True
    others = {event.session_id for event in events} - {session_id}
    was_dropped = any(event.idempotency_key == _effect_key(one.old, "dropped", reader.version) for event in events)
    return not was_dropped and not any(_is_said_in(transcripts, reader, one.old, other) for other in others)


def _is_said_in(transcripts: Transcripts, reader: Reader, memory: Memory, session_id: str) -> bool:
    """Whether a reader finds a memory in a kept session."""
    turns = list(transcripts.turns(session_id, inherited=True))
    found = reader.read(session_id, memory.project_id, turns) if turns else ()
    return any(_counterpart(one, [memory]) is not None for one in found if isinstance(one, Learning))


# -- its events -----------------------------------------------------------------------------------------------------


def _application_event(events: Events, project_id: str, reader: Reader, now: str) -> int:
    """The event that is the cause of everything a version of the rules does to a project's older memories."""
    key = f"rules:{reader.version}:{project_id}"
    said = RulesApplied(version=reader.version)
    by = Writer("upgrade", SOURCE)
    event = make_event("RulesApplied", project_id, said, key, project_id=project_id, by=by)
    [number] = events.append([event], now)
    return number or next(one.event_id for one in events.of_learning(project_id) if one.idempotency_key == key)


def _reword(
    events: Events, old: Memory, learning: Learning, row: Row, version: str, index: int, cause: int, now: str
) -> int:
    """The new wording, by which the old is superseded; 0 when that was done before."""
    from nous.kernel.learn.introduce import Origin, introduction, next_clock

    begins = learning.valid_from or row["last_at"]
    origin = Origin(row["project_id"], row["session_id"], SOURCE, begins, version, place=row["cwd"] or "")
    key = extraction_key(origin.project_id, origin.session_id, index, version)
    why = f"{version} reads it so, {old.extractor} read #{old.id}"
    clock = next_clock(events, origin.session_id)
    new = introduction(learning, origin, key, clock, cause=cause, reason=why)
    [number] = events.append([new], now)
    if number is None:
        return 0
    said = Superseded(superseded_by=new.learning_id, reason=f"read again with {version}")
    events.append([_effect(old, "superseded", said, number, version, begins)], now)
    return number


EFFECTS: dict[str, EventType] = {"superseded": "LearningSuperseded", "dropped": "LearningArchived"}


def _effect_key(old: Memory, what: str, version: str) -> str:
    """One version does one thing to one memory, once."""
    return f"reextract:{version}:{what}:{old.learning_id}"


def _effect(old: Memory, what: str, said: Superseded | Archived, cause: int, version: str, at: str) -> Event:
    key, by = _effect_key(old, what, version), Writer(old.session_id, SOURCE)
    return make_event(EFFECTS[what], old.learning_id, said, key, project_id=old.project_id, by=by, at=at, cause=cause)
