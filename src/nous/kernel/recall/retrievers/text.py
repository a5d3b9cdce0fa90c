"""Candidates by their words. Common words cannot make a search slow: matching is bounded, rarest words first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from nous.kernel.memory.memories import Memories
from nous.kernel.recall.query import Question
from nous.kernel.recall.retrievers.asking import Ask, Hits
from nous.language.text import Term, Wanted

# The engine works about a microsecond per matching row, so this bounds a search at some ten milliseconds.
MOST_MATCHES = 10_000
FULL = 2.2  # what bm25 gives at most for a word, as a multiple of its rarity


def frequencies(memories: Memories, question: Question) -> dict[str, int]:
    """In how many memories each word of a question stands, counted up to a bound."""
    words = [term.word for term in question.wanted]
    return dict(zip(words, memories.frequencies(words, MOST_MATCHES), strict=True))


def rarity(frequency: Mapping[str, int], size: int) -> dict[str, float]:
    """How telling each word is among so many memories: ln(1 + (n - f + ½) / (f + ½))."""
    return {word: math.log(1 + (max(size, found) - found + 0.5) / (found + 0.5)) for word, found in frequency.items()}


def find(ask: Ask) -> Hits:
    """The memories that match best."""
    known = [term for term in ask.question.wanted if ask.frequency.get(term.word)]
    for wanted in bound_terms(known, ask.frequency, ask.project_id) if known else ():
        if found := ask.stores.memories.search_text(wanted, ask.limit, ask.as_of):
            scores = dict(found)
            return Hits(tuple(scores), scores)
    return Hits()


def bound_terms(
    terms: Sequence[Term], frequency: Mapping[str, int], project_id: str | None, counted: int = MOST_MATCHES
) -> list[Wanted]:
    """Any of the words, as long as that stays bounded; else the rarest that do; else as many as occur together, where
    even the rarest is as frequent as was counted."""
    ordered = tuple(sorted((term.word for term in terms), key=lambda word: frequency[word]))
    matches = 0
    for chosen, word in enumerate(ordered):
        matches += frequency[word]
        if chosen and matches > MOST_MATCHES:
            break
    else:
        chosen = len(ordered)
    if frequency[ordered[0]] >= counted and len(ordered) > 1:
        return [Wanted(ordered[:count], project_id, together=True) for count in (4, 3, 2, 1)]
    return [Wanted(ordered[:chosen], project_id)]
