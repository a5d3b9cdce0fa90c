"""Memories that faded leave the active set by themselves, and come back when somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nous.kernel.log.event_store import Events
from nous.kernel.log.events import Archived, Event, EventType, Payload, Writer, make_event
from nous.kernel.memory.decay import ARCHIVE_BELOW, ARCHIVE_DAYS, DAY, FADED, Use, is_faded, share_left
from nous.kernel.memory.memories import Memories
from nous.kernel.memory.memory import Memory
from nous.kernel.stores import Stores
from nous.kernel.types import TYPES
from nous.moments import days_between, later

WRITER = Writer("maintenance", "fs_reconcile")
PAGE = 1000


def find_faded(stores: Stores, now: str) -> list[Memory]:
    """The memories that are due to be archived; what much hangs on never is. Reads only."""
    then = later(now, -ARCHIVE_DAYS * DAY)
    found: list[Memory] = []
    for page in _pages(number for number, version in _low(stores.memories, then)):
        memories = stores.memories.by_id(page)
        known = stores.uses(memories)
        changed = {event.event_id: event.transaction_time for event in stores.events.by_id(m.version for m in memories)}
        found += [
            memory
            for memory in memories
            if changed.get(memory.version, now) <= then and is_faded(memory, now, known.get(memory.id, Use()))
        ]
    return found


def _low(memories: Memories, then: str) -> Iterator[tuple[int, int]]:
    """Number and version of what may have been low then: use and repetition can only make it fresher."""
    for number, kind, confidence, begun, version in memories.fadable():
        share = share_left(days_between(begun, then), TYPES[kind].half_life)
        if begun <= then and confidence * share < ARCHIVE_BELOW:
            yield number, version


def _pages(numbers: Iterable[int]) -> Iterator[list[int]]:
    page: list[int] = []
    for number in numbers:
        page.append(number)
        if len(page) == PAGE:
            yield page
            page = []
    if page:
        yield page


def archive(log: Events, memories: Iterable[Memory], now: str) -> int:
    """Archive what faded; how many. The read models follow."""
    said = Archived(reason=f"{FADED}: confidence below {ARCHIVE_BELOW:g} for {ARCHIVE_DAYS} days")
    events = [
        mark_event(memory, "LearningArchived", said, f"faded:{memory.learning_id}:{memory.version}")
        for memory in memories
    ]
    return sum(number is not None for number in log.append(events, now))


def restore(events: Events, memory: Memory, now: str) -> None:
    """Bring back a memory that faded and was asked for. The read models follow."""
    said = Payload(reason="somebody asked for it")
    key = f"restored:{memory.learning_id}:{memory.version}"
    events.append([mark_event(memory, "LearningRestored", said, key)], now)


def is_restorable(memory: Memory) -> bool:
    """Whether a memory was archived only because it faded, and not by somebody's decision."""
    return memory.status == "archived" and (memory.archived_reason or "").startswith(FADED)


def mark_event(memory: Memory, kind: EventType, payload: Payload, key: str) -> Event:
    """An event that maintenance writes about a memory."""
    return make_event(kind, memory.learning_id, payload, key, project_id=memory.project_id, by=WRITER)
