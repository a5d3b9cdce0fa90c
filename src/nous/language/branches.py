"""Words that keep what is said to the branch it is said on: "on this branch", "for this PR"."""

from __future__ import annotations

import re

# One row per language, as in `features/rules_reader`: a preposition, "this", and what work is cut into.
BOUND: dict[str, str] = {
    "en": r"\b(?:on|in|for|within|of) (?:only )?this (?:feature |git )?(?:branch|pr|mr|pull request|merge request)"
    r"\b|\bthis (?:branch|pr|mr) only\b",
    "de": r"\b(?:auf|in|für|bei|von) (?:nur )?diese[mnrs]? (?:feature-?)?(?:branch|zweig|pr|pull request|mr)\b",
    "fr": r"\b(?:sur|dans|pour) cette (?:branche|pr|pull request|mr)\b",
    "es": r"\b(?:en|para|sobre) est[ae] (?:rama|pr|pull request|mr)\b",
    "ru": r"\b(?:в|на|для) (?:этой|этого|этом) (?:ветк\w+|ветки|пулл?-?реквест\w*|pr|mr)\b",
    "zh": r"(?:这个|此|本|该)\s?(?:分支|PR)",
    "ja": r"この\s?(?:ブランチ|PR)",
}
_THIS = ("this", "diese", "cette", "esta", "este")  # one of them stands in whatever a row of Latin letters fits
_BOUND = re.compile("|".join(BOUND.values()), re.IGNORECASE)


def is_bound(text: str) -> bool:
    """Whether a text holds on the branch only on which it was said."""
    lowered = text.lower()
    may_be = not lowered.isascii() or any(word in lowered for word in _THIS)
    return may_be and _BOUND.search(text) is not None
