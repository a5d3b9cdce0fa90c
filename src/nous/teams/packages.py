"""A package of events that leaves this machine: a line that says what it is, one line per event, a line that closes it.

A whole log keeps its chains as they are. A selection has gaps, so it gets a chain of its own: the events keep their
global ids, times and words, and are numbered anew as those of a device that is named after what was chosen. Whoever
takes it in twice, or has some of it already, takes nothing in twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from nous.errors import NousError
from nous.kernel.log.events import GENESIS
from nous.kernel.log.wire import WireEvent, decode, encode, rechain_event

KIND = "nous-events-1"
Extent = Literal["everything", "selection"]


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a package."""

    kind: str
    made_at: str
    version: str
    extent: Extent
    projects: tuple[str, ...] = ()


class Foot(msgspec.Struct, frozen=True, kw_only=True):
    """The last line: how many events there are, and a digest of their lines."""

    events: int
    sha256: str


def is_package(text: str | bytes) -> bool:
    """Whether a file begins like a package."""
    begin = text[:200]
    return KIND in begin if isinstance(begin, str) else KIND.encode() in begin


def write_package(head: Head, events: Iterable[WireEvent]) -> Iterator[bytes]:
    """The lines of a package."""
    yield msgspec.json.encode(head) + b"\n"
    digest, count = hashlib.sha256(), 0
    for event in events:
        line = encode(event) + b"\n"
        digest.update(line)
        count += 1
        yield line
    yield msgspec.json.encode(Foot(events=count, sha256=digest.hexdigest())) + b"\n"


def read_package(text: bytes) -> tuple[Head, list[WireEvent]]:
    """What a package holds; a sentence when it is not whole."""
    lines = text.splitlines(keepends=True)
    try:
        head = msgspec.json.decode(lines[0], type=Head)
        foot = msgspec.json.decode(lines[-1], type=Foot)
        events = [decode(line) for line in lines[1:-1]]
    except (msgspec.MsgspecError, IndexError):
        raise NousError("this export is not whole: a line cannot be read, or its end is missing") from None
    digest = hashlib.sha256(b"".join(lines[1:-1])).hexdigest()
    if head.kind != KIND or foot.events != len(events) or foot.sha256 != digest:
        raise NousError("this export was changed, or is not whole")
    return head, events


def chain_events(events: Sequence[WireEvent]) -> list[WireEvent]:
    """A selection of events with a chain of its own, in the order of their times."""
    chosen = sorted(events, key=lambda event: (event.transaction_time, event.device, event.device_seq))
    device = hashlib.sha256("".join(event.event_uuid for event in chosen).encode()).hexdigest()[:32]
    previous = GENESIS
    found = []
    for seq, event in enumerate(chosen, 1):
        found.append(rechain_event(event, device, seq, previous))
        previous = found[-1].event_hash
    return found


def projects_of(events: Iterable[WireEvent]) -> tuple[str, ...]:
    """The projects that events belong to."""
    return tuple(sorted({event.project_id for event in events}))


def describe_package(head: Head, events: Sequence[WireEvent]) -> dict[str, Any]:
    """What a package holds, as plain data."""
    learned = sum(event.event_type == "LearningExtracted" for event in events)
    return {"extent": head.extent, "made_at": head.made_at, "events": len(events), "learned": learned}
