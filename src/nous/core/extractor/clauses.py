"""A sentence that is several things at once, taken apart: an order and the fact behind it, a fact and a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from nous.core.extractor import cues
from nous.core.extractor.assertions import asserts, declares, is_order, tells_of_one
from nous.core.extractor.cue import Cue, is_english
from nous.core.extractor.domain import is_trade
from nous.core.extractor.replaced import replaced_words
from nous.core.extractor.sentences import Sentence, sentence, strip_lead_in
from nous.core.extractor.shapes import context, rules

Sort = Literal["order", "says", "else"]
_JOINT = re.compile(
    r"\s*(?:,|;|:| -| –| —)\s+(?:(?:and|but|so|because|since|cause|bc|also|then|except)\s+)?"
    r"|\s+(?:but|so|because|since|cause|bc|and)\s+",
    re.I,
)
_SUBORDINATE = re.compile(r"(?:when|whenever|if|before|after|once|unless|until|while|as soon as)\b", re.I)
_ADVERB_ONLY = re.compile(
    r"\W*(?:always|everywhere|every time|each time|from now on|in general|no exceptions)\W*$", re.I
)
_CAUSAL = re.compile(r"\b(?:so|because|since|cause|bc)\b", re.I)


class Part(NamedTuple):
    """A piece of a sentence, what it is, and the joint that ties it to the piece before."""

    text: str
    sort: Sort
    joint: str


def apart(said: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, with orders and statements that share one as sentences of their own."""
    whole: list[Sentence] = []
    for one in said:
        if whole and not whole[-1].asks and _ADVERB_ONLY.match(one.masked):
            whole[-1] = sentence(f"{whole[-1].text.rstrip('.! ')}, {one.text}", whole[-1].under)
        else:
            whole.append(one)
    return [part for one in whole for part in _apart(one)]


def _apart(one: Sentence) -> list[Sentence]:
    if not _JOINT.search(one.text) or (one.asks and not is_trade(one.text)):
        return [one]
    if "QUOTED" in one.masked and "," not in one.masked:
        return [one]  # the joint may be in what is cited
    pieces = _pieces(one.text)
    groups: list[list[Part]] = []
    for part in pieces:
        if groups and not _is_cut(groups[-1], part):
            groups[-1].append(part)
        else:
            groups.append([part])
    if len(groups) < 2 or not any(part.sort == "says" for part in pieces):
        return [one]
    return [sentence(_joined(group), one.under) for group in groups]


def _joined(group: list[Part]) -> str:
    return group[0].text + "".join(part.joint + part.text for part in group[1:])


def _is_cut(group: list[Part], part: Part) -> bool:
    """Whether a piece is another kind of thing than what it follows: an order after a statement, or the reverse."""
    sorts = {one.sort for one in group} - {"else"}
    if part.sort == "else" or not sorts or part.sort in sorts or part.joint.strip() == "and":
        return False
    if replaced_words(group[-1].text, (), 0):
        return False  # what ends and what takes its place belong together
    if ":" in part.joint and (cues.REMEMBER.search(group[-1].text) or not is_order(group[-1].text)):
        return False
    if part.sort == "order":
        return not _CAUSAL.search(part.joint)
    is_bound = rules.SINGLE.search(group[-1].text) or not is_order(group[-1].text)
    return bool(is_bound) and not context.POINTS.search(part.text)


@lru_cache(maxsize=1024)
def _pieces(text: str) -> tuple[Part, ...]:
    """The pieces of a sentence between its joints."""
    found: list[Part] = []
    start, joint = 0, ""
    for mark in _JOINT.finditer(text):
        piece = text[start : mark.start()]
        if len(piece.split()) > 1:
            found.append(_part(piece, joint, found))
            start, joint = mark.end(), mark[0]
    if found and len(text[start:].split()) < 2:
        return (*found[:-1], found[-1]._replace(text=found[-1].text + joint + text[start:]))
    return (*found, _part(text[start:], joint, found))


def _part(text: str, joint: str, before: list[Part]) -> Part:
    """A piece with its sort; the aim of an order states nothing, a verb after "and" shares the subject before."""
    is_aim = bool(before) and before[-1].sort == "order" and " so" in joint
    goes_on = bool(before) and joint.strip() == "and" and before[-1].sort != "order" and is_order(text)
    return Part(text, "order" if is_aim else "else" if goes_on else _sort(text), joint)


def _sort(text: str) -> Sort:
    plain = strip_lead_in(text)
    if _SUBORDINATE.match(plain) or cues.HYPOTHETICAL.search(plain):
        return "else"
    if rules.STRONG.search(plain) and is_trade(plain):
        return "says"
    if is_order(plain) or cues.QUESTION.search(plain) or cues.ONE_OFF.search(plain):
        return "order"
    if re.match(r"you (?:did|do|could|have|had|were|are|didn't|don't|\w+ed)\b(?! to\b)", plain, re.I):
        return "order"  # about what the assistant did, and so about now
    if asserts(plain):
        return "says"
    return "order" if cues.TASK.match(plain) else "else"


def says_anything(text: str, unless: Cue | None = None) -> bool:
    """Whether any piece of a sentence, and one without this cue, tells how things are."""
    pieces = _pieces(text)
    told = [part.text for part in pieces if part.sort == "says"]
    if all(part.sort == "else" and part.joint.strip() in ("", "and") for part in pieces) and _sort(text) == "says":
        told = [text]  # "the client installs and audits its packages": two verbs, and no piece says anything alone
    return any(asserts(strip_lead_in(piece)) and not (unless and unless.search(piece)) for piece in told)


def declares_anything(text: str, answers: bool) -> bool:
    """Whether any piece of a sentence says how something is, be it of a thing that only the conversation names."""
    pieces = _pieces(text)
    if cues.PROBLEM.search(text) and any(part.sort == "order" for part in pieces[1:]):
        return False  # a fault, and the order to mend it
    return any(part.sort != "order" and declares(strip_lead_in(part.text), answers) for part in pieces)


def is_told_of_one(text: str) -> bool:
    """Whether the words of a rule only tell what happened, or what "it" does: "it never worked", "that must be it"."""
    if not is_english(text) or not rules.STRONG.search(text):
        return False
    first, *others = (part.text for part in _pieces(text))
    if any(rules.STRONG.search(piece) for piece in others):
        return False  # "no logic in views, it belongs in contexts": what "it" is has just been said
    return tells_of_one(strip_lead_in(first))
