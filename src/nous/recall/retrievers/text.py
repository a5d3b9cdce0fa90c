"""Candidates by their words. Common words cannot make a search slow: matching is bounded, rarest words first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from nous.core.query import Question
from nous.core.text import Term, within
from nous.recall.retrievers.asking import Ask, Hits
from nous.stores import Stores

# The engine works about a microsecond per matching row, so this bounds a search at some ten milliseconds.
MOST_MATCHES = 10_000
OWN = "{content terms concepts} : "  # what a memory says itself, not what was said around it


def frequencies(stores: Stores, question: Question) -> dict[str, int]:
    """In how many memories each word of a question stands, counted up to a bound."""
    counted = stores.memories.frequencies([OWN + term.match for term in question.terms], MOST_MATCHES)
    return dict(zip((term.word for term in question.terms), counted, strict=True))


def rarity(frequency: Mapping[str, int], size: int) -> dict[str, float]:
    """How telling each word is among so many memories: ln(1 + (n - f + ½) / (f + ½))."""
    return {word: math.log(1 + (max(size, found) - found + 0.5) / (found + 0.5)) for word, found in frequency.items()}


def find(ask: Ask) -> Hits:
    """The memories that match best."""
    known = [term for term in ask.question.terms if ask.frequency.get(term.word)]
    for expression in _expressions(known, ask.frequency) if known else ():
        if found := ask.stores.memories.search_text(within(ask.project_id, expression), ask.limit, ask.as_of):
            scores = dict(found)
            return Hits(tuple(scores), scores)
    return Hits()


def _expressions(terms: Sequence[Term], frequency: Mapping[str, int]) -> list[str]:
    """Any of the words, as long as that stays bounded; else the rarest that do; else as many as occur together."""
    ordered = sorted(terms, key=lambda term: frequency[term.word])
    chosen: list[Term] = []
    matches = 0
    for term in ordered:
        matches += frequency[term.word]
        if chosen and matches > MOST_MATCHES:
            break
        chosen.append(term)
    if frequency[ordered[0].word] >= MOST_MATCHES and len(ordered) > 1:
        return [" AND ".join(term.match for term in ordered[:together]) for together in (4, 3, 2, 1)]
    return [" OR ".join(term.match for term in chosen)]
