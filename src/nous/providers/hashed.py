"""An embedder of spelling: words and their trigrams, hashed. It needs nothing, and knows nothing of meaning."""

from __future__ import annotations

import math
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence

from nous.language.text import STOP_WORDS, plain_words
from nous.providers import Embeddable, Embedder

DIMS = 256
IN_CONTEXT = 0.3


class Hashed:
    """Adds up signed hashes of words and trigrams."""

    model = "hashed-256/1"
    dims = DIMS
    remote = False

    def documents(self, passages: Sequence[Embeddable]) -> list[bytes]:
        """One vector per passage."""
        return [self._sum([*_words(p.text, 1.0), *_words(f"{p.asked} {p.context}", IN_CONTEXT)]) for p in passages]

    def query(self, text: str, rarity: Mapping[str, float]) -> bytes:
        """The vector of a question, each word as telling as it is rare."""
        rarest = max(rarity.values(), default=1.0)
        return self._sum([(word, rarity.get(word, rarest)) for word, _ in _words(text, 1.0)])

    def _sum(self, words: Iterable[tuple[str, float]]) -> bytes:
        total = [0.0] * DIMS
        for word, weight in words:
            features = _features(word)
            for feature in features:
                number = zlib.crc32(feature.encode())
                total[number % DIMS] += weight / math.sqrt(len(features)) * (1 if number & 0x80000000 else -1)
        length = math.sqrt(sum(value * value for value in total)) or 1.0
        return array("f", (value / length for value in total)).tobytes()


def _words(text: str, weight: float) -> list[tuple[str, float]]:
    return [(word, weight) for word in plain_words(text) if word not in STOP_WORDS]


def _features(word: str) -> list[str]:
    padded = f"<{word}>"
    return [padded, *(padded[at : at + 3] for at in range(len(padded) - 2))]


def open_hashed(_: str, environ: Mapping[str, str]) -> Embedder:
    """The hashed embedder."""
    return Hashed()
