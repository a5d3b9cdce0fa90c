"""Proposed edits: what keeps coming back, as a diff of the project's instructions or of a skill. Nothing is written
unasked; what is written is no longer injected, and an undo takes the very bytes out again.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from nous import files
from nous.core.events import Extracted, Placed, Recorded, Reinforced
from nous.core.instructions import as_instruction
from nous.core.memory import Memory
from nous.core.packing import neutral
from nous.core.placing import FILE, PLACED, SKILLS, addition_to, diff_of, digest, file_for, skill_of, without
from nous.errors import NousError
from nous.stores import Stores
from nous.tend.metrics import domain_of, hot_memories, hot_places

OFTEN = 3  # sessions in which it was told or done
HOT = 3  # times that what is known about a place was taught again or corrected
LONGEST = 200  # characters of a rule; what is longer is a passage, and no line of instructions
RULES = frozenset({"requirement", "preference", "pattern", "decision", "procedure", "gotcha", "workflow_recipe"})
TRAPS = frozenset({"error_pattern"})  # told by sessions, and of use where they keep running into them


class FileEdit(NamedTuple):
    """What would be added to which file, and what the file holds now."""

    file: str
    before: bytes | None
    added: bytes


class _Heat(NamedTuple):
    memories: Counter[int]
    places: Counter[str]


def proposed(stores: Stores, memories: Iterable[Memory]) -> Iterator[tuple[Memory, str]]:
    """Memories that might better stand in a file of their project, each with the reason and the diff."""
    chosen = [one for one in memories if _may_stand(one)]
    heats: dict[str, _Heat] = {}
    for memory in chosen:
        if memory.project_id not in heats:
            mine = [one for one in chosen if one.project_id == memory.project_id]
            times = hot_memories(stores, memory.project_id)
            heats[memory.project_id] = _Heat(times, hot_places(stores, memory.project_id, mine))
        why = _reason(stores, memory, heats[memory.project_id])
        root = stores.cache.root(memory.project_id) if why else None
        edit = edit_of(root, memory) if root and os.path.isdir(root) else None
        if root and edit:
            name = os.path.relpath(edit.file, root).replace(os.sep, "/")
            yield memory, f"{why}\n{diff_of(edit.before or b'', edit.added, name)}"


def _may_stand(memory: Memory) -> bool:
    is_plain = memory.scope == "project" and memory.status == "active" and not memory.tainted
    is_plain = is_plain and not memory.disputed
    return is_plain and memory.type in RULES | TRAPS and PLACED not in memory.tags and len(memory.content) <= LONGEST


def _reason(stores: Stores, memory: Memory, heat: _Heat) -> str:
    """Why a memory keeps coming back; nothing when it does not."""
    told = sessions_of(stores, memory) if memory.type in RULES else 0
    if told >= OFTEN:
        return f"told in {told} sessions" if file_for(memory.content) == FILE else f"done in {told} sessions"
    place = domain_of(memory)
    if heat.memories[memory.id] and heat.places[place] >= HOT and file_for(memory.content) == FILE:
        return f"a hot spot: what is known about {place} was taught again or corrected {heat.places[place]} times"
    return ""


def sessions_of(stores: Stores, memory: Memory) -> int:
    """How many sessions taught a memory, or showed it to the observer."""
    events = stores.events.of_learning(memory.learning_id)
    taught = (
        one.session_id
        for one in events
        if isinstance(one.payload, Extracted) or (isinstance(one.payload, Reinforced) and one.payload.evidence)
    )
    showed = {name for record in memory.evidence for name in stores.observations.naming(record)}
    return max(len(set(taught)), len(showed) if memory.source == "observer" else 0)


def edit_of(root: str, memory: Memory) -> FileEdit | None:
    """What accepting a memory would write below a directory; nothing when a skill of that name is there."""
    said = as_instruction(neutral(memory.content))
    path = os.path.join(root, file_for(said))
    before = files.read_bytes(path)
    if file_for(said) == FILE:
        return FileEdit(path, before, addition_to(before or b"", said))
    return FileEdit(path, None, skill_of(said)) if before is None else None


def place(stores: Stores, memory: Memory) -> Placed:
    """Write a memory into a file of its project; what the log keeps of it."""
    root = stores.cache.root(memory.project_id)
    if not root or not os.path.isdir(root):
        raise NousError(f"the directory of the project of #{memory.id} is not here", hint="decide it on that machine")
    edit = edit_of(root, memory)
    if edit is None:
        raise NousError(f"{file_for(memory.content)} is there already", hint="remove or rename it, or reject the edit")
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
