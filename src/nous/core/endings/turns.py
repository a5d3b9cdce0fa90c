"""What is turned round: one thing taken for another, a ban lifted, something else said of the same."""

from __future__ import annotations

from functools import lru_cache

from nous.core.endings import tables
from nous.core.endings.sentence import Clause, clauses, is_strange, refuses
from nous.core.endings.vocabulary import knows, words
from nous.core.entailment import words as known


@lru_cache(maxsize=2048)
def _targets(text: str) -> tuple[frozenset[str], ...]:
    """What a clause goes over to."""
    found = (next(part for part in hit.groups() if part) for hit in tables.TO.finditer(text))
    return tuple(_telling(phrase) for phrase in found)


def swaps(clause: Clause, whole: str, older: str) -> bool:
    """Whether a clause goes over to what an older saying turns down, or to a rival of what it is for."""
    first = clauses(older)[0].text if clauses(older) else older
    for target in _targets(clause.text):
        if not target or is_strange(clause._replace(subject=clause.subject - target), older):
            continue
        if refuses(older, target) and target & words(older).all:
            return True
        if not target & words(first).all and any(_are_rivals(word, one) for word in words(first).all for one in target):
            return True
    return False


def _are_rivals(word: str, other: str) -> bool:
    """Whether a project has one of both as a rule."""
    return known.are_alternatives(word, other) and bool(known.ALTERNATIVES[word] & known.CHOICES)


def lifts(clause: Clause, whole: str, older: str) -> bool:
    """Whether a clause permits what an older saying forbids, the reverse, or says that a need or a trouble is over."""
    if is_strange(clause, older):
        return False
    if needless := tables.NEEDLESS.search(clause.text):
        named = _telling(needless["what"])
        return 2 * sum(knows(word, older) for word in named) > len(named)
    if clause.denies:
        return _forbids(clause, clauses(older)[0])
    if tables.TROUBLE.search(older) and tables.CURED.search(clause.text):
        named = _telling(clause.text) & (words(older).telling | clause.subject)
        return any(knows(word, older) for word in named)
    return _permits(clause, older)


def _permits(clause: Clause, older: str) -> bool:
    """Whether a clause permits all that an older saying forbids."""
    banned = next((_telling(one.text) for one in clauses(older)[:2] if one.denies), frozenset()) - tables.VAGUE
    if not banned or not tables.PERMITS.search(clause.text):
        return False
    return all(knows(word, clause.text) for word in banned)


def _forbids(clause: Clause, first: Clause) -> bool:
    """Whether a clause forbids nothing but what another permits."""
    if first.denies or not tables.PERMITS.search(first.text):
        return False
    named = _telling(clause.text)
    return bool(named) and all(knows(word, first.text) for word in named)


def _telling(text: str) -> frozenset[str]:
    return words(text).all - tables.COMMON


def says_anew(clause: Clause, whole: str, older: str) -> bool:
    """Whether a clause with the words of a change says something else of most of what an older saying speaks of."""
    if not clause.subject or not tables.TURNED.search(whole) or is_strange(clause, older):
        return False
    mine, theirs = _telling(clause.text), _telling(older)
    shared = {word for word in mine if knows(word, older)}
    left = {word for word in theirs if not knows(word, clause.text)}
    return len(shared) >= 2 and bool(mine - shared) and bool(left) and 2 * len(shared) >= len(theirs)
