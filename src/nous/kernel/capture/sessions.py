"""A session cut into stretches that make sense to an extractor: whole exchanges, of a bounded size."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from types import MappingProxyType

from msgspec.structs import replace

from nous.kernel.capture.tail import Line
from nous.kernel.capture.transcript import Turn, parse_line
from nous.kernel.log.extraction import Rejection

UNIT_CHARACTERS = 256 * 1024  # a unit that is larger ends before the next prompt
MOST_CHARACTERS = 4 * UNIT_CHARACTERS  # and one without prompts ends here
MAX_QUARANTINED = 100
MARK_BYTES = 4096


class Stretch:
    """Lines that belong together: the records they hold, and what could not be read."""

    def __init__(self, start: int):
        self.start = self.end = start
        self.records: list[list[Turn]] = []
        self.places: list[tuple[int, int]] = []  # where each record stands
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
            self.places.append((line.start, line.end))
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

    def only(self, numbers: Sequence[int], aside: Mapping[int, str] = MappingProxyType({})) -> Stretch:
        """The same lines with a choice of their records; those put aside are noted with their reason."""
        part = copy(self)
        part.records = [self.records[number] for number in numbers]
        part.places = [self.places[number] for number in numbers]
        put = [
            (start, end - start, aside[number]) for number, (start, end) in enumerate(self.places) if number in aside
        ]
        part.bad = sorted([*self.bad, *put])
        part.unreadable += len(put)
        return part


def complete_records(records: Sequence[list[Turn]], session_id: str) -> list[list[Turn]]:
    """Records with what one does not say (when, which session, where) taken from the one before, else the one after."""
    if all(turns[0].at and turns[0].session_id and turns[0].cwd for turns in records):
        return list(records)
    spoken = _fill_records(reversed(_fill_records(records)))
    return [[replace(turn, session_id=turn.session_id or session_id) for turn in turns] for turns in reversed(spoken)]


def _fill_records(records: Iterable[list[Turn]]) -> list[list[Turn]]:
    at = session_id = cwd = branch = ""
    filled = []
    for turns in records:
        first = turns[0]
        at, session_id = first.at or at, first.session_id or session_id
        cwd, branch = (first.cwd, first.branch) if first.cwd else (cwd, branch)
        place = {} if first.cwd else {"cwd": cwd, "branch": first.branch or branch}
        filled.append([replace(turn, at=at, session_id=session_id, **place) for turn in turns])
    return filled


def cut(lines: Iterable[Line], start: int) -> Iterator[Stretch]:
    """The stretches of a file from an offset on."""
    stretch = Stretch(start)
    for line in lines:
        turns, reason = parse_turns(line)
        if stretch.is_full_before(turns):
            yield stretch
            stretch = Stretch(line.start)
        stretch.add(line, turns, reason)
    if stretch.end > stretch.start:
        yield stretch


def parse_turns(line: Line) -> tuple[list[Turn], str]:
    """The turns of a line, or none and the reason why it is put aside."""
    if line.data is None:
        return [], "the line is too long"
    if line.data.isspace():
        return [], ""
    turns = parse_line(line.data)
    return ([], turns.reason) if isinstance(turns, Rejection) else (turns, "")


def digest(data: bytes) -> str:
    """A short fingerprint of bytes."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
