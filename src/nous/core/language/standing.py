"""Sentences that are said as something that lasts: rules, practices, bans, conventions, wishes for how to work.

Read one by one, never message by message: a good rule is often one sentence between orders. The rows stand in
`lexicon/standing.toml`; what matches none of them is no rule here, however much it may matter (decision 34).
"""

from __future__ import annotations

from functools import lru_cache

from nous.core.language.lexicon import pattern, words
from nous.core.language.sentences import Sentence, sentences

SHORTEST, LONGEST = 12, 320  # characters of a sentence that can be a rule
ROWS = (
    "asked_to_remember",
    "announced",
    "order",
    "lasting",
    "ask",
    "instead",
    "preference",
    "command",
    "practice",
    "convention",
    "modal",
    "occasion",
    "generic",
    "ban",
)


def standing_row(one: Sentence) -> str:
    """The row by which a sentence is a standing rule; empty when it is none."""
    if one.asks or one.is_odd or not SHORTEST <= len(one.text) <= LONGEST or one.text.endswith((":", "：")):
        return ""
    return _row(f"{one.under.rstrip(':： ')}: {one.text}" if _is_announced(one) else one.text)


def _is_announced(one: Sentence) -> bool:
    """Whether a sentence is an item of a list that is announced as rules."""
    return one.is_item and bool(pattern("standing.announced").match(f"{one.under.rstrip(':： ')}: x"))


@lru_cache(maxsize=4096)
def _row(text: str) -> str:
    against = ("points", "once", "pasted")
    if any(pattern(f"standing.{name}").search(text) for name in against):
        return ""
    for name in ROWS:
        if pattern(f"standing.{name}").search(text) and (name in words("standing.sure") or not _is_of_a_moment(text)):
            return "" if name != "asked_to_remember" and pattern("standing.refers").search(text) else name
    return ""


def _is_of_a_moment(text: str) -> bool:
    return bool(pattern("standing.moment").search(text))


@lru_cache(maxsize=4096)
def standing_text(text: str) -> str:
    """The sentences of a text that are standing rules, as one line; empty when there are none."""
    return " ".join(one.text for one in sentences(text) if standing_row(one))


@lru_cache(maxsize=4096)
def is_about_work(text: str) -> bool:
    """Whether a text speaks of what every session does (commits, tests, names) and not of one subject alone."""
    return bool(pattern("standing.work").search(text))
