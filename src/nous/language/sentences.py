"""A message becomes sentences: in order, each with its place, whether it asks, and the list it stands in."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from nous.language.speech_lines import spoken_lines

LONGEST = 380  # characters; a longer sentence is cut where it breathes
_ITEM = re.compile(r"^\s{0,12}(?:[-*•▪◦–—+]|\(?\d{1,2}[.)、]|\(?[a-zA-Z][.)]|#{1,6})\s+")
_LETTER = re.compile(r"[^\W\d_]")
# A sentence ends at a mark that is followed by space and something that can open the next, or at an ideographic mark.
_BREAK = re.compile(
    r"(?<=[.!?…])[\"'”’)\]*_]{0,3}\s+(?=[^\s a-z,;)])|(?<=[.!?…])\s{1,4}(?=[a-z])|(?<=[。！？；])\s*|\s+(?=--? )|;\s+"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|resp|incl|cf|fig|dr|mr|mrs|z\.b|d\.h|bzw|ca|p\.ex)|\b(?-i:[A-Z])|^\d{1,2})\.$",
    re.I,
)
_NUMBER = re.compile(r"\b(?:no|nr)\.$", re.I)  # "no. 7", and an answer before anything else
_BREATH = re.compile(r"[,;:，、；：]\s*|\s+[-–—]\s+|\s+(?:and|but|so|because|und|aber|weil|et|mais|pero|y)\s+", re.I)
_BAN = re.compile(
    r"\W{0,3}(?:please )?(?:never|don['’]?t|do not|avoid|no)\b(?!.*\b(?:again|yet|now|it|this|that)$)", re.I
)
# What is to be done instead is an order, where a reason would say who or what.
_REASON = "i|it|its|we|you|they|he|she|this|that|these|those|there|the|my|our|your|so|because|not|no"
_ALTERNATIVE = re.compile(rf"(?!(?:{_REASON})\b)[a-z]+ ", re.I)


class Sentence(NamedTuple):
    """A sentence as written and where it stands: the line of its message, and the heading or lead of its list."""

    text: str
    line: int
    asks: bool
    under: str = ""
    is_item: bool = False
    is_odd: bool = False  # the line looks more like something pasted than like something said


@lru_cache(maxsize=256)
def sentences(message: str) -> tuple[Sentence, ...]:
    """The sentences in which somebody speaks, without what is plainly pasted."""
    found: list[Sentence] = []
    under = ""
    for number, line, is_odd in spoken_lines(message):
        if not line:
            under = under if under.endswith(("：", ":")) else ""
            continue
        item = _ITEM.match(line)
        said = " ".join(line[item.end() :].split()) if item else " ".join(line.split())
        for piece in split_line(said):
            found.append(Sentence(piece, number, _asks(piece), under if item else "", bool(item), is_odd))
        if not item or line.lstrip().startswith("#"):
            under = said if said.endswith((":", "：")) or line.lstrip().startswith("#") else ""
    return tuple(found)


def _asks(text: str) -> bool:
    return text.rstrip(" \"')*_.").endswith(("?", "？", "?!", "!?"))


def split_line(text: str) -> list[str]:
    """The sentences of one line; one that never ends is cut where it breathes."""
    pieces: list[str] = []
    start = 0
    for found in _BREAK.finditer(text):
        before = text[start : found.start()]
        if (
            _ABBREVIATION.search(before[-8:] if len(before) > 8 else before)
            or (_NUMBER.search(before[-8:]) and text[found.end() :][:1].isdigit())
            or before.count("`") % 2
            or _is_open(before)
            or (found[0].startswith(";") and _BAN.match(before) and _ALTERNATIVE.match(text, found.end()))
        ):
            continue
        pieces.append(before)
        start = found.end()
    pieces.append(text[start:])
    return [short for piece in pieces for short in _cut(piece.strip()) if _LETTER.search(short)]


def _is_open(text: str) -> bool:
    """Whether a bracket or a quotation that began here has not ended; a long one is no citation any more."""
    opened = max(text.rfind("("), text.rfind("“"), text.rfind("„"))
    closed = max(text.rfind(")"), text.rfind("”"))
    return opened > closed and len(text) - opened < 120


def _cut(text: str) -> list[str]:
    """A long sentence in pieces that can be kept."""
    out: list[str] = []
    while len(text) > LONGEST:
        places = [found.end() for found in _BREATH.finditer(text, LONGEST // 2, LONGEST)]
        at = places[-1] if places else LONGEST
        out.append(text[:at].strip(" ,;"))
        text = text[at:].strip()
    return [*out, text] if text else out
