"""How the learnings of one session hang together, where the course of the session shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from nous.core.events import learning_index
from nous.core.extraction import SIBLING, EdgeProposal, Learning, Rejection, RelationName
from nous.core.likeness import tokens
from nous.core.session import Story

PlacedResult = tuple[int, Learning | Rejection]

MOST = 2  # edges that one learning draws to earlier ones of its session
LOOKS_BACK = 8  # learnings
RARE = 3  # learnings of a session that may have a name before it says nothing of any
SURE = 0.85

_FINDINGS = frozenset({"dead_end", "error_pattern", "module_insight", "gotcha"})
_CHOICES = frozenset({"decision", "requirement", "preference", "pattern", "architecture"})


class Named(NamedTuple):
    """A learning of the session: where it was decided, how an edge names it, and names that say what it is about."""

    at: int
    learning: Learning
    reference: str
    telling: frozenset[str]


def tied(story: Story, found: Sequence[PlacedResult]) -> list[PlacedResult]:
    """The learnings of a session in their order, each with edges to those before it that it follows from.

    An edge names the other by its index, since nobody knows yet what it becomes: perhaps a memory that is known.
    """
    common = Counter(name for _, one in found if isinstance(one, Learning) for name in _names(one))
    before: list[Named] = []
    counted: Counter[str] = Counter()
    told: list[PlacedResult] = []
    for at, one in found:
        if isinstance(one, Learning):
            deciding = one.evidence[-1]
            reference = f"{SIBLING}{learning_index(deciding, counted[deciding])}"
            counted[deciding] += 1
            telling = frozenset(name for name in _names(one) if common[name] <= RARE)
            mine = Named(at, one, reference, telling)
            edges = tuple(islice(_edges(story, mine, before[-LOOKS_BACK:]), MOST))
            before.append(mine)
            one = replace(one, edges=(*one.edges, *edges)) if edges else one
        told.append((at, one))
    return told


def _names(learning: Learning) -> set[str]:
    return {name.lower() for name in (*learning.entities, *learning.files, *learning.symbols)}


def _edges(story: Story, mine: Named, before: Sequence[Named]) -> Iterator[EdgeProposal]:
    """What a learning has to do with those shortly before it, the nearest first."""
    start = story.exchange_start(mine.at)
    since = story.exchange_start(start - 1) if start else 0
    for other in reversed(before):
        if other.at < since or mine.learning.tainted or other.learning.tainted:
            continue
        relation = _relation(mine, other, other.at >= start)
        if relation:
            yield EdgeProposal(other.reference, relation, 0.5 if relation == "relates_to" else 0.7, SURE)


def _relation(mine: Named, other: Named, is_same_exchange: bool) -> RelationName | None:
    """What the later of two learnings is to the earlier, by what both are and name; None when they only stand near."""
    later, earlier = mine.learning, other.learning
    named = bool(mine.telling & other.telling)
    if not named and len(set(tokens(later.content)) & set(tokens(earlier.content))) < 2:
        return None
    if later.type in _CHOICES and earlier.type in _FINDINGS:
        return "derived_from"
    if later.type == "dead_end" and earlier.type in _CHOICES:
        return "contradicts"
    if later.type == "error_pattern" and earlier.type in _CHOICES:
        return "exemplifies" if named and is_same_exchange else None
    is_one_saying = later.evidence[0] == earlier.evidence[0] and later.type != "work_state"
    return "relates_to" if is_one_saying else None
