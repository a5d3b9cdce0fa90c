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
from nous.language.compare.likely import Meaning
from nous.language.likeness import stem, tokens

OVERLAP = 0.5  # of the concepts of the one with fewer
MATES = 8  # memories that one is compared with at most, the likest first
RARE_KEYS = 5  # by which mates are looked for, the rarest first
POSTING = 128  # newest memories under one key that are looked at
MULTIPLIER = 0.7

AGENT = "agent"  # the source of what an agent says of its own accord

RulingAction = Literal["contradict", "supersede", "flag", "nothing"]


class Ruling(NamedTuple):
    """What follows for two memories. With `supersede`, `first` gives way to `second`."""

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


def decide(a: Memory, b: Memory, alike: Meaning = no_vectors) -> Ruling:
    """What follows from what two memories differ in.

    A newer value by the user ends the older one; a person's word stands against any other. In one slot the later value
    holds. Of two that were only learned both stay with less weight when neither session knew of the other. What would
    end something pinned, or the user's word by another's, is shown to a person.
    """
    earlier, later = sorted((a, b), key=lambda one: (_when(one), one.id))
    found = text_difference(later.content, earlier.content, alike)
    kind = found.kind if found and found.chance == 1 else "open"  # what is only likely ends nothing here
    is_mate = is_same_slot(a, b) and kind in ("open", "unsure") and may_compare(a, b)
    if fill_different_places(a, b) or not (kind in ENDS or is_mate):
        return Ruling("nothing", earlier, later, "")
    reason = found.reason if found and kind in ENDS else "a newer value"
    if is_users_word(later):
        return Ruling("flag" if earlier.pinned else "supersede", earlier, later, reason)
    if later.source != AGENT and word_of(earlier) > word_of(later):
        return Ruling("supersede", later, earlier, "a person's word stands against it")
    if is_users_word(earlier) and not _was_seen(later):
        return Ruling("flag", earlier, later, reason)
    if not may_compare(a, b):
        return Ruling("nothing", earlier, later, "")
    if is_same_slot(a, b) and _when(a) != _when(b):
        return Ruling("supersede", earlier, later, "a newer value")
    return Ruling("contradict", earlier, later, "two sessions disagree")


def word_of(memory: Memory) -> int:
    """Whose word a memory is: 2 when a person confirmed it, 1 when one said or pinned it, 0 when it was learned."""
    return 2 if memory.confirmed else 1 if memory.pinned or memory.source == "user_review" else 0


def _when(memory: Memory) -> str:
    return memory.valid_from or memory.created_at
