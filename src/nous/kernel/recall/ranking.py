"""How well a memory answers: the parts of its score, their weights, and each part's share.

Every part is between 0 and 1. Texts and vectors are measured against the best candidate (`score / best`), because
adding such scores was measured better than adding ranks. Worked example: a memory with text 0.8, vector 0.5 and
nothing else has 0.40 * 0.8 + 0.35 * 0.5 = 0.495.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import mul
from typing import NamedTuple

import msgspec

from nous.kernel.recall.weights import Weights
from nous.language.likeness import stem
from nous.language.text import STOP_WORDS, plain_words, query_terms

EVERY_WORD = 100_000
SUPPORTING = 3  # memories of a session that must match before the session itself speaks for a memory
FULL_SUBSTANCE = 25  # different telling words after which a memory is not more substantial


class Signals(NamedTuple):
    """Everything the score of one memory is made of, each 0 to 1: the fields of `Weights`, in their order, so that a
    score is one product of two rows."""

    text: float = 0.0
    vector: float = 0.0
    concept: float = 0.0
    temporal: float = 0.0
    session: float = 0.0
    telling: float = 0.0
    substance: float = 0.0
    answer: float = 0.0
    question: float = 0.0


PARTS = Signals._fields
TAKEN_OFF = frozenset({"question"})


@lru_cache(maxsize=8)
def signed_weights(weights: Weights) -> tuple[float, ...]:
    """The weights in the order of the parts, those that are taken off below zero."""
    return tuple(-getattr(weights, part) if part in TAKEN_OFF else getattr(weights, part) for part in PARTS)


def shares(signals: Signals, weights: Weights) -> dict[str, float]:
    """What each part adds to the score; a part that says nothing is left out."""
    values = map(mul, signals, signed_weights(weights))
    return {part: value for part, value in zip(PARTS, values, strict=True) if value}


def total(signals: Signals, weights: tuple[float, ...]) -> float:
    """The score: the sum of all shares."""
    return math.fsum(map(mul, signals, weights))


def against_best(scores: Mapping[int, float]) -> dict[int, float]:
    """Scores as parts of the highest; those below zero count nothing."""
    best = max(scores.values(), default=0.0)
    return {key: max(0.0, score) / best for key, score in scores.items()} if best > 0 else dict.fromkeys(scores, 0.0)


def support(scores: Mapping[int, float], sessions: Mapping[int, str]) -> dict[str, float]:
    """How well each session matches as a whole: the mean of its three best memories, missing ones counting nothing."""
    grouped: dict[str, list[float]] = {}
    for key, score in scores.items():
        grouped.setdefault(sessions[key], []).append(score)
    return {session: sum(sorted(found, reverse=True)[:SUPPORTING]) / SUPPORTING for session, found in grouped.items()}


class Traits(msgspec.Struct, frozen=True):
    """What a text shows on its face: how much it says, how much of it asks, what it speaks of."""

    substance: float
    questions: float
    has_time: bool
    has_number: bool
    names: int


_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|week|weekend|month|years?|monday|tuesday|wednesday|thursday|"
    r"friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|"
    r"recently|since|morning|days?|(?:19|20)\d\d)\b",
    re.I,
)
_NUMBER = re.compile(r"\b\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|several)\b", re.I)
# A word with a capital that does not begin a sentence.
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][a-z]{2,}")
_SENTENCE_END = re.compile(r"[.!?。！？]+")


@lru_cache(maxsize=16384)
def traits(content: str) -> Traits:
    """What a text shows on its face."""
    words = {word for word in plain_words(content) if word not in STOP_WORDS}
    ends = len(_SENTENCE_END.findall(content)) or 1
    return Traits(
        substance=min(len(words), FULL_SUBSTANCE) / FULL_SUBSTANCE,
        questions=min(1.0, (content.count("?") + content.count("？")) / ends),
        has_time=bool(_TIME.search(content)),
        has_number=bool(_NUMBER.search(content)),
        names=len(_NAME.findall(content)),
    )


def tells(intent: str, shown: Traits) -> float:
    """Whether a text holds the sort of thing an answer needs: a time, a number, a name."""
    match intent:
        case "when":
            return float(shown.has_time)
        case "how many":
            return 0.5 * shown.has_number
        case "who" | "where" | "which":
            return 0.4 * min(shown.names, 2)
        case _:
            return 0.0


def coverage(telling: Mapping[str, float], text: str) -> float:
    """How much of a question a text speaks of: the share of its words that stand in it, each as telling as it is rare.

    Of "zebra crossing unicorn" a text about a crossing speaks of a third.
    """
    whole = sum(telling.values())
    return sum(telling[word] for word in shared_words(telling, text)) / whole if whole else 0.0


def shared_words(words: Iterable[str], text: str) -> list[str]:
    """Those of some words that stand in a text, whatever their endings and accents."""
    said = _words_said(text)
    return [word for word in words if root(word) in said]


@lru_cache(maxsize=2048)
def _words_said(text: str) -> frozenset[str]:
    return frozenset(map(root, query_terms(text, EVERY_WORD)))


def is_on(topic: str, names: Iterable[str]) -> bool:
    """Whether something that goes by some names is on a topic: they hold every word of it, whatever its ending."""
    wanted = query_terms(topic, EVERY_WORD)
    return bool(wanted) and len(shared_words(wanted, " ".join(names))) == len(wanted)


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """A word without its ending and its accents."""
    if not word.isascii():
        word = "".join(mark for mark in unicodedata.normalize("NFKD", word) if not unicodedata.combining(mark))
    return stem(word)


@lru_cache(maxsize=8192)
def name_words(names: tuple[str, ...]) -> frozenset[str]:
    """The words of which names are made, and the names themselves."""
    return frozenset(word for name in names for word in (*plain_words(name), name.lower()))


def overlap(asked: frozenset[str], held: tuple[str, ...]) -> float:
    """Whether a memory is about something the question names: the share of the named things that it holds."""
    return len(asked & name_words(held)) / len(asked) if asked and held else 0.0
