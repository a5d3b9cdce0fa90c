"""The embedder that is always there: a table of word pieces from the `wordllama` wheel, copied when Nous is built.

No download, no key, no second runtime. A text is the sum of its words' unit vectors; words that only ask or join are
left out, and in a question each word counts as much as it is rare in the store. For a few texts plain Python is faster
than importing numpy, for many it is not: both give the same vectors.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from nous.errors import ProviderError
from nous.language.text import STOP_WORDS, plain_words
from nous.providers import Embeddable, Embedder

if TYPE_CHECKING:
    from nous.providers.pooling import Pool

DIMS = 256
TABLE = os.path.join(os.path.dirname(__file__), "table")  # made by hatch_build.py
WEIGHTS = "l2_supercat_256.safetensors"
TOKENIZER = "l2_supercat_tokenizer_config.json"
ROW = struct.Struct(f"<{DIMS}e")

IN_CONTEXT = 0.3  # what a word said around a memory counts beside one of its own
IN_QUESTION = 0.5  # more, when it stands in the question the memory answers
MANY = 48  # from so many texts on numpy pays
NEW_WORDS = 400  # and from so many words that nobody has looked up yet
CACHED_WORDS = 20_000
UNKNOWN = 1 << 30  # behind every row of the table
LONGEST_WORD = 64  # longer "words" are keys and blobs; their beginning is enough


class _Model(msgspec.Struct):
    vocab: dict[str, int]


class _Tokenizer(msgspec.Struct):
    model: _Model


Weighted = tuple[str, float]  # a word and how much it counts


class BuiltinEmbedder:
    """Sums of word vectors from a static table."""

    model = "wordllama-l2-supercat-256/1"
    dims = DIMS
    remote = False

    def __init__(self, folder: str):
        try:
            with open(os.path.join(folder, WEIGHTS), "rb") as file:
                self._table = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            with open(os.path.join(folder, TOKENIZER), "rb") as file:
                self._vocab = msgspec.json.decode(file.read(), type=_Tokenizer).model.vocab
        except (OSError, ValueError, msgspec.DecodeError) as problem:
            raise ProviderError(f"the built-in embedder cannot be read: {problem}") from None
        (length,) = struct.unpack_from("<Q", self._table)
        self._start = 8 + length
        self._words: dict[str, array[float]] = {}
        self._pool: Pool | None = None

    def documents(self, passages: Sequence[Embeddable]) -> list[bytes]:
        """One vector per passage."""
        weighted = [passage_words(passage) for passage in passages]
        is_loaded = "numpy" in sys.modules  # somebody paid for the import already
        is_many = is_loaded or len(weighted) >= MANY or self._new_words(weighted) >= NEW_WORDS
        return self._many(weighted) if is_many else [self._sum(words) for words in weighted]

    def _new_words(self, texts: Sequence[Sequence[Weighted]]) -> int:
        return len({word for text in texts for word, _ in text} - self._words.keys())

    def query(self, text: str, rarity: Mapping[str, float]) -> bytes:
        """The vector of a question, each word as telling as it is rare."""
        rarest = max(rarity.values(), default=1.0)
        words = telling(plain_words(text))
        weighted = [(word, rarity.get(word, rarest)) for word in dict.fromkeys(words)]
        return self._many([weighted])[0] if self._pool else self._sum(weighted)

    def likeness(self, one: str, other: str) -> float:
        """The cosine of two words."""
        return math.fsum(a * b for a, b in zip(self._vector(one), self._vector(other), strict=True))

    def length(self, word: str) -> float:
        """How long the vector of a word is before it is made a unit: the more a word tells, the longer."""
        rows = [ROW.unpack_from(self._table, self._start + row * ROW.size) for row in self.pieces(word)]
        return math.hypot(*(sum(column) for column in zip(*rows, strict=True)))

    def pieces(self, word: str) -> list[int]:
        """A word as rows of the table: neighbours are joined while the table knows what they give, commonest first."""
        vocab, parts = self._vocab, ["▁", *word[:LONGEST_WORD]]
        joins = [vocab.get(a + b, UNKNOWN) for a, b in pairwise(parts)]
        while joins and (best := min(joins)) != UNKNOWN:
            at = joins.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            del joins[at]
            for near in range(max(0, at - 1), min(at + 1, len(joins))):
                joins[near] = vocab.get(parts[near] + parts[near + 1], UNKNOWN)
        return [row for part in parts for row in self._rows_of(part)]

    def _rows_of(self, part: str) -> Iterable[int]:
        """The row of a known piece, else those of its bytes."""
        row = self._vocab.get(part)
        return (row,) if row is not None else (self._vocab[f"<0x{byte:02X}>"] for byte in part.encode())

    def _vector(self, word: str) -> array[float]:
        """The unit vector of one word."""
        known = self._words.get(word)
        if known is None:
            rows = [ROW.unpack_from(self._table, self._start + row * ROW.size) for row in self.pieces(word)]
            known = _unit(rows[0] if len(rows) == 1 else [sum(column) for column in zip(*rows, strict=True)])
            if len(self._words) >= CACHED_WORDS:
                self._words.clear()
            self._words[word] = known
        return known

    def _sum(self, words: Sequence[Weighted]) -> bytes:
        total = [0.0] * DIMS
        for word, weight in words:
            total = [sofar + weight * value for sofar, value in zip(total, self._vector(word), strict=True)]
        return _unit(total).tobytes()

    def _many(self, texts: Sequence[Sequence[Weighted]]) -> list[bytes]:
        """The same as `_sum` of each, for many texts at once."""
        from nous.providers.pooling import Pool

        if self._pool is None or len(self._pool.rows) > CACHED_WORDS:
            self._pool = Pool(self._table, self._start, DIMS)
        return self._pool.sums(texts, self.pieces)


def passage_words(passage: Embeddable) -> list[Weighted]:
    """The words of a passage with what each counts; a repeated word counts again."""
    counted: dict[str, float] = {}
    for text, weight in ((passage.text, 1.0), (passage.context, IN_CONTEXT), (passage.asked, IN_QUESTION)):
        if text:
            for word in telling(plain_words(text)):
                counted[word] = counted.get(word, 0.0) + weight
    return list(counted.items())


def telling(words: Sequence[str]) -> Sequence[str]:
    """The words that say something; all of them when none does."""
    return [word for word in words if word not in STOP_WORDS] or words


def _unit(values: Sequence[float]) -> array[float]:
    length = math.hypot(*values)
    return array("f", [value / length for value in values] if length else [0.0] * DIMS)


def open_builtin(_: str, environ: Mapping[str, str]) -> Embedder:
    """The table that was built in; without it, the hashed embedder, which knows spelling and not meaning."""
    from nous.providers.hashed import Hashed

    return BuiltinEmbedder(TABLE) if os.path.exists(os.path.join(TABLE, WEIGHTS)) else Hashed()
