"""Whether a memory may be outdated: what was said about it, its age, and the files it speaks of."""

from __future__ import annotations

import os
from datetime import datetime

from nous.core import moments
from nous.core.memory import Memory
from nous.core.types import TYPES

OLD = 2.0  # half-lives after which a memory nobody confirmed is old
MOST_FILES = 8

_WEIGHTS = {"disputed": 1.0, "contradicted": 0.8, "file gone": 0.8, "file changed since": 0.3, "old": 0.3}


def marks(memory: Memory, root: str | None, now: str) -> tuple[str, ...]:
    """What speaks against a memory, from plain words down to a file that is newer than it."""
    found = {
        "disputed": memory.disputed,
        "contradicted": bool(memory.contradicted_with),
        "old": _is_old(memory, now),
    }
    return (*(mark for mark, holds in found.items() if holds), *_of_files(memory, root))


def weight(found: tuple[str, ...]) -> float:
    """How much the marks count together, 0 to 1: that of the gravest."""
    return max((_WEIGHTS[mark] for mark in found), default=0.0)


def _is_old(memory: Memory, now: str) -> bool:
    if memory.pinned or memory.confirmed or memory.kind == "episodic":
        return False
    since = memory.valid_from or memory.created_at
    return moments.days_between(since, now) > OLD * TYPES[memory.type].half_life


def _of_files(memory: Memory, root: str | None) -> tuple[str, ...]:
    """Files that are gone, or changed after the memory was learned."""
    if not root or not memory.files or not os.path.isdir(root):
        return ()
    learned = datetime.fromisoformat(memory.created_at).timestamp()
    found: dict[str, None] = {}
    for file in memory.files[:MOST_FILES]:
        try:
            if os.stat(os.path.join(root, file)).st_mtime > learned:
                found["file changed since"] = None
        except OSError:
            found["file gone"] = None
    return tuple(found)
