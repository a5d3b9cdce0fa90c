"""Complete lines of a growing file.

A line is complete when it ends in a newline; a tail without one waits for the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

MAX_LINE = 64 * 1024 * 1024


class Line(NamedTuple):
    """A complete line and where it stands; `data` is None when it is too long to be held in memory."""

    data: bytes | None
    start: int
    end: int


def read_new(path: str, offset: int, max_line: int = MAX_LINE) -> Iterator[Line]:
    """Every complete line from an offset on."""
    with open(path, "rb") as file:
        file.seek(offset)
        while data := file.readline(max_line):
            if not data.endswith(b"\n"):
                if len(data) < max_line:
                    return
                end = _skip(file, offset + len(data), max_line)
                if end is None:
                    return
                yield Line(None, offset, end)
                offset = end
                continue
            yield Line(data, offset, offset + len(data))
            offset += len(data)


def _skip(file: BinaryIO, at: int, max_line: int) -> int | None:
    """Where the rest of an overlong line ends, or None when it is not there yet."""
    while rest := file.readline(max_line):
        at += len(rest)
        if rest.endswith(b"\n"):
            return at
    return None


def places_of(path: str, start: int, end: int, names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Where records with these names begin in a stretch of a file, and their length, as far as they are still there."""
    wanted = {name: [spelling % name.encode() for spelling in (b'"uuid":"%b"', b'"uuid": "%b"')] for name in names}
    found: dict[str, tuple[int, int]] = {}
    try:
        for line in read_new(on_disk(path), start):
            if line.start >= end:
                break
            for name, spellings in wanted.items():
                if line.data and any(spelling in line.data for spelling in spellings):
                    found.setdefault(name, (line.start, line.end - line.start))
    except (OSError, ValueError):
        pass
    return found


# names of files
def storable(path: str) -> str:
    """A path as text that can be stored: bytes that are no UTF-8 become characters that nobody uses."""
    return path if path.isascii() else path.translate(_STORABLE)


def on_disk(path: str) -> str:
    """A stored path as the system knows it."""
    return path if path.isascii() else path.translate(_ON_DISK)


# Python's names for such bytes, which no UTF-8 can have, and the same in the last plane of Unicode.
_STORABLE = {byte: byte + 0x102000 for byte in range(0xDC80, 0xDD00)}
_ON_DISK = {kept: byte for byte, kept in _STORABLE.items()}
