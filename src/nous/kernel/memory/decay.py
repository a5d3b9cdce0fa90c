"""How a memory fades. Computed from what is known and the present moment whenever somebody asks; no row is rewritten.

Two things are kept apart. `strength` says how useful a memory has proved: it changes by events only. `confidence`
says how sure we are that it is true, and that is what fades: half of it is left after the half-life of its type. What
is used often and what many others hang on fades half as fast; what a person pinned or confirmed does not fade.
"""

from __future__ import annotations

import math

import msgspec

from nous.kernel.memory.memory import Memory
from nous.kernel.types import NEVER, TYPES
from nous.moments import days_between, later

OFTEN = 10  # accesses above which a memory fades half as fast
HUB = 0.5  # centrality above which it does, and above which it is never archived by itself
ARCHIVE_BELOW = 0.3
ARCHIVE_DAYS = 14
FADED = "faded"  # how the reason begins when a memory was archived by itself
DAY = 86400.0


class Use(msgspec.Struct, frozen=True, gc=False):
    """What became of a memory outside the log: how often it was asked for or cited, when last, how central it is.

    `newer`: sessions of its project that began after it was last said or used, as far as they are counted.
    """

    accesses: int = 0
    last_at: str | None = None
    centrality: float = 0.0
    newer: int = 0


UNUSED = Use()


class Fading(msgspec.Struct, frozen=True, gc=False):
    """What is left of a memory's confidence, and why."""

    confidence: float
    kept: float
    half_life: float | None
    since: str
    reasons: tuple[str, ...]


def since(memory: Memory, use: Use = UNUSED) -> str:
    """When a memory was last learned, said or used: fading begins there."""
    moments = (memory.valid_from or memory.created_at, memory.last_said_at, use.last_at)
    return max(moment for moment in moments if moment)


def half_life(memory: Memory, use: Use = UNUSED) -> float | None:
    """Days after which half of the confidence is left; None for what does not fade."""
    days = TYPES[memory.type].half_life
    if memory.pinned or memory.confirmed or days >= NEVER:
        return None
    return float(days) * (2 if use.accesses > OFTEN else 1) * (2 if use.centrality > HUB else 1)


def share_left(days: float, half: float) -> float:
    """The share that is left after some days: with a half-life of 60 days, 0.89 after 10 and 0.20 after 140."""
    return math.pow(0.5, max(0.0, days) / half)


def fading(memory: Memory, now: str, use: Use = UNUSED) -> Fading:
    """What is left of a memory's confidence at a moment, and what it was computed from."""
    half, begun = half_life(memory, use), since(memory, use)
    kept = share_left(days_between(begun, now), half) if half else 1.0
    return Fading(memory.confidence * kept, kept, half, begun, _reasons(memory, use))


def _reasons(memory: Memory, use: Use) -> tuple[str, ...]:
    found = {
        "pinned: it does not fade": memory.pinned,
        "confirmed: it does not fade": memory.confirmed,
        f"a {memory.type} does not fade": TYPES[memory.type].half_life >= NEVER,
        f"used {use.accesses} times: it fades half as fast": use.accesses > OFTEN,
        f"others hang on it (centrality {use.centrality:.2f}): it fades half as fast": use.centrality > HUB,
    }
    return tuple(reason for reason, holds in found.items() if holds)


def is_faded(memory: Memory, now: str, use: Use = UNUSED) -> bool:
    """Whether confidence has been below 0.3 for 14 days: fading never rises without use, so it is
    enough to look at the day on which that time began. Hubs, pinned and confirmed memories never are."""
    if memory.status != "active" or use.centrality > HUB or memory.pinned or memory.confirmed:
        return False
    then = later(now, -ARCHIVE_DAYS * DAY)
    return since(memory, use) <= then and fading(memory, then, use).confidence < ARCHIVE_BELOW
