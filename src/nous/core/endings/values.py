"""Values that are given anew: figures, releases, paths, and what else a thing has one of at a time."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from nous.core.endings import tables
from nous.core.endings.sentence import Clause, is_strange
from nous.core.endings.vocabulary import knows, words
from nous.core.entailment import words as known


class Value(NamedTuple):
    """Something that a thing has one of at a time: its sort (what it measures, or which list it is from) and itself."""

    sort: str
    value: str
    unit: str = ""

    def rivals(self, other: Value) -> bool:
        """Whether only one of both can be said of one thing."""
        if self.sort != other.sort or self.value == other.value:
            return False
        return self.unit == other.unit or not (self.unit and other.unit)


@lru_cache(maxsize=8192)
def values(text: str) -> frozenset[Value]:
    """The values that a text names."""
    found = {Value(sort, hit.lower().rstrip("./")) for sort, pattern in tables.SORTS for hit in pattern.findall(text)}
    found |= {_figure(hit) for hit in tables.FIGURE.finditer(text)}
    for word in words(text).all:
        found |= {Value(f"one of {row}", word) for row in known.ALTERNATIVES.get(word, ()) if row in known.CHOICES}
    return frozenset(found)


def _figure(hit: re.Match[str]) -> Value:
    """A number with what it counts, in the one unit of its measure where it has one."""
    number = known.NUMBERS.get((hit["word"] or "").lower()) or hit["number"]
    unit = (hit["unit"] or hit["unit2"] or "").lower()
    unit = unit if unit.isascii() else unit[:1]
    measure, factor = known.UNITS.get(unit, ("", 1.0))
    amount = f"{float(number.replace(',', '.')) * factor:g}"
    return Value(measure or "figure", amount, "" if measure or unit in tables.IDLE_UNIT else known.root(unit))


def revalues(clause: Clause, whole: str, older: str) -> bool:
    """Whether a clause gives another value of the same sort to what an older saying speaks of."""
    pairs = _rivals(clause, older)
    if not pairs or tables.NOT.search(clause.text):
        return False
    if any(old.value in whole.lower() and _is_marked(old.value) for _, old in pairs):
        return True  # it names the old value beside the new one
    named = {part for new, old in pairs for one in (new, old) for part in words(one.value).all} | tables.UNITS
    shared = {word for word in words(whole).all - named if knows(word, older)}
    if is_strange(clause, older) or not shared:
        return False
    if all(new.sort == "figure" for new, _ in pairs):
        shared &= words(clause.text).all
    if all(new.unit != old.unit for new, old in pairs):
        return len(shared) > 1  # "300 dpi" is no other value of "container 7" because both speak of badges
    return bool(shared - tables.COMMON) or len(shared) > 1


def _rivals(clause: Clause, older: str) -> list[tuple[Value, Value]]:
    """Each new value of a clause beside the one of an older saying that it may take the place of."""
    held = values(older)
    return [
        (new, old)
        for new in values(clause.text)
        for old in held
        if new.rivals(old) and new not in held and not words(new.value).all & clause.subject
        if new.sort != "path" or _is_moved(new.value, old.value) or (clause.subject and tables.PLACED.search(older))
    ]


def _is_moved(new: str, old: str) -> bool:
    """Whether two paths end in the same name."""
    return new.rsplit("/", 1)[-1] == old.rsplit("/", 1)[-1]


def is_same_frame(clause: str, older: str) -> bool:
    """Whether both say the same but for their values."""
    mine, theirs = (
        words(one).all - {part for v in values(one) for part in words(v.value).all} for one in (clause, older)
    )
    return len(mine) > 1 and mine == theirs


def _is_marked(value: str) -> bool:
    """Whether a value is known again wherever it stands: a port, a release, a time, a path."""
    return bool(re.fullmatch(r"\d{3,5}|\d+(?:\.\d+)+|\d+:\d+|.*[./_].*", value))
