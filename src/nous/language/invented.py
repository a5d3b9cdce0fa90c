"""What a text names that somebody could run or open, and whether it stands in what it rests on.

A model may write a command, an address or a package that nobody had named; what it wrote then waits for a person.
"""

from __future__ import annotations

import re

from nous.language.provenance import hosts, is_ordinary

_MARKS = re.compile(r"[^\w./@:+-]+")
_TICKED = re.compile(r"`([^`\n]{1,200})`")
_PACKAGE = re.compile(
    r"\b(?:npm (?:i|install|add)|(?:pnpm|yarn|bun|cargo|poetry|uv) add|(?:uv )?pip3? install|go get|gem install"
    r"|npx|uvx|bunx|pipx run)"
    r"((?: +-{0,2}[\w@./:=^~-]+){1,4})"
)
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]+")
_URL = re.compile(r"https?://[^\s\"'<>`)\]]+")
_DOMAINS = frozenset(
    """
    com org net io dev app ai cc co me sh gg xyz info biz cloud site online top tech store shop live club fun space host
    website page link click run zone world tools example test internal local localhost onion edu gov mil int arpa
    ac at au be br ca ch cn cz de dk es eu fi fr gr hk hu ie il in ir is it jp kr lt lv mx nl no nz pl pt ro rs ru se sg
    si sk su th tr tw ua uk us vn za
    """.split()  # noqa: SIM905
)
_GAP = re.compile(r"…|\.{3}|\[\.\.\.\]|<[^<>]{0,40}>|\bX\.Y\.Z\b|\b[A-Z]{3,}\b")  # left out, or to be filled in


def named_in(text: str) -> list[str]:
    """The commands, addresses and packages that a text names: what somebody could run or open."""
    found = [one for one in _TICKED.findall(text) if " " in one.strip()]
    found += [*_URL.findall(text), *_FLAG.findall(text), *(one for one in hosts(text) if _is_address(one))]
    words = (word for words in _PACKAGE.findall(text) for word in words.split())
    found += [word for word in words if not (word.startswith("-") or is_ordinary(word))]
    return list(dict.fromkeys(found))


def _is_address(host: str) -> bool:
    """Whether a name with dots is a host and no attribute of something: `orders.name` is none."""
    return host.rsplit(".", 1)[-1] in _DOMAINS or host.replace(".", "").isdigit()


def stands_in(name: str, known: str) -> bool:
    """Whether a name stands in a plain text, apart from punctuation; what was left out of it ("…") may be anything."""
    pieces = [plain(piece).strip(" .") for piece in _GAP.split(name)]
    return all(piece in known or all(part.strip(".") in known for part in piece.split()) for piece in pieces if piece)


def first_invented(text: str, *known: str) -> str | None:
    """The first command, address or package of a text that none of these plain texts has."""
    absent = (name for name in named_in(text) if not any(stands_in(name, one) for one in known))
    return next(absent, None)


def plain(text: str) -> str:
    """A text in lower case with single spaces for its punctuation, to look names up in."""
    return _MARKS.sub(" ", text.lower())
