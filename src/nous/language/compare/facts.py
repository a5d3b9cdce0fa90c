"""How two sentences of a developer stand to each other, by their structure.

Structure comes first: sentences about different things, places or times are not set against each other, whatever words
they share. Only then is asked whether they deny each other or give one thing two values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from nous.language.compare.frames import Frame, Token
from nous.language.compare.words import are_alternatives, opposites_of, word_tables

SentenceRelationKind = Literal["same", "refines", "replaces", "contradicts", "unrelated"]


STEM = 5  # letters that words of one family share


class SentenceRelation(msgspec.Struct, frozen=True):
    """How two sentences stand to each other, how firmly that is said (0 to 1, uncalibrated), and why."""

    kind: SentenceRelationKind
    score: float
    reasons: tuple[str, ...]


def compare(a: Frame, b: Frame) -> SentenceRelation:
    """How two sentences stand to each other; the same whichever comes first."""
    left, right = _only(a, b), _only(b, a)
    shared = a.forms & b.forms
    if not shared and not (a.rejected & b.forms or b.rejected & a.forms):
        return SentenceRelation("unrelated", 0.9, ("no word in common",))
    if _is_elsewhere(a, b):
        return SentenceRelation("unrelated", 0.8, ("they hold in different places",))
    if a.tense != b.tense:
        return SentenceRelation("unrelated", 0.7, ("they speak of different times",))
    if a.rejected & b.forms and b.rejected & a.forms:
        return SentenceRelation("contradicts", 0.95, ("each refuses what the other wants",))
    if opposite := _opposite(a, b):
        return _relate_opposites(a, b, left, right, opposite)
    if not left or not right:
        return _one_adds(a, b, left or right)
    return _both_differ(a, b, left, right)


def _only(one: Frame, other: Frame) -> list[Token]:
    """What one says and the other does not, spelling and word family aside."""
    forms = other.forms | other.rejected
    families: dict[str, list[str]] = {}
    for token in other.tokens:
        if token.sort == "word" and len(token.form) >= STEM:
            families.setdefault(token.form[:STEM], []).append(token.form)
    return [
        token
        for token in one.tokens
        if token.form not in forms
        and not (token.sort == "word" and any(_is_kin(token.form, w) for w in families.get(token.form[:STEM], ())))
    ]


def _is_kin(one: str, other: str) -> bool:
    """Whether two stems that begin alike are of one family: indent, indentation."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short[: max(STEM, len(short) - 2)]) and other not in opposites_of(one)


def _closeness(a: Frame, b: Frame) -> float:
    return len(a.forms & b.forms) / max(1, min(len(a.forms), len(b.forms)))


def _is_elsewhere(a: Frame, b: Frame) -> bool:
    """Whether two sentences hold in different places or cases."""
    mine, theirs = a.scope - b.scope - b.forms, b.scope - a.scope - a.forms
    return bool(mine and theirs) or (bool(a.scope and b.scope) and ("not" in mine or "not" in theirs))


def _opposite(a: Frame, b: Frame) -> tuple[str, str] | None:
    """A word of each that are opposites."""
    theirs = (b.charged | b.forms) - a.charged - a.forms
    for one in sorted((a.charged | a.forms) - b.charged - b.forms):
        if found := opposites_of(one) & theirs:
            return one, min(found)
    return None


def _relate_opposites(
    a: Frame, b: Frame, left: list[Token], right: list[Token], pair: tuple[str, str]
) -> SentenceRelation:
    if a.denies != b.denies:
        return SentenceRelation("same", 0.5, ("the opposite, denied",))
    return _weigh_contradiction(a, b, left, right, f"opposites: {pair[0]}/{pair[1]}", 0.9, pair)


def _one_adds(a: Frame, b: Frame, extra: list[Token]) -> SentenceRelation:
    """One says all that the other says, and perhaps more."""
    more, less = (a, b) if _only(a, b) else (b, a)
    if a.denies != b.denies:
        if more.has_exception or (more.scope - less.scope and extra):
            return SentenceRelation("refines", 0.6, ("one is an exception to the other",))
        if len(extra) <= 2:
            return SentenceRelation("contradicts", 0.9 - 0.1 * len(extra), ("one denies the other",))
        return _apart()
    if not extra:
        return SentenceRelation("same", 0.9, ("the same words",))
    return SentenceRelation("refines", 0.8, ("one says more",))


def _both_differ(a: Frame, b: Frame, left: list[Token], right: list[Token]) -> SentenceRelation:
    if a.denies != b.denies:
        return _one_denies(a, b, left, right)
    if a.denies:
        return SentenceRelation("unrelated", 0.7, ("both forbid, each something else",))
    if pair := _differing_values(left, right):
        return _two_values(a, b, left, right, *pair)
    if swap := _replacements(left, right):
        if a.verb == b.verb and a.verb in word_tables().several:
            return SentenceRelation("unrelated", 0.6, ("both may hold",))
        return _weigh_contradiction(a, b, left, right, f"one takes the other's place: {swap[0]}/{swap[1]}", 0.9, swap)
    return _other_words(a, b, left, right)


def _one_denies(a: Frame, b: Frame, left: list[Token], right: list[Token]) -> SentenceRelation:
    if a.has_exception or b.has_exception:
        return SentenceRelation("refines", 0.5, ("one is an exception to the other",))
    if _other_subject(a, b, left, right) or _closeness(a, b) < 0.5 or _differing_values(left, right):
        return _apart()
    return SentenceRelation("contradicts", 0.7 - 0.1 * max(len(left), len(right)), ("one denies the other",))


def _two_values(
    a: Frame, b: Frame, left: list[Token], right: list[Token], one: Token, other: Token
) -> SentenceRelation:
    if _extends(one, other):
        return SentenceRelation("refines", 0.7, ("one value is more exact",))
    if a.verb == b.verb and a.verb in word_tables().many and one.sort not in ("number", "version"):
        return SentenceRelation("unrelated", 0.6, ("both may hold",))
    return _weigh_contradiction(a, b, left, right, f"two values: {one.form}/{other.form}", 0.95, (one.form, other.form))


def _weigh_contradiction(
    a: Frame, b: Frame, left: list[Token], right: list[Token], reason: str, score: float, pair: tuple[str, str]
) -> SentenceRelation:
    """A contradiction, unless what else differs shows that they are about different things."""
    mine = [token for token in left if token.form not in pair]
    theirs = [token for token in right if token.form not in pair]
    if _other_subject(a, b, mine, theirs) or (pair[0] in a.subject and pair[1] in b.subject and a.verb):
        return SentenceRelation("unrelated", 0.8, ("they are about different things",))
    if a.has_exception or b.has_exception:
        return SentenceRelation("refines", 0.5, ("one is an exception to the other",))
    if (a.scope - b.forms or b.scope - a.forms) and not (a.scope & b.scope):
        return SentenceRelation("refines", 0.4, ("one holds in one place only",))
    score -= 0.45 if mine and theirs else 0.08 * (len(mine) + len(theirs))
    score -= 0.2 if _closeness(a, b) < 0.5 else 0.0
    return SentenceRelation("contradicts", round(score, 3), (reason,)) if score > 0.4 else _apart()


def _other_subject(a: Frame, b: Frame, left: Sequence[Token], right: Sequence[Token]) -> bool:
    """Whether each names a subject that the other does not know."""
    mine = {token.form for token in left} & a.subject
    theirs = {token.form for token in right} & b.subject
    return bool(mine and theirs)


_SORTS = frozenset(
    frozenset(sorts) for sorts in (("number", "version"), ("path", "name"), ("path", "command"))
) | frozenset(frozenset((sort,)) for sort in ("number", "version", "path", "command", "name"))


def _differing_values(left: Sequence[Token], right: Sequence[Token]) -> tuple[Token, Token] | None:
    """Two values of one sort, each given by one side only."""
    values = [token for token in right if token.sort != "word"]
    for one in left if values else ():
        for other in values:
            if one.unit == other.unit and frozenset((one.sort, other.sort)) in _SORTS:
                return one, other
    return None


def _extends(one: Token, other: Token) -> bool:
    """Whether one value is the other, said more exactly: 18 and 18.2.0."""
    short, long = sorted((one.form, other.form), key=len)
    return one.sort in ("version", "number") and long.startswith(short + ".")


def _replacements(left: Sequence[Token], right: Sequence[Token]) -> tuple[str, str] | None:
    for one in left:
        for other in right:
            if are_alternatives(one.form, other.form):
                return one.form, other.form
    return None


def _other_words(a: Frame, b: Frame, left: list[Token], right: list[Token]) -> SentenceRelation:
    """Same frame, other words: two values when the verb takes one, else two facts."""
    if _other_subject(a, b, left, right):
        return SentenceRelation("unrelated", 0.8, ("they are about different things",))
    if a.verb != b.verb or a.verb in word_tables().many or _closeness(a, b) < 0.5 or not a.subject & b.subject:
        return _apart()
    values = {token.form for token in a.tokens if token.sort != "word"} - a.subject
    if len(left) > 3 or len(right) > 3 or a.has_exception or b.has_exception or values & b.forms:
        return _apart()
    is_plain = len(left) == len(right) == 1 or (bool(a.verb) and len(left) + len(right) < 4)
    return SentenceRelation(
        "contradicts", 0.6 if is_plain else 0.55 if len(left) + len(right) < 4 else 0.5, ("two values for one thing",)
    )


def _apart() -> SentenceRelation:
    return SentenceRelation("unrelated", 0.4, ("nothing sets them against each other",))
