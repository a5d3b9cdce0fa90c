"""From queued turns to events: extract, compare with what is known, append, project, acknowledge.

One work unit is one transaction, so a crash leaves either all of it or nothing, and what is known cannot change between
the comparison and the append.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from nous.errors import NousError
from nous.kernel.capture.artifacts import decode_summary
from nous.kernel.capture.queue import LEASE_SECONDS, MAX_ATTEMPTS, Item
from nous.kernel.capture.session import texts_to_carry
from nous.kernel.capture.tail import places_of
from nous.kernel.capture.transcript import USER_KINDS, Turn
from nous.kernel.feature import features, resolve
from nous.kernel.learn import receipts
from nous.kernel.learn.bisect import bisect_failures, dry_run, is_resource_error, reason
from nous.kernel.learn.discretion import BY_PERSON
from nous.kernel.learn.held import find_unsure, is_held
from nous.kernel.learn.introduce import AGENT, Origin, event, introduction, next_clock
from nous.kernel.learn.rejections import Refusal
from nous.kernel.learn.relearn import DELTAS, Retelling, Retold, Standing, decide, judge
from nous.kernel.log.events import (
    Edge,
    Event,
    EventType,
    Extracted,
    Payload,
    Reinforced,
    Superseded,
    extraction_key,
    learning_index,
)
from nous.kernel.log.extraction import EXTRACTOR_VERSION, PROVEN, Learning, Rejection, check
from nous.kernel.memory.consolidation import EXTRACTOR
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.sharing import is_circle
from nous.language.compare.words import rivals_of
from nous.providers.words import word_likeness
from nous.redact import redact_text

if TYPE_CHECKING:
    from nous.kernel.capture.queue import Queue
    from nous.kernel.capture.records import Records
    from nous.kernel.learn.injections import Injections
    from nous.kernel.learn.rejections import Rejections
    from nous.kernel.memory.graph import Graph
    from nous.kernel.memory.memories import Memories
    from nous.kernel.stores import Events, Exchanges, Stores, Transcripts

log = logging.getLogger("nous")

REASONS: dict[Retold, str] = {
    "merge": "learned again",
    "boost": "learned again, often and with success",
    "flag": "learned again: showing it failed, or never happened",
    "reword": "learned again although it was shown: it may need other words",
}
CANDIDATES = 40
# What a session said before a unit is read with it, again for every unit, so it has to stay small.
CONTEXT_TURNS = 80
CONTEXT_CHARACTERS = 24_000
CARRIED_TURNS = 60  # of what others wrote and the session read before that
EARLIER_CHUNKS = 12

_turns = msgspec.json.Decoder(list[Turn])


class LeaseLost(NousError):
    """The lease was lost while the unit was worked on."""


class Learned(NamedTuple):
    """What learning one unit gave."""

    learned: int = 0
    repeated: int = 0
    superseded: int = 0
    rejected: int = 0
    failed: int = 0
    projects: frozenset[str] = frozenset()

    def plus(self, other: Learned) -> Learned:
        """Both together."""
        return Learned(
            self.learned + other.learned,
            self.repeated + other.repeated,
            self.superseded + other.superseded,
            self.rejected + other.rejected,
            self.failed + other.failed,
            self.projects | other.projects,
        )


class WorkerOptions(NamedTuple):
    """How a worker works: tries before it gives up, whether transcripts are kept, how it reaches the store again.

    `reopen` gives the heartbeat a connection of its own; without it a unit must be done within one lease.
    """

    max_attempts: int = MAX_ATTEMPTS
    keep_transcripts: bool = True
    reopen: Callable[[], Stores] | None = None


def learn_next(
    stores: Stores, worker: str, clock: Callable[[], str], options: WorkerOptions = WorkerOptions()
) -> Learned | None:
    """Work on the next unit of the queue; None when nothing is due."""
    item = stores.queue.claim(worker, clock())
    if item is None:
        return None
    try:
        with beating(item, worker, clock, options.reopen):
            unit = _read_unit(stores.queue, stores.transcripts, item)
        return _take_up(stores, item, unit, worker, clock, options)
    except Exception as problem:
        if is_resource_error(problem) or isinstance(problem, LeaseLost):
            return _note_failure(stores.queue, item, worker, clock, problem, options.max_attempts)
        log.warning("a unit of %s fails, looking for the record: %r", item.transcript_path, problem)
    try:
        with beating(item, worker, clock, options.reopen):
            unit, aside = _narrow_unit(stores, item, worker, clock, options)
        with stores.db.transaction():
            _put_aside(stores.records, item, aside, clock())
            return _take_up(stores, item, unit, worker, clock, options)
    except Exception as problem:  # no record is to blame, or too many are
        return _note_failure(stores.queue, item, worker, clock, problem, options.max_attempts)


def _note_failure(
    queue: Queue, item: Item, worker: str, clock: Callable[[], str], problem: Exception, max_attempts: int
) -> Learned:
    queue.fail(item.ingest_id, worker, reason(problem), clock(), item.retry_count, max_attempts)
    return Learned(failed=1)


def _narrow_unit(
    stores: Stores, item: Item, worker: str, clock: Callable[[], str], options: WorkerOptions
) -> tuple[ReadUnit, dict[str, str]]:
    """A unit without the records that keep it from being learned, and these by their names, with the reason."""
    if item.payload.startswith("{"):
        raise NousError("the summary cannot be learned")
    turns, before = _turns.decode(item.payload), _context(stores.queue, stores.transcripts, item)
    records = list(dict.fromkeys(turn.uuid for turn in turns))

    def unit(numbers: Sequence[int]) -> ReadUnit:
        chosen = {records[number] for number in numbers}
        return _extract_turns([turn for turn in turns if turn.uuid in chosen], before)

    def attempt(numbers: Sequence[int]) -> None:
        dry_run(stores.db, lambda: _take_up(stores, item, unit(numbers), worker, clock, options))

    aside = bisect_failures(len(records), attempt)
    kept = unit([number for number in range(len(records)) if number not in aside])
    return kept, {records[number]: why for number, why in aside.items()}


def _context(queue: Queue, transcripts: Transcripts, item: Item) -> list[Turn]:
    """What was said before a unit, unless that by itself cannot be read."""
    try:
        before = _before(queue, transcripts, item)
        _extract_turns([], before)
    except Exception as problem:
        if is_resource_error(problem):
            raise
        return []
    return before


def _put_aside(records: Records, item: Item, aside: dict[str, str], now: str) -> None:
    """Note records that nothing can be learned with: where they stand, and why."""
    if not aside:
        return
    places = places_of(item.transcript_path, item.file_offset, item.end_offset, aside)
    for number, (name, why) in enumerate(aside.items()):
        start, length = places.get(name, (item.file_offset + number, 0))
        said = f"record {name} cannot be learned: {why}"
        records.quarantine(item.transcript_path, item.file_inode, start, length, said, now)


def learn_all(
    stores: Stores, worker: str, clock: Callable[[], str], options: WorkerOptions = WorkerOptions()
) -> Learned:
    """Work on everything that is due."""
    total = Learned()
    while (outcome := learn_next(stores, worker, clock, options)) is not None:
        total = total.plus(outcome)
    return total


@contextmanager
def beating(
    item: Item,
    worker: str,
    clock: Callable[[], str],
    reopen: Callable[[], Stores] | None,
    every: float = LEASE_SECONDS / 3,
) -> Iterator[None]:
    """Prolong the lease of an item for as long as the work takes."""
    if reopen is None:
        yield
        return
    done = threading.Event()

    def beat(open_: Callable[[], Stores]) -> None:
        while not done.wait(every):
            try:
                stores = open_()
                try:
                    stores.queue.heartbeat(item.ingest_id, worker, clock())
                finally:
                    stores.close()
            except Exception as problem:  # somebody else writes for long; the next beat comes before the lease ends
                log.warning("a heartbeat failed: %s", problem)

    thread = threading.Thread(target=beat, args=(reopen,), name="nous-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class ReadUnit(NamedTuple):
    """What a unit says and what it teaches; each result with the turn that decided it."""

    turns: list[Turn]
    results: list[tuple[Turn, Learning | Rejection]]


def _read_unit(queue: Queue, transcripts: Transcripts, item: Item) -> ReadUnit:
    """A unit and what it teaches, read with what its session said before."""
    if item.payload.startswith("{"):
        return _summary(item)
    turns = _turns.decode(item.payload)
    return _extract_turns(turns, _before(queue, transcripts, item)) if turns else ReadUnit([], [])


def _extract_turns(turns: list[Turn], before: list[Turn]) -> ReadUnit:
    """What turns teach, read with those before them."""
    by_uuid = {turn.uuid: turn for turn in turns}
    new = [turn for turn in turns if not turn.inherited]
    before = [*before, *(turn for turn in turns if turn.inherited)]
    extract = next(resolve(feature.extract) for feature in features() if feature.extract)
    results = extract([*before, *new], new_from=len(before))
    return ReadUnit(turns, [(by_uuid.get(_deciding(found), turns[-1]), found) for found in results])


def _before(queue: Queue, transcripts: Transcripts, item: Item) -> list[Turn]:
    """The last turns of the same file before a unit: from the archive, else as far as the queue still has them."""
    if not item.file_offset and "~" not in item.file_inode:
        return []
    archived = transcripts.before(item, EARLIER_CHUNKS)
    waiting = [turn for payload in queue.earlier(item) if payload.startswith("[") for turn in _turns.decode(payload)]
    return _recent([*archived, *waiting])


def _recent(turns: list[Turn]) -> list[Turn]:
    """The last turns that fit; a single one always does."""
    room, start = CONTEXT_CHARACTERS, len(turns)
    for turn in reversed(turns[-CONTEXT_TURNS:]):
        room -= len(turn.text)
        if room < 0 and start < len(turns):
            break
        start -= 1
    return [*texts_to_carry(turns[:start], CARRIED_TURNS), *turns[start:]]


def _summary(item: Item) -> ReadUnit:
    """What somebody's own summary of work says, as turns for the archive and learnings that need no extractor."""
    said = decode_summary(item.payload)
    turn = Turn(uuid=said.id, kind="report", at=said.at, session_id=item.session_id, text=said.text())
    return ReadUnit([turn], [(turn, learning) for learning in said.as_learnings()])


def _deciding(found: Learning | Rejection) -> str:
    return found.evidence[-1] if isinstance(found, Learning) and found.evidence else ""


def _take_up(
    stores: Stores, item: Item, unit: ReadUnit, worker: str, clock: Callable[[], str], options: WorkerOptions
) -> Learned:
    counted: Counter[str] = Counter()
    total = Learned(projects=frozenset({item.project_id} if item.project_id else ()))
    with stores.db.transaction():
        catch_up(stores, clock())
        for turn, found in unit.results:
            checked = check(found) if isinstance(found, Learning) else found
            if isinstance(checked, Rejection):
                total = total.plus(
                    note_refused(
                        stores.rejections, checked, item.project_id, item.session_id, EXTRACTOR_VERSION, clock()
                    )
                )
                continue
            deciding = _deciding(checked)
            nth = counted[deciding]
            counted[deciding] += 1
            valid_from = checked.valid_from or turn.at or clock()
            spoken = turn.kind in USER_KINDS
            origin = Origin(
                item.project_id, item.session_id, item.source, valid_from, EXTRACTOR_VERSION, spoken, turn.cwd
            )
            index = learning_index(deciding, nth)
            total = total.plus(_learn_once(stores, checked, origin, index, clock()))
        receipts.note(stores.accesses, stores.injections, [turn for turn in unit.turns if not turn.inherited], clock())
        if not stores.queue.ack(item, worker, clock()):
            raise LeaseLost
        _put_away(stores.exchanges, stores.queue, stores.transcripts, item, unit.turns, options.keep_transcripts)
    return total


def note_refused(
    rejections: Rejections, found: Rejection, project_id: str, session_id: str, extractor: str, now: str
) -> Learned:
    """Note what an extractor found and the contract refused, without any secret."""
    reason, excerpt = (redact_text(words)[0] for words in (found.reason, found.excerpt))
    note = Refusal(
        project_id=project_id,
        session_id=session_id,
        extractor=extractor,
        reason=reason,
        excerpt=excerpt,
        created_at=now,
    )
    rejections.add([note])
    return Learned(rejected=1)


def _put_away(
    exchanges: Exchanges, queue: Queue, transcripts: Transcripts, item: Item, turns: list[Turn], is_kept: bool
) -> None:
    """Move what a finished unit said to the archive; without one, only the last unit of a file stays, as context."""
    if not turns:
        return
    if is_kept:
        transcripts.keep(item, turns)
        exchanges.see(item.transcript_path, item.session_id, turns[0].agent_id, item.project_id)
        queue.drop_payload(item.ingest_id)
    else:
        queue.drop_payloads_before(item.transcript_path, item.ingest_id)


def _learn_once(stores: Stores, learning: Learning, origin: Origin, index: int, now: str) -> Learned:
    """Take up a learning of a session unless this very one was taken up before, by whatever extractor."""
    if stores.extractions.is_known(origin.project_id, origin.session_id, index):
        return Learned()
    key = extraction_key(origin.project_id, origin.session_id, index, origin.extractor)
    outcome, event_id = take_up(stores, learning, origin, key, now)
    stores.extractions.mark(origin.project_id, origin.session_id, index, event_id, origin.extractor, now)
    return outcome


def take_up(
    stores: Stores,
    learning: Learning,
    origin: Origin,
    key: str,
    now: str,
    extra: dict[str, Any] | None = None,
    again: int | None = None,
) -> tuple[Learned, int]:
    """Append what a learning means for the log, bring the read models up to date; the outcome and its main event.

    `again`: the memory that is known to say it.
    """
    if again is not None:
        return _repeat(stores, learning, Standing(repeats=again), origin, key, now)
    near = find_by_words(stores.memories, learning.content, origin.project_id)
    known = candidates(stores.memories, learning, origin.project_id, near)
    if is_held(learning, origin, known, stores.events):
        learning = replace(learning, tainted=True)
    unsure = find_unsure(learning, origin, known, stores.events) if learning.tainted else []
    known = [one for one in known if one not in unsure]
    by_user = origin.by_user or origin.source == BY_PERSON
    verdict = judge(learning, origin.valid_from, known, word_likeness, by_user=by_user)
    verdict = _within_own_word(verdict, known) if origin.source == AGENT else verdict
    if verdict.repeats is not None:
        return _repeat(stores, learning, verdict, origin, key, now)
    verdict = replace(verdict, supersedes=(*verdict.supersedes, *(one.id for one in unsure)))
    if not verdict.supersedes and (whole := part_of(stores.memories, learning, origin.valid_from, near)):
        return _repeat(stores, learning, Standing(repeats=whole), origin, key, now)
    born = introduction(learning, origin, key, next_clock(stores.events, origin.session_id), **(extra or {}))
    [number] = stores.events.append([born], now)
    if number is None:
        return Learned(), 0
    consequences = _consequences(stores.events, stores.memories, born.learning_id, number, verdict, origin, key)
    stores.events.append(consequences, now)
    catch_up(stores, now)
    return Learned(learned=1, superseded=len(verdict.supersedes)), number


def _within_own_word(verdict: Standing, known: Sequence[Memory]) -> Standing:
    """A verdict about an agent's word, which ends and weakens nothing but what an agent said."""
    own = {memory.id for memory in known if memory.source == AGENT}
    return replace(
        verdict,
        supersedes=tuple(number for number in verdict.supersedes if number in own),
        asks=tuple(dict.fromkeys((*verdict.asks, *(n for n in verdict.supersedes if n not in own)))),
    )


def part_of(memories: Memories, learning: Learning, moment: str, near: Sequence[Memory]) -> int | None:
    """The memory that several were made one of, when a learning repeats what one of those said."""
    ended = [one for one in near if one.status == "superseded" and one.superseded_by]
    wholes = memories.by_learning({one.superseded_by or "" for one in ended}) if ended else {}
    parts = [
        replace(one, id=whole.id, status="active")
        for one in ended
        if (whole := wholes.get(one.superseded_by or "")) and whole.extractor == EXTRACTOR and whole.status == "active"
    ]
    return judge(learning, moment, parts, word_likeness).repeats if parts else None


def find_by_words(memories: Memories, text: str, project_id: str) -> list[Memory]:
    """The known memories that have words of a text, as many as are worth a comparison."""
    found = memories.find_worded(text, CANDIDATES, project_id)
    return memories.by_id(found) if found else []


def candidates(
    memories: Memories, learning: Learning, project_id: str, near: Sequence[Memory] | None = None
) -> list[Memory]:
    """The known memories a learning could repeat or replace: in its slot, with its words (`near`), files or entities,
    or with a name that could stand in the place of one that it names.

    Superseded ones come too when they replaced something: perhaps what is learned only now.
    """
    found = {memory.id: memory for memory in memories.in_slot(learning.slot, project_id)}
    named = " ".join((*learning.files, *learning.entities))
    found |= {
        memory.id: memory
        for memory in (find_by_words(memories, learning.content, project_id) if near is None else near)
    }
    rivals = " ".join(rivals_of(learning.content))
    for words in (learning.replaces or "", learning.recited or "", named, rivals):
        found |= {memory.id: memory for memory in find_by_words(memories, words, project_id)}
    return [
        memory
        for memory in found.values()
        if (memory.project_id == project_id or (memory.scope == "global" and not is_circle(project_id)))
        and (memory.status == "active" or (memory.status == "superseded" and (memory.replaces or memory.slot)))
    ]


def _repeat(
    stores: Stores, learning: Learning, verdict: Standing, origin: Origin, key: str, now: str
) -> tuple[Learned, int]:
    """The same insight again: one memory keeps the new evidence, and grows stronger when another session brings it."""
    memory = stores.memories.get(verdict.repeats or 0)
    if memory is None or set(learning.evidence) <= set(memory.evidence) or (learning.tainted and not memory.tainted):
        return Learned(), verdict.repeats or 0
    sessions = taught_by(stores.events, memory)
    is_new = origin.session_id not in sessions
    action = decide(_retelling(stores.injections, memory, len(sessions) + is_new, origin)) if is_new else "merge"
    payload = Reinforced(
        reinforcement_delta=DELTAS[action] if is_new else 0.0,
        evidence=learning.evidence,
        concepts=tuple(concept for concept in learning.concepts if concept in memory.concepts),
        reason=REASONS[action] if is_new else REASONS["merge"],
    )
    clock = next_clock(stores.events, origin.session_id)
    again = event(origin, memory.learning_id, "LearningReinforced", key, payload, clock)
    [number] = stores.events.append([again], now)
    stores.events.append(_further_edges(stores.graph, memory, learning, origin, key, clock), now)
    catch_up(stores, now)
    return Learned(repeated=1), number or memory.id


def _further_edges(
    graph: Graph, memory: Memory, learning: Learning, origin: Origin, key: str, clock: dict[str, int]
) -> list[Event]:
    """What is known to hang together with a memory now that it was said again in another connection."""
    known = {(row["target_id"], row["rel_type"]) for row in graph.of(memory.learning_id)}
    proven = (edge for edge in learning.edges if edge.confidence >= PROVEN and edge.target != memory.learning_id)
    told = [
        Edge(
            target=edge.target,
            relation=edge.relation,
            weight=edge.weight,
            confidence=edge.confidence,
            evidence=learning.evidence,
        )
        for edge in proven
        if (edge.target, edge.relation) not in known
    ]
    return [
        event(origin, memory.learning_id, "EdgeAccepted", f"{key}:edge:{said.relation}:{said.target}", said, clock)
        for said in told
    ]


def taught_by(event_store: Events, memory: Memory) -> set[str]:
    """The sessions that taught a memory."""
    events = event_store.of_learning(memory.learning_id)
    return {
        one.session_id
        for one in events
        if isinstance(one.payload, Extracted) or (isinstance(one.payload, Reinforced) and one.payload.evidence)
    }


def _retelling(injections: Injections, memory: Memory, sessions: int, origin: Origin) -> Retelling:
    shown = injections.effect(memory.id)["injected"] > 0
    ignored = shown and origin.by_user and memory.id in injections.list_given(origin.session_id)
    return Retelling(sessions, memory.strength, shown, ignored)


def _consequences(
    event_store: Events, memories: Memories, learning_id: str, number: int, verdict: Standing, origin: Origin, key: str
) -> list[Event]:
    """What a new learning does to those that are known, and they to it."""
    ended = [*verdict.supersedes, *verdict.asks]
    touched = {memory.id: memory for memory in memories.by_id(ended)} if ended else {}
    events: list[tuple[str, EventType, Payload, str]] = []
    for memory_id in verdict.supersedes:
        why = verdict.because.get(memory_id, "a newer value")
        payload = Superseded(superseded_by=learning_id, reason=why)
        events.append((touched[memory_id].learning_id, "LearningSuperseded", payload, origin.valid_from))
    for memory_id in verdict.asks:
        events.append((learning_id, "EdgeProposed", disagrees(touched[memory_id].learning_id), origin.valid_from))
    if verdict.superseded_by is not None and (newer := memories.get(verdict.superseded_by)):
        late = Superseded(superseded_by=newer.learning_id, reason="a newer value was already known")
        events.append((learning_id, "LearningSuperseded", late, newer.valid_from or origin.valid_from))
    if not events:
        return []
    clock = next_clock(event_store, origin.session_id)
    return [
        event(
            origin,
            target,
            kind,
            f"{key}:{kind}:{_end(target, payload)}",
            payload,
            clock,
            cause=number,
            at=moment,
        )
        for target, kind, payload, moment in events
    ]


def disagrees(older: str) -> Edge:
    """What a learning is to a memory of which nobody but a person can say whether it still holds."""
    return Edge(target=older, relation="contradicts", confidence=0.5, reason="which one holds is for a person to say")


def _end(target: str, payload: Payload) -> str:
    """What tells two consequences of a kind apart: whom they happen to, and of an edge both ends."""
    return f"{target}:{payload.target}" if isinstance(payload, Edge) else target
