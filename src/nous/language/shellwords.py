"""The paths that a shell command names, as the shell would read them: without quotes, variables, `~`, `cd`, braces."""

from __future__ import annotations

import fnmatch
import itertools
import posixpath
import re
from collections.abc import Iterator

MOST_WORDS = 400
MOST_CHARACTERS = 8000
_PIECE = re.compile(
    r"\\(.)|\"((?:[^\"\\]|\\.){0,4000})\"|\$?'([^']{0,4000})'|([\s;|&<>()`=,]+|[{}])|(\$\{[^}\s]{1,200}\}|.)", re.S
)
_VARIABLE = re.compile(r"\$(?:\{(\w{1,40})(?::?-([^}]{0,200}))?\}|(\w{1,40}))")
_ASSIGNMENT = re.compile(r"(\w{1,40})=(.{1,400})", re.S)
_BRACES = re.compile(r"([^{}\s]{0,200})\{([^{}\s]{1,200},[^{}\s]{0,200})\}([^{}\s]{0,200})")
_WILD = frozenset("*?[")


def paths_in(command: str, cwd: str, home: str = "") -> Iterator[str]:
    """Every word of a command that may be a path, absolute; a `*` in it stays."""
    known = {"HOME": home or _home_of(cwd), "PWD": cwd, "OLDPWD": cwd}
    at = cwd
    previous = ""
    for word in _words(command[:MOST_CHARACTERS]):
        name = _expand_word(word, known)
        if assigned := _ASSIGNMENT.fullmatch(name):
            known[assigned[1]] = assigned[2]
            name = assigned[2]
        if name.startswith("~/") or name == "~":
            name = known["HOME"] + name[1:]
        path = posixpath.normpath(posixpath.join(at, name))
        if previous in ("cd", "pushd", "-C"):
            at = path
        previous = name
        if len(name) > 1:
            yield path


def _home_of(cwd: str) -> str:
    found = re.match(r"/root(?=/|\Z)|/(?:home|Users)/[^/]{1,60}", cwd)
    return found[0] if found else "~"


def _expand_word(word: str, known: dict[str, str]) -> str:
    return _VARIABLE.sub(lambda name: known.get(name[1] or name[3], name[2] or name[0]), word)


def _words(command: str) -> Iterator[str]:
    """Words as the shell cuts them; inside quotes, the words of a script are words too."""
    return itertools.islice(_cut(_BRACES.sub(_spread, command)), MOST_WORDS)


def _spread(braces: re.Match[str]) -> str:
    return " ".join(f"{braces[1]}{one}{braces[3]}" for one in braces[2].split(","))


def _cut(command: str) -> Iterator[str]:
    word = ""
    for escaped, double, single, gap, plain in _PIECE.findall(command):
        if gap:
            # NAME=value is one word, so that the name is known; any other gap ends a word
            if gap == "=" and re.fullmatch(r"\w{1,40}", word):
                word += "="
                continue
            yield from (word,) if word else ()
            word = ""
        elif double or single:
            quoted = double or single
            word += quoted
            if re.search(r"[\s;|&<>(){}'\"]", quoted):
                yield from (one for one in re.split(r"[\s;|&<>(){}'\"`=,]+", quoted) if one)
        else:
            word += escaped or plain
    if word:
        yield word


def may_be(path: str, glob: str) -> bool:
    """Whether a path with wildcards can name something that a glob covers, or something below it."""
    if not _WILD & set(path):
        return False
    theirs, ours = path.strip("/").split("/"), glob.strip("/").split("/")
    anywhere = glob.startswith(("*/", "**/"))
    ours = [one for one in ours if one != "**"][1 if glob.startswith("*/") else 0 :]
    starts = range(len(theirs) - len(ours) + 1) if anywhere else range(min(1, len(theirs) - len(ours) + 1))
    return any(all(map(_may_equal, theirs[start : start + len(ours)], ours)) for start in starts) if ours else False


def _may_equal(theirs: str, ours: str) -> bool:
    if not _WILD & set(theirs):
        return fnmatch.fnmatchcase(theirs, ours)
    if not theirs.strip("*?"):
        return False  # "*" may be anything: that alone names nothing
    if not _WILD & set(ours):
        return fnmatch.fnmatchcase(ours, theirs)
    return fnmatch.fnmatchcase(ours.replace("*", "x"), theirs) or fnmatch.fnmatchcase(theirs.replace("*", "x"), ours)
