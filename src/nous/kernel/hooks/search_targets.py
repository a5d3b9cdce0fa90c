"""What a search of the client looks for, as far as it is one thing with a name. Standard library only: the hook path
imports this."""

from __future__ import annotations

import re

MOST_NAMES = 2  # whoever looks for more looks around
_SAYS_SO = (
    r"(?:(?:pub|export|default|async|static|abstract|public|private)\s+)*"
    r"(?:def|defp|class|function|func|fn|const|let|var|type|interface|struct|enum|trait|impl|module|defmodule)"
)
_ONE = re.compile(rf"\A\W*(?:{_SAYS_SO}\s+)?([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\W*", re.S)
_ESCAPES = re.compile(r"\\(?:[bsSwWdD][+*?]?|(?=[^\w.]))")
_FILE = re.compile(r"\A(?:.*/)?([\w.-]*\w\.[A-Za-z]\w{0,4})")


_SEARCHERS = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack"})
_WITH_VALUE = frozenset(
    {"-A", "-B", "-C", "-m", "-t", "-T", "-g", "-f", "-d", "--type", "--glob", "--include", "--max-count"}
)
_SEPARATES = frozenset(";&|()<>")


def searched_by(command: str) -> str:
    """The pattern that a shell command searches files for, when its first search does; else nothing."""
    import shlex  # only who searches in a shell needs it

    try:
        lexer = shlex.shlex(command[:2000], posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        return ""
    for at, word in enumerate(words):
        begins = at == 0 or set(words[at - 1]) <= _SEPARATES or words[at - 1] == "git"
        if word in _SEARCHERS and begins and (at == 0 or words[at - 1] != "|"):  # behind a pipe it filters
            return _pattern_of(words[at + 1 :])
    return ""


def _pattern_of(words: list[str]) -> str:
    """The first word that is neither an option nor its value."""
    rest = iter(words)
    for word in rest:
        if set(word) <= _SEPARATES:
            return ""
        if word in ("-e", "--regexp", "--"):
            return next(rest, "")
        if word in _WITH_VALUE:
            next(rest, "")
        elif not word.startswith("-"):
            return word
    return ""


def names_in(pattern: str) -> list[str]:
    """The names that a pattern looks for, in its order; none when it looks for more, or for anything else."""
    names: list[str] = []
    for part in _alternatives(pattern):
        said = _ONE.fullmatch(_ESCAPES.sub(" ", part.replace("\\.", ".")).strip())
        if said is None:
            return []
        names.append(said[1].rpartition(".")[2])
    told = [name for name in dict.fromkeys(names) if is_telling(name)]
    return told if 0 < len(told) <= MOST_NAMES and len(names) <= MOST_NAMES else []


def _alternatives(pattern: str) -> list[str]:
    text = pattern.strip()
    if text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = text[1:-1].removeprefix("?:")
    return [part for part in re.split(r"\\?\|", text) if part.strip()]


def is_telling(name: str) -> bool:
    """Whether a name is nobody's everyday word: of several words in one, and not too short."""
    inner = name.strip("_$")
    if len(inner) < 5 or not inner.isascii():
        return False
    return "_" in inner or bool(re.search(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[a-z]\d", inner))


def file_in(pattern: str) -> str:
    """The file name that a glob looks for, when it is spelled out; else nothing."""
    said = _FILE.fullmatch(pattern)
    return said[1] if said and not set("*?[{") & set(said[1]) else ""
