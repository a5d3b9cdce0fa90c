"""A saying in clauses: what each is about, whether it tells of a change, and how it stands to an older saying."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from nous.core.endings import tables
from nous.core.endings.vocabulary import knows, words
from nous.core.entailment import words as known


class Clause(NamedTuple):
    """A piece of a sentence: its text, the words ahead of its verb, whether it denies, whether it only adds."""

    text: str
    subject: frozenset[str]
    denies: bool
    is_beside: bool


@lru_cache(maxsize=2048)
def clauses(text: str) -> tuple[Clause, ...]:
    """The pieces of a text, each with its subject."""
    return tuple(_clause(piece) for piece in tables.JOINT.split(text) if piece and piece.strip(" ."))


def _clause(piece: str) -> Clause:
    text = piece.strip()
    return Clause(text, _subject(text), bool(tables.DENIES.search(piece)), bool(tables.BESIDE.search(piece)))


def _subject(clause: str) -> frozenset[str]:
    """The words ahead of the verb, without those who merely act; none when a clause begins with its verb."""
    ahead: list[str] = []
    clause = tables.LEAD.sub("", clause)
    for raw in clause.replace("'s ", " is ").replace("’s ", " is ").split():
        if tables.VERB.fullmatch(raw.strip("`\"'.")) and (ahead or raw.lower() in ("is", "are")):
            break
        ahead.append(raw)
    else:
        ahead = []
    return words(" ".join(one for one in ahead if one.lower() not in tables.AGENT)).all


@lru_cache(maxsize=2048)
def is_change(text: str) -> bool:
    """Whether a sentence may say that something is no longer as it was."""
    return bool(tables.SIGN.search(text)) and not tables.NO_CHANGE.search(text)


def is_narrower(clause: Clause, older: str) -> bool:
    """Whether a clause speaks of a place or a use that the older saying does not know: "in the search service"."""
    held = words(older).all
    return any(
        where - held and not any(known.ALTERNATIVES.get(word) or knows(word, older) for word in where)
        for where in _places(clause.text)
    )


@lru_cache(maxsize=2048)
def _places(text: str) -> tuple[frozenset[str], ...]:
    """The places and uses that a clause names, each by the first of its words."""
    found = (words(hit["where"].split()[0]).all for hit in tables.WITHIN.finditer(text))
    return tuple(where for where in found if where - tables.OCCASION)


def is_strange(clause: Clause, older: str) -> bool:
    """Whether a clause is about something that the older saying does not speak of."""
    return any(
        not knows(word, older) and word not in tables.AGENT_ROOTS and word not in tables.ATTRIBUTES
        for word in clause.subject
    )


def refuses(older: str, named: frozenset[str]) -> bool:
    """Whether the older saying itself turns down what is named."""
    turned_down = (" ".join(older[found.end() :].split()[:4]) for found in tables.REFUSES.finditer(older))
    former = (next(part for part in found.groups() if part) for found in tables.FORMER.finditer(older))
    return any(named & words(phrase).all for phrase in (*turned_down, *former))
