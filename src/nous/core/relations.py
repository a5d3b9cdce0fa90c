"""What two memories are to each other: by nearness, by what both name; and how much hangs on one of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from nous.core.extraction import EdgeProposal, Learning, RelationName
from nous.core.memory import Memory
from nous.core.types import HEADINGS, TYPES

Tier = Literal["related", "suggested", "duplicate"]

# Cortex's bands, on the cosine of the built-in embedder. Its lowest limit of 0.1 is what three of four unrelated facts
# stay below, which would tie everything to something; 0.25 is passed by one unrelated pair in twenty.
RELATED = 0.25
SUGGESTED = 0.4
DUPLICATE = 0.5
HALF_CENTRAL = 4  # relations that lead to a memory of centrality one half


def tier(nearness: float) -> Tier | None:
    """What two memories are to each other: related, worth a person's look, perhaps one and the same, or nothing."""
    if nearness < RELATED:
        return None
    return "related" if nearness < SUGGESTED else "suggested" if nearness <= DUPLICATE else "duplicate"


def centrality(in_degree: int) -> float:
    """How much hangs on a memory, from the relations that lead to it: d / (d + 4), so four give 0.5 and five a hub.

    It needs nothing but the memory's own relations, and does not change when another memory becomes a greater hub.
    """
    return in_degree / (in_degree + HALF_CENTRAL)


# -- by what both name ----------------------------------------------------------------------------------------------

MOST_KIN = 3  # edges that a memory draws to those known before
RARE = 3  # memories near it that may have a name before the name says nothing any more
SURE = 0.85
_COMMAND = re.compile(r"`([^`\n]+ [^`\n]+)`")
_SETTING_UP = re.compile(r"^(?:source \S+|\. \S+|cd \S+|export \S+)\s*&&\s*")
_EVERYDAY = re.compile(r"^(?:git|cd|ls|cat|mkdir|rm|mv|cp|echo|source|export)\b")
_PLACE = re.compile(r"^(?!.*(?:^|/)(?:bin|node_modules|site-packages)/).*\w/\w")  # a file that not every project has
_PART = re.compile(r"\w_\w|\w\.\w|\(\)|^[a-z]+[A-Z]")  # a name that somebody gave to a piece of code


def kin(learning: Learning, known: Sequence[Memory]) -> tuple[EdgeProposal, ...]:
    """Edges to known memories that name the same piece of code, the same command, or what it says something of."""
    if learning.tainted or not _is_lasting(learning.type):
        return ()
    others = [memory for memory in known if _is_lasting(memory.type) and not memory.tainted]
    common = Counter(name for memory in others for name in (*memory.files, *memory.symbols))
    telling = {name for name in (*learning.files, *learning.symbols) if common[name] <= RARE}
    found = [(memory.id, edge) for memory in others if (edge := _edge(learning, memory, telling))]
    found.sort(key=lambda pair: (-pair[1].weight, -pair[0]))
    return tuple(edge for _, edge in found[:MOST_KIN])


def _is_lasting(type_: str) -> bool:
    return TYPES[type_].heading != HEADINGS[-1]


def _edge(learning: Learning, memory: Memory, telling: set[str]) -> EdgeProposal | None:
    """The strongest of what ties two together by name; None when nothing does."""
    weight, relation = max(_ties(learning, memory, telling), default=(0.0, None))
    return EdgeProposal(memory.learning_id, relation, weight, SURE) if relation else None


def _ties(learning: Learning, memory: Memory, telling: set[str]) -> Iterator[tuple[float, RelationName]]:
    files = {name for name in telling.intersection(memory.files) if _PLACE.match(name)}
    paths = "\n".join((*learning.files, *memory.files))  # a folder's name is no symbol of its own
    symbols = {name for name in telling.intersection(memory.symbols) if _PART.search(name) and name not in paths}
    if files and symbols:
        yield 0.8, "relates_to"
    if (mine := _commands(learning.content)) and mine & _commands(memory.content):
        yield (0.5, "relates_to") if learning.type == memory.type else (0.7, "required_with")
    if symbols or files:
        yield 0.6, "relates_to"
    if _chained(learning, memory):
        yield 0.6, "entity"


def _commands(content: str) -> set[str]:
    """The commands with arguments that a sentence names, without what only prepares the shell for them."""
    named = (_SETTING_UP.sub("", command.strip()) for command in _COMMAND.findall(content))
    return {command for command in named if not _EVERYDAY.match(command)}


def _chained(learning: Learning, memory: Memory) -> bool:
    """Whether one says what the other's object is or does: "api runs on eks", "eks is managed by Ops"."""
    mine, theirs = learning.relations, memory.relations
    return any(a.object.casefold() == b.subject.casefold() for a in mine for b in theirs) or any(
        b.object.casefold() == a.subject.casefold() for a in mine for b in theirs
    )
