"""Whether a clause tells how things are: a subject with a name, a verb in the present, and nothing of the moment."""

from __future__ import annotations

from functools import lru_cache

from nous.core.extractor import cues, grammar, lexicon
from nous.core.extractor.cue import is_english
from nous.core.extractor.grammar import Clause
from nous.core.extractor.shapes import facts, moment, rules

_POINTERS = frozenset("it this that these those they he she there here its one ones mine yours".split())  # noqa: SIM905
_NOBODY = frozenset("i nothing something everything nobody somebody someone anyone everyone everybody rest".split())  # noqa: SIM905
_YOURS = frozenset("you your u".split())  # noqa: SIM905
_ASKING = frozenset(
    """what why how which where when who whose whether if whichever whoever whatever while as since because although
    given""".split()  # noqa: SIM905
)


@lru_cache(maxsize=4096)
def is_order(text: str) -> bool:
    """Whether a clause tells somebody to do something."""
    clause = grammar.read(text) if is_english(text) else None
    return clause is not None and clause.tense == "order"


@lru_cache(maxsize=2048)
def declares(text: str, answers: bool) -> bool:
    """Whether a clause explains something to who has just spoken: how a thing is, or what came of it before.

    Only in an answer to one thing may it be about "it", or about what was lived through.
    """
    if _is_passing(text) or moment.SELF.match(text):
        return False
    clause = grammar.read(text)
    if clause is None or not clause.rest or _YOURS & {*clause.subject} or _ASKING & {*clause.subject[:1]}:
        return False
    if not answers and (clause.tense == "past" or not clause.subject or clause.subject[0] in _POINTERS):
        return False
    if clause.subject[:1] == ("we",) and clause.verb in lexicon.MENTAL:
        return False
    if clause.tense == "past":
        points = clause.rest[0] in _POINTERS and (len(clause.rest) == 1 or clause.rest[1] in grammar.PREPOSITIONS)
        return clause.subject == ("we",) and not points
    if clause.tense == "modal":
        return bool(clause.subject) and _limits(clause)
    return clause.tense == "present" and clause.verb not in lexicon.SEEMING and not _is_report(clause, text)


def _is_passing(text: str) -> bool:
    """Whether a clause is about the moment, or only announces what follows."""
    shapes = (moment.TRANSIENT, moment.PASSING, moment.SCREEN)
    return any(shape.search(text) for shape in shapes) or text.rstrip().endswith(":")


def tells_of_one(text: str) -> bool:
    """Whether a clause is in the past, or about a thing that only the conversation names and nothing else does."""
    clause = grammar.read(text)
    if clause is None or clause.tense == "order":
        return False
    if clause.tense == "past":
        return clause.verb != "have" and clause.subject[:1] in (("we",), ("i",), ("it",), ("that",), ("they",))
    return (
        clause.tense == "present"
        and len(clause.subject) == 1
        and clause.subject[0] in _POINTERS - {"one"}
        and not facts.CONCRETE.search(text)
    )


def is_mood(text: str) -> bool:
    """Whether a clause says what somebody thinks of a thing, or how it does: "the name is funny"."""
    clause = grammar.read(text)
    if clause is None or clause.verb != "be" or clause.tense != "present":
        return False
    first = next((word for word in clause.rest if word not in grammar.ADVERBS), "")
    return first in facts.MOODS - facts.DEFECTS and not facts.MEASURE.search(text)


def _is_report(clause: Clause, text: str) -> bool:
    """Whether a clause says how a thing does at the moment, and not what it is like."""
    is_named = bool(clause.subject) and clause.subject[0] not in _POINTERS
    if clause.verb == "be":
        first = next((word for word in clause.rest if word not in grammar.ADVERBS), "")
        if clause.subject[:1] == ("we",) and first in grammar.PREPOSITIONS:
            return True
        if first.endswith("ing") or (first in facts.MOODS and not (is_named and first in facts.DEFECTS)):
            return True
    is_vague = not is_named or clause.subject[0] in ("the", "my")
    is_mishap = clause.verb in lexicon.MISHAP or cues.PROBLEM.search(text)
    return bool(is_mishap) and is_vague and not facts.BOUNDS.search(text)


@lru_cache(maxsize=2048)
def asserts(text: str) -> bool:
    """Whether a clause says of something how it is, what it does or what it can, and not how it just went."""
    if _is_passing(text):
        return False
    if facts.EXISTS.match(text):
        return bool(facts.CONCRETE.search(text) or rules.STRONG.search(text) or facts.LAW.search(text))
    clause = grammar.read(text)
    if clause is not None and clause.verb == "was" and clause.rest[:1] == ("called",):
        return True
    if clause is None or clause.tense not in ("present", "modal") or not _is_subject(clause):
        return False
    said = f"is {' '.join(clause.rest[:4])}" if clause.verb == "be" else f"{clause.verb}s {' '.join(clause.rest)}"
    if cues.PROBLEM.search(said) and not (facts.RECURS.search(text) or facts.BOUNDS.search(text)):
        return False
    if clause.tense == "modal":
        return _limits(clause)
    return _is_state(clause, text) if clause.verb == "be" else _is_habit(clause, text)


def _is_subject(clause: Clause) -> bool:
    """Whether a clause is about a thing that can be understood without the conversation."""
    words = clause.subject
    if not words or words[0] in _NOBODY or words[0] in _ASKING or _YOURS & {*words}:
        return False
    if len(words) > 1:
        return (
            (words[0] not in _POINTERS - {"one"} or words[1] in facts.PLACES)
            and "i" not in words[1:]
            and "we" not in words[1:]
        )
    return words[0] not in _POINTERS


def _limits(clause: Clause) -> bool:
    """Whether a modal verb says what is possible at all: "cannot", "must", "won't"; wishes and guesses are none."""
    if clause.verb == "will" and clause.rest[:2] in (("be", "called"), ("be", "named")):
        return True
    if clause.verb == "will":
        return clause.subject[0] in ("a", "an", "any", "every", "each", "anything", "everything", "nothing")
    possible = ("can", "cannot", "can't", "cant", "must", "mustn't", "won't", "may")
    return clause.verb in possible and clause.subject[0] not in ("i", "we")


def _is_state(clause: Clause, text: str) -> bool:
    """Whether "is" is followed by what a thing is, where it is or what is done with it, and not by how it does."""
    rest = [word for word in clause.rest if word not in grammar.ADVERBS]
    if not rest or clause.subject[0] == "i" or rest[0].endswith("ing"):
        return False
    if clause.subject[0] == "we" and (rest[0] in grammar.PREPOSITIONS or len(rest) < 3):
        return False
    if rest[0] in facts.MOODS:
        return bool(facts.RECURS.search(text) or facts.MEASURE.search(text))
    return len(rest) > 1 or not rest[0].isalpha() or rest[0].endswith(("ed", "able", "less"))


def _is_habit(clause: Clause, text: str) -> bool:
    """Whether a verb in the present says what is done as a rule."""
    if clause.verb in lexicon.SEEMING or not clause.rest:
        return False
    if clause.subject[0] in ("i", "we") and (
        clause.verb in lexicon.MENTAL or clause.verb == "do" or cues.TASK.match(text)
    ):
        return False
    return clause.verb not in lexicon.MISHAP or bool(facts.BOUNDS.search(text))
