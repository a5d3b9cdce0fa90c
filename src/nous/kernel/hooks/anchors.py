"""Whether what a memory speaks of is still there: a file, a symbol in it, and their text as it was.

Standard library only: packets are checked again when they are served, and the hook path imports this.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from stat import S_ISREG
from typing import Any, NamedTuple

from nous.kernel.hooks.packing import Check, Entry, with_mark

MOST_BYTES = 512 * 1024
MOST_FILES = 5
MOST_SYMBOLS = 4
SAME_SESSION_SECONDS = 3600.0  # a file that changed within an hour of what was said was changed by the same work
GONE, SYMBOL_GONE, CHANGED = "gone", "symbol gone", "changed"
UNKNOWN = ""


class AnchorSight(NamedTuple):
    """What stands at an anchor now: the file's time and size, and what speaks against it (empty: nothing)."""

    mtime_ns: int
    size: int
    doubt: str


class AnchorState(NamedTuple):
    """What became of all that a memory is anchored to: nothing of it is left, or what is different now."""

    is_gone: bool
    note: str


FINE = AnchorState(False, "")


def take(tree: str, base: str, files: Iterable[str], symbols: Iterable[str], said: float) -> list[tuple[str, str, str]]:
    """File, symbol and hash of what is spoken of at a moment; files are named from `base` or from the tree's root.

    The hash is empty where the file has changed since then: nobody knows how it read.
    """
    found: list[tuple[str, str, str]] = []
    for file in list(dict.fromkeys(files))[:MOST_FILES]:
        path = next((path for place in (base, tree) if (path := _inside(tree, place, file))), "")
        if not path:
            continue
        stat = os.stat(path)
        known = stat.st_mtime <= said + SAME_SESSION_SECONDS
        name = os.path.relpath(path, os.path.realpath(tree)).replace(os.sep, "/")
        present = [one for symbol in symbols if (one := _bare(symbol)) and _digest(path, one, *_stamp(stat))]
        for symbol in present[:MOST_SYMBOLS] or [""]:
            found.append((name, symbol, _digest(path, symbol, *_stamp(stat)) if known else UNKNOWN))
    return found


def look(tree: str, file: str, symbol: str, hash: str) -> AnchorSight:
    """How an anchor stands now."""
    path = _inside(tree, tree, file)
    if not path:
        return AnchorSight(0, 0, GONE)
    stat = os.stat(path)
    if not symbol and not hash:
        return AnchorSight(*_stamp(stat), "")
    now = _digest(path, symbol, *_stamp(stat))
    doubt = SYMBOL_GONE if symbol and not now else CHANGED if hash and now != hash else ""
    return AnchorSight(*_stamp(stat), doubt)


def verdict(tree: str, anchors: Sequence[Sequence[Any]]) -> AnchorState:
    """What became of a memory's anchors: rows of file, symbol, hash and, if looked at before, `AnchorSight`.

    A file that has kept its time and size since then is not read again.
    """
    if not anchors or not os.path.isdir(tree):
        return FINE
    states = [(row[0], row[1], _state(tree, row)) for row in anchors]
    if all(doubt == GONE for _, _, doubt in states):
        return AnchorState(True, "")
    return AnchorState(False, "; ".join(dict.fromkeys(describe_doubt(*state) for state in states if state[2])))


def _state(tree: str, row: Sequence[Any]) -> str:
    if len(row) >= 6 and row[5] != GONE:
        try:
            if _stamp(os.stat(os.path.join(tree, row[0]))) == (row[3], row[4]):
                return str(row[5])
        except OSError:
            return GONE
    return look(tree, row[0], row[1], row[2]).doubt


def describe_doubt(file: str, symbol: str, doubt: str) -> str:
    if doubt == SYMBOL_GONE:
        return f"{symbol} is no longer in {file}"
    return f"{file} is gone" if doubt == GONE else f"{file} changed since"


def _inside(tree: str, base: str, file: str) -> str:
    """The real path of a plain file that lies in a tree, wherever links lead; empty when it does not."""
    try:
        path = os.path.realpath(os.path.join(base, file))
        stat = os.stat(path)
    except (OSError, ValueError):
        return ""
    return path if S_ISREG(stat.st_mode) and path.startswith(os.path.realpath(tree) + os.sep) else ""


def _stamp(stat: os.stat_result) -> tuple[int, int]:
    return stat.st_mtime_ns, stat.st_size


def _bare(symbol: str) -> str:
    """The name as it is written where it is defined: `clock.now()` is `now` there."""
    return symbol.removesuffix("()").rpartition(".")[2]


@lru_cache(maxsize=4096)
def _digest(path: str, symbol: str, mtime_ns: int, size: int) -> str:
    """A fingerprint of a symbol's own lines, or of the whole file; empty when there is no such symbol or text.

    Time and size stand for the content: what did not change is not read twice.
    """
    if size > MOST_BYTES:
        return ""
    try:
        with open(path, "rb") as file:
            text = file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line.rstrip() for line in text.splitlines()]
    spoken = _lines_of(lines, symbol) if symbol else lines
    if not spoken:
        return ""
    import hashlib

    return hashlib.blake2b("\n".join(spoken).strip().encode(), digest_size=8).hexdigest()


_DEFINES = (
    r"(?:[\w@]+\s+)*?(?:def|class|func|function|fn|const|let|var|type|interface|struct|enum|trait|impl|module|macro)"
    r"\s+(?:\([^)]*\)\s*)?%s\b"
)


def _lines_of(lines: list[str], symbol: str) -> list[str]:
    """The definition of a symbol with all that is indented below it; without one, the lines that name it."""
    word = re.compile(rf"(?<!\w){re.escape(symbol)}(?!\w)")
    named = [at for at, line in enumerate(lines) if word.search(line)]
    defines = re.compile(_DEFINES % re.escape(symbol))
    start = next((at for at in named if defines.match(lines[at].lstrip())), None)
    if start is None:
        return [lines[at] for at in named]
    depth = _indent(lines[start])
    end = start + 1
    while end < len(lines) and (not lines[end] or _indent(lines[end]) > depth or lines[end].lstrip()[0] in ")]}"):
        end += 1
    return lines[start:end]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def check_in(tree: str) -> Check:
    """A check against the code in a work tree: marked where it changed, dropped where all of it is gone."""

    def check(entry: Entry) -> Entry | None:
        found = verdict(tree, entry.anchors) if entry.anchors else FINE
        if found.is_gone:
            return None
        return with_mark(entry, f"may be outdated: {found.note}") if found.note else entry

    return check
