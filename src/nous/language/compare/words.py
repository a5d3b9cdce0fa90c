"""The words that comparisons know, by their roots: what is the opposite of what, what takes the place of what.

They are data, in `lexicon/compare.toml`, and read when first asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from nous.language.lexicon import compile_row, lines, row, words
from nous.language.likeness import stem

_WORDS = re.compile(r"[^\W_][\w.-]*[^\W_]")
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "non-", "dis")


class RootedWords(NamedTuple):
    """Tables of words by the roots of these."""

    opposites: dict[str, frozenset[str]]
    alternatives: dict[str, frozenset[int]]
    choices: frozenset[int]
    common: frozenset[str]


@cache
def word_tables() -> RootedWords:
    """All tables of words, read once."""
    chosen, ways = ([line.split() for line in lines(row(f"compare.{name}"))] for name in ("choices", "ways"))
    alternatives: dict[str, set[int]] = {}
    for number, names in enumerate([*chosen, *ways]):
        for word in _root_table(names):
            alternatives.setdefault(word, set()).add(number)
    opposites: dict[str, set[str]] = {}
    for line in lines(row("compare.opposites")):
        left, right = (_root_table(side.replace(",", " ").split()) for side in line.split(" : "))
        for one, other in ((left, right), (right, left)):
            for word in one:
                opposites.setdefault(word, set()).update(other)
    return RootedWords(
        opposites={word: frozenset(others) for word, others in opposites.items()},
        alternatives={word: frozenset(numbers) for word, numbers in alternatives.items()},
        choices=frozenset(range(len(chosen))),
        common=_root_table(words("compare.common")),
    )


def _root_table(given: Iterable[str]) -> frozenset[str]:
    return frozenset(map(root, given))


@cache
def _pairs(name: str) -> dict[str, str]:
    """A list of words that stand for others: "sent:send"."""
    return dict(pair.split(":") for pair in row(name).split())


@cache
def _same() -> dict[str, str]:
    rows = [line.split() for line in lines(row("compare.same"))]
    irregular = _pairs("compare.irregular")
    return {stem(word): stem(irregular.get(names[0], names[0])) for names in rows for word in names}


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """The canonical form of a plain word: its stem, or that of the word that stands for it."""
    found = stem(_pairs("compare.irregular").get(word, word))
    return _same().get(found, found)


@lru_cache(maxsize=16384)
def opposites_of(form: str) -> frozenset[str]:
    """The stems that say the opposite of one, by the table or by a prefix: reversible, irreversible."""
    prefixed = {prefix + form for prefix in _PREFIXES} if len(form) > 3 else set()
    bare = {form.removeprefix(one) for one in _PREFIXES if form.startswith(one) and len(form) > len(one) + 3}
    return word_tables().opposites.get(form, frozenset()) | prefixed | bare


@lru_cache(maxsize=16384)
def are_alternatives(one: str, other: str) -> bool:
    """Whether two stems name things of which one takes the place of the other."""
    table = word_tables().alternatives
    return one != other and not table.get(one, frozenset()).isdisjoint(table.get(other, frozenset()))


@lru_cache(maxsize=4096)
def rivals_of(text: str) -> tuple[str, ...]:
    """The names that could stand in the place of one that a text names: npm and yarn for pnpm."""
    said = frozenset(_WORDS.findall(text.lower()))
    rows = (line.split() for line in lines(row("compare.choices")))
    return tuple(dict.fromkeys(name for names in rows if not said.isdisjoint(names) for name in names))


@cache
def numbers() -> dict[str, str]:
    """Words for numbers, and their figures."""
    counted = row("compare.counted").split()
    return {word: str(number) for number, word in enumerate(counted)} | _pairs("compare.tens")


@cache
def units() -> dict[str, tuple[str, float]]:
    """Of each unit what it measures, and how many of the smallest it is."""
    rows = (line.split(" : ") for line in lines(row("compare.units")))
    return {word: (what.split()[0], float(what.split()[1])) for what, names in rows for word in names.split()}


@cache
def environments() -> tuple[re.Pattern[str], ...]:
    """Patterns by which the environments that a saying speaks of are known."""
    return tuple(compile_row({"words": text}) for text in row("compare.environments").values())
