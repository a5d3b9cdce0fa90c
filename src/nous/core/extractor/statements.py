"""Whether words state something: a fact about a named thing, a remark the assistant took note of, or just noise."""

from __future__ import annotations

import re
from functools import lru_cache

from nous.core.extractor import cues, names
from nous.core.extractor.assertions import is_mood, is_order
from nous.core.extractor.clauses import declares_anything, says_anything
from nous.core.extractor.cue import is_english
from nous.core.extractor.domain import is_trade
from nous.core.extractor.sentences import word_count
from nous.core.extractor.setting import Setting
from nous.core.extractor.shapes import facts, moment, rules
from nous.core.extractor.standing import is_generic, is_rule_of_thumb

MOST_COLONS = 20  # no sentence has more; each is looked behind


@lru_cache(maxsize=1024)
def is_pasted(text: str) -> bool:
    """Whether a sentence is a piece of somebody's terminal rather than speech."""
    return any(mark in text for mark in moment.PASTED) or bool(moment.PASTED_LINE.search(text))


def is_unreal(masked: str) -> bool:
    """Whether a sentence tells what others said or what might be."""
    return bool(cues.HEARSAY.search(masked) or cues.HYPOTHETICAL.search(masked))


def clauses(text: str) -> list[str]:
    """The pieces of a sentence between its commas, colons and semicolons."""
    return re.split(r", |: |; ", text)


@lru_cache(maxsize=1024)
def is_fact(text: str) -> bool:
    """Whether a sentence states how a thing is, of a thing that has a name, and not how something just went."""
    if is_english(text) and (is_order(text) or is_mood(text)):
        return False
    if any(names.slot(clause) and not cues.PROBLEM.search(clause) for clause in text.split(", ")[1:]):
        return True
    if moment.TRANSIENT.search(text) or moment.SCREEN.search(text):
        return is_english(text) and _says(text)
    if moment.SELF.match(text) and not is_english(text):
        return False
    head, _, tail = text.partition(": ")
    if tail and len(head) < 40 and tail.count(": ") < MOST_COLONS and is_fact(tail):
        return True
    if facts.CONTRASTS.search(text):
        return True
    first, *others = facts.DEFINITE_CLAUSE.split(text)
    if any(is_fact(clause) for clause in others):
        return True
    first = first.split(", ", 1)[0]
    if first != text and is_fact(first):
        return True
    if " because " in text and states(text.split(" because ", 1)[1]) and is_trade(text):
        return True
    if cues.PROBLEM.search(text) and not facts.RECURS.search(text) and not is_english(text):
        return False
    if moment.NUMBERED.match(text):
        return False
    if is_english(text) and cues.PROBLEM.search(text) and not (facts.RECURS.search(text) or facts.BOUNDS.search(text)):
        return says_anything(text)
    if names.slot(text) or (": " in text and names.slot(text.split(": ", 1)[1])):
        return True
    if is_english(text):
        return _says(text)
    return is_trade(text) and (is_generic(text) or states(text))


def _says(text: str) -> bool:
    """Whether a clause of an English sentence tells how things are, of the trade or of something with a name."""
    return bool(is_trade(text) or facts.CONCRETE.search(text)) and says_anything(text)


def states_something(text: str) -> bool:
    """Whether a sentence tells a rule or a fact, so that it is no aim of its own."""
    return bool(rules.STRONG.search(text)) or is_fact(text) or is_rule_of_thumb(text)


def states(clause: str) -> bool:
    """Whether a clause says of a definite thing what it does, or by name what it is."""
    if not facts.DEFINITE.match(clause):
        return False
    if facts.STATE_VERB.search(clause) or facts.ROUTINE.search(clause):
        return True
    named = facts.CONCRETE.search(clause) or facts.CONTRAST.search(clause)
    return bool(facts.IDENTITY.search(clause)) and bool(named)


def tells(text: str, answers: bool) -> bool:
    """Whether a clause of a correction or an answer says what a thing does or has."""
    return declares_anything(text, answers) if is_english(text) else any(map(_tells, clauses(text)))


def _tells(clause: str) -> bool:
    idle = moment.SELF.match(clause) or moment.TRANSIENT.search(clause) or moment.OPENS_BACK.match(clause)
    if idle or cues.PROBLEM.search(clause) or cues.TASK.match(clause) or moment.PAST.search(clause):
        return False
    return len(clause.split()) > 3 and bool(facts.STATE_VERB.search(clause))


def is_told(text: str, setting: Setting) -> bool:
    """Whether a sentence that the assistant took note of, or took up, is a plain statement about something."""
    if is_order(text):
        return False
    words = word_count(text)
    if is_english(text) and not declares_anything(text, setting.replies):
        return False
    if not (text.isascii() and facts.VERB.search(text)) and not facts.VERB_ELSEWHERE.search(text):
        return False
    if text.isascii() and words < 4:
        return False
    if (
        cues.STATE.search(text)
        or not (setting.used or is_trade(text) or (setting.noted and states(text)))
        or moment.PAST.search(text)
    ):
        return False
    return not (
        (cues.TASK.match(text) and not moment.NOUN_OR_VERB.match(text))
        or cues.PROBLEM.search(text)
        or moment.SELF.match(text)
        or moment.TRANSIENT.search(text)
        or moment.SCREEN.search(text)
        or moment.OPENS_BACK.match(text)
    )


def is_standing(text: str) -> bool:
    """Whether an order holds beyond the moment."""
    return bool(rules.STANDING.search(text))
