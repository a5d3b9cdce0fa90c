"""Proposed edits: what keeps coming back, as a diff of the project's instructions. Nothing is written
unasked; what is written is no longer injected, and an undo takes the very bytes out again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from nous import files
from nous.errors import NousError
from nous.kernel.hooks.packing import neutral
from nous.kernel.instructions import as_instruction
from nous.kernel.log.events import Extracted, Placed, Recorded, Reinforced
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.packet_cache import Cache
from nous.kernel.memory.placing import FILE, PLACED, SKILLS, addition_to, diff_of, digest, without

if TYPE_CHECKING:
    from nous.kernel.stores import Events, Observations, Stores

OFTEN = 3  # sessions in which it was told or done
LONGEST = 200  # characters of a rule; what is longer is a passage, and no line of instructions
RULES = frozenset({"requirement", "preference", "pattern", "decision", "procedure", "gotcha"})


class FileEdit(NamedTuple):
    """What would be added to which file, and what the file holds now."""

    file: str
    before: bytes | None
    added: bytes


def propose_edits(stores: Stores, memories: Iterable[Memory]) -> Iterator[tuple[Memory, str]]:
    """Memories that might better stand in a file of their project, each with the reason and the diff."""
    for memory in filter(_may_stand, memories):
        told = sessions_of(stores.events, stores.observations, memory)
        root = stores.cache.root(memory.project_id) if told >= OFTEN else None
        if root and os.path.isdir(root):
            edit = edit_of(root, memory)
            yield memory, f"told in {told} sessions\n{diff_of(edit.before or b'', edit.added, FILE)}"


def _may_stand(memory: Memory) -> bool:
    is_plain = memory.scope == "project" and memory.status == "active" and not memory.tainted
    is_plain = is_plain and not memory.disputed
    return is_plain and memory.type in RULES and PLACED not in memory.tags and len(memory.content) <= LONGEST


def sessions_of(log: Events, observations: Observations, memory: Memory) -> int:
    """How many sessions taught a memory, or showed it to the observer."""
    events = log.of_learning(memory.learning_id)
    taught = (
        one.session_id
        for one in events
        if isinstance(one.payload, Extracted) or (isinstance(one.payload, Reinforced) and one.payload.evidence)
    )
    showed = {name for record in memory.evidence for name in observations.naming(record)}
    return max(len(set(taught)), len(showed) if memory.source == "observer" else 0)


def edit_of(root: str, memory: Memory) -> FileEdit:
    """What accepting a memory would write below a directory."""
    path = os.path.join(root, FILE)
    before = files.read_bytes(path)
    return FileEdit(path, before, addition_to(before or b"", as_instruction(neutral(memory.content))))


def place(cache: Cache, memory: Memory) -> Placed:
    """Write a memory into a file of its project; what the log keeps of it."""
    root = cache.root(memory.project_id)
    if not root or not os.path.isdir(root):
        raise NousError(f"the directory of the project of #{memory.id} is not here", hint="decide it on that machine")
    edit = edit_of(root, memory)
    files.write(edit.file, (edit.before or b"") + edit.added)
    before = edit.before or b""
    return Placed(file=edit.file, addition=edit.added.decode(), before=digest(before), is_new=edit.before is None)


def take_back(events: Iterable[Recorded]) -> list[str]:
    """Take what was placed out of its files again, where it still stands as it was written; the files that changed."""
    changed: list[str] = []
    for event in events:
        if not isinstance(event.payload, Placed) or event.absorbed:  # another device's files are not here
            continue
        said = event.payload
        now = files.read_bytes(said.file)
        left = without(now, said.addition.encode()) if now is not None else None
        if left is None:
            continue  # somebody has changed or removed it since: it is theirs now
        if not left and said.is_new:
            _unmake(said.file)
        else:
            files.write(said.file, left)
        changed.append(said.file)
    return changed


def _unmake(path: str) -> None:
    """Remove a file that was made for an edit, and the folders of a skill while they are empty."""
    with suppress(OSError):
        os.unlink(path)
        for _ in range(3 if f"/{SKILLS}/" in path.replace(os.sep, "/") else 0):
            path = os.path.dirname(path)
            os.rmdir(path)
