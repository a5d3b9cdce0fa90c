"""Words of a text as an index and a query see them: identifiers whole and in parts."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+(?:[_\-./:][^\W_]+)*", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_PLAIN = re.compile(r"[^\W_]+", re.UNICODE)
_CJK = re.compile(r"[぀-ヿ㐀-鿿가-힯]{2,}")


def parts(word: str) -> list[str]:
    """The parts of an identifier: `getUserById` -> get, User, By, Id."""
    return [piece for chunk in _PLAIN.findall(word) for piece in _CAMEL.split(chunk) if piece]


def pairs(text: str) -> list[str]:
    """Neighbouring characters of scripts that write without spaces."""
    return [run[i : i + 2] for run in _CJK.findall(text) for i in range(len(run) - 1)]


def index_terms(content: str, *more: Iterable[str]) -> str:
    """What the index should find besides the plain words: parts of identifiers, and whole ones joined."""
    words = [word for text in (content, *(item for group in more for item in group)) for word in _WORD.findall(text)]
    found: dict[str, None] = {}
    for word in words:
        pieces = parts(word)
        if len(pieces) > 1:
            found.update(dict.fromkeys(pieces))
            found["".join(_PLAIN.findall(word))] = None
    found.update(dict.fromkeys(pairs(content)))
    found.update(dict.fromkeys(word for group in more for item in group for word in _PLAIN.findall(item)))
    return " ".join(found)


def query_terms(text: str, limit: int = 64) -> list[str]:
    """The distinct words a query asks for, parts of identifiers included, in order."""
    found: dict[str, None] = {}
    for word in _WORD.findall(text[:20_000]):
        found.update(dict.fromkeys(_PLAIN.findall(word.lower())))
        pieces = parts(word)
        if len(pieces) > 1:
            found.update(dict.fromkeys(piece.lower() for piece in pieces))
            found["".join(_PLAIN.findall(word)).lower()] = None
    found.update(dict.fromkeys(pairs(text[:20_000])))
    return list(found)[:limit]


def match_any(text: str, limit: int = 64) -> str:
    """A full-text query for memories that have any word of a text; empty when it has none.

    Every word is quoted, so whatever a person types is only ever words.
    """
    return " OR ".join(f'"{term}"' for term in query_terms(text, limit))
