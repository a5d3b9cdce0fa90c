"""The words by which people mark what is worth keeping, and what is not: an idea each, in `lexicon/cues.toml`.

Quoted and back-ticked parts are masked before these patterns see a sentence, so that they match what the speaker says
and not what they cite.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Any

from nous.language import lexicon
from nous.language.lowered import Lowered

REMEMBERED = 64  # answers that each cue keeps
_FAR = ("ru", "zh", "ja")
# The languages that cannot stand in a text of some script; one that is not named is looked for in every text.
SKIPPED = {"en": ("de", "fr", "es", "pt", "it", *_FAR), "latin": _FAR, "all": ()}


@lru_cache(maxsize=4096)
def _lowered_with_rows(text: str) -> tuple[str, str]:
    """The text in lower case, and which rows can match it: plain English, any Latin script, or everything."""
    lowered = text.lower()
    if not lowered.isascii():
        return lowered, "all"
    is_english = not is_foreign(text) and not lexicon.words("words.english").isdisjoint(_apart(lowered))
    return lowered, "en" if is_english else "latin"


def is_foreign(text: str) -> bool:
    """Whether a text in Latin letters has a word that gives away another language than English."""
    return not lexicon.words("words.latin").isdisjoint(_apart(text.lower()))


def _apart(lowered: str) -> list[str]:
    return lowered.replace(",", " ").replace("'", " ").split()


def _factor_branches(branches: list[str]) -> str:
    """Alternatives as one pattern in which all that begin at a word's edge share that test.

    The engine then skips a branch by its first letter, which the test in front of each branch would prevent.
    """
    edged = [branch[2:] for branch in branches if branch.startswith(r"\b")]
    other = [branch for branch in branches if not branch.startswith(r"\b")]
    return "|".join([*other, rf"\b(?:{'|'.join(edged)})"] if edged else other)


class Cue:
    """Patterns over lower-cased text, by script, so that plain English does not pay for every other language.

    Without the flag that ignores case the engine can skip branches by their first letter.
    """

    def __init__(self, name: str):
        self.name = name
        self._patterns: dict[str, Lowered] = {}
        self._asked: dict[str, Any] = {}

    def _pattern(self, script: str) -> Lowered:
        """The rows that can match a script. Made when first asked for: most commands read no sentence at all."""
        made = self._patterns.get(script)
        if made is None:
            rows = lexicon.row(f"cues.{self.name}").items()
            fitting = (text for language, text in rows if language not in SKIPPED[script])
            made = self._patterns[script] = Lowered(
                _factor_branches([one for text in fitting for one in lexicon.lines(text)])
            )
        return made

    @cached_property
    def patterns(self) -> dict[str, re.Pattern[str]]:
        """Every pattern, by script."""
        return {script: self._pattern(script).pattern for script in SKIPPED}

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
        lowered, script = _lowered_with_rows(text)
        return self._pattern(script).search(lowered)

    def match(self, text: str) -> re.Match[str] | None:
        """The cue, when the text begins with it."""
        lowered, script = _lowered_with_rows(text)
        return self._pattern(script).pattern.match(lowered)


REMEMBER = Cue("remember")
CORRECTION = Cue("correction")
STATE = Cue("state")
GLOBAL = Cue("everywhere")
AGREE = Cue("agree")
ONE_OFF = Cue("one_off")
TASK = Cue("task")
SMALLTALK = Cue("smalltalk")
INSIGHT = Cue("insight")
RECALLED = Cue("recalled")
ASKS_MEMORY = Cue("asks_memory")
OPEN = Cue("open")
HEARSAY = Cue("hearsay")
HYPOTHETICAL = Cue("hypothetical")
DEAD_END = Cue("dead_end")
NO_LONGER_SO = Cue("no_longer_so")
CHANGED = Cue("changed")
INTERESTING = Cue("interesting")
