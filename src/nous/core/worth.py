"""What a memory is worth to a session that has not said its goal yet, and whether it may be shown unasked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from nous.core.branches import is_bound
from nous.core.decay import UNUSED, Curve, Use, fading
from nous.core.likeness import jaccard, tokens
from nous.core.memory import Memory
from nous.core.moments import days_between
from nous.core.outside import is_plain_name
from nous.core.packing import Entry, estimate_tokens, neutral
from nous.core.text import parts
from nous.core.types import HEADINGS, TYPES

SAME = 0.75
RECENT = HEADINGS[-1]
FOUR_WEEKS = 28
_PATH_WORD = re.compile(r"[^\W_]{3,}", re.UNICODE)


def worth(memory: Memory, now: str, branch: str = "", use: Use = UNUSED, curve: Curve = "half-life") -> float:
    """Trust: what is left of confidence (a rule fades over a year, a work state within days), and strength.

    A rule learned 30 days ago with confidence 0.9 and strength 0.5: 0.9 * 0.5 ** (30 / 365) * (0.5 + 0.25) = 0.64.
    """
    sure = fading(memory, now, use, curve).confidence
    here = 1.2 if branch and memory.branch == branch else 1.0
    return sure * (0.5 + 0.5 * memory.strength) * here + (1.0 if memory.pinned else 0.0)


def _age(memory: Memory, now: str) -> float:
    """Days since a memory became true."""
    return max(0.0, days_between(memory.valid_from or memory.created_at, now))


def is_injectable(memory: Memory, now: str, branch: str) -> bool:
    """Whether a memory may be shown unasked: true now, of this branch, and not words of a stranger."""
    if memory.status != "active" or memory.tainted or memory.disputed or TYPES[memory.type].surface == 0:
        return False
    if memory.valid_until and memory.valid_until <= now:
        return False
    if (
        TYPES[memory.type].heading == RECENT
        and not memory.pinned
        and _age(memory, now) > max(FOUR_WEEKS, 2 * TYPES[memory.type].half_life)
    ):
        return False  # what was being done weeks ago is no recent work
    if memory.branch and is_bound(memory.content):
        return memory.branch == branch
    elsewhere = memory.branch and branch and memory.branch != branch
    return not (elsewhere and TYPES[memory.type].kind == "episodic")


def entries(
    memories: Iterable[Memory],
    now: str,
    branch: str,
    limit: int,
    uses: Mapping[int, Use] = {},
    curve: Curve = "half-life",
) -> list[Entry]:
    """The best memories as entries of a packet, best first; the same thing said twice is said once.

    Where two of them disagree, the better one shows both sides and the other has no line of its own.
    """
    injectable = [memory for memory in memories if is_injectable(memory, now, branch)]
    worths = {memory.id: worth(memory, now, branch, uses.get(memory.id, UNUSED), curve) for memory in injectable}
    ranked = sorted(injectable, key=lambda memory: (-worths[memory.id], -memory.id))
    known = {memory.learning_id: memory for memory in ranked}
    kept: list[tuple[Memory, frozenset[str], Memory | None]] = []
    shown: set[int] = set()
    for memory in ranked:
        words = frozenset(tokens(memory.content))
        if memory.id in shown or len(kept) >= limit or any(jaccard(words, other) >= SAME for _, other, _ in kept):
            continue
        other = opposite(memory, known)
        shown.update({other.id} if other else ())
        kept.append((memory, words, other))
    return [entry(memory, now, branch, other)._replace(worth=round(worths[memory.id], 4)) for memory, _, other in kept]


def opposite(memory: Memory, known: Mapping[str, Memory]) -> Memory | None:
    """The memory that says otherwise and still stands, as far as any is known."""
    found = [known[name] for name in memory.contradicted_with if name in known]
    return max((one for one in found if one.status == "active" and not one.tainted), key=_when, default=None)


def entry(memory: Memory, now: str, branch: str = "", other: Memory | None = None, curve: Curve = "half-life") -> Entry:
    """One memory, ready to be shown; `other` is one that contradicts it."""
    said = line(memory, other)
    return Entry(
        id=memory.id,
        type=memory.type,
        line=said,
        tokens=estimate_tokens(said),
        worth=round(worth(memory, now, branch, UNUSED, curve), 4),
        words=sorted(topic_words(memory.content, *memory.files, *memory.entities, *memory.tags)),
        files=memory.files,
        beside=(other.id,) if other else (),
    )


def topic_words(*texts: str) -> set[str]:
    """Words of texts and paths, identifiers in parts, lower case."""
    return {part.lower() for text in texts for word in _PATH_WORD.findall(text) for part in (word, *parts(word))}


def line(memory: Memory, other: Memory | None = None) -> str:
    """One memory as the model reads it, with its citation; what contradicts it stands beside it, with its own."""
    own = TYPES[memory.type].kind == "episodic" or is_bound(memory.content)
    is_named = memory.branch and own and is_plain_name(memory.branch)
    note = f" (branch {memory.branch})" if is_named else ""
    said = f"{neutral(memory.content)}{note} [Memory #{memory.id}: {_when(memory)}]"
    if other is None:
        return f"- {said}"
    against = f'"{neutral(other.content)}" [Memory #{other.id}: {_when(other)}]'
    return f"- Sessions disagree, so check before relying on either: {said} but also {against}"


def _when(memory: Memory) -> str:
    return (memory.valid_from or memory.created_at)[:10]
