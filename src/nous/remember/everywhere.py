"""What a person says in two projects may hold everywhere: a question for them. All else stays in its project."""

from __future__ import annotations

from collections.abc import Sequence

from nous.core.everywhere import may_hold_everywhere
from nous.core.likeness import jaccard, tokens
from nous.core.memory import Memory
from nous.core.occasion import Occasion
from nous.core.recurrence import pasted, says_the_same
from nous.providers import Embedder
from nous.remember.promote import cosines
from nous.stores import Stores
from nous.stores.near_misses import NearMiss
from nous.stores.sayings import Due

# Of 788 rules that people said in 23 real projects no two of different projects that could hold everywhere reach 0.65.
ALIKE = 0.7
MOST = 50  # memories of one session that are looked at
NEAREST = 10  # by their words, of each


def note_everywhere(stores: Stores, embedder: Embedder, due: Due, now: str) -> None:
    """Note the rules of a session that its person had said in another project too: `nous review` asks about them.

    Part of a transaction. What is noted is the memory's own words: a project's log never holds those of another.
    """
    mine = stores.memories.by_learning(stores.events.of_session(due.session_id)).values()
    own = [one for one in mine if one.project_id == due.project_id and may_hold_everywhere(one)]
    found = ((memory, _elsewhere(stores, embedder, memory)) for memory in own[:MOST])
    rows = [_noted(memory, other, due, now) for memory, other in found if other]
    if rows:
        stores.near_misses.add(rows)


def _noted(memory: Memory, other: Memory, due: Due, now: str) -> NearMiss:
    return NearMiss(
        memory_id=memory.id,
        other_id=None,
        said=memory.content,
        session_id=due.session_id,
        jaccard=round(jaccard(tokens(memory.content), tokens(other.content)), 3),
        cosine=None,
        label=None,
        confidence=None,
        tier=2,
        decision="everywhere",
        created_at=now,
    )


def _elsewhere(stores: Stores, embedder: Embedder, memory: Memory) -> Memory | None:
    """The memory of another project that says the same, when one person said both."""
    if not stores.sayings.said_in(memory.evidence):
        return None
    numbers = stores.memories.worded(memory.content, NEAREST)
    others = (one for one in stores.memories.by_id(numbers) if one.project_id != memory.project_id)
    known = [one for one in others if may_hold_everywhere(one)]
    said = stores.sayings.said_in([*memory.evidence, *(record for one in known for record in one.evidence)])
    known = [one for one in known if _both_said(memory, one, said)]
    scores = cosines(embedder, memory.content, [one.content for one in known]) if known else []
    pairs = zip(known, scores, strict=True)
    alike = [one for one, score in pairs if says_the_same(memory.content, one.content, score, ALIKE)]
    return min(alike, key=lambda one: one.id, default=None)


def _both_said(memory: Memory, other: Memory, said: Sequence[Occasion]) -> bool:
    """Whether a person said each of two memories, and did not paste one message twice."""
    mine, theirs = ([one for one in said if one.record in memories.evidence] for memories in (memory, other))
    known: dict[str, set[str]] = {}
    for one in theirs:
        known.setdefault(one.key, set()).add(one.record)
    return bool(mine and theirs) and not pasted(mine, known)
