"""The words of a saying by their roots, and whether another saying knows them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from nous.core.endings.tables import LITTLE
from nous.core.entailment import words as known
from nous.core.likeness import tokens

_WORD = re.compile(r"(?<![\w])[.-]{0,2}[^\W_][\w.+#@/:-]*[\w+#/]|[^\W_]")
_EDGE = re.compile(r"(?<=[A-Za-z0-9])(?=[\u3040-\u9fff])|(?<=[\u3040-\u9fff])(?=[A-Za-z0-9])")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+")
_COMPOUND = re.compile(r"[._/@+=:-]|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")


class Words(NamedTuple):
    """The words of a text by their roots, and those of them that can hardly mean two things."""

    all: frozenset[str]
    telling: frozenset[str]


@lru_cache(maxsize=8192)
def words(text: str) -> Words:
    """The words that say something; of a compound such as FEATURE_CART=1 its parts too."""
    plain = _EDGE.sub(" ", text.replace("’", "'").replace("`", " "))
    read = [_read(raw, at == 0) for at, raw in enumerate(_WORD.findall(plain))]
    foreign = () if text.isascii() else (word for word in tokens(text) if not word.isascii())
    return Words(
        frozenset().union(*(one.all for one in read), foreign), frozenset().union(*(one.telling for one in read))
    )


def _read(raw: str, is_first: bool) -> Words:
    """The words of one piece of text between blanks."""
    bare = raw.strip("./-:")
    is_compound = bool(_COMPOUND.search(bare)) or raw.endswith("/")
    whole = _roots([bare]) if bare else frozenset()
    is_name = bare[:1].isupper() and not is_first and not bare[1:2].islower()
    is_telling = is_compound or is_name or any(map(_is_product, whole))
    parts = (part for part in _PART.findall(bare) if len(part) > 1 and not part.isdigit()) if is_compound else ()
    return Words(whole | _roots(parts), whole if is_telling else frozenset())


def _roots(found: Iterable[str]) -> frozenset[str]:
    return frozenset(known.root(word.lower()) for word in found if word.lower() not in LITTLE)


def _is_product(form: str) -> bool:
    """Whether a word names a tool that others can take the place of."""
    return form in known.TOOLS and not known.CHOICES.isdisjoint(known.ALTERNATIVES.get(form, ()))


def knows(word: str, older: str) -> bool:
    """Whether a saying has a word, one of its family, or a compound as a part of a longer one."""
    held = words(older).all
    return word in held or _kin(word, held) or is_part(word, older)


def _kin(word: str, others: frozenset[str]) -> bool:
    """Whether a word is of the family of one of the others: mongo and mongodb, explain and explanation."""
    if len(word) < 4 or not word.isalpha():
        return False
    return any(
        (other.startswith(word) or word.startswith(other) or (len(word) > 5 and other[:5] == word[:5]))
        and abs(len(other) - len(word)) < (5 if len(word) > 4 < len(other) else 4)
        for other in others
        if len(other) > 3 and other.isalpha()
    )


def is_short_for(word: str, others: frozenset[str]) -> bool:
    """Whether a word is one of the others cut short: mongo for mongodb; not print for printy."""
    return len(word) > 4 and any(other.startswith(word) and 1 < len(other) - len(word) < 4 for other in others)


def is_part(word: str, older: str) -> bool:
    """Whether a compound stands in a saying, be it as a part of a longer one."""
    return bool(_COMPOUND.search(word)) and word in older.lower()
