"""What every retriever is given, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from nous.kernel.recall.embedder import Embedder
from nous.kernel.recall.query import Question
from nous.kernel.stores import Stores


class Model(NamedTuple):
    """An embedder and the number of its vectors in this store."""

    embedder: Embedder
    model_id: int


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """A question: understood, in which stores, of which project, for how many; and what was found before."""

    stores: Stores
    question: Question
    project_id: str | None
    now: str
    limit: int
    as_of: int | None = None  # the last event that counts
    any_status: bool = False  # also what is no longer in use
    model: Model | None = None
    frequency: Mapping[str, int] = {}
    rarity: Mapping[str, float] = {}
    found: tuple[int, ...] = ()  # what the retrievers before this one brought

    @property
    def knows_a_word(self) -> bool:
        """Whether any word of the question stands in any memory."""
        return not self.frequency or any(self.frequency.values())


class Hits(NamedTuple):
    """The memories that a retriever brings up by itself, best first, and how well it thinks of these and others
    (by number; higher is better)."""

    numbers: tuple[int, ...] = ()
    scores: Mapping[int, float] = MappingProxyType({})


class Retriever(NamedTuple):
    """One way to find memories: what it is called, and which part of a score it gives (none: it only brings)."""

    name: str
    part: str | None
    find: Callable[[Ask], Hits]
