"""Plain text beyond the facts of a project: a small model over what two sentences share and how they differ.

Two questions, each a weighted sum of the features below put through a sigmoid: does one contradict the other (the same
from both sides), and if not, does the second follow from the first. The weights are in `calibration.py`, with how they
were made.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

import msgspec

from nous.core.entailment import words as known

_WORD = re.compile(r"[a-z]+(?:[-'][a-z]+)*|\d+(?:[.,:]\d+)*")
_SHORT = re.compile(r"n['’]t\b")


class Bag(msgspec.Struct, frozen=True):
    """The words of a sentence: those that carry it, all of them, and its denials."""

    carrying: frozenset[str]
    everything: frozenset[str]
    denials: int
    numbers: frozenset[str]
    length: int


@lru_cache(maxsize=16384)
def bag(text: str) -> Bag:
    """The words of a sentence as the model sees them."""
    found = _WORD.findall(_SHORT.sub(" not", text.lower()))
    numbers = {known.NUMBERS.get(word, word) for word in found if word[0].isdigit() or word in known.NUMBERS} - {"1"}
    plain = [word for word in found if not word[0].isdigit()]
    return Bag(
        carrying=frozenset(known.root(word) for word in plain if word not in _LITTLE and word not in known.NEGATIONS),
        everything=frozenset(known.root(word) for word in plain),
        denials=sum(word in known.NEGATIONS for word in plain),
        numbers=frozenset(numbers),
        length=len(found),
    )


_LITTLE = frozenset(
    """a an the this that these those it its our my your their his her we us you they i he she there here what which
    who whom whose is are was were be been being am do does did have has had having will would shall should may might
    can could must to of and or so as by with at from into in on for up out about than then also just now uh um yeah
    oh well know mean s t d ll ve re m some any such very really""".split()  # noqa: SIM905
)


def clash_features(one: str, other: str) -> tuple[float, ...]:
    """What speaks for a contradiction; the same whichever sentence comes first."""
    a, b = bag(one), bag(other)
    short, long = sorted((a, b), key=lambda found: (found.length, sorted(found.everything)))
    fresh, rest = _unknown(short, long), _unknown(long, short)
    mine, theirs = short.everything - long.everything, long.everything - short.everything
    opposite = sum(any(known.are_opposite(x, y) for y in theirs) for x in mine)
    swapped = sum(any(known.are_alternatives(x, y) for y in theirs) for x in mine)
    share = 1 - len(fresh) / max(1, len(short.carrying))
    return (
        1.0,
        float(bool(short.denials) != bool(long.denials)),
        float(short.denials > 0 and not long.denials),
        float(short.denials > 0 and not long.denials) * share,
        min(2.0, opposite),
        min(2.0, opposite) * share,
        min(2.0, swapped),
        share,
        share * share,
        min(6.0, len(fresh)) / 6,
        math.log1p(short.length) / 3,
        math.log1p(long.length) / 3,
        float(bool(short.numbers - long.numbers) and bool(long.numbers)),
        min(2.0, sum(word in known.CLASHING for word in mine)),
        min(2.0, sum(word in known.GUESSED for word in mine)),
        min(2.0, sum(word in known.GENERAL for word in mine)),
        min(8.0, len(rest)) / 8,
    )


def follow_features(one: str, other: str) -> tuple[float, ...]:
    """What speaks for the second sentence following from the first."""
    a, b = bag(one), bag(other)
    fresh = _unknown(b, a)
    mine = b.everything - a.everything
    share = 1 - len(fresh) / max(1, len(b.carrying))
    return (
        1.0,
        share,
        share * share,
        min(6.0, len(fresh)) / 6,
        float(not fresh),
        math.log1p(b.length) / 3,
        math.log1p(a.length) / 3,
        math.log1p(b.length) - math.log1p(a.length),
        float(bool(b.denials) != bool(a.denials)),
        float(bool(b.numbers - a.numbers)),
        min(2.0, sum(word in known.GUESSED for word in mine)),
        min(2.0, sum(word in known.GENERAL for word in mine)),
        min(2.0, sum(word in known.CLASHING for word in mine)),
    )


def _unknown(one: Bag, other: Bag) -> set[str]:
    """The carrying words of one that neither stand in the other nor follow from a word of it."""
    implied = {general for word in other.everything for general in known.KINDS.get(word, ())}
    left = one.carrying - other.everything - implied
    return {word for word in left if not any(_is_family(word, held) for held in other.carrying)}


def _is_family(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and long.startswith(short[: max(4, len(short) - 1)]) and len(long) - len(short) <= 4


def sigmoid(features: tuple[float, ...], weights: tuple[float, ...]) -> float:
    """A weighted sum as a probability."""
    return 1 / (1 + math.exp(-sum(f * w for f, w in zip(features, weights, strict=True))))
