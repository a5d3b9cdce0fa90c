"""A sentence taken apart: what it is about, where and when it holds, whether it denies, and which values it gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Literal

import msgspec

from nous.language.compare.words import numbers, root, units, word_tables
from nous.language.lexicon import compile_row, pattern, row, words

TokenSort = Literal["word", "number", "version", "path", "command", "name"]


class Token(msgspec.Struct, frozen=True, gc=False):
    """One word that says something: its canonical form, what sort of thing it is, and where it stands."""

    form: str
    sort: TokenSort
    at: int
    unit: str = ""


class Frame(msgspec.Struct, frozen=True):
    """A sentence taken apart.

    `forms` are the canonical forms of its words, `subject` those that say what it is about, `scope` those of the places
    and cases it is limited to, `rejected` those it names only to refuse them ("npm, not yarn"), `charged` those that
    have an opposite. `verb` is what is said of the subject; empty when that is no more than that it is, is used or lies
    somewhere.
    """

    tokens: tuple[Token, ...]
    forms: frozenset[str] = frozenset()
    subject: frozenset[str] = frozenset()
    scope: frozenset[str] = frozenset()
    rejected: frozenset[str] = frozenset()
    charged: frozenset[str] = frozenset()
    verb: str = ""
    denies: bool = False
    tense: Literal["past", "now", "future"] = "now"
    has_exception: bool = False


_PIECE = re.compile(r"`[^`]+`|\"[^\"]+\"|[^\s,;!?()\"]+|[,;()]")
_VERSION = re.compile(r"v?\d+\.\d+[\w.-]*\Z|v\d+\Z|[A-Za-z]+20[12]\d\Z")
_NUMBER = re.compile(r"(\d+(?:[.,:]\d+)?)(%|[a-zA-Z]{1,3})?\Z")
_NAME = re.compile(r"[a-z]+[A-Z]\w*\Z|\w+_\w+\Z|[A-Z][a-z]+[A-Z]\w*\Z|[\w.]+\(\)\Z|\w+-\w+-\d+\Z|[A-Za-z]{2,}\d{2,}\Z")
_EXCEPTION = re.compile(r"\b(?:except|unless|apart from|other than|but|only|may|however|when needed|in tests)\b", re.I)
_PARTICIPLE = re.compile(r"\w+(?:ed|wn|en)\Z|(?:built|kept|sent|run|cut|held|made|put|set|read|drawn|found|left)\Z")


@cache
def _plainer() -> list[tuple[re.Pattern[str], str]]:
    return [(compile_row(one), one["becomes"]) for one in row("compare.plainer")]


@lru_cache(maxsize=16384)
def read_frame(text: str) -> Frame:
    """What a sentence says, taken apart."""
    plain = text.strip().rstrip(".!").replace("’", "'")
    for found, becomes in _plainer():
        plain = found.sub(becomes, plain)
    main, rest = _main_clause(plain)
    pieces = _pieces(main)
    lowered = [piece.lower() for piece in pieces]
    tokens = tuple(_tokens(pieces))
    rejected = frozenset(_rejected_words(main, tokens))
    verb_at, lead = _verb(lowered), _lead_end(lowered)
    more = tuple(_tokens(_pieces(rest), start=1000)) if rest else ()
    kept = tuple(token for token in tokens if token.form not in rejected)
    return Frame(
        tokens=kept + more,
        forms=frozenset(token.form for token in (*kept, *more)),
        subject=frozenset(_subject(kept, lowered, verb_at)),
        scope=frozenset(_scope(lowered, verb_at, lead)),
        rejected=rejected,
        charged=frozenset(_words_with_opposites(lowered, rejected)),
        verb=_relation(lowered, verb_at),
        denies=_denies(lowered[lead:], bool(rejected)),
        tense=_tense(lowered),
        has_exception=bool(rest and _EXCEPTION.search(rest)) or "except" in lowered,
    )


def _words_with_opposites(lowered: Sequence[str], rejected: frozenset[str]) -> Iterator[str]:
    """The words that have an opposite. "on" and "off" only where they are said of something, not before a noun."""
    for at, word in enumerate(lowered):
        form = root(word)
        following = lowered[at + 1] if at + 1 < len(lowered) else ""
        if word in ("on", "off", "up", "down") and following not in ("", "by", "in", "for", ",", ";"):
            continue
        if form in word_tables().opposites and form not in rejected and word not in words("compare.negations"):
            yield form


def _relation(lowered: Sequence[str], verb_at: int) -> str:
    """What is said of the subject: the verb, or what was done to it. Verbs of being, use and place are all the same."""
    said = [word for word in lowered[verb_at:] if word not in words("compare.says_nothing")]
    if not said:
        return ""
    light = words("compare.light")
    if said[0] in ("is", "are", "was", "were", "be") and len(said) > 1:
        at = 2 if said[1] in ("now", "still", "also", "all", "only", "currently", "be") and len(said) > 2 else 1
        return root(said[at]) if _PARTICIPLE.match(said[at]) and said[at] not in light else ""
    return "" if said[0] in light - {"use", "uses", "has", "have"} else root(said[0])


_CLAUSE = re.compile(
    r"[;:] |,? (?:because|since|but|except|unless|apart from|so that|so it|which|until|although|while) |, (?=[a-z]+ )"
)


def _main_clause(text: str) -> tuple[str, str]:
    """A sentence up to where it starts to explain or limit itself, and the rest."""
    for found in _CLAUSE.finditer(text):
        head = text[: found.start()]
        if len(head.split()) < 3 or f"{text[found.start() :]} ".startswith((", not ", ", and not ")):
            continue
        return head, text[found.start() :].strip(" ,;:")
    return text, ""


def _pieces(text: str) -> list[str]:
    return [piece for raw in _PIECE.findall(text) if (piece := _strip_word(raw))]


def _strip_word(raw: str) -> str:
    return raw if raw[0] in '`"' else raw.rstrip(".,:'") if len(raw) > 1 else raw


def _tokens(pieces: Sequence[str], start: int = 0) -> Iterator[Token]:
    """The words that say something, in canonical form; a number takes in the unit behind it."""
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        unit = pieces[at + 1].lower() if at + 1 < len(pieces) else ""
        quantity = _quantity(piece, unit)
        if quantity:
            form, measure, taken = quantity
            yield Token(form, "number", start + at, measure)
            at += taken
            continue
        if token := _word(piece, start + at):
            yield token
        at += 1


def _quantity(piece: str, unit: str) -> tuple[str, str, int] | None:
    """A number in the smallest unit of its measure: `5 minutes` and `300s` are both 300.0 of time."""
    plain = numbers().get(piece.lower(), piece)
    if plain != piece and piece.lower() == "one" and unit not in units():
        return None
    found = _NUMBER.match(plain)
    if not found:
        return None
    glued = (found[2] or "").lower()
    measure, factor = units().get(glued or unit, ("", 1.0))
    if glued and not measure:
        return None
    if ":" in found[1]:
        return found[1], "clock", 1
    value = float(found[1].replace(",", "")) * factor if found[1].count(".") < 2 else 0.0
    return f"{value:g}", measure, 2 if measure and not glued else 1


def _word(piece: str, at: int) -> Token | None:
    if piece[0] in '`"':
        inner = piece[1:-1].strip()
        if " " in inner:
            return Token(inner, "command", at)
        piece = inner or piece
    low = piece.lower()
    if low in words("compare.idle") or low in words("compare.negations") or not any(c.isalnum() for c in low):
        return None
    form = root(low)
    if form in word_tables().places or form in word_tables().alternatives:
        return Token(form, "word", at)
    if _VERSION.match(piece):
        return Token(low.removeprefix("v"), "version", at)
    if pattern("compare.path").match(piece) and not piece.isdigit():
        return Token(piece.rstrip("/"), "path", at)
    return Token(piece, "name", at) if _NAME.match(piece) else Token(form, "word", at)


def _verb(lowered: Sequence[str]) -> int:
    """Where the first verb stands: 0 for an order, behind the last word when there is none."""
    start = 0
    while start < len(lowered) and lowered[start] in words("compare.says_nothing"):
        start += 1
    if start < len(lowered) and (start or lowered[start] in words("compare.chooses") | words("compare.orders")):
        return 0
    return next((at for at, word in enumerate(lowered) if at and word in words("compare.verbs")), len(lowered))


def _subject(tokens: Sequence[Token], lowered: Sequence[str], verb_at: int) -> Iterator[str]:
    """What a sentence is about: what stands before its verb; after an order, what the order is about."""
    if verb_at:
        owns = verb_at < len(lowered) and lowered[verb_at] in ("owns", "maintains")
        yield from (token.form for token in tokens if (token.at > verb_at if owns else token.at < verb_at))
        return
    chooses = any(word in words("compare.chooses") for word in lowered[:4])
    turn = next((at for at, word in enumerate(lowered) if word in ("for", "as") and at), len(lowered))
    value_at = next((at for at, word in enumerate(lowered) if word in words("compare.carries") and at), len(lowered))
    for token in tokens:
        if (token.at > turn) if chooses else (token.at < value_at):
            yield token.form


def _scope(lowered: Sequence[str], verb_at: int, lead: int) -> Iterator[str]:
    """The places and cases a sentence is limited to."""
    yield from (root(word) for word in lowered[:lead] if word not in words("compare.idle") and word[0].isalnum())
    yield from (word for word in lowered[:lead] if word in words("compare.negations"))
    for at in range(max(lead, 1), len(lowered)):
        if lowered[at] in ("when", "if", "for", "until", "during", "on", "in") and at > verb_at + 1:
            yield from _place(lowered[at], lowered[at + 1 : at + 5])
        elif lowered[at] == "locally":
            yield root("local")


def _place(preposition: str, following: Sequence[str]) -> Iterator[str]:
    """The place or case that a preposition introduces; nothing when what follows is no place."""
    phrase = [word for word in following if word not in words("compare.idle") and word[0].isalnum()]
    if preposition in ("in", "on") and not any(root(word) in word_tables().places for word in phrase[:3]):
        return
    yield from (root(word) for word in phrase[: 2 if preposition == "for" else 3])


def _lead_end(lowered: Sequence[str]) -> int:
    """Where a leading "in the tests," or "on staging the" ends; 0 when there is none."""
    if not lowered:
        return 0
    if lowered[0] == "locally":
        return 1
    if lowered[0] not in words("compare.leads"):
        return 0
    for at in range(2, min(8, len(lowered))):
        if lowered[at] == "," or lowered[at] in words("compare.opens"):
            return at
    return 2 if len(lowered) > 2 and root(lowered[1]) in word_tables().places else 0


def _rejected_words(text: str, tokens: Sequence[Token]) -> Iterator[str]:
    """What is named only to be refused: "develop, not main", "uv instead of pip", "composition over inheritance"."""
    for found in re.finditer(
        r"(?:, (?:and )?(?:not|never)|\binstead of|\brather than|\bprefer\b.+?\bover)\s+(?:the |a )?(\S+)", text, re.I
    ):
        form = root(found[1].strip(".,;`").lower())
        if any(token.form == form for token in tokens):
            yield form


def _denies(lowered: Sequence[str], has_contrast: bool) -> bool:
    """Whether the main clause denies; two denials make none, and a case ("when nothing is found") denies nothing."""
    case = next((at for at, word in enumerate(lowered) if at and word in ("when", "if", "where")), len(lowered))
    lowered = lowered[:case]
    count = sum(word in words("compare.negations") for word in lowered)
    if has_contrast and count and any(word in ("not", "never") for word in lowered[2:]):
        count -= 1
    return count % 2 == 1


def _tense(lowered: Sequence[str]) -> Literal["past", "now", "future"]:
    if any(word in words("compare.past") for word in lowered) or " ".join(lowered).find("used to") >= 0:
        return "past"
    if lowered[:1] == ["until"] or ("old" in lowered[:3] and "used" in lowered):
        return "past"
    if any(word in words("compare.future") for word in lowered):
        return "future"
    return "now"
