"""Writing: remember, correct, confirm, pin, forget, restore, many at once, say what came of it.

Every write is one decision, in one transaction, and answers with the memories it is about.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nous.errors import Conflict, Misuse
from nous.features.memories.operations import (
    Bulk,
    Judging,
    Many,
    Marking,
    Reasoned,
    Rewording,
    Telling,
)
from nous.features.memories.reads import filters
from nous.kernel.asking import number_of
from nous.kernel.db.database import EVERY
from nous.kernel.log.events import Archived, EventType, Payload
from nous.kernel.viewer import Viewer
from nous.kernel.views import Written

if TYPE_CHECKING:
    from nous.app import Nous
    from nous.kernel.memory.memory import Memory


def remember(nous: Nous, viewer: Viewer, asked: Telling) -> Written:
    """Keep something; what is known already grows stronger instead."""
    given = {name: getattr(asked, name) for name in ("type", "project", "scope", "files", "tags", "pin")}
    last = nous.stores.events.last_id()
    number = nous.remember(asked.text, **given)
    return Written((number,), told={"known": True} if number <= last else {})


def correct(nous: Nous, viewer: Viewer, asked: Rewording) -> Written:
    """Put better words in the place of a memory."""
    old = number_of(nous, asked.id)
    return Written((nous.correct(old, asked.text), old))


def confirm(nous: Nous, viewer: Viewer, asked: Marking) -> Written:
    """Say that a memory is true."""
    return _mark_memory(nous, asked, nous.confirm)


def pin(nous: Nous, viewer: Viewer, asked: Marking) -> Written:
    """Always show a memory."""
    return _mark_memory(nous, asked, nous.pin)


def unpin(nous: Nous, viewer: Viewer, asked: Marking) -> Written:
    """Show a memory only when it is called for."""
    return _mark_memory(nous, asked, nous.unpin)


def restore(nous: Nous, viewer: Viewer, asked: Marking) -> Written:
    """Bring back a memory that was forgotten or has faded."""
    return _mark_memory(nous, asked, nous.restore)


def forget(nous: Nous, viewer: Viewer, asked: Reasoned) -> Written:
    """Take a memory out of use."""
    number = number_of(nous, asked.id)
    is_new = nous.forget(number, asked.reason or "forgotten by the user")
    return Written((number,), told={} if is_new else {"known": True})


def dispute(nous: Nous, viewer: Viewer, asked: Reasoned) -> Written:
    """Say that a memory may be wrong."""
    return _mark_memory(nous, asked, lambda number: nous.dispute(number, asked.reason or "disputed by the user"))


def _mark_memory(nous: Nous, asked: Marking, mark: Callable[[int], object]) -> Written:
    number = number_of(nous, asked.id)
    mark(number)
    return Written((number,))


def feedback(nous: Nous, viewer: Viewer, asked: Judging) -> Written:
    """Say what came of a memory; twice in a session counts once."""
    number = number_of(nous, asked.id)
    counted = nous.feedback(number, asked.signal, session=asked.session)
    return Written((number,), told={"counted": counted})


BULK: dict[Bulk, tuple[EventType, Callable[[Memory], bool]]] = {
    "forget": ("LearningArchived", lambda memory: memory.status == "active"),
    "restore": ("LearningRestored", lambda memory: memory.status == "archived"),
    "confirm": ("LearningConfirmed", lambda memory: memory.status == "active" and not memory.confirmed),
    "pin": ("LearningPinned", lambda memory: memory.status == "active" and not memory.pinned),
    "unpin": ("LearningUnpinned", lambda memory: memory.pinned),
}


def bulk(nous: Nous, viewer: Viewer, asked: Many) -> Written:
    """Do the same with many memories, as one decision that one undo takes back."""
    event_type, is_due = BULK[asked.action]
    found = choose_memories(nous, viewer, asked)
    due = [memory for memory in found if is_due(memory)]
    if asked.expected is not None and asked.expected != len(due):
        raise Conflict(f"it would be {len(due)} memories, not {asked.expected}", hint="look again: something changed")
    numbers = tuple(memory.id for memory in due)
    if not asked.dry_run and due:
        why = asked.reason or f"{asked.action} by the user, {len(due)} at once"
        payload = Archived(reason=why) if asked.action == "forget" else Payload(reason=why)
        nous.mark(due, event_type, payload)
    return Written(numbers, told={"count": len(due), "matched": len(found), "dry_run": asked.dry_run})


def choose_memories(nous: Nous, viewer: Viewer, asked: Many) -> list[Memory]:
    """The memories that a decision about many is about."""
    if bool(asked.ids) == (asked.filter is not None):
        raise Misuse("say which memories: `ids` or `filter`, one of them")
    if asked.filter is None:
        return nous.stores.memories.by_id(asked.ids)
    if asked.filter.as_of:
        raise Misuse("what was known earlier cannot be changed now", hint="leave out `as_of`")
    wanted = filters(nous, asked.filter)
    found = nous.stores.browse.memories(wanted, sort="newest", limit=EVERY, cursor=None, as_of=None, viewer=viewer)
    return nous.stores.memories.by_id([number for number, _ in found])
