"""Which words and values of a sentence say what it is about, and which are what it says of that.

What stands ahead of the verb names the thing, and so does what stands behind "for" and "of", or behind "in" and "on"
when something else is said: pallet 8, the tests of billing, Go files. Two such sentences are about different things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from nous.language import lexicon

FIRST_MARK = 0xE000  # values stand in a marked text as signs of their own, the first of them this one
_MARK = re.compile(r"[\ue000-\uf8ff]")
_PIECE = re.compile(r"[\ue000-\uf8ff]|[^\W_]+(?:['._/:@+#-][^\W_]+)*|_\w+|[,;:]")
_FORM = re.compile(r"[a-z]{3,}[^siu]s")  # "reviews", where no known verb stands
_COUNTED = re.compile(r"[a-z]{3,}s|mal|раза?")
NEAR = 3  # pieces between a preposition and the value it belongs to


class Sentence(NamedTuple):
    """The places of a sentence: `naming` are the values that name the thing, by number; `ahead` the words before the
    verb, `scope` those behind a preposition that always names, `within` those behind one that may."""

    naming: frozenset[int]
    ahead: str
    scope: str
    within: str


def mark(number: int) -> str:
    """The sign that stands for a value in a marked text."""
    return chr(FIRST_MARK + number)


def strip_value_marks(text: str) -> str:
    """A text without the signs for its values."""
    return _MARK.sub(" ", text)


def read_places(text: str, telling: frozenset[str], names: frozenset[int]) -> Sentence:
    """Where the words and values of a marked text stand.

    `telling`: the words that say something; `names`: the values that are no figures, by number.
    """
    pieces = [piece.lower() for piece in _PIECE.findall(text)]
    verb = verb_at(pieces)
    behind = pieces[verb:]
    if verb and not any(_MARK.match(piece) or piece in telling for piece in behind):
        verb = 0  # "Python 3.12 is required": what it says of the thing is which one
    naming = {_number(piece) for piece in pieces[:verb] if _MARK.match(piece)}
    values = [at for at in range(verb, len(pieces)) if _MARK.match(pieces[at])]
    limited = [at for at in values if _is_limited(pieces, at, verb)]
    labels = [at for at in values[:-1] if at not in limited and _is_label(pieces, at, telling, names)]
    if len({*limited, *labels}) < len(values):
        naming |= {_number(pieces[at]) for at in (*limited, *labels)}
    return Sentence(
        frozenset(naming),
        " ".join(pieces[:verb]),
        " ".join(_behind(pieces, verb, "claims.names_it")),
        " ".join(_behind(pieces, verb, "claims.may_name_it")),
    )


def verb_at(pieces: Sequence[str]) -> int:
    """Where the verb of a statement stands; 0 for an order, and where "we" or "you" is who it is about."""
    skipped = lexicon.words("claims.ahead_of_orders")
    start = next((at for at, piece in enumerate(pieces) if piece not in skipped), 0)
    if not pieces or pieces[start] in _orders() or pieces[start] in lexicon.words("claims.anybody"):
        return 0
    later = range(start + 1, len(pieces))
    found = next((at for at in later if pieces[at] in lexicon.words("claims.plain_verbs")), 0)
    found = found or next((at for at in later if pieces[at] in lexicon.words("compare.verbs")), 0)
    return found or next((at for at in later if _FORM.fullmatch(pieces[at]) and _is_followed(pieces, at)), 0)


@cache
def _orders() -> frozenset[str]:
    known = lexicon.words
    return known("compare.orders") | known("compare.chooses") | known("compare.verbs") | known("claims.light")


def _is_followed(pieces: Sequence[str], at: int) -> bool:
    return at + 1 < len(pieces) and pieces[at + 1] in lexicon.words("claims.behind_verbs")


def _number(piece: str) -> int:
    return ord(piece) - FIRST_MARK


def _is_limited(pieces: Sequence[str], at: int, verb: int) -> bool:
    """Whether a value stands behind a preposition that tells which one is meant."""
    for before in range(at - 1, max(verb, at - 1 - NEAR), -1):
        if pieces[before] in lexicon.words("claims.prepositions") or _MARK.match(pieces[before]):
            names = lexicon.words("claims.names_it") | lexicon.words("claims.may_name_it")
            return pieces[before] in names and before > verb + bool(verb)
    return False


def _is_label(pieces: Sequence[str], at: int, telling: frozenset[str], names: frozenset[int]) -> bool:
    """Whether a value is the number or name of what stands right before it, or what an order is about: "pallet 8"."""
    if at == 1 or pieces[at - 1] in _orders():
        return _number(pieces[at]) in names
    if _number(pieces[at]) not in names and _COUNTED.fullmatch(pieces[at + 1]):
        return False  # "retry requests 3 times"
    return pieces[at - 1] in telling


def _behind(pieces: Sequence[str], verb: int, table: str) -> Iterator[str]:
    """The words behind the prepositions of a table, each up to the next one or the next value."""
    is_in = False
    for at, piece in enumerate(pieces):
        if piece in lexicon.words("claims.prepositions") or _MARK.match(piece) or piece in ",;:":
            is_in = piece in lexicon.words(table) and (at == 0 or at > verb + bool(verb))
        elif is_in:
            yield piece
