"""How likely a sentence of the user is worth keeping, by weights learned from labelled messages.

Patterns find what they were written for; knowledge that is told in passing has no pattern. The weights stand for words
and short sequences of words, where a word that only one trade uses counts by its ending, and for the cues of `cues`.
`python -m bench.keeping` learns them anew from `bench/corpus` and says how good they are on writers they have not seen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files

import msgspec

from nous.core.extractor import cues
from nous.core.extractor.sentences import Sentence, strip_lead_in

_TOKEN = re.compile(r"`[^`]*`|[\u3040-\u30ff\u3400-\u9fff]|\"[^\"]*\"|https?://\S+|\w[\w'’]*(?:[-./:_@]\w+)*|[^\w\s]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*$")
_SPELT_LIKE_CODE = re.compile(r"[/_.:@]|-\w|[a-z][A-Z]")
_ENDINGS = ("ings", "ing", "ed", "ly", "ness", "ment", "tion", "ions", "ers", "er", "able", "ive", "al", "s")
_CUES = {
    name: getattr(cues, name)
    for name in (
        *("REMEMBER", "RULE", "PREFERENCE", "DECISION", "CORRECTION", "GOTCHA", "DEAD_END", "STATE", "GLOBAL"),
        *("QUESTION", "HYPOTHETICAL", "HEARSAY", "ONE_OFF", "PROBLEM"),
    )
}
_OPENING_CUES = {name: getattr(cues, name) for name in ("AGREE", "TASK", "SMALLTALK", "REPEATED")}
LONG = 13  # words from which on a sentence is long
_PIECES = (3, 4)  # letters of a word that count together


class Weights(msgspec.Struct, frozen=True):
    """What was learned: the words that count as themselves, and what each feature adds to the odds."""

    bias: float
    words: frozenset[str]
    features: dict[str, float]


@cache
def weights() -> Weights:
    """The weights that come with the package."""
    return msgspec.json.decode(files(__package__).joinpath("keeping.json").read_bytes(), type=Weights)


@lru_cache(maxsize=8)
def chance(said: tuple[Sentence, ...], place: int) -> float:
    """How likely the sentence at this place of a message is worth keeping beyond its session, from 0 to 1.

    A long sentence has more of everything, so what it adds up to counts less. The last answers are kept, as a sentence
    is weighed again when more of its setting is known.
    """
    learned = weights()
    adds = map(learned.features.get, features(said, place, learned.words))
    odds = learned.bias + math.fsum(filter(None, adds))
    odds *= min(1.0, LONG / (1 + len(tokens(said[place].text))))
    return 1.0 / (1.0 + math.exp(-odds))


def features(said: Sequence[Sentence], place: int, words: frozenset[str]) -> set[str]:
    """What the weights are about: the sentence's words, spelling and cues, and how its neighbours begin."""
    one = said[place]
    sequence = _classed(one.text, words)
    found = {
        f"length {min(len(sequence) // 3, 8)}",
        f"place {min(place, 3)}/{min(len(said), 4)}",
        f"of {min(len(said), 9)}",
    }
    found.update(*_sequences(("^", *sequence, "$")), *map(_pieces, tokens(one.text.lower())))
    found.update(_cues(one))
    for name, other in (("before", place - 1), ("after", place + 1)):
        if 0 <= other < len(said):
            found.add(f"{name} {' '.join(_classed(said[other].text, words)[:1])}")
            if said[other].asks:
                found.add(f"{name} asks")
    return found


@lru_cache(maxsize=1024)
def tokens(text: str) -> tuple[str, ...]:
    """The words and marks of a text, with code, quotations and addresses in one piece."""
    return tuple(_TOKEN.findall(text.replace("’", "'")))


@lru_cache(maxsize=512)
def _classed(text: str, words: frozenset[str]) -> tuple[str, ...]:
    return tuple(low if (low := token.lower()) in words else _class(token) for token in tokens(text))


@lru_cache(maxsize=4096)
def _class(token: str) -> str:
    """What kind of word it is, when the word itself is too rare to count."""
    if token[0] in '`"':
        return "<quoted>"
    if _NUMBER.match(token):
        return "<number>"
    if any(char.isdigit() for char in token) or _SPELT_LIKE_CODE.search(token) or token.startswith("http"):
        return "<code>"
    if not token.isascii():
        return "<foreign>"
    if token.isupper() and len(token) > 1:
        return "<capitals>"
    low = token.lower()
    return next((f"<-{end}>" for end in _ENDINGS if low.endswith(end) and len(low) > len(end) + 2), "<word>")


def _sequences(sequence: tuple[str, ...]) -> Iterator[Iterable[str]]:
    """The words alone, in twos and in threes."""
    for length in (1, 2, 3):
        yield map(" ".join, zip(*(sequence[start:] for start in range(length)), strict=False))


@lru_cache(maxsize=4096)
def _pieces(token: str) -> tuple[str, ...]:
    padded = f" {token} "
    return tuple(
        "~" + padded[start : start + length] for length in _PIECES for start in range(len(padded) - length + 1)
    )


def _cues(one: Sentence) -> Iterator[str]:
    text = strip_lead_in(one.masked)
    yield from (f"cue {name}" for name, cue in _CUES.items() if cue.search(text))
    yield from (f"opens {name}" for name, cue in _OPENING_CUES.items() if cue.match(text))
    if one.asks:
        yield "asks"
    if one.under:
        yield "listed"
