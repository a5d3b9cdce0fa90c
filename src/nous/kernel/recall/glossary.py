"""What a question in another language asks for, in English: the talk of a project is seldom in the language that its
people speak among themselves."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from nous.kernel.recall.ranking import root
from nous.language.lexicon import lines, row

ENDING = 3  # letters that may follow the word of a row
SHORTEST = 4  # letters of a word that may have an ending


@cache
def _called() -> dict[str, tuple[str, ...]]:
    """The words of every language, each with what it is called in English."""
    found: dict[str, tuple[str, ...]] = {}
    for line in lines(row("glossary.english")):
        english, _, others = line.partition(":")
        for word in map(root, others.split()):
            found[word] = (*found.get(word, ()), english)
    return found


def in_english(words: Iterable[str]) -> dict[str, str]:
    """English names of what some words of another language call by their own, each with that word."""
    return {name: word for word in words for name in _named(root(word))}


def _named(word: str) -> tuple[str, ...]:
    called = _called()
    shorter = (word[:length] for length in range(len(word), max(len(word) - ENDING, SHORTEST) - 1, -1))
    return next((called[one] for one in (word, *shorter) if one in called), ())
