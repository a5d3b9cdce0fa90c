"""The tables of the language core: words and patterns as data, each file read when it is first asked for.

A pattern is a row with `words`, alternatives that stand between the edges of words, or `forms`, alternatives as they
are written, or both; every line is one more. Case counts only where it `is_exact`, and `{name}` stands for what the
same file has under that name. Each has a text that it fits and one that it does not, and these run as tests.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from nous.language.lowered import Folded


@cache
def table(file: str) -> dict[str, Any]:
    """All that a file holds."""
    return tomllib.loads((files(__package__) / f"{file}.toml").read_text(encoding="utf-8"))


def row(name: str) -> Any:
    """A row by its file and its name there: "slots.port"."""
    file, _, key = name.partition(".")
    return table(file)[key]


def lines(text: str) -> list[str]:
    """The lines of a row."""
    return text.strip("\n").splitlines()


@cache
def words(name: str) -> frozenset[str]:
    """A list of words."""
    return frozenset(row(name).split())


@cache
def pattern(name: str) -> re.Pattern[str]:
    """The pattern of a row."""
    return compile_row(row(name), table(name.partition(".")[0]))


def compile_row(given: dict[str, Any], pieces: dict[str, Any] | None = None) -> re.Pattern[str]:
    """A row as a pattern."""
    edged = [rf"\b(?:{'|'.join(lines(given['words']))})\b"] if "words" in given else []
    text = "|".join([*edged, *(lines(given["forms"]) if "forms" in given else [])])
    for name, piece in (pieces or {}).items():
        if f"{{{name}}}" in text:
            text = text.replace(f"{{{name}}}", piece if isinstance(piece, str) else _named_alternatives(piece))
    return re.compile(text, 0 if given.get("is_exact") else re.I)


def _named_alternatives(rows: dict[str, str]) -> str:
    """Alternatives of which the one that fits gives its name."""
    return "|".join(f"(?P<{name}>{text})" for name, text in rows.items())


@cache
def folded_pattern(name: str) -> Folded:
    """The pattern of a row over lower-cased text, for a caller that needs to know where it matches."""
    return Folded(pattern(name).pattern)
