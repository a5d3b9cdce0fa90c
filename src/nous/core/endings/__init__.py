"""What a later saying of the user ends: a thing it says is over, a value it gives anew, a ban it lifts.

Each reason needs more than a shared word: the later saying has to speak of a change, and of nothing narrower than what
the earlier one speaks of. What only adds, asks, supposes, or holds for a while ends nothing.
"""

from __future__ import annotations

from functools import lru_cache

from nous.core.endings.over import given_up, is_foreign, is_over
from nous.core.endings.sentence import clauses, is_change, is_narrower
from nous.core.endings.turns import lifts, says_anew, swaps
from nous.core.endings.values import is_same_frame, revalues
from nous.core.endings.vocabulary import words
from nous.core.entailment import words as known

__all__ = ["ends", "is_change", "is_for_other"]

SHORT = 16  # words that say something, up to which a saying is about one thing
LONG = 40  # words of a saying that tells of a change
BRIEF = 14  # and of the clause that tells it
JUDGES = (("over", is_over), ("value", revalues), ("swap", swaps), ("lifted", lifts), ("anew", says_anew))


def is_for_other(newer: str, older: str) -> bool:
    """Whether a thing that both name is given up by somebody whom the older saying does not speak of.

    "The web build moved off jenkins" leaves "jenkins builds the firmware" alone.
    """
    return any(
        is_foreign(who, older)
        for clause in clauses(newer)
        for phrase, who in given_up(clause.text, newer)
        if words(phrase).all & words(older).all
    )


@lru_cache(maxsize=8192)
def _topics(text: str) -> frozenset[str]:
    """What two sayings have to meet in before they are compared: the beginnings of words, and what words are one of."""
    all_ = words(text).all
    rows = (f"{row} of" for word in all_ for row in known.ALTERNATIVES.get(word, ()) if row in known.CHOICES)
    return frozenset(word[:4] for word in all_) | frozenset(rows) | words(text).telling


def ends(newer: str, older: str) -> str | None:
    """Why a later saying ends an older one: "over", "value", "swap", "lifted" or "anew"; None when it does not."""
    if _topics(newer).isdisjoint(_topics(older)) or not (is_change(newer) or is_same_frame(newer, older)):
        return None
    if len(words(older).all) > SHORT or len(newer.split()) > LONG:
        return None  # who says much at once is not taken at one word
    for clause in clauses(newer):
        if clause.is_beside or len(clause.text.split()) > BRIEF or is_narrower(clause, older):
            continue
        for reason, judge in JUDGES:
            if judge(clause, newer, older):
                return reason
    return None
