"""Memories and exchanges in one list, ranked by one score.

What both are scored by is the same: how much of the question their words say, and how near their meaning is, each an
absolute figure (`Hit.base`, `Match.score`). A memory's other marks lift it in proportion; one that stands (a rule in
force, what a person taught, what an outcome proved) counts in full, one that was merely kept counts less, because the
exchange it came from says the same in its own words. A memory and its exchange are one hit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from nous.features.exchanges.search import Spoken
from nous.kernel.recall.search import Hit
from nous.kernel.recall.weights import Weights
from nous.kernel.recall.worth import is_certain
from nous.language.likeness import tokens

ONLY_OF_MEMORIES = ("type", "kind", "scope", "tag", "min_confidence")  # filters that no exchange passes

KEPT = 0.4  # what the score of a memory counts that was merely kept, beside one that stands
REPLACED = 0.6  # what an exchange counts that says what was replaced since
FAR = 0.4  # of the best exchange's score: one below it is beside the question
BEHIND = 0.5  # the same where the best plainly answers, which is
PLAIN = 1.0  # such a score
IN_FORCE = 0.05  # what a rule in force has before a remark that matches as well
STATED = 0.8  # the share of its words that a passage has which says what a memory says
RULES = ("preference", "requirement")


class Found(msgspec.Struct, frozen=True):
    """One hit of the list: a memory, an exchange, or a memory with the exchange it came from. `leads` says which of the
    two answers better; the score and its shares are those of that one."""

    score: float
    shares: dict[str, float]
    memory: Hit | None = None
    exchange: Spoken | None = None
    leads: Literal["memory", "exchange"] = "memory"

    @property
    def content(self) -> str:
        """What is read first."""
        if self.leads == "exchange" and self.exchange:
            return self.exchange.content
        return self.memory.memory.content if self.memory else ""

    @property
    def names(self) -> set[str | int]:
        """What it is known by: its text, the memory's number, the records of the exchange."""
        memory = [self.memory.memory.id] if self.memory else []
        return {self.content, *memory, *(self.exchange.records if self.exchange else ())}


def one_list(memories: Sequence[Hit], exchanges: Sequence[Spoken], weights: Weights, limit: int) -> list[Found]:
    """The best of both, best first."""
    scale = max((hit.base for hit in memories), default=0.0) / ((weights.text + weights.vector) or 1.0)
    spoken = [_score_exchange(one) for one in exchanges]
    best = max((one.score for one in spoken), default=0.0)
    spoken = [one for one in spoken if one.score >= (BEHIND if best >= PLAIN else FAR) * best]
    found = sorted(_join_hits([_score_memory(hit, scale) for hit in memories], spoken), key=lambda one: -one.score)
    return found[:limit]


def _score_exchange(one: Spoken) -> Found:
    """An exchange with its score; what was replaced since comes behind what took its place."""
    factor = REPLACED if one.standing == "replaced" else 1.0
    shares = {part: share * factor for part, share in one.shares.items()}
    return Found(one.score * factor, shares, exchange=one, leads="exchange")


def _score_memory(hit: Hit, scale: float) -> Found:
    """A memory with its score in the units of exchanges: that of the best by words and meaning is what these alone are
    worth, the others follow in proportion. What was merely kept counts less, a rule in force more."""
    stands = is_certain(hit.memory)
    factor = (scale if stands else KEPT * scale) / (hit.scale or 1.0)
    shares = {part: share * factor for part, share in hit.shares.items()}
    if stands and hit.memory.type in RULES:
        shares["standing"] = IN_FORCE
    return Found(math.fsum(shares.values()), shares, memory=hit)


def _join_hits(memories: Sequence[Found], exchanges: Sequence[Found]) -> list[Found]:
    """The hits, those that are a memory and its exchange as one: it stands where the better of them stood. A second
    memory that only repeats what the passage of its exchange says is left out."""
    left = list(exchanges)
    found: list[Found] = []
    for one in memories:
        own = next((other for other in left if _is_of(one, other)), None)
        if own is not None:
            left.remove(own)
            better = own if own.score > one.score else one
            found.append(msgspec.structs.replace(better, memory=one.memory, exchange=own.exchange))
        elif not any(other.exchange and _is_of(one, other) and _repeats(one, other) for other in found):
            found.append(one)
    return [*found, *left]


def _is_of(memory: Found, other: Found) -> bool:
    """Whether a memory was learned from an exchange, or says what its passage says."""
    if memory.memory is None or other.exchange is None:
        return False
    learned = memory.memory.memory
    if set(learned.evidence) & set(other.exchange.records):
        return True
    return learned.session_id == other.exchange.place.session_id and _repeats(memory, other)


def _repeats(memory: Found, other: Found) -> bool:
    said = set(tokens(memory.memory.memory.content)) if memory.memory else set()
    shown = set(tokens(other.exchange.content)) if other.exchange else set()
    return bool(said) and len(said & shown) >= STATED * len(said)
