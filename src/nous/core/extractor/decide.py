"""How likely a sentence of the user is worth keeping, by weights learned from labelled messages of real projects.

Three steps. A sentence is weighed by its own features; then by how it stands among the others of its message; and the
passage that is cut out around it by its size, its surest and its average sentence. `python -m bench.reader` learns the
weights anew and says how good they are on projects that they have not seen.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import repeat
from typing import NamedTuple

import msgspec

from nous.core.extractor.features import Features, Setting, message_features
from nous.core.language import lexicon
from nous.core.language.sentences import Sentence
from nous.core.text import STOP_WORDS

FEWEST = 4  # a sentence of fewer words counts as if it had this many
REMEMBERED = 40_000  # messages whose chances stay in memory, for whoever asks about them after they were learned
NOBODY = -4.0  # what stands for the odds of a neighbour that is not there


class ReaderWeights(msgspec.Struct, frozen=True):
    """What was learned: a bias, what each word and each mark adds, and what the neighbours add; then the types."""

    bias: float
    grams: dict[str, float]
    marks: dict[str, float]
    among: tuple[float, ...]  # its bias first, then one weight for each number of `standing`
    passage: tuple[float, ...]  # its bias first, then one weight for each number of `shape`
    types: dict[str, dict[str, float]]


class Weighed(NamedTuple):
    """A sentence, how likely it is worth keeping, and what spoke for it most."""

    sentence: Sentence
    chance: float
    features: Features


@cache
def weights() -> ReaderWeights:
    """The weights that come with the package."""
    return msgspec.json.decode(files(__package__).joinpath("weights.json").read_bytes(), type=ReaderWeights)


def weigh(said: Sequence[Sentence], setting: Setting, length: int) -> list[Weighed]:
    """Each sentence of a message with its chance."""
    if not said:
        return []
    learned = weights()
    found = message_features(said, setting, length)
    odds = [_odds(one, learned) for one in found]
    bias, *among = learned.among
    sure = [_chance(bias + _dot(among, row)) for row in standing(odds)]
    if len(_weighed) >= REMEMBERED:
        _weighed.clear()
    _weighed[_key(said, setting, length)] = array("f", sure)
    return [Weighed(*row) for row in zip(said, sure, found, strict=True)]


_weighed: dict[int, array[float]] = {}


def chances(said: Sequence[Sentence], setting: Setting, length: int) -> Sequence[float]:
    """The chances of a message's sentences alone; one that was weighed here before is not weighed again."""
    known = _weighed.get(_key(said, setting, length))
    return [one.chance for one in weigh(said, setting, length)] if known is None else known


def _key(said: Sequence[Sentence], setting: Setting, length: int) -> int:
    return hash((id(weights()), tuple(said), setting, length))


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _odds(one: Features, learned: ReaderWeights) -> float:
    """What a sentence's words and marks add up to; many words count less each."""
    grams = set(one.grams)
    known = learned.grams.get
    words = sum(sorted([weight for gram in grams if (weight := known(gram))])) / math.sqrt(max(FEWEST, len(grams)))
    return learned.bias + words + sum(map(learned.marks.get, one.marks, repeat(0.0)))


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


def shape(said: Sequence[Sentence], features: Sequence[Features], chances: Sequence[float]) -> tuple[float, ...]:
    """A passage as numbers: its surest sentence, the average, how many different words it has, whether it asks."""
    best, mean = max(chances), math.fsum(chances) / len(chances)
    words = {gram for one in features for gram in one.grams if " " not in gram and (gram[0].isalnum())}
    asks = said[list(chances).index(best)].asks
    return (*map(_logit, (best, mean)), math.log1p(len(words)), float(asks))


def _logit(chance: float) -> float:
    return math.log(max(1e-4, chance) / (1.0 - min(0.999, chance)))


def passage_chance(numbers: Sequence[float]) -> float:
    """How likely a passage of some shape is worth keeping."""
    bias, *adds = weights().passage
    return _chance(bias + _dot(adds, numbers))


def _chance(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


def _tells(gram: str) -> bool:
    """Whether a person learns something from a word or a pair of them: it is no mark, and no small word alone."""
    words = [word for word in gram.split() if word[0].isalnum()]
    return bool(words) and not all(word in STOP_WORDS for word in words)


def reasons(one: Features, most: int = 4) -> tuple[str, ...]:
    """What spoke most for keeping a sentence, in words that `nous explain` can show: telling words and plain marks."""
    learned = weights()
    share = math.sqrt(max(FEWEST, len(set(one.grams))))
    adds = {f"“{gram}”": learned.grams.get(gram, 0.0) / share for gram in one.grams if _tells(gram)}
    plain = lexicon.row("reasons.marks")
    adds |= {plain[mark]: learned.marks.get(mark, 0.0) for mark in one.marks if mark in plain}
    best = sorted(adds, key=lambda name: (-adds[name], name))[:most]
    return tuple(f"{name} {adds[name]:+.2f}" for name in best if adds[name] > 0)


@lru_cache(maxsize=2)
def _types(_: int) -> tuple[tuple[str, ...], dict[str, tuple[float, ...]]]:
    """The types, and what each word says for each of them; read once for each set of weights."""
    learned = weights().types
    names = tuple(sorted(learned))
    words = {gram for row in learned.values() for gram in row}
    return names, {gram: tuple(learned[name].get(gram, 0.0) for name in names) for gram in words}


def type_of(one: Features) -> str:
    """The type that fits a sentence best."""
    names, table = _types(id(weights()))
    grams = sorted(set(one.grams) & table.keys())
    share = math.sqrt(max(FEWEST, len(set(one.grams))))
    said = [sum(column) / share for column in zip(*(table[gram] for gram in grams), strict=True)] or [0.0] * len(names)
    scores = [own + word for own, word in zip(table[""], said, strict=True)]
    return max(zip(scores, names, strict=True))[1]
