"""Proposed edits: rules told in three sessions or more, as diffs of the project's instruction file. Nothing is written
unasked; what is written is no longer injected, and an undo takes the very bytes out again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress

from nous import files
from nous.core.events import Extracted, Placed, Recorded, Reinforced
from nous.core.memory import Memory
from nous.core.packing import neutral
from nous.core.placing import FILE, PLACED, addition_to, diff_of, digest, without
from nous.errors import NousError
from nous.stores import Stores

OFTEN = 3  # sessions in which it was told
LONGEST = 200  # characters of a rule; what is longer is a passage, and no line of instructions
RULES = frozenset({"requirement", "preference", "pattern", "decision", "procedure", "gotcha"})


def proposed(stores: Stores, memories: Iterable[Memory]) -> Iterator[tuple[Memory, str]]:
    """Memories that might better stand in the instruction file of their project, each with the diff."""
    for memory in memories:
        is_rule = memory.type in RULES and memory.scope == "project" and not memory.tainted
        if not is_rule or memory.status != "active" or PLACED in memory.tags or len(memory.content) > LONGEST:
            continue
        told = sessions_of(stores, memory)
        root = stores.cache.root(memory.project_id)
        if told >= OFTEN and root and os.path.isdir(root):
            before = files.read_bytes(os.path.join(root, FILE)) or b""
            added = addition_to(before, neutral(memory.content))
            yield memory, f"told in {told} sessions\n{diff_of(before, added, FILE)}"


def sessions_of(stores: Stores, memory: Memory) -> int:
    """How many sessions taught a memory."""
    events = stores.events.of_learning(memory.learning_id)
    taught = (
        one.session_id
        for one in events
        if isinstance(one.payload, Extracted) or (isinstance(one.payload, Reinforced) and one.payload.evidence)
    )
    return len(set(taught))


def place(stores: Stores, memory: Memory) -> Placed:
    """Write a memory into its project's instruction file; what the log keeps of it."""
    root = stores.cache.root(memory.project_id)
    if not root or not os.path.isdir(root):
        raise NousError(f"the directory of the project of #{memory.id} is not here", hint="decide it on that machine")
    path = os.path.join(root, FILE)
    before = files.read_bytes(path)
    added = addition_to(before or b"", neutral(memory.content))
    files.write(path, (before or b"") + added)
    return Placed(file=path, addition=added.decode(), before=digest(before or b""), is_new=before is None)


def take_back(events: Iterable[Recorded]) -> list[str]:
    """Take what was placed out of its files again, where it still stands as it was written; the files that changed."""
    changed: list[str] = []
    for event in events:
        if not isinstance(event.payload, Placed):
            continue
        said = event.payload
        now = files.read_bytes(said.file)
        left = without(now, said.addition.encode()) if now is not None else None
        if left is None:
            continue  # somebody has changed or removed it since: it is theirs now
        if not left and said.is_new:
            with suppress(OSError):
                os.unlink(said.file)
        else:
            files.write(said.file, left)
        changed.append(said.file)
    return changed
