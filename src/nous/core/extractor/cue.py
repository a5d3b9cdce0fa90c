"""A cue: one pattern per script over lower-cased text, asked only where it can occur."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from re import _parser as parser  # type: ignore[attr-defined]  # what a pattern needs, it alone can say
from typing import Any

Table = dict[str, str]
REMEMBERED = 64  # answers that each cue keeps


_ENGLISH = frozenset(
    "the a an is are to we in it you of and for with i this that not on be have do use my our all".split()  # noqa: SIM905
)
_LATIN = frozenset(
    """der die das und nicht ist wir im ich du ein eine einen kein keine immer nie nur für mit auf den dem ab bitte merk
    vergiss nein falsch le la les est pas nous dans toujours jamais et une des pour je tu ne que qui retiens non el los
    las es en siempre nunca jamás usamos con por una recuerda sempre mai il di che não nao em usiamo prefiero
    wurde wird sind nach zum zur sur avec sont fue han del
    je' gli dei delle della nella teniamo vanno são antes cada
    """.split()  # noqa: SIM905
)


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[str, str]:
    """The text in lower case, and which rows can match it: plain English, any Latin script, or everything."""
    lowered = text.lower()
    if not lowered.isascii():
        return lowered, "all"
    words = lowered.replace(",", " ").replace("'", " ").split()
    return lowered, "en" if _LATIN.isdisjoint(words) and not _ENGLISH.isdisjoint(words) else "latin"


def is_foreign(text: str) -> bool:
    """Whether a text in Latin letters has a word that gives away another language than English."""
    return not _LATIN.isdisjoint(text.lower().replace(",", " ").replace("'", " ").split())


def _factored(rows: list[str]) -> str:
    """The rows as one pattern in which all branches that begin at a word's edge share that test.

    The engine then skips a branch by its first letter, which the test in front of each branch would prevent.
    """
    branches = [branch for row in rows for branch in _branches(row)]
    edged = [branch[2:] for branch in branches if branch.startswith(r"\b")]
    other = [branch for branch in branches if not branch.startswith(r"\b")]
    return "|".join([*other, rf"\b(?:{'|'.join(edged)})"] if edged else other)


def _branches(pattern: str) -> list[str]:
    """The alternatives of a pattern that no bracket encloses."""
    parts, depth, is_class, start, at = [], 0, False, 0, 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif is_class:
            is_class = char != "]"
        elif char == "[":
            is_class = True
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "|" and not depth:
            parts.append(pattern[start:at])
            start = at + 1
        at += 1
    return [*parts, pattern[start:]]


def needed(pattern: str) -> tuple[str, ...]:
    """Strings of which one stands in whatever a pattern fits; an empty one when it need not have any."""
    found = _needed(parser.parse(pattern)) or {""}
    return tuple(sorted(one for one in found if not any(other in one for other in found if other != one)))


def _needed(items: Any) -> set[str] | None:
    """Of a sequence the longest plain text that it cannot do without, and of alternatives one for each."""
    found: list[set[str]] = []
    run = ""
    for kind, given in items:
        if kind is parser.LITERAL:
            run += chr(given)
            continue
        found, run = [*found, {run}] if run else found, ""
        if kind is parser.BRANCH:
            each = [_needed(branch) for branch in given[1]]
            found += [set().union(*filter(None, each))] if all(each) else []
        elif kind is parser.SUBPATTERN or (kind in (parser.MAX_REPEAT, parser.MIN_REPEAT) and given[0]):
            found += filter(None, [_needed(given[-1])])
    found += [{run}] if run else []
    return max(found, key=lambda one: (min(map(len, one)), -len(one)), default=None)


class Cue:
    """Patterns over lower-cased text, by script, so that plain English does not pay for every other language.

    Without the flag that ignores case the engine can skip branches by their first letter.
    """

    def __init__(self, rows: Table):
        latin = tuple(language for language in rows if language not in ("en", "any"))
        self._rows = rows
        self._skipped = {"en": latin, "latin": ("ru", "zh", "ja"), "all": ()}
        self._patterns: dict[str, tuple[re.Pattern[str], tuple[str, ...]]] = {}
        self._asked: dict[str, Any] = {}

    def _pattern(self, script: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
        """The rows that can match a script, and what these need. Made when first asked for: few commands read."""
        made = self._patterns.get(script)
        if made is None:
            rows = [row for language, row in self._rows.items() if language not in self._skipped[script]]
            made = self._patterns[script] = re.compile(_factored(rows)), needed("|".join(rows))
        return made

    @cached_property
    def patterns(self) -> dict[str, re.Pattern[str]]:
        """Every pattern, by script."""
        return {script: self._pattern(script)[0] for script in self._skipped}

    def search(self, text: str) -> re.Match[str] | None:
        """The first place where the cue stands; the pattern is only asked when what it needs occurs.

        A sentence is weighed several times as more of its setting becomes known, so the last answers are kept.
        """
        known: re.Match[str] | Cue | None = self._asked.get(text, self)
        if not isinstance(known, Cue):
            return known
        if len(self._asked) >= REMEMBERED:
            self._asked.clear()
        found = self._asked[text] = self._search(text)
        return found

    def _search(self, text: str) -> re.Match[str] | None:
        lowered, script = _read(text)
        pattern, needles = self._pattern(script)
        return pattern.search(lowered) if any(map(lowered.__contains__, needles)) else None

    def match(self, text: str) -> re.Match[str] | None:
        """The cue, when the text begins with it."""
        lowered, script = _read(text)
        return self._pattern(script)[0].match(lowered)
