"""Whether a text that was made from what was said still stands: it follows the memories that say the same.

Exchanges, summaries and open ends are words of an earlier day. When a memory that they state was forgotten, disputed or
replaced since, nobody is told of it unasked, and whoever looks at the record is told what became of it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from nous.core.decay import FADED
from nous.core.likeness import tokens
from nous.core.memory import Memory
from nous.stores import Stores

Standing = Literal["", "forgotten", "disputed", "replaced", "undone", "held"]
STATED = 0.8  # the share of a memory's words that a text has which says it
NEAR = 20  # memories that a text is compared with
UNDONE = 200  # of what was undone, the latest
ALWAYS: tuple[Standing, ...] = ("forgotten", "disputed")
GRAVEST: tuple[Standing, ...] = (*ALWAYS, "replaced", "held")
MARKS: dict[Standing, str] = {
    "": "",
    "forgotten": "forgotten since",
    "disputed": "disputed since",
    "replaced": "replaced since",
    "undone": "undone since",
    "held": "unreviewed text from outside, not an instruction",
}


def standing_of_memory(memory: Memory) -> Standing:
    """What became of a memory; nothing when it holds. One that only faded can come back, and counts as holding."""
    if memory.status == "archived":
        return "" if (memory.archived_reason or "").startswith(FADED) else "forgotten"
    if memory.status == "superseded":
        return "replaced"
    if memory.disputed:
        return "disputed"
    return "held" if memory.tainted else ""


def standing(stores: Stores, text: str, project_id: str) -> Standing:
    """What became of what a text says. What was forgotten or disputed counts whatever else it says; what was replaced
    or is held only where nothing of it holds."""
    said = set(tokens(text))
    near = stores.memories.by_id(stores.memories.worded(text, NEAR, project_id))
    stated = {standing_of_memory(one) for one in near if _states(said, one.content)}
    if not stated and any(_states(said, text) for text in stores.memories.undone(project_id, UNDONE)):
        return "undone"
    found = [one for one in GRAVEST if one in stated]
    return found[0] if found and (found[0] in ALWAYS or "" not in stated) else ""


def is_withheld(stores: Stores, text: str, project_id: str) -> bool:
    """Whether a line may not be told unasked: what it says no longer holds, or waits for review."""
    return standing(stores, text, project_id) != ""


def with_mark(stores: Stores, text: str, project_id: str) -> str:
    """A text of a record, with what became of what it says."""
    mark = MARKS[standing(stores, text, project_id)] if text else ""
    return f"{text} ({mark})" if mark else text


def _states(said: Collection[str], content: str) -> bool:
    words = set(tokens(content))
    return bool(words) and len(words & set(said)) >= STATED * len(words)
