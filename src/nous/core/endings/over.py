"""Things that are over: what a clause says is gone, and whether an older saying speaks of just that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from nous.core.endings import tables
from nous.core.endings.sentence import Clause, clauses, refuses
from nous.core.endings.vocabulary import is_part, is_short_for, knows, words
from nous.core.entailment import words as known

WORDY = 14  # words that say something, past which only the first clauses tell what a saying is about


@lru_cache(maxsize=2048)
def given_up(text: str, whole: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """What a clause says is over: the phrase, and the words of who or what it is over for."""
    return tuple(_all_over(text, whole))


def _all_over(text: str, whole: str) -> Iterator[tuple[str, frozenset[str]]]:
    if found := tables.OVER_FIRST.search(text):
        yield next(part for part in found.groups() if part), frozenset()
    for kills in tables.KILLS.finditer(text):
        if tables.DENIED.search(text[: kills.start()]):
            continue
        phrase = tables.NP_END.sub("", next(part for part in kills.groups() if part))
        ahead = text[: kills.start()].lower().split()
        who = () if tables.SPEAKERS.intersection(ahead) else (one for one in ahead if one not in tables.AGENT)
        yield phrase, words(" ".join(who)).all
    for found in tables.OVER_ELSEWHERE.finditer(whole):
        yield next(part for part in found.groups() if part), frozenset()


def is_over(clause: Clause, whole: str, older: str) -> bool:
    """Whether a clause says of what an older saying speaks of that it is over."""
    if _is_merged(clause, older):
        return True
    if tables.RENAMES.search(clause.text) and not tables.PLACED.search(older):
        return False
    told = " ".join(one.text for one in clauses(older)[:2]) if len(words(older).all) > WORDY else older
    return any(
        not is_foreign(who, older) and _names(phrase, told) and not refuses(older, words(phrase).all)
        for phrase, who in given_up(clause.text, whole)
    )


def _is_merged(clause: Clause, older: str) -> bool:
    """Whether a clause says that a branch was merged on which something is, by the older saying."""
    found = tables.MERGED.search(clause.text)
    name = re.escape(found["name"]) if found else ""
    return bool(name) and bool(
        re.search(rf"\b(?:is|are|lives?|sits?) (?:\w+ )?(?:in|on) .{{0,12}}\b{name}\b", older, re.I)
    )


def _names(phrase: str, older: str) -> bool:
    """Whether a phrase names something that an older saying speaks of, and nothing narrower."""
    named, held = words(phrase), words(older)
    mine = named.all - tables.AGENT_ROOTS
    met = {word for word in mine if word in held.all or is_short_for(word, held.all) or is_part(word, older)}
    if not met or (len(met) == 1 and met <= tables.COMMON - held.telling) or (mine - met) & named.telling:
        return False
    return not _is_narrowed(phrase, met, mine - met) and not _is_another(phrase, met, older)


def _is_another(phrase: str, met: set[str], older: str) -> bool:
    """Whether it is the old one of several that is over, and the older saying speaks of one by its own attribute.

    "The old printer is gone" leaves "the thermal printer" alone.
    """
    if tables.FORMERLY.isdisjoint(phrase.lower().split()):
        return False
    order = older.lower().replace("`", "").split()
    name = next((at for at, word in enumerate(order) if known.root(word.strip(".,;:")) in met), 0)
    return name > 1 and order[name - 2] in tables.ARTICLES and order[name - 1] not in tables.FORMERLY


def _is_narrowed(phrase: str, met: set[str], missing: frozenset[str]) -> bool:
    """Whether the missing words narrow those that were met.

    One ahead of the name does ("the staging redis"), one behind it seldom ("the cart flag").
    """
    order = [known.root(word.lower().strip("./-:`'\"")) for word in phrase.split()]
    name = next((at for at, word in enumerate(order) if word in met), None)
    if name is None:
        return bool(missing)
    return not missing.isdisjoint(order[:name]) or not missing.intersection(order[name + 1 :]) <= tables.HARMLESS


def is_foreign(who: frozenset[str], older: str) -> bool:
    """Whether somebody or something is named that the older saying does not speak of."""
    return any(not knows(word, older) for word in who - tables.AGENT_ROOTS - tables.PEOPLE)
