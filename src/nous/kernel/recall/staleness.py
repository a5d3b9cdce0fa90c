"""Whether a memory may be outdated: what was said about it, its age, what became of the code it was learned from."""

from __future__ import annotations

from nous import moments
from nous.kernel.hooks import anchors
from nous.kernel.memory.memory import Memory
from nous.kernel.types import TYPES

OLD = 2.0  # half-lives after which a memory nobody confirmed is old


def marks(memory: Memory, root: str | None, now: str) -> dict[str, float]:
    """What speaks against a memory and how much."""
    said = {
        "superseded": 1.0 if memory.status == "superseded" else 0.0,
        "no longer true": 1.0 if memory.valid_until and memory.valid_until <= now else 0.0,
        "disputed": 1.0 if memory.disputed else 0.0,
        "contradicted": 0.8 if memory.contradicted_with else 0.0,
        "old": 0.3 if _is_old(memory, now) else 0.0,
    }
    found = {mark: weight for mark, weight in said.items() if weight}
    return found | _of_code(memory, root) if memory.anchors and root else found


def _is_old(memory: Memory, now: str) -> bool:
    if memory.pinned or memory.confirmed or memory.kind == "episodic":
        return False
    since = memory.valid_from or memory.created_at
    return moments.days_between(since, now) > OLD * TYPES[memory.type].half_life


def _of_code(memory: Memory, root: str) -> dict[str, float]:
    """What became of the very text that a memory was learned from."""
    found = anchors.verdict(root, [(one.file, one.symbol, one.hash) for one in memory.anchors])
    if found.is_gone:
        return {"its code is gone": 0.8}
    return {found.note: 0.5} if found.note else {}
