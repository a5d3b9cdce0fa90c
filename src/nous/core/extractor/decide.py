"""How likely a sentence of the user is worth keeping, by weights learned from labelled messages of real projects.

Two steps. A sentence is weighed by its own features; then by how it stands among the others of its message, since what
is worth keeping comes in passages. `python -m bench.reader` learns the weights anew and says how good they are on
projects that they have not seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

from nous.core.extractor.features import Features, Setting, message_features
from nous.core.language.sentences import Sentence

FEWEST = 4  # a sentence of fewer words counts as if it had this many
NOBODY = -4.0  # what stands for the odds of a neighbour that is not there


class Weights(msgspec.Struct, frozen=True):
    """What was learned: a bias, what each word and each mark adds, and what the neighbours add; then the types."""

    bias: float
    grams: dict[str, float]
    marks: dict[str, float]
    among: tuple[float, ...]  # its bias first, then one weight for each number of `standing`
    types: dict[str, dict[str, float]]


class Weighed(NamedTuple):
    """A sentence, how likely it is worth keeping, and what spoke for it most."""

    sentence: Sentence
    chance: float
    features: Features


@cache
def weights() -> Weights:
    """The weights that come with the package."""
    return msgspec.json.decode(files(__package__).joinpath("weights.json").read_bytes(), type=Weights)


def weigh(said: Sequence[Sentence], setting: Setting, length: int) -> list[Weighed]:
    """Each sentence of a message with its chance."""
    if not said:
        return []
    learned = weights()
    found = message_features(said, setting, length)
    odds = [_odds(one, learned) for one in found]
    bias, *among = learned.among
    totals = [bias + _dot(among, row) for row in standing(odds)]
    return [Weighed(one, _chance(total), feature) for one, total, feature in zip(said, totals, found, strict=True)]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _odds(one: Features, learned: Weights) -> float:
    """What a sentence's words and marks add up to; many words count less each."""
    grams = set(one.grams)
    words = math.fsum(learned.grams.get(gram, 0.0) for gram in grams) / math.sqrt(max(FEWEST, len(grams)))
    return learned.bias + words + math.fsum(learned.marks.get(mark, 0.0) for mark in one.marks)


def standing(odds: Sequence[float]) -> Iterator[tuple[float, ...]]:
    """How each sentence of a message stands among the others, as numbers."""
    ranked = sorted(odds, reverse=True)
    mean, second = math.fsum(odds) / len(odds), ranked[1] if len(odds) > 1 else NOBODY
    for at, own in enumerate(odds):
        before = odds[at - 1] if at else NOBODY
        after = odds[at + 1] if at + 1 < len(odds) else NOBODY
        better = min(8, ranked.index(own))
        place = (float(at == 0), float(len(odds) == 1), math.log1p(len(odds)))
        yield (own, before, after, ranked[0], mean, second, better, *place)


def _chance(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


def reasons(one: Features, most: int = 4) -> tuple[str, ...]:
    """What spoke most for keeping a sentence, in words that `nous explain` can show."""
    learned = weights()
    share = math.sqrt(max(FEWEST, len(set(one.grams))))
    adds = {f"“{gram}”": learned.grams.get(gram, 0.0) / share for gram in one.grams if gram.strip("^$ ")}
    adds |= {mark: learned.marks.get(mark, 0.0) for mark in one.marks}
    best = sorted(adds, key=lambda name: (-adds[name], name))[:most]
    return tuple(f"{name} {adds[name]:+.2f}" for name in best if adds[name] > 0)


def type_of(one: Features) -> str:
    """The type that fits a sentence best."""
    grams = set(one.grams)
    share = math.sqrt(max(FEWEST, len(grams)))
    scores = {
        name: row.get("", 0.0) + math.fsum(row.get(gram, 0.0) for gram in grams) / share
        for name, row in weights().types.items()
    }
    return max(scores, key=lambda name: (scores[name], name))
