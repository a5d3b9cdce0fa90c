"""The kinds of secrets: tokens by their makers' marks (`tokens.txt`), and what gives a value away by the words and
signs around it (`rules.txt`, which says how a rule is written)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from nous.redact import values

Holds = Callable[[str], bool]
PIECE = re.compile("⟨([A-Z_]*)⟩")
NEEDLE = 8  # letters of a mark that are looked for: a smaller automaton stays in the processor's cache
_FOLLOWS = {
    "w": r"[\w-]",
    "a": r"[A-Za-z0-9]",
    "h": r"[0-9a-f]",
    "b": r"[A-Za-z0-9+/=_-]",
    "d": r"[\w.-]",
    "u": r"[A-Z0-9]",
}


class Rule(NamedTuple):
    """A kind of secret, as `rules.txt` describes it."""

    name: str
    needles: tuple[str, ...]
    source: str
    holds: Holds | None = None
    folded: bool = False
    beginnings: str = ""
    back: int = 0
    about: Holds | None = None
    ahead: int = 0

    @property
    def pattern(self) -> re.Pattern[str]:
        return compiled(self.source)


# Made when first needed: many processes, such as a search from the command line, look at no secret at all.
compiled = cache(re.compile)


def _lines(name: str) -> Iterator[str]:
    lines = files(__package__).joinpath(name).read_text(encoding="utf-8").split("\n")
    return (line for line in lines if line and not line.startswith("#"))


def _tokens() -> Iterator[Rule]:
    """One rule per kind of token: all its marks are looked for at once."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for kind, mark, follows, least, most in map(str.split, _lines("tokens.txt")):
        kinds.setdefault(kind, []).append((mark, f"{re.escape(mark)}{_FOLLOWS[follows]}{{{least},{most}}}"))
    for kind, marks in kinds.items():
        needles = tuple(dict.fromkeys(mark.lower()[:NEEDLE] for mark, _ in marks))
        source = r"(?<![A-Za-z0-9])(?:" + "|".join(source for _, source in marks) + ")"
        holds = values.is_made if kind == "service-token" else values.is_real
        yield Rule(kind, needles, source, holds, beginnings="|".join(mark for mark, _ in marks))


def _blocks() -> Iterator[tuple[str, dict[str, str]]]:
    """The first line of everything in the table, with what stands below it by the sign in front."""
    head, below = "", dict[str, str]()
    for line in _lines("rules.txt"):
        if line.startswith("  "):
            below[line[2]] = below.get(line[2], "") + line[4:]
            continue
        if head:
            yield head, below
        head, below = line, {}
    yield head, below


def _read_rules() -> tuple[tuple[Rule, ...], Mapping[str, str]]:
    """The rules in their order, and the pieces that they are made of."""
    pieces = {"": "", "PASSWORDS": values.PASSWORDS, "ALGORITHM": values.ALGORITHM}
    rules: list[Rule] = []
    for head, below in _blocks():
        signs = {sign: PIECE.sub(lambda piece: pieces[piece[1]], text) for sign, text in below.items()}
        kind, *flags = head.split()
        if kind == "let":
            pieces[flags[0]] = signs["/"]
        elif kind == "*tokens":
            rules += _tokens()
        else:
            given = dict(flag.split("=") for flag in flags if "=" in flag)
            named: dict[str, Any] = {name: getattr(values, given[name]) for name in ("holds", "about") if name in given}
            named |= {name: int(given[name]) for name in ("back", "ahead") if name in given}
            is_folded, beginnings = "folded" in flags, signs.get("@", "")
            needles = tuple(signs["?"].split("|"))
            rules.append(Rule(kind, needles, signs["/"], folded=is_folded, beginnings=beginnings, **named))
    return tuple(rules), pieces


RULES, _PIECES = _read_rules()
SECRET_NAME = re.compile(
    rf"(?i)(?:{_PIECES['PASSWORD']}|{_PIECES['STRONG']}|secret_?key|(?<![a-z])(?:pw|pass|authentication_string))\Z"
)
