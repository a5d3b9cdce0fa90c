"""Complete lines of a growing file.

A line is complete when it ends in a newline; a tail without one waits for the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
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
