"""A cue: one pattern per script over lower-cased text, asked only where it can occur."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Any

from nous.core.language.lowered import Lowered

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


class Cue:
    """Patterns over lower-cased text, by script, so that plain English does not pay for every other language.

    Without the flag that ignores case the engine can skip branches by their first letter.
    """

    def __init__(self, rows: Table):
        latin = tuple(language for language in rows if language not in ("en", "any"))
        self._rows = rows
        self._skipped = {"en": latin, "latin": ("ru", "zh", "ja"), "all": ()}
        self._patterns: dict[str, Lowered] = {}
        self._asked: dict[str, Any] = {}

    def _pattern(self, script: str) -> Lowered:
        """The rows that can match a script. Made when first asked for: most commands read no sentence at all."""
        made = self._patterns.get(script)
        if made is None:
            rows = [row for language, row in self._rows.items() if language not in self._skipped[script]]
            made = self._patterns[script] = Lowered(_factored(rows))
        return made

    @cached_property
    def patterns(self) -> dict[str, re.Pattern[str]]:
        """Every pattern, by script."""
        return {script: self._pattern(script).pattern for script in self._skipped}

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
        return self._pattern(script).search(lowered)

    def match(self, text: str) -> re.Match[str] | None:
        """The cue, when the text begins with it."""
        lowered, script = _read(text)
        return self._pattern(script).pattern.match(lowered)
