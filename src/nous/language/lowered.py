"""Patterns over lower-cased text that are asked only where they can occur.

A long list of words costs the engine a look at each place of a text; whether one of a few plain strings stands in it
at all is found many times faster, and mostly none does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _parser as parser  # type: ignore[attr-defined]  # what a pattern needs, only its parse tells
from typing import Any


class Lowered:
    """A pattern, and strings of which one stands in whatever it fits."""

    def __init__(self, pattern: str):
        self.pattern = re.compile(pattern)
        self.needs = needed_strings(pattern)

    def search(self, lowered: str) -> re.Match[str] | None:
        """The first place in a lower-cased text that the pattern fits."""
        return self.pattern.search(lowered) if any(map(lowered.__contains__, self.needs)) else None


class Folded:
    """The same for a pattern that ignores case, and of which it matters where in the text it fits."""

    def __init__(self, pattern: str):
        self.pattern = re.compile(pattern, re.I)
        self.needs = tuple(one.casefold() for one in needed_strings(pattern))

    def search(self, text: str) -> re.Match[str] | None:
        """The first place that the pattern fits."""
        return self.pattern.search(text) if self._may_fit(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every place that the pattern fits."""
        return self.pattern.finditer(text) if self._may_fit(text) else iter(())

    def _may_fit(self, text: str) -> bool:
        return any(map(text.casefold().__contains__, self.needs))


def needed_strings(pattern: str) -> tuple[str, ...]:
    """Strings of which one stands in whatever a pattern fits; an empty one when it need not have any."""
    found = _needed_of(parser.parse(pattern)) or {""}
    return tuple(sorted(one for one in found if not any(other in one for other in found if other != one)))


def _needed_of(items: Any) -> set[str] | None:
    """Of a sequence the longest plain text that it cannot do without, and of alternatives one for each."""
    found: list[set[str]] = []
    run = ""
    for kind, given in items:
        if kind is parser.LITERAL:
            run += chr(given)
            continue
        found, run = [*found, {run}] if run else found, ""
        if kind is parser.BRANCH:
            each = [_needed_of(branch) for branch in given[1]]
            found += [set().union(*filter(None, each))] if all(each) else []
        elif kind is parser.SUBPATTERN or (kind in (parser.MAX_REPEAT, parser.MIN_REPEAT) and given[0]):
            found += filter(None, [_needed_of(given[-1])])
    found += [{run}] if run else []
    return max(found, key=lambda one: (min(map(len, one)), -len(one)), default=None)
