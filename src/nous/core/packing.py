"""From memories to the few lines a model gets: what is worth its place, in an order and wording a model follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from nous.core.likeness import jaccard, tokens
from nous.core.memory import Memory
from nous.core.moments import days_between
from nous.core.types import HEADINGS, TYPES

HARD_LIMIT_UTF16 = 10_000
SAME = 0.75
LEAD = "What earlier sessions taught (Nous memory; the user's present words come first):"


class Packet(msgspec.Struct, frozen=True):
    """Text for the model and the memories it stands for. Same memories, same bytes."""

    text: str
    memory_ids: tuple[int, ...]
    version: int


class Scored(NamedTuple):
    """A memory and what it is worth in a packet."""

    memory: Memory
    worth: float


def estimate_tokens(text: str) -> int:
    """Roughly how many tokens a text costs: four plain characters each, fewer of other scripts."""
    plain = sum(character < "\x80" for character in text)
    return math.ceil(plain / 4 + (len(text) - plain) / 1.5)


def worth(memory: Memory, now: str, branch: str = "") -> float:
    """What a memory is worth to a session that has not said its goal yet.

    Trust (confidence and strength) times freshness; a rule a person set fades slowly, a work state within days.
    A rule learned 30 days ago with confidence 0.9 and strength 0.5: 0.9 * (0.5 + 0.25) * 0.5 ** (30 / 365) = 0.64.
    """
    kind = TYPES[memory.type]
    age = max(0.0, days_between(memory.valid_from or memory.created_at, now))
    fresh = 1.0 if memory.pinned or memory.confirmed else 0.5 ** (age / kind.half_life)
    here = 1.2 if branch and memory.branch == branch else 1.0
    return memory.confidence * (0.5 + 0.5 * memory.strength) * fresh * here + (1.0 if memory.pinned else 0.0)


def is_injectable(memory: Memory, now: str, branch: str) -> bool:
    """Whether a memory may be shown unasked: true now, of this branch, and not words of a stranger."""
    if memory.status != "active" or memory.tainted or memory.disputed:
        return False
    if memory.valid_until and memory.valid_until <= now:
        return False
    if TYPES[memory.type].surface == 0:
        return False
    return not (TYPES[memory.type].kind == "episodic" and memory.branch and branch and memory.branch != branch)


def pack(memories: Iterable[Memory], now: str, branch: str, budget: int, version: int) -> Packet:
    """The packet that fits a budget of tokens and the client's hard limit.

    Each type has a share of lines; what one type leaves unused, the next best memories of any type take.
    """
    ranked = sorted(
        (Scored(memory, worth(memory, now, branch)) for memory in memories if is_injectable(memory, now, branch)),
        key=lambda scored: (-scored.worth, -scored.memory.id),
    )
    distinct = _distinct(ranked)
    chosen = _choose(distinct, budget, lambda picked: render(picked))
    return Packet(render(chosen), tuple(memory.id for memory in chosen), version)


def _distinct(ranked: Sequence[Scored]) -> list[Memory]:
    """The same thing said twice is said once, by its best wording."""
    kept: list[tuple[Memory, frozenset[str]]] = []
    for scored in ranked:
        words = frozenset(tokens(scored.memory.content))
        if all(jaccard(words, other) < SAME for _, other in kept):
            kept.append((scored.memory, words))
    return [memory for memory, _ in kept]


def _choose(ranked: Sequence[Memory], budget: int, text_of: Callable[[list[Memory]], str]) -> list[Memory]:
    within: dict[str, int] = {}
    first: list[Memory] = []
    rest: list[Memory] = []
    for memory in ranked:
        used = within.get(memory.type, 0)
        (first if used < TYPES[memory.type].surface else rest).append(memory)
        within[memory.type] = used + 1
    chosen: list[Memory] = []
    for memory in (*first, *rest):
        text = text_of([*chosen, memory])
        if estimate_tokens(text) <= budget and len(text.encode("utf-16-le")) // 2 <= HARD_LIMIT_UTF16:
            chosen.append(memory)
    return chosen


def render(memories: Sequence[Memory]) -> str:
    """The memories under plain headings, each line with its citation."""
    lines: list[str] = []
    for heading in HEADINGS:
        under = [memory for memory in memories if TYPES[memory.type].heading == heading]
        if under:
            lines += [f"## {heading}", *(line(memory) for memory in under)]
    return "\n".join([LEAD, *lines]) if lines else ""


def line(memory: Memory) -> str:
    """One memory as the model reads it."""
    when = (memory.valid_from or memory.created_at)[:10]
    note = f" (branch {memory.branch})" if memory.branch and TYPES[memory.type].kind == "episodic" else ""
    unsure = " (two sessions disagree on this)" if memory.contradicted_with else ""
    return f"- {memory.content}{note}{unsure} [Memory #{memory.id}: {when}]"
