"""A passage as it is kept: without its greeting, in one line, within the limit, with a full stop."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from nous.kernel.log.extraction import MAX_CONTENT
from nous.language.lexicon import pattern
from nous.language.sentences import Sentence

ROOM = 300  # characters of a passage together with the line that announced it
WORD = re.compile(r"\w+")
_TERMINAL = tuple('.!?…。！？)"”`')
_IDENTIFIER = re.compile(r"^(?:[`'\"(\[<*_~$@/.-]|\S*[._/\\(=]\S|\S*[a-z][A-Z]|\S*\d)")
_DANGLING = re.compile(
    r"(?:[\s,;:—–]|(?<=[\s,;:—–-])-)+$"
)  # a dash that ends a word is part of it: "the prefix is tide-"
# Words set in bold, or what is left where a sentence was cut inside them; no `**kwargs`, `char** argv` or `src/**/x`.
_EMPHASIS = re.compile(
    r"(?<![^\s(])\*\*(?=[^\s/*])([^*]+)(?<=[^\s/])\*\*(?![\w/*])|(?<=[:!?)])\*\*(?=\s|$)|(?<=\w)\*\*(?=:)"
)
_DASH = re.compile(r"^(?:--?|–|—) ")  # before a clause: what a dash joined stays joined by it


def goes_on(one: Sentence) -> bool:
    """Whether a dash joins a sentence to the one before it."""
    return bool(_DASH.match(one.text))


def plain_type(text: str) -> str:
    """A text without its bold."""
    return _EMPHASIS.sub(r"\1", text)


def compose_text(said: Sequence[Sentence]) -> str:
    """Neighbouring sentences as one text that can be read without the conversation; an item with what it is one of."""
    told: list[str] = []
    for one in said:
        if told and goes_on(one):
            told[-1] = f"{told[-1]} {one.text}"
        else:
            told.append(_DASH.sub("", one.text))
    whole = strip_lead_in(told[0] if len(told) == 1 else " ".join(map(finish, told)))
    under = strip_lead_in(said[0].under.strip(" :：#*-"))
    if said[0].is_item and len(under) + len(whole) < ROOM and WORD.search(under):
        whole = f"{under}: {whole}"
    return finish(whole)


@lru_cache(maxsize=1024)
def strip_lead_in(text: str) -> str:
    """The sentence without its greeting, its "no, wrong." or its "by the way"."""
    for _ in range(6):
        shorter = pattern("turns.lead_in").sub("", text, count=1).lstrip(" ,.:;!—–-")
        if shorter == text or not WORD.search(shorter):
            break
        text = shorter
    return text


def finish(text: str) -> str:
    """A sentence as it is stored: one line, a capital where it is a word, a full stop, within the limit."""
    text = plain_type(" ".join(text.split()))
    text = _DANGLING.sub("", text.strip(" *_"))
    if not text:
        return text
    if text[0].islower() and not _IDENTIFIER.match(text.split(" ", 1)[0]):
        text = text[0].upper() + text[1:]
    text = shorten(text, MAX_CONTENT - 1)
    return text if text.endswith(_TERMINAL) else text + ("。" if text[-1] > "\u3000" else ".")


def as_many(items: Iterable[str], between: str, limit: int) -> str:
    """As many of some things as a limit allows, each whole; the first is shortened where it alone is too long."""
    first, *others = items
    told = shorten(first, limit)
    for item in others:
        if len(told) + len(between) + len(item) > limit:
            break
        told += between + item
    return told


def shorten(text: str, limit: int) -> str:
    """The text within a limit, cut after a clause where there is one, else after a word."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    clause = max(cut.rfind(mark) for mark in (". ", "; ", ", ", " - ", " (", "。", "，"))
    at = clause if clause > limit * 0.6 else cut.rfind(" ")
    return _DANGLING.sub("", cut[:at] if at > limit // 3 else cut) + "…"
