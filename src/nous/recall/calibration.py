"""What is put before a model that ranks memories once, and how we rank them ourselves for the same work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nous.core.memory import Memory
from nous.core.text import STOP_WORDS, plain_words
from nous.core.weights import Weights
from nous.providers import Embedder
from nous.recall import search
from nous.recall.embedding import may_be_sent
from nous.recall.retrievers import vectors
from nous.recall.search import Candidates, Query
from nous.stores import Stores

ALL = 100  # with no more memories than this, all are shown
SOME = 500  # up to so many, those that share most with the work
BY_TEXT = 50  # of more, the best by their words


class Work(NamedTuple):
    """What somebody is working on: files that changed lately, what the project is built with, the branch."""

    files: tuple[str, ...]
    stack: tuple[str, ...]
    branch: str

    @property
    def words(self) -> str:
        """As a question for the scorer."""
        return " ".join((*self.files, *self.stack, self.branch)).strip()


class Contest(NamedTuple):
    """Memories to rank: how many there are, those that are shown, and our order, best first."""

    memories: int
    shown: list[Memory]
    ours: list[int]


def contest(
    stores: Stores, work: Work, project_id: str, now: str, embedder: Embedder | None, weights: Weights
) -> Contest:
    """What of a project is ranked by both, and how we rank it."""
    known = [memory for memory in stores.memories.visible(project_id) if may_be_sent(memory)]
    circles = tuple(stores.circles.of_project(project_id))
    most = max(1, len(known))
    query = Query(text=work.words, project_id=project_id, circles=circles, now=now, limit=most, check_files=False)
    model = vectors.prepare(stores, embedder) if embedder else None
    with stores.db.snapshot():
        candidates = search.gather(stores, query, model)
        rated = search.rate(stores, query, candidates, weights)
    return Contest(len(known), _shown(known, work, candidates), [one.memory.id for one in rated])


def _shown(known: Sequence[Memory], work: Work, candidates: Candidates) -> list[Memory]:
    """All of few memories, those near the work of some, the best by words of many."""
    if len(known) < ALL:
        return list(known)
    if len(known) > SOME:
        by_number = {memory.id: memory for memory in known}
        found = [by_number[number] for number in candidates.hits["words"].numbers if number in by_number]
        if found:
            return found[:BY_TEXT]
    wanted = set(plain_words(work.words)) - STOP_WORDS
    common = {memory.id: len(wanted.intersection(plain_words(_all_words(memory)))) for memory in known}
    near = sorted(known, key=lambda memory: (-common[memory.id], -memory.id))
    return near[: ALL if len(known) <= SOME else BY_TEXT]


def _all_words(memory: Memory) -> str:
    return " ".join((memory.content, *search.about(memory), *memory.files))
