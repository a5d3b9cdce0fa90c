"""One memory by its number: as it is, where it comes from, what stands around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from nous.errors import StoreError
from nous.features.archive import archive
from nous.kernel.memory.memory import Memory

if TYPE_CHECKING:
    from nous.app import Nous
    from nous.features.episodes.model import Episode
    from nous.features.memories.explain import Explanation
    from nous.kernel.recall.quotes import Quote

MANY_ASKED = 500  # accesses that wait before they are written down


def get(nous: Nous, memory_id: int, *, as_of: str | None = None, as_at: str | None = None) -> Memory:
    """One memory, as it is or as it was known at a moment; with `as_at` only if it was true then.

    One that had faded out of use is back in use once it was asked for.
    """
    found = nous.peek(memory_id, as_of=as_of, as_at=as_at)
    return found if as_of or as_at else access(nous, [found])[memory_id]


def access(nous: Nous, memories: Iterable[Memory]) -> dict[int, Memory]:
    """Note that somebody asked for memories; those that had faded are back."""
    found = {memory.id: memory for memory in memories}
    if nous.is_readonly:
        return found
    nous.asked_for += found
    if len(nous.asked_for) > MANY_ASKED:
        note_access(nous)
    faded = [memory for memory in found.values() if archive.is_restorable(memory)]
    if faded:
        from nous.kernel.memory.projection import catch_up  # it loads everything that makes read models
    for memory in faded:
        with nous.stores.db.transaction():
            archive.restore(nous.stores.events, memory, nous.clock())
            catch_up(nous.stores, nous.clock())
        nous.changed.add(memory.project_id)
        found[memory.id] = nous.peek(memory.id)
    return found


def note_access(nous: Nous) -> None:
    """Write down what was asked for, in one go. Whoever only asks must not fail because somebody else writes."""
    if nous.asked_for:
        with suppress(StoreError), nous.stores.db.transaction():
            nous.stores.accesses.note(nous.asked_for, nous.clock())
        nous.asked_for.clear()


def explain(nous: Nous, memory_id: int) -> Explanation:
    """Where a memory comes from, what became of it, and what it hangs together with."""
    from nous.features.memories.explain import explain

    return explain(nous.stores, nous.peek(memory_id), nous.clock())


def said(nous: Nous, memory: Memory) -> tuple[Quote, ...]:
    """The words that a memory was learned from, as far as they are kept."""
    from nous.kernel.recall.quotes import quotes

    return quotes(nous.stores.events, nous.stores.graph, nous.stores.transcripts, memory)


def episodes(nous: Nous, session_id: str) -> Sequence[Episode]:
    """A session told by what happened in it: one episode, or several where it was cut or paused for long."""
    from nous.features.episodes.episodes import of_session

    return of_session(nous.stores, session_id)
