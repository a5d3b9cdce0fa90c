"""Words of a text as an index and a query see them: identifiers whole and in parts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

# Anything longer is no question any more; what a search needs stands at the beginning.
LONGEST_QUERY = 20_000

_WORD = re.compile(r"(?:--?(?=[^\W\d_]))?[^\W_]+(?:[_\-./:@\\]+[^\W_]+)*", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_PLAIN = re.compile(r"[^\W_]+", re.UNICODE)
_MARKS = ".,;:!?()[]\"'`*"  # what stands around a word
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
# Nobody writes longer words or gaps. Rules that read sentences take the square of such a run, and never see one.
LONGEST_WORD = 200
LONGEST_GAP = 20
_ENDLESS = re.compile(rf"[^\s\u3000-\u303f\uff00-\uffef]{{{LONGEST_WORD + 1},}}|\s{{{LONGEST_GAP + 1},}}")
_GAP = re.compile(rf"\s{{{LONGEST_GAP + 1}}}")
_CJK = re.compile(r"[぀-ヿ㐀-鿿가-힯]{2,}")

# Words that ask or join and tell nothing about the subject. Short on purpose: "war", "die" and "man" are words too.
_STOP = """
    a an the and or but if then of to in on at by for with from as is are was were be been being am do does did done
    doing have has had having i you he she it we they me him her us them my your his its our their this that these those
    there here what which who whom whose when where why how not no so too very can could will would shall should may
    might must just about into over after before during up down out off than because while s t m re ve ll d don didn
    doesn isn wasn"""
STOP_WORDS = frozenset(_STOP.split())


class Term(msgspec.Struct, frozen=True):
    """One word that a query asks for."""

    word: str
    is_identifier: bool = False


class Wanted(msgspec.Struct, frozen=True):
    """Words to look for in the text index; the store spells it as its engine reads it.

    Any of the words will do, or all must stand `together`; with `own`, in what a memory says itself and not in what was
    said around it. With a project, among what that project may see.
    """

    words: tuple[str, ...]
    project_id: str | None = None
    together: bool = False
    own: bool = False


def whole(text: str) -> str:
    """A text without what no file and no database takes: NULs, and halves of characters."""
    return _NO_TEXT.sub("\ufffd", text)


def calm(text: str) -> str:
    """A text whose words and gaps have an end: of endless ones, only the beginning. Nearly every text is so already."""
    if max(map(len, text.split()), default=0) <= LONGEST_WORD and not _GAP.search(text):
        return text
    return _ENDLESS.sub(lambda run: run[0][: LONGEST_GAP if run[0].isspace() else LONGEST_WORD], text)


def parts(word: str) -> list[str]:
    """The parts of an identifier: `getUserById` -> get, User, By, Id."""
    return [piece for chunk in _PLAIN.findall(word) for piece in _CAMEL.split(chunk) if piece]


def join_identifier(word: str) -> str:
    """An identifier without its separators: `get_user_by_id` -> getuserbyid, as `getUserById` is too."""
    return "".join(_PLAIN.findall(word)).lower()


def pairs(text: str) -> list[str]:
    """Neighbouring characters of scripts that write without spaces."""
    if text.isascii():
        return []
    return [run[i : i + 2] for run in _CJK.findall(text) for i in range(len(run) - 1)]


def plain_words(text: str) -> list[str]:
    """The words of a text in order, lower case, without any identifier magic."""
    if text.isascii():
        return _PLAIN.findall(text.lower())
    return [word.lower() for word in _PLAIN.findall(text)]


@lru_cache(maxsize=8192)
def _with_parts(word: str) -> dict[str, None]:
    """The parts of an identifier and the whole joined, once each; nothing for a word without parts."""
    pieces = parts(word)
    return dict.fromkeys([*pieces, join_identifier(word)]) if len(pieces) > 1 else {}


def index_terms(content: str, *more: Iterable[str]) -> str:
    """What the index should find besides the plain words: parts of identifiers, and whole ones joined."""
    others = "\n".join(item for group in more for item in group)
    found: dict[str, None] = {}
    for chunk in f"{content}\n{others}".split():
        bare = chunk.strip(_MARKS)
        if bare.isalpha() and bare[1:].islower():  # a plain word, as most are, has no parts
            continue
        for word in _WORD.findall(chunk):
            found.update(_with_parts(word))
    found.update(dict.fromkeys(pairs(content)))
    found.update(dict.fromkeys(_PLAIN.findall(others)))
    return " ".join(found)


def query_terms(text: str, limit: int = 64) -> list[str]:
    """The distinct words a query asks for, parts of identifiers included, in order."""
    found: dict[str, None] = {}
    for word in _WORD.findall(text[:LONGEST_QUERY]):
        if word.isascii() and word.isalpha() and word[1:].islower():  # a plain word, as most are, has no parts
            found[word.lower()] = None
            continue
        found.update(dict.fromkeys(_PLAIN.findall(word.lower())))
        pieces = parts(word)
        if len(pieces) > 1:
            found.update(dict.fromkeys(piece.lower() for piece in pieces))
            found[join_identifier(word)] = None
    found.update(dict.fromkeys(pairs(text[:LONGEST_QUERY])))
    return list(found)[:limit]


def any_word_of(text: str, project_id: str | None = None) -> Wanted | None:
    """What has any telling word of a text, or any at all when none is; None when it has none.

    Half of all memories have "the" in them: they would all be weighed to find the few that are about the same.
    """
    words = query_terms(text)
    telling = tuple(word for word in words if word not in STOP_WORDS)
    return Wanted(telling or tuple(words), project_id) if words else None


def asked_terms(text: str, limit: int = 48) -> list[Term]:
    """What a question asks for, without the words that only ask; when there are no others, those.

    An identifier counts whole (joined, as every spelling of it is indexed) and by its parts. Parts that are common
    words ("by", "no") are left to the whole.
    """
    found: dict[str, Term] = {}
    for word in _WORD.findall(text[:LONGEST_QUERY]):
        pieces = [piece.lower() for piece in parts(word)]
        if len(pieces) > 1:
            whole = join_identifier(word)
            found.setdefault(whole, Term(whole, True))
        for piece in dict.fromkeys([*(word.lower() for word in _PLAIN.findall(word)), *pieces]):
            found.setdefault(piece, Term(piece))
    for pair in pairs(text[:LONGEST_QUERY]):
        found.setdefault(pair, Term(pair))
    telling = [
        term
        for term in found.values()
        if term.word not in STOP_WORDS and (len(term.word) > 1 or not term.word.isascii())
    ]
    return (telling or list(found.values()))[:limit]


def is_question(text: str) -> bool:
    """Whether somebody asks something in this text."""
    return "?" in text or "？" in text
