"""What a person decides about lines of the brief, as events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from nous.errors import Misuse
from nous.kernel.log.events import (
    BriefLine,
    BriefLineDropped,
    BriefLineEdited,
    BriefLineKept,
    BriefLinePinned,
    BriefLinePlaced,
    EventType,
)

LineDecision = Literal["keep", "edit", "drop", "pin", "unpin"]
LONGEST = 400  # characters of a line: a brief of twelve has 500 tokens


class LineEvent(NamedTuple):
    """An event to be written about a line: its stream, its type and what it says."""

    key: str
    event_type: EventType
    payload: BriefLineKept


def decide_line(key: str, line: BriefLine, beside: Sequence[str], action: LineDecision, text: str = "") -> LineEvent:
    """The event of a decision about one line."""
    others = tuple(beside)
    match action:
        case "edit":
            return LineEvent(
                key, "BriefLineEdited", BriefLineEdited(line=line, beside=others, text=checked_words(text))
            )
        case "drop":
            return LineEvent(key, "BriefLineDropped", BriefLineDropped(line=line, beside=others))
        case "pin":
            return LineEvent(key, "BriefLinePinned", BriefLinePinned(line=line, beside=others))
        case _:
            return LineEvent(key, "BriefLineKept", BriefLineKept(line=line, beside=others))


def place_line(key: str, line: BriefLine, beside: Sequence[str], place: int) -> LineEvent:
    """The event that puts one line in its place."""
    return LineEvent(key, "BriefLinePlaced", BriefLinePlaced(line=line, beside=tuple(beside), place=place))


def checked_words(text: str) -> str:
    """The words of an edited line: one line, not too long, without secrets."""
    from nous.redact import redact_text  # late: every command and tool reads this declaration

    words = redact_text(" ".join(text.split()))[0]
    if not words:
        raise Misuse("say what the line should say", hint="`nous brief drop N` takes a line out")
    if len(words) > LONGEST:
        raise Misuse(f"a line of the brief has at most {LONGEST} characters; this has {len(words)}")
    return words


def new_order(count: int, first: Sequence[int]) -> list[int]:
    """The numbers of all lines in their new order: those named first, then the others as they were."""
    if not first:
        raise Misuse("say which line comes first", hint="`nous brief order 3 1 2`")
    if wrong := [number for number in first if not 1 <= number <= count]:
        raise Misuse(f"there is no line {wrong[0]}; the brief has {count}")
    if len(set(first)) < len(first):
        raise Misuse("name each line once")
    return [*first, *(number for number in range(1, count + 1) if number not in first)]
