"""Reading kept sessions again with another extractor, and what that means for what the old one had found.

Nothing is overwritten. What is now said differently supersedes the old wording, what is no longer found grows weaker,
and every such event names the one it follows from, so that the log shows both readings and how they hang together.
By itself an upgrade reads nothing again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import msgspec

from nous.config import Settings
from nous.features.rules_reader.extractor import EXTRACTOR_VERSION, extract
from nous.kernel.capture.transcript import Turn
from nous.kernel.db.database import EVERY
from nous.kernel.learn.introduce import Origin, introduction, next_clock
from nous.kernel.learn.learn import candidates, find_by_words, part_of, take_up
from nous.kernel.learn.relearn import judge
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import (
    Archived,
    Event,
    EventType,
    RulesApplied,
    Source,
    Superseded,
    Weakened,
    Writer,
    extraction_key,
    learning_index,
    make_event,
)
from nous.kernel.log.extraction import Learning, Rejection
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Row, Stores
from nous.language.likeness import jaccard, tokens

if TYPE_CHECKING:
    from nous.kernel.capture.transcripts import Transcripts
    from nous.kernel.stores import Memories, ReadSessions

SOURCE: Source = "historical_backfill"
LOST_DELTA = -0.2

ChangeKind = Literal["same", "replaced", "weakened", "dropped", "new", "kept"]


class Reader(Protocol):
    """An extractor of one version that reads a whole session; None when it cannot read it now."""

    version: str

    def read(self, session_id: str, project_id: str, turns: Sequence[Turn]) -> list[Learning | Rejection] | None: ...


class RuleReader:
    """The deterministic extractor."""

    version = EXTRACTOR_VERSION

    def read(self, session_id: str, project_id: str, turns: Sequence[Turn]) -> list[Learning | Rejection]:
        """What each file of the session teaches: its own transcript and those of its agents."""
        files: dict[str, list[Turn]] = {}
        for turn in turns:
            files.setdefault(turn.agent_id, []).append(turn)
        found: list[Learning | Rejection] = []
        for said in files.values():
            before = [turn for turn in said if turn.inherited]
            found += extract([*before, *(turn for turn in said if not turn.inherited)], new_from=len(before))
        return found


class RereadChange(NamedTuple):
    """What another reading does to one memory (None: it was not known) or adds (None: it is no longer found)."""

    kind: ChangeKind
    session_id: str
    old: Memory | None
    new: Learning | None


class Rereading(NamedTuple):
    """What was read again and what it changed."""

    sessions: int
    unread: int
    changes: list[RereadChange]
    versions: dict[str, int]

    def count(self, kind: ChangeKind) -> int:
        return sum(change.kind == kind for change in self.changes)


def reextract(
    stores: Stores,
    reader: Reader,
    clock: Callable[[], str],
    *,
    since: str | None = None,
    from_version: str | None = None,
    project_id: str | None = None,
    dry_run: bool = False,
) -> Rereading:
    """Read kept sessions again and write what changed.

    Only what an extractor of `from_version` wrote is touched; unless it is given, other versions of the same family.
    What is no longer found grows weaker.
    Each session is one transaction. Run twice, it changes nothing the second time.
    """
    catch_up(stores, clock())
    changes: list[RereadChange] = []
    sessions = unread = 0
    versions: Counter[str] = Counter()
    for row in _sessions(stores.transcripts, since, project_id):
        known = _known_memories(stores.events, stores.memories, row["session_id"])
        versions.update(memory.extractor for memory in known if memory.status == "active")
        found = _read_again(stores.read_sessions, stores.transcripts, reader, row)
        if found is None:
            unread += 1
            continue
        sessions += 1
        mine = [memory for memory in known if _is_meant(memory, reader.version, from_version)]
        compared = _compare_reading(stores.events, stores.memories, reader.version, row, found, mine, known, "weakened")
        changes += compared if dry_run else _apply(stores, row, compared, reader.version, clock())
    return Rereading(sessions, unread, changes, dict(versions))


def _read_again(
    read_sessions: ReadSessions, transcripts: Transcripts, reader: Reader, row: Row
) -> list[Learning | Rejection] | None:
    """What a reader finds in a kept session; None when it is not kept, or a model has read it: no rule knows better."""
    turns = list(transcripts.turns(row["session_id"], inherited=True))
    is_read = read_sessions.get(row["session_id"]) is not None
    return reader.read(row["session_id"], row["project_id"], turns) if turns and not is_read else None


def _compare_reading(
    log: Events,
    memories: Memories,
    version: str,
    row: Row,
    found: Sequence[Learning | Rejection],
    mine: Sequence[Memory],
    known: Sequence[Memory],
    lost: ChangeKind,
) -> list[RereadChange]:
    """What a new reading changes."""
    changes = compare(row["session_id"], found, mine, known, lost)
    return [_settle_change(log, memories, change, row, version) for change in changes]


def retire_outdated(stores: Stores, reader: Reader, row: Row, clock: Callable[[], str]) -> list[RereadChange]:
    """Take out of use, or reword, what older rules kept of a session and these would not; nothing is added.

    What a person taught, pinned, confirmed or edited stays, and so does what is not of the rules' making. One
    `RulesApplied` event of the project is the cause of all of it.
    """
    known = _known_memories(stores.events, stores.memories, row["session_id"])
    mine = [memory for memory in known if memory.status == "active" and _is_meant(memory, reader.version, None)]
    found = _read_again(stores.read_sessions, stores.transcripts, reader, row) if mine else None
    if found is None:
        return []
    compared = _compare_reading(stores.events, stores.memories, reader.version, row, found, mine, known, "dropped")
    wanted = [change for change in compared if _is_outdated(stores.events, stores.transcripts, reader, change)]
    if not wanted:
        return []
    now = clock()
    with stores.db.transaction():
        return _apply(
            stores, row, wanted, reader.version, now, _application_event(stores.events, row["project_id"], reader, now)
        )


def _is_outdated(log: Events, transcripts: Transcripts, reader: Reader, change: RereadChange) -> bool:
    """Whether a change retires or rewords a memory about which no person decided and that no other session says."""
    if change.old is None or change.kind not in ("dropped", "replaced"):
        return False
    events = log.of_learning(change.old.learning_id)
    if any(event.source == "user_review" for event in events):
        return False
    others = {event.session_id for event in events} - {change.session_id}
    return change.kind == "replaced" or not any(_is_said_in(transcripts, reader, change.old, other) for other in others)


def _is_said_in(transcripts: Transcripts, reader: Reader, memory: Memory, session_id: str) -> bool:
    """Whether a reader finds a memory in a kept session."""
    turns = list(transcripts.turns(session_id, inherited=True))
    found = reader.read(session_id, memory.project_id, turns) if turns else None
    return any(_counterpart(one, [memory]) is not None for one in found or () if isinstance(one, Learning))


def _application_event(events: Events, project_id: str, reader: Reader, now: str) -> int:
    """The event that is the cause of everything a version of the rules does to a project's older memories."""
    key = f"rules:{reader.version}:{project_id}"
    by = Writer("upgrade", SOURCE)
    said = RulesApplied(version=reader.version)
    event = make_event("RulesApplied", project_id, said, key, project_id=project_id, by=by)
    [number] = events.append([event], now)
    return number or next(one.event_id for one in events.of_learning(project_id) if one.idempotency_key == key)


def _settle_change(log: Events, memories: Memories, change: RereadChange, row: Row, version: str) -> RereadChange:
    """The change, unless it was made before: by an earlier run, or when another session had taught the same."""
    if change.kind in ("weakened", "dropped") and change.old:
        events = log.of_learning(change.old.learning_id)
        done = any(event.idempotency_key == effect_key(change.old, change.kind, version) for event in events)
        return change._replace(kind="kept") if done else change
    if change.kind != "new" or change.new is None:
        return change
    origin = _origin(row, change.new, version)
    new, alike = change.new, find_by_words(memories, change.new.content, origin.project_id)
    verdict = judge(new, origin.valid_from, candidates(memories, new, origin.project_id, alike))
    repeats = verdict.repeats or part_of(memories, new, origin.valid_from, alike)
    memory = next(iter(memories.by_id([repeats])), None) if repeats else None
    told = memory is not None and set(change.new.evidence) <= set(memory.evidence)
    return change._replace(kind="same", old=memory) if told else change


def _origin(row: Row, learning: Learning, version: str) -> Origin:
    begins = learning.valid_from or row["last_at"]
    return Origin(row["project_id"], row["session_id"], SOURCE, begins, version, place=row["cwd"] or "")


def _sessions(transcripts: Transcripts, since: str | None, project_id: str | None) -> list[Row]:
    """Sessions that went on since a moment, oldest first, so that what was said later can replace what came before."""
    rows = transcripts.sessions(project_id, EVERY)
    return [row for row in reversed(rows) if since is None or row["last_at"] >= since]


def _known_memories(log: Events, memories: Memories, session_id: str) -> list[Memory]:
    found = memories.by_learning(log.of_session(session_id))
    return sorted(found.values(), key=lambda memory: memory.id)


# Readers without a model: what they made of a session, its reading replaces.
BY_RULES = frozenset({"rules", "observer", "consolidate"})


def family(version: str) -> str:
    """What kind of extractor a version belongs to: `rules-2` to `rules`, `extract@1a2b/claude:haiku` to `extract`."""
    return version.replace("@", "-").split("-")[0]


def is_version(extractor: str, named: str) -> bool:
    """Whether an extractor is the named version, or the named prompt whoever answered; `rules-1` is not `rules-12`."""
    return extractor == named or extractor.startswith(f"{named}/")


def _is_meant(memory: Memory, version: str, from_version: str | None) -> bool:
    if memory.extractor == version:
        return False
    if from_version is not None:
        return is_version(memory.extractor, from_version)
    return family(memory.extractor) == family(version)


# -- comparing ------------------------------------------------------------------------------------------------------


def compare(
    session_id: str,
    found: Iterable[Learning | Rejection],
    mine: Sequence[Memory],
    known: Sequence[Memory],
    lost: ChangeKind = "weakened",
) -> Iterator[RereadChange]:
    """How a new reading of a session stands to the old one. `mine` may change; `known` is all that the session taught.

    What the user took out of use, pinned or confirmed stays as it is, and what another extractor found is left alone.
    """
    matched: set[int] = set()
    for learning in found:
        if isinstance(learning, Rejection):
            continue
        old = _counterpart(learning, [memory for memory in known if memory.id not in matched])
        if old is not None:
            matched.add(old.id)
        yield RereadChange(_kind(learning, old, mine), session_id, old, learning)
    for memory in mine:
        if memory.id not in matched and memory.status == "active":
            yield RereadChange("kept" if memory.pinned or memory.confirmed else lost, session_id, memory, None)


def _kind(learning: Learning, old: Memory | None, mine: Sequence[Memory]) -> ChangeKind:
    if old is None:
        return "new"
    if _says_the_same(learning, old):
        return "same"
    if old not in mine or old.status != "active" or old.pinned or old.confirmed:
        return "kept"
    return "replaced"


def _counterpart(learning: Learning, known: Sequence[Memory]) -> Memory | None:
    """The memory that the same records taught before: the same words first, then the likeliest."""
    same = next((memory for memory in known if memory.content == learning.content), None)
    if same is not None:
        return same
    near = [memory for memory in known if set(learning.evidence) & set(memory.evidence)]
    likeness = {memory.id: jaccard(tokens(learning.content), tokens(memory.content)) for memory in near}
    near = [memory for memory in near if likeness[memory.id] >= 0.2 or (learning.slot and learning.slot == memory.slot)]
    return max(near, key=lambda memory: (likeness[memory.id], -memory.id), default=None)


def _says_the_same(learning: Learning, old: Memory) -> bool:
    if old.scope == "global" and learning.scope == "project":  # told to every project, and meant for one
        return False
    if learning.content == old.content:
        return True
    alive = msgspec.structs.replace(old, status="active")
    return judge(learning, learning.valid_from or "", [alive]).repeats is not None and learning.type == old.type


# -- writing --------------------------------------------------------------------------------------------------------


def _apply(
    stores: Stores,
    row: Row,
    changes: Sequence[RereadChange],
    version: str,
    now: str,
    cause: int | None = None,
) -> list[RereadChange]:
    """Everything a session's new reading means, in one transaction; the changes as they came out.

    What was found for the first time and stores nothing is the same: an earlier run had written it.
    """
    counted: Counter[str] = Counter()
    made: list[RereadChange] = []
    with stores.db.transaction():
        for change in changes:
            if change.new is None:
                _weaken(stores.events, change, version, now, cause)
                made.append(change)
                continue
            deciding = change.new.evidence[-1]
            index = learning_index(deciding, counted[deciding])
            counted[deciding] += 1
            before = stores.events.last_id()
            _take(stores, change, change.new, _origin(row, change.new, version), index, now, cause)
            is_told = change.kind == "new" and stores.events.last_id() == before
            made.append(change._replace(kind="same") if is_told else change)
        catch_up(stores, now)
    return made


def _take(
    stores: Stores,
    change: RereadChange,
    learning: Learning,
    origin: Origin,
    index: int,
    now: str,
    cause: int | None,
) -> None:
    key = extraction_key(origin.project_id, origin.session_id, index, origin.extractor)
    number = 0
    if change.kind == "replaced" and change.old:
        number = _replace(stores.events, change.old, learning, origin, key, now, cause)
    elif change.kind == "new":
        _, number = take_up(stores, learning, origin, key, now)
    if number:
        stores.extractions.mark(origin.project_id, origin.session_id, index, number, origin.extractor, now)


def _replace(
    events: Events, old: Memory, learning: Learning, origin: Origin, key: str, now: str, cause: int | None
) -> int:
    """The new wording follows from the old (or from what caused all of it), and the old is superseded by it."""
    why = f"{origin.extractor} reads it so, {old.extractor} read #{old.id}"
    new = introduction(learning, origin, key, next_clock(events, origin.session_id), cause=cause or old.id, reason=why)
    [number] = events.append([new], now)
    if number is None:
        return 0
    said = Superseded(superseded_by=new.learning_id, reason=f"read again with {origin.extractor}")
    events.append([_effect(old, "superseded", said, number, origin.extractor, origin.valid_from)], now)
    return number


def _weaken(events: Events, change: RereadChange, version: str, now: str, cause: int | None) -> None:
    if change.old is None or change.kind not in EFFECTS:
        return
    why = f"{version} no longer finds it"
    said = Archived(reason=why) if change.kind == "dropped" else Weakened(reinforcement_delta=LOST_DELTA, reason=why)
    events.append([_effect(change.old, change.kind, said, cause or change.old.id, version, now)], now)


EFFECTS: dict[str, EventType] = {
    "superseded": "LearningSuperseded",
    "weakened": "LearningWeakened",
    "dropped": "LearningArchived",
}


def effect_key(old: Memory, what: str, version: str) -> str:
    """One version does one thing to one memory, once."""
    return f"reextract:{version}:{what}:{old.learning_id}"


def _effect(old: Memory, what: str, said: Superseded | Weakened | Archived, cause: int, version: str, at: str) -> Event:
    by = Writer(old.session_id, SOURCE)
    key = effect_key(old, what, version)
    return make_event(EFFECTS[what], old.learning_id, said, key, project_id=old.project_id, by=by, at=at, cause=cause)


# -- by itself ------------------------------------------------------------------------------------------------------


def after_upgrade(stores: Stores, settings: Settings, clock: Callable[[], str]) -> Rereading | None:
    """Read everything again when the rules changed, if the user asked for that beforehand; else nothing."""
    if not settings.reextract_on_version_change:
        return None
    return reextract(stores, RuleReader(), clock)
