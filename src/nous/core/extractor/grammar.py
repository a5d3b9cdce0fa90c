"""The grammar of a plain English clause: what it is about, its verb, and whether it tells how things are."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from nous.core.extractor import lexicon

Tense = Literal["present", "past", "modal", "order"]
_WORD = re.compile(r"[\w'’./#+:@-]*\w[\w'’/#+-]*|[%`,;:()]")
_DETERMINER = frozenset(
    "the a an our my your his her their its this that these those every each all both any some no".split()  # noqa: SIM905
)
PREPOSITIONS = frozenset(
    """of in on at from for with without under over above below between through via per by to into onto behind after
    before during against across inside outside within as like than near""".split()  # noqa: SIM905
)
_RELATIVE = frozenset("that which who whose where".split())  # noqa: SIM905
_BREAKS = frozenset("when if while because since so until unless once whenever although though but".split())  # noqa: SIM905
_JOINT = frozenset("and or but nor".split())  # noqa: SIM905
ADVERBS = frozenset(
    """always never only also still just now currently usually normally often generally typically all both already
    really actually basically apparently internally silently automatically not then even simply sometimes
    mostly""".split()  # noqa: SIM905
)
_CONTRACTED = frozenset("it's its that's thats he's she's they're theyre we're you're there's theres this's".split())  # noqa: SIM905
_COAXING = frozenset("please pls plz just also then let's lets ok okay and but so now next first".split())  # noqa: SIM905
_OBJECTS = _DETERMINER | frozenset("us me it them that whether if how why what which where sure out".split())  # noqa: SIM905
_SINGULAR = frozenset("its was has does yes gas less always".split())  # noqa: SIM905
_STOPS = frozenset(",;:(")
_PLURAL_PRONOUN = frozenset("we they you i people users data".split())  # noqa: SIM905


class Clause(NamedTuple):
    """A clause: the words before its verb, the verb in its plain form, its tense, and the words after it."""

    subject: tuple[str, ...]
    verb: str
    tense: Tense
    rest: tuple[str, ...]


@lru_cache(maxsize=2048)
def read(text: str) -> Clause | None:
    """The clause that a text opens with, or None when no verb is found."""
    words = tuple(_WORD.findall(text.replace("QUOTED", "`").lower().replace("’", "'")))
    words = _without_opening(words)
    order = _order(words)
    if order and (order.verb == "do" or (order.rest[:1] and order.rest[0] in _OBJECTS)):
        return order  # "check that the cache is warm": the verb that follows is not the sentence's own
    skip = 0  # verbs of relative clauses that are still to come
    for place, word in enumerate(words):
        if word in _STOPS or (place and word in _BREAKS):
            return order or _subjectless(words)
        found = _finite(words, place)
        if found is None:
            skip += place > 0 and word in _RELATIVE
            continue
        if skip:
            skip -= 1
            continue
        verb, tense = found
        rest = words[place + 1 :]
        if verb == "do" and (main := _main(rest)):
            verb, rest = main, rest[rest.index(main) + 1 :]
        return Clause(words[:place], verb, tense, rest)
    return order or _subjectless(words)


def _without_opening(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words after an opening such as "in prod," or "usually"."""
    if words and words[0] in PREPOSITIONS and "," in words[1:7]:
        words = words[words.index(",") + 1 :]
    while words and words[0] in ADVERBS and words[0] not in ("all", "both"):
        words = words[1:]
    return words


def _order(words: tuple[str, ...]) -> Clause | None:
    if words[:1] in (("let's",), ("lets",)):
        return Clause((), "do", "order", words[1:])
    plain = words
    while plain and plain[0] in _COAXING:
        plain = plain[1:]
    if plain[:1] in (("don't",), ("dont",)) or plain[:2] == ("do", "not"):
        return Clause((), "do", "order", plain[1:])
    return Clause((), plain[0], "order", plain[1:]) if plain and plain[0] in lexicon.BASE else None


def _main(rest: tuple[str, ...]) -> str:
    """The verb that "do" only helps: "know" in "don't really know"."""
    first = next((word for word in rest if word not in ADVERBS), "")
    return first if first in lexicon.BASE else ""


def _subjectless(words: tuple[str, ...]) -> Clause | None:
    """A clause whose subject is what was just spoken of: "does nothing on private methods"."""
    verb = lexicon.THIRD.get(words[0]) if words else None
    return Clause((), verb, "present", words[1:]) if verb else None


def _finite(words: tuple[str, ...], place: int) -> tuple[str, Tense] | None:
    """The plain form and the tense of the word at a place when it is the verb of what stands before it."""
    word = words[place]
    before = next((one for one in reversed(words[:place]) if one not in ADVERBS), "")
    if place == 0 and word in _CONTRACTED:
        return "be", "present"
    if "'" in word and word.endswith(("'ll", "'d", "'ve")):
        return "will", "modal"
    if not before or before in _DETERMINER - {"this", "that", "these", "those", "all", "both"} or before in _JOINT:
        return None
    if word in lexicon.BE:
        return "be", "present"
    if word in lexicon.MODAL:
        return word, "modal"
    if word in lexicon.AUXILIARY:
        if word in ("do", "don't", "dont", "have", "haven't") and not _is_several(words[:place], before):
            return None
        if word.startswith("ha"):
            return "have", "past" if _is_perfect(words[place + 1 :]) else "present"
        return "do", "present"
    if before in PREPOSITIONS:
        return None
    if word in lexicon.THIRD and before not in ("these", "those", "all", "both") and not _is_noun(words, place):
        return lexicon.THIRD[word], "present"
    if word in lexicon.BASE and _is_several(words[:place], before):
        return word, "present"
    if _takes_object(words, place) and _may_be_verb(word):
        if _is_plural(word) and not _is_plural(before):
            return word.removesuffix("s"), "present"
        if _is_plural(before) and before not in lexicon.THIRD and not _is_plural(word):
            return word, "present"
    if word in lexicon.PAST or (len(word) > 4 and word.endswith("ed") and not _is_participle(words, place)):
        return word, "past"
    return None


def _is_perfect(rest: tuple[str, ...]) -> bool:
    """Whether "have" is followed by what was done: "have completed", "has been moved"."""
    first = next((word for word in rest if word not in ADVERBS), "")
    return first in ("been", "done", "made", "gone", "left", "lost", "had", "got") or (
        len(first) > 4 and first.endswith("ed")
    )


def _is_several(subject: tuple[str, ...], last: str) -> bool:
    """Whether a subject takes the plain form of a verb: a plural, a plural with more about it, or two things."""
    return last in _PLURAL_PRONOUN or _is_plural(last) or _is_plural(_head(subject)) or "and" in subject


def _takes_object(words: tuple[str, ...], place: int) -> bool:
    """Whether the word at a place is followed by what only verbs are followed by, so that it need not be known."""
    after = words[place + 1] if place + 1 < len(words) else ""
    return (
        after in _DETERMINER
        or after in ("it", "them", "us", "me", "on", "at", "with")
        or after[:1].isdigit()
        or (len(after) > 4 and after.endswith("ly"))
    )


def _may_be_verb(word: str) -> bool:
    return word.isalpha() and word not in PREPOSITIONS and not word.endswith(("ed", "ing", "ly"))


def _is_noun(words: tuple[str, ...], place: int) -> bool:
    """Whether a word in -s is a plural, as its own verb follows: "log files rotate", "zoom levels above 16 cost"."""
    later = (
        words[place + 3 :] if words[place + 1 : place + 2] and words[place + 1] in PREPOSITIONS else words[place + 1 :]
    )
    if not later or (
        words[place + 2 : place + 3] and words[place + 2] in _DETERMINER and later is not words[place + 1 :]
    ):
        return False
    return later[0] in lexicon.BE | lexicon.MODAL | {"have", "do", "don't"} or later[0] in lexicon.BASE


def _head(words: tuple[str, ...]) -> str:
    """The noun that a subject is about: "customers" in "customers in switzerland"."""
    ends = [place for place, word in enumerate(words) if place and word in PREPOSITIONS]
    return words[ends[0] - 1] if ends else ""


def _is_plural(word: str) -> bool:
    return len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")) and word not in _SINGULAR


def _is_participle(words: tuple[str, ...], place: int) -> bool:
    """Whether a word in -ed describes the noun before it: another verb follows in the same clause."""
    for later in range(place + 1, min(place + 8, len(words))):
        if words[later] in _STOPS or words[later] in _BREAKS:
            return False
        if words[later] in lexicon.BE | lexicon.MODAL | lexicon.AUXILIARY or words[later] in lexicon.THIRD:
            return True
    return False
