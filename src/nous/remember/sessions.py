"""A session cut into stretches that make sense to an extractor: whole exchanges, of a bounded size."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from nous.core.extraction import Rejection
from nous.core.transcript import Turn, parse_line
from nous.remember.tail import Line

UNIT_CHARACTERS = 256 * 1024  # a unit that is larger ends before the next prompt
MOST_CHARACTERS = 4 * UNIT_CHARACTERS  # and one without prompts ends here
MAX_QUARANTINED = 100
MARK_BYTES = 4096


class Stretch:
    """Lines that belong together: the records they hold, and what could not be read."""

    def __init__(self, start: int):
        self.start = self.end = start
        self.records: list[list[Turn]] = []
        self.bad: list[tuple[int, int, str]] = []
        self.lines = self.characters = self.unreadable = 0
        self.head = self.last = b""

    def add(self, line: Line, turns: list[Turn], reason: str) -> None:
        """One more line."""
        if line.start == 0 and line.data:
            self.head = line.data[:MARK_BYTES]
        self.last = line.data or b""
        if turns:
            self.records.append(turns)
            for turn in turns:
                self.characters += len(turn.text)
        self.lines += 1
        self.end = line.end
        if reason:
            self.unreadable += 1
            if len(self.bad) < MAX_QUARANTINED:
                self.bad.append((line.start, line.end - line.start, reason))

    @property
    def anchor(self) -> bytes:
        """The end of the last line, by which the file is recognised again."""
        return self.last[-MARK_BYTES:]

    def is_full_before(self, turns: list[Turn]) -> bool:
        """Whether a unit should end here: it is large and the user is about to speak, or it is far too large."""
        if self.characters < UNIT_CHARACTERS:
            return False
        return self.characters >= MOST_CHARACTERS or any(turn.kind == "prompt" for turn in turns)


def cut(lines: Iterable[Line], start: int) -> Iterator[Stretch]:
    """The stretches of a file from an offset on."""
    stretch = Stretch(start)
    for line in lines:
        turns, reason = _parse(line)
        if stretch.is_full_before(turns):
            yield stretch
            stretch = Stretch(line.start)
        stretch.add(line, turns, reason)
    if stretch.end > stretch.start:
        yield stretch


def _parse(line: Line) -> tuple[list[Turn], str]:
    """The turns of a line, or none and the reason why it is put aside."""
    if line.data is None:
        return [], "the line is too long"
    if line.data.isspace():
        return [], ""
    parsed = parse_line(line.data)
    return ([], parsed.reason) if isinstance(parsed, Rejection) else (parsed, "")


def digest(data: bytes) -> str:
    """A short fingerprint of bytes."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
