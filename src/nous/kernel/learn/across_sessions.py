"""Sessions are islands: which memories of different ones may speak of the same thing, and what follows when they
contradict each other. Pure: memories in, pairs and decisions out.

Structure comes before language. Only memories of one project and scope are compared, never two that fill different
slots or hold on different branches, and never one that was made knowing the other: sequential knowledge is no conflict.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from nous.kernel.learn.relate import fill_different_places, is_same_slot
from nous.kernel.learn.relearn import is_users_word
from nous.kernel.log import clocks
from nous.kernel.memory.memory import Memory
from nous.kernel.types import HEADINGS, TYPES
from nous.language.compare.differences import ENDS, no_vectors, text_difference
from nous.language.compare.judge import ACTS_ALONE, Judgement
from nous.language.compare.likely import Meaning
from nous.language.likeness import stem, tokens

OVERLAP = 0.5  # of the concepts of the one with fewer
MATES = 8  # memories that one is compared with at most, the likest first
RARE_KEYS = 5  # by which mates are looked for, the rarest first
POSTING = 128  # newest memories under one key that are looked at
CONTRADICTION = 0.7  # confidence from which a contradiction is one
FLAG = 0.5  # and from which it is worth a person's look
MULTIPLIER = 0.7

AGENT = "agent"  # the source of what an agent says of its own accord

RulingAction = Literal["contradict", "supersede", "flag", "nothing"]


class Ruling(NamedTuple):
    """What follows from a verdict. With `supersede`, `first` gives way to `second`."""

    action: RulingAction
    first: Memory
    second: Memory
    reason: str


def keys(memory: Memory) -> frozenset[str]:
    """What a memory is about: its concepts; the words of one that has none."""
    return frozenset(map(stem, memory.concepts)) or frozenset(tokens(memory.content)[:10])


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of concepts in common, of those of the smaller set: {a,b,c} and {b,c,d,e} give 0.67."""
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def may_compare(a: Memory, b: Memory) -> bool:
    """Whether two memories of sessions that did not know of each other could contradict each other."""
    return are_comparable(a, b) and clocks.compare(a.clock, b.clock) == "concurrent"


def are_comparable(a: Memory, b: Memory) -> bool:
    """Whether two memories could say the same or the opposite at all, whatever they say."""
    if a.project_id != b.project_id or a.scope != b.scope or a.status != "active" or b.status != "active":
        return False
    if "episodic" in (a.kind, b.kind) or a.tainted or b.tainted or (_was_seen(a) and _was_seen(b)):
        return False
    if a.learning_id in b.contradicted_with and word_of(a) == word_of(b):
        return False  # it is known, and nobody has decided since
    return not (a.slot and b.slot and a.slot != b.slot) and not _on_other_branches(a, b)


def _was_seen(memory: Memory) -> bool:
    """Whether a run taught it: of two commands that passed both do, `npm install` and `pip install` in one tree."""
    return memory.type in ("procedure", "workflow_recipe", "error_pattern") and word_of(memory) == 0


def _on_other_branches(a: Memory, b: Memory) -> bool:
    """Whether both describe code that may differ by branch. Rules and decisions hold on all of them."""
    describe = all(TYPES[memory.type].heading not in HEADINGS[:2] for memory in (a, b))
    return describe and bool(a.branch and b.branch) and a.branch != b.branch


def pairs(fresh: Sequence[Memory], index: Index) -> list[tuple[Memory, Memory]]:
    """The pairs to judge: each fresh memory with the likest others, once each, in canonical order.

    Linear in the number of memories: mates are looked up under a few rare keys, and under each among a bounded number.
    """
    found: dict[tuple[int, int], tuple[Memory, Memory]] = {}
    for memory in fresh:
        for mate in index.mates(memory):
            first, second = (memory, mate) if memory.id < mate.id else (mate, memory)
            found[first.id, second.id] = (first, second)
    return [found[pair] for pair in sorted(found)]


class Index:
    """Memories under what they are about: concepts, slot and files."""

    def __init__(self, memories: Iterable[Memory]):
        self.memories = {memory.id: memory for memory in memories}
        self.keys = {number: keys(memory) for number, memory in self.memories.items()}
        self.under: dict[str, list[int]] = {}
        for number in sorted(self.memories):
            for key in (*self.keys[number], *_places(self.memories[number])):
                self.under.setdefault(key, []).append(number)

    def drop(self, memory_id: int) -> None:
        """Leave a memory out from now on: its time is over."""
        self.memories.pop(memory_id, None)

    def mates(self, memory: Memory) -> list[Memory]:
        """The memories that may speak of the same thing as this one and could contradict it, the likest first."""
        mine = self.keys.get(memory.id) or keys(memory)
        shared: dict[int, float] = {}
        for key in (*_places(memory), *self._rarest(mine)):
            under = self.under.get(key, ())
            for number in under[-POSTING:]:  # a key that few have says more than one that many have
                shared[number] = shared.get(number, 0.0) + 1 / len(under)
        shared.pop(memory.id, None)
        likely = heapq.nlargest(4 * MATES, shared, key=lambda number: (shared[number], number))
        near = (self.memories[number] for number in likely if self._is_near(memory, mine, number))
        return list(islice((mate for mate in near if may_compare(memory, mate)), MATES))

    def _rarest(self, mine: frozenset[str]) -> list[str]:
        return sorted(mine, key=lambda key: (len(self.under.get(key, ())), key))[:RARE_KEYS]

    def _is_near(self, memory: Memory, mine: frozenset[str], number: int) -> bool:
        other = self.memories.get(number)
        return other is not None and (is_same_slot(memory, other) or overlap(mine, self.keys[number]) >= OVERLAP)


def _places(memory: Memory) -> list[str]:
    """The slot and the files of a memory as keys that no concept is."""
    return [*([f"slot {memory.slot}"] if memory.slot else []), *(f"file {file}" for file in memory.files[:3])]


def decide(a: Memory, b: Memory, verdict: Judgement) -> Ruling:
    """What follows from a verdict about two memories; the same whichever comes first.

    In one slot the later value holds, and so does what came with the words that something changed. A person's word
    beats what was learned. Else both stay, with less weight. Below `ACTS_ALONE` it is only shown to a person.
    """
    first, second = (a, b) if a.id < b.id else (b, a)
    if verdict.label != "contradiction" or verdict.confidence < FLAG:
        return Ruling("nothing", first, second, "")
    if verdict.confidence < max(CONTRADICTION, ACTS_ALONE):
        return Ruling("flag", first, second, "perhaps the opposite")
    if word_of(first) != word_of(second):
        loser, winner = sorted((first, second), key=word_of)
        return Ruling("supersede", loser, winner, "a person's word stands against it")
    if is_same_slot(first, second) and _when(first) != _when(second):
        loser, winner = sorted((first, second), key=_when)
        return Ruling("supersede", loser, winner, "a newer value")
    earlier, later = sorted((first, second), key=_when)
    if later.replaces is not None and _when(earlier) != _when(later):
        return Ruling("supersede", earlier, later, "somebody said that it changed")
    return Ruling("contradict", first, second, "two sessions disagree")


def settle(a: Memory, b: Memory, alike: Meaning = no_vectors) -> Ruling | None:
    """What follows from what two memories differ in; None where a judge has to be asked.

    A newer value by the user ends the older one; by anybody else it is shown to a person, as is what would end
    something pinned.
    """
    earlier, later = sorted((a, b), key=lambda one: (_when(one), one.id))
    found = text_difference(later.content, earlier.content, alike)
    if found is None or found.chance < 1 or found.kind in ("open", "unsure"):  # what is only likely ends nothing here
        return None
    if found.kind not in ENDS or fill_different_places(a, b):
        return Ruling("nothing", earlier, later, "")
    if is_users_word(later):
        return Ruling("flag" if earlier.pinned else "supersede", earlier, later, found.reason)
    if later.source != AGENT and word_of(earlier) > word_of(later):
        return Ruling("supersede", later, earlier, "a person's word stands against it")
    return Ruling("flag", earlier, later, found.reason) if is_users_word(earlier) and not _was_seen(later) else None


def word_of(memory: Memory) -> int:
    """Whose word a memory is: 2 when a person confirmed it, 1 when one said or pinned it, 0 when it was learned."""
    return 2 if memory.confirmed else 1 if memory.pinned or memory.source == "user_review" else 0


def _when(memory: Memory) -> str:
    return memory.valid_from or memory.created_at
