"""What a model is shown of what is known, and what its answer may do to that.

Drafts are what the rules made of the very session that it reads: it may say them better, make one of several, or drop
them. What is known from before it may only object to; the user's own words decide whether that ends anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from nous.core.consolidation import EXTRACTOR
from nous.core.events import Archived, EventType, Payload, Superseded, Weakened
from nous.core.evolve import INITIAL_STRENGTH
from nous.core.extraction import SIBLING, Learning, Objection, Rejection
from nous.core.likeness import jaccard, tokens
from nous.core.memory import Memory
from nous.core.prompting import weigh
from nous.core.session import Story
from nous.core.transcript import USER_KINDS, Turn
from nous.remember.introduce import Origin, event, next_clock
from nous.remember.learn import Learned, refused
from nous.remember.projection import catch_up
from nous.remember.reextract import family
from nous.stores import Stores
from nous.stores.near_misses import NearMiss

MOST_DRAFTS = 60
MOST_KNOWN = 40
PER_TURN = 12  # memories that the words of one turn may call for
STATES = 3  # of work, the latest, that are shown whatever was said: this session may have gone on with it
TURNS = 60  # of the user's turns, the longest, that are searched for


class Known(NamedTuple):
    """The memories that a model is shown: drafts of the session it reads, and what was known before."""

    drafts: list[Memory]
    before: list[Memory]

    @property
    def labels(self) -> dict[str, str]:
        """The learning behind every label."""
        return {f"M{memory.id}": memory.learning_id for memory in (*self.drafts, *self.before)}


def known(stores: Stores, session_id: str, project_id: str, turns: Sequence[Turn], until: str | None = None) -> Known:
    """What a reader of these turns should know of; of a session that is read in parts no drafts of what comes later."""
    made = stores.memories.by_learning(stores.events.of_session(session_id)).values()
    records = records_of(turns)
    mine = sorted((one for one in made if _is_of(one, session_id, records)), key=lambda memory: memory.id)
    drafts = [one for one in mine if until is None or (one.valid_from or "") <= until]
    states = (one for one in stores.memories.listing(project_id, type="work_state") if not one.tainted)
    latest = sorted(states, key=lambda one: -one.id)[:STATES]
    found = {one.id: one for one in (*latest, *related(stores, turns, project_id))}
    before = [one for one in found.values() if not _is_of(one, session_id, records)]
    return Known(drafts[-MOST_DRAFTS:], before[:MOST_KNOWN])


def records_of(turns: Iterable[Turn]) -> frozenset[str]:
    """The records that turns were made of."""
    return frozenset(turn.uuid for turn in turns)


def _is_of(memory: Memory, session_id: str, records: frozenset[str]) -> bool:
    """Whether rules made a memory of this very session, or made one of several that rest on nothing else."""
    is_joined = memory.extractor == EXTRACTOR and set(memory.evidence) <= records
    by_rules = is_joined or family(memory.extractor) == "rules"
    return memory.session_id == session_id and by_rules and is_untouched(memory)


def is_untouched(memory: Memory) -> bool:
    """Whether a memory is in use and no person has looked at it."""
    return memory.status == "active" and not (memory.pinned or memory.confirmed or memory.tainted)


def related(stores: Stores, turns: Sequence[Turn], project_id: str) -> list[Memory]:
    """Memories that what the user said could repeat, refine or contradict, those that most turns call for first."""
    said = sorted((turn.text for turn in turns if turn.kind in USER_KINDS), key=len, reverse=True)[:TURNS]
    votes: Counter[int] = Counter()
    for text in dict.fromkeys(said):
        for rank, number in enumerate(stores.memories.worded(text, PER_TURN * 4, project_id)):
            votes[number] += 60 // (rank + 2)
    by_number = {memory.id: memory for memory in stores.memories.by_id(list(votes))}
    found = (by_number[number] for number, _ in votes.most_common() if number in by_number)
    mine = [memory for memory in found if memory.project_id == project_id or memory.scope == "global"]
    return [memory for memory in mine if memory.status == "active" and not memory.tainted]


def lines(memories: Iterable[Memory], turns: Mapping[str, str] = {}) -> str:
    """Memories as a model reads them: label, type, day, what a person did about them, the labels of their `turns`."""
    return (
        "\n".join(f"[M{one.id}] {one.type}, {_standing(one, turns)}: {one.content}" for one in memories) or "(nothing)"
    )


def _standing(memory: Memory, turns: Mapping[str, str]) -> str:
    day = (memory.last_said_at or memory.valid_from or memory.created_at)[:10]
    marks = {"pinned": memory.pinned, "confirmed": memory.confirmed, "doubted": memory.disputed}
    rests_on = (turns[uuid] for uuid in memory.evidence if uuid in turns)
    return ", ".join((day, *(name for name, holds in marks.items() if holds), *rests_on))


# -- drafts in better words -----------------------------------------------------------------------------------------

ALIKE = 0.4  # the share of words in which two readings of the same records say the same


def drafts_of(learning: Learning, origin: Origin, here: Sequence[Memory], records: frozenset[str]) -> list[Memory]:
    """The drafts of a session that a learning says in other words: those it names and those that say the same.

    Both rest on the same records, or are much alike: a model cannot end a draft that it has nothing to say about.
    """
    if learning.tainted:
        return []
    drafts = [memory for memory in here if _is_of(memory, origin.session_id, records)]
    named = set(learning.rewords)
    return [
        one for one in drafts if is_same_find(learning, one) or (one.learning_id in named and _is_kin(learning, one))
    ]


def is_same_find(learning: Learning, memory: Memory) -> bool:
    """Whether a learning and a memory of its session are two readings of the same words."""
    if not set(learning.evidence) & set(memory.evidence):
        return False
    same_slot = learning.slot is not None and learning.slot == memory.slot
    return same_slot or jaccard(tokens(learning.content), tokens(memory.content)) >= ALIKE


def _is_kin(learning: Learning, memory: Memory) -> bool:
    if learning.type == memory.type == "work_state":  # a session ends in one state, whatever turns show it
        return True
    shared = set(learning.evidence) & set(memory.evidence)
    return bool(shared) or jaccard(tokens(learning.content), tokens(memory.content)) >= ALIKE


def in_better_words(learning: Learning, drafts: Sequence[Memory]) -> Learning:
    """The learning with what its drafts knew beyond its words: their evidence, slot and how sure the rules were."""
    evidence = dict.fromkeys(uuid for memory in drafts for uuid in memory.evidence if uuid not in learning.evidence)
    return msgspec.structs.replace(
        learning,
        evidence=(*evidence, *learning.evidence),
        slot=learning.slot or next((memory.slot for memory in drafts if memory.slot), None),
        files=learning.files or next((memory.files for memory in drafts if memory.files), ()),
        confidence=max(learning.confidence, *(memory.confidence for memory in drafts)),
        rewords=(),
    )


def end_drafts(stores: Stores, drafts: Sequence[Memory], event_id: int, origin: Origin, now: str) -> int:
    """Drafts end in the memory that an event speaks of, which says them better; the log keeps them and why."""
    born = stores.events.get(event_id) if drafts and event_id else None
    if born is None:
        return 0
    said = Superseded(superseded_by=born.learning_id, reason=f"{origin.extractor} says it in other words")
    ended = [_write(stores, memory, "LearningSuperseded", said, origin, now, event_id) for memory in drafts]
    catch_up(stores, now)
    return sum(ended)


def let_go(
    stores: Stores,
    drafts: Sequence[str],
    believed: Iterable[Learning | Rejection],
    turns: Sequence[Turn],
    origin: Origin,
    now: str,
) -> None:
    """Drafts that a reader saw and passed over stay, but no session's start shows them before they are said again.

    So do those that it claims to have said better and did not. Where text from outside was read it may have talked the
    reader into silence, and nothing happens.
    """
    said = [one for one in believed if isinstance(one, Learning) and not one.tainted]
    drafts = [*drafts, *(draft for one in said for draft in one.rewords)]
    if not drafts or Story(turns).outside:
        return
    records = records_of(turns)
    why = Weakened(reinforcement_delta=-INITIAL_STRENGTH, reason=f"{origin.extractor} did not keep it")
    for memory in stores.memories.by_learning(drafts).values():
        if _is_of(memory, origin.session_id, records) and not any(is_same_find(one, memory) for one in said):
            _write(stores, memory, "LearningWeakened", why, origin, now)
    catch_up(stores, now)


# -- objections -----------------------------------------------------------------------------------------------------


def hear_objections(
    stores: Stores, objections: Sequence[Objection], turns: Sequence[Turn], origin: Origin, now: str
) -> Learned:
    """What verdicts on known memories lead to: the end of one, a question to a person, or a note why not."""
    found = stores.memories.by_learning([objection.target for objection in objections])
    total = Learned()
    for objection in objections:
        memory = found.get(objection.target)
        if memory is not None and memory.status == "active":
            total = total.plus(_heard(stores, objection, memory, turns, origin, now))
    catch_up(stores, now)
    return total


def _heard(
    stores: Stores, objection: Objection, memory: Memory, turns: Sequence[Turn], origin: Origin, now: str
) -> Learned:
    is_own = _is_of(memory, origin.session_id, records_of(turns)) and not Story(turns).outside
    weight = "acts" if is_own else weigh(objection, memory, turns)
    if isinstance(weight, Rejection):
        return refused(stores, weight, origin.project_id, origin.session_id, origin.extractor, now)
    other = _other(stores, objection, origin)
    why = f"{objection.fault.replace('_', ' ')}, says {origin.extractor}"
    if weight == "asks" and objection.fault == "duplicate":
        if other is not None:
            stores.near_misses.add([_near(memory, other, origin, now)])
        return Learned()
    if weight == "asks":
        _write(stores, memory, "LearningDisputed", Payload(reason=why), origin, now)
        return Learned()
    if other is not None and other.id != memory.id:
        said = Superseded(superseded_by=other.learning_id, reason=why)
        return Learned(superseded=_write(stores, memory, "LearningSuperseded", said, origin, now))
    return Learned(superseded=_write(stores, memory, "LearningArchived", Archived(reason=why), origin, now))


def _other(stores: Stores, objection: Objection, origin: Origin) -> Memory | None:
    """The memory that an objection names beside its target, while it is in use."""
    name = objection.of or ""
    if name.startswith(SIBLING):
        became = stores.extractions.became(origin.project_id, origin.session_id, int(name.removeprefix(SIBLING)))
        known = stores.events.get(became) if became else None
        name = known.learning_id if known else ""
    memory = stores.memories.by_learning([name]).get(name) if name else None
    return memory if memory is not None and memory.status == "active" else None


def _near(memory: Memory, other: Memory, origin: Origin, now: str) -> NearMiss:
    return NearMiss(
        memory_id=memory.id,
        other_id=other.id,
        said=other.content,
        session_id=origin.session_id,
        jaccard=round(jaccard(tokens(memory.content), tokens(other.content)), 3),
        cosine=None,
        label="entailment",
        confidence=None,
        tier=3,
        decision="apart",
        created_at=now,
    )


def _write(
    stores: Stores,
    memory: Memory,
    what: EventType,
    said: Payload,
    origin: Origin,
    now: str,
    cause: int | None = None,
) -> int:
    """Append an event of this reading to a memory, once; how many were written."""
    key = f"reading:{origin.extractor}:{origin.session_id}:{what}:{memory.learning_id}"
    clock = next_clock(stores, origin.session_id)
    one = event(origin, memory.learning_id, what, key, said, clock, cause=cause)
    return sum(number is not None for number in stores.events.append([one], now))
