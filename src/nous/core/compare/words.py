"""The words that comparisons know: what is the opposite of what, what takes the place of what, what says nothing.

They are data, in `lexicon.toml`, and read when first asked for.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from nous.core.language.lowered import Lowered
from nous.core.likeness import cosine, jaccard, rarity, stem, tokens

__all__ = ["cosine", "jaccard", "lexicon", "rarity", "root", "stem", "tokens"]

_ONE_OF = {"use", "need", "require", "has", "have", "had", "was", "were"}  # which may have one object at a time
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "non-", "dis")
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_TENS = {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100"}
NUMBERS = {word: str(number) for number, word in enumerate(_COUNTED.split())} | _TENS
# Unit: what it measures, how many of the smallest.
UNITS: dict[str, tuple[str, float]] = {
    word: (measure, factor)
    for measure, factor, words in (
        ("time", 0.001, "ms millisecond milliseconds"),
        ("time", 1.0, "s sec secs second seconds sekunden secondes segundos"),
        ("time", 60.0, "min mins minute minutes minuten minutos"),
        ("time", 3600.0, "h hr hrs hour hours stunden heures horas"),
        ("time", 86400.0, "d day days tage jours días"),
        ("time", 604800.0, "week weeks"),
        ("time", 2592000.0, "month months"),
        ("time", 31536000.0, "year years"),
        ("size", 1.0, "byte bytes"),
        ("size", 1024.0, "kb kib kilobyte kilobytes"),
        ("size", 1048576.0, "mb mib megabyte megabytes"),
        ("size", 1073741824.0, "gb gib gigabyte gigabytes"),
        ("share", 1.0, "percent %"),
    )
    for word in words.split()
}


class Lexicon(NamedTuple):
    """The tables of `lexicon.toml`, by the roots of their words where these are compared."""

    same: dict[str, str]
    irregular: dict[str, str]
    opposites: dict[str, frozenset[str]]
    alternatives: dict[str, frozenset[int]]
    choices: frozenset[int]
    idle: frozenset[str]
    places: frozenset[str]
    negations: frozenset[str]
    common: frozenset[str]
    agents: frozenset[str]
    occasions: frozenset[str]
    verbs: frozenset[str]
    orders: frozenset[str]
    many: frozenset[str]
    several: frozenset[str]


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "lexicon.toml").read_text(encoding="utf-8"))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern of the table by its name."""
    row = _file()["patterns"][name]
    words = "|".join(row["words"].split("\n")).strip("|")
    signs = f"|{row['signs']}" if "signs" in row else ""
    return re.compile(rf"\b(?:{words})\b{signs}", re.I)


@cache
def lowered(name: str) -> Lowered:
    """The same over lower-cased text, for who asks of every sentence whether it stands there at all."""
    return Lowered(pattern(name).pattern)


def examples() -> dict[str, tuple[str, str]]:
    """Of each pattern a text that it fits and one that it does not."""
    return {name: (row["fits"], row["unlike"]) for name, row in _file()["patterns"].items()}


@cache
def environments() -> tuple[re.Pattern[str], ...]:
    """Patterns by which the environments that a saying speaks of are known."""
    return tuple(re.compile(rf"\b(?:{words})\b", re.I) for words in _file()["environments"].values())


@cache
def sorts() -> dict[str, re.Pattern[str]]:
    """Patterns of values, each with the sort of what it finds."""
    return {name: re.compile(text, re.I if name == "switch" else 0) for name, text in _file()["values"].items()}


@cache
def lexicon() -> Lexicon:
    """All tables of words, read once."""
    table = _file()
    plain = {name: frozenset(text.split()) for name, text in table.items() if isinstance(text, str)}
    irregular = dict(pair.split(":") for pair in table["irregular"].split())
    rows = [line.split() for line in table["same"].strip().splitlines()]
    same = {stem(word): stem(irregular.get(row[0], row[0])) for row in rows for word in row}

    def rooted(words: frozenset[str] | list[str]) -> frozenset[str]:
        return frozenset(_rooted(word, same, irregular) for word in words)

    alternatives: dict[str, set[int]] = {}
    chosen = [line.split() for line in table["choices"].strip().splitlines()]
    ways = [line.split() for line in table["ways"].strip().splitlines()]
    for number, row in enumerate([*chosen, *ways]):
        for word in rooted(row):
            alternatives.setdefault(word, set()).add(number)
    opposites: dict[str, set[str]] = {}
    for line in table["opposites"].strip().splitlines():
        left, right = (rooted(side.replace(",", " ").split()) for side in line.split(" : "))
        for one, other in ((left, right), (right, left)):
            for word in one:
                opposites.setdefault(word, set()).update(other)
    return Lexicon(
        same=same,
        irregular=irregular,
        opposites={word: frozenset(others) for word, others in opposites.items()},
        alternatives={word: frozenset(numbers) for word, numbers in alternatives.items()},
        choices=frozenset(range(len(chosen))),
        idle=plain["idle"],
        places=rooted(plain["places"]),
        negations=plain["negations"],
        common=rooted(plain["common"]),
        agents=plain["agents"],
        occasions=rooted(plain["occasions"]),
        verbs=plain["verbs"],
        orders=plain["orders"],
        many=frozenset(map(stem, plain["many"])),
        several=frozenset(map(stem, plain["many"] - _ONE_OF)),
    )


def _rooted(word: str, same: dict[str, str], irregular: dict[str, str]) -> str:
    found = stem(irregular.get(word, word))
    return same.get(found, found)


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """The canonical form of a plain word: its stem, or that of the word that stands for it."""
    known = lexicon()
    return _rooted(word, known.same, known.irregular)


@lru_cache(maxsize=16384)
def opposites_of(form: str) -> frozenset[str]:
    """The stems that say the opposite of one, by the table or by a prefix: reversible, irreversible."""
    prefixed = {prefix + form for prefix in _PREFIXES} if len(form) > 3 else set()
    bare = {form.removeprefix(one) for one in _PREFIXES if form.startswith(one) and len(form) > len(one) + 3}
    return lexicon().opposites.get(form, frozenset()) | prefixed | bare


@lru_cache(maxsize=16384)
def are_alternatives(one: str, other: str) -> bool:
    """Whether two stems name things of which one takes the place of the other."""
    table = lexicon().alternatives
    return one != other and not table.get(one, frozenset()).isdisjoint(table.get(other, frozenset()))
