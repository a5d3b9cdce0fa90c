"""What a user keeps saying although it is known."""

from __future__ import annotations

from collections.abc import Iterator

from nous.core.events import Extracted, Reinforced
from nous.core.packing import neutral
from nous.core.types import HEADINGS, TYPES
from nous.stores import Stores
from nous.tend.observers.seen import Concern, clip

OFTEN = 3  # sessions in which the user said it
MOST = 3


def look(stores: Stores, project_id: str, now: str) -> Iterator[Concern]:
    """A rule that the user said in three sessions or more: it is not being followed by itself.

    What is too long to be told whole is a message that opens sessions and no rule.
    """
    found: list[tuple[int, Concern]] = []
    for memory in stores.memories.visible(project_id):
        if (
            memory.status != "active"
            or memory.tainted
            or len(memory.evidence) < OFTEN
            or memory.project_id != project_id
            or TYPES[memory.type].heading != HEADINGS[0]
            or clip(told := neutral(memory.content)) != told
        ):
            continue
        events = stores.events.of_learning(memory.learning_id)
        said = {
            one.session_id
            for one in events
            if isinstance(one.payload, Extracted) or (isinstance(one.payload, Reinforced) and one.payload.evidence)
        }
        by_user = any(
            isinstance(one.payload, Extracted) and one.payload.temporal_confidence == "high" for one in events
        )
        if by_user and len(said) >= OFTEN:
            text = f"The user has said this in {len(said)} sessions: “{told}” Keep it in mind. [Memory #{memory.id}]"
            found.append((len(said), Concern(memory.learning_id, text, min(0.95, 0.5 + 0.1 * len(said)), 2)))
    yield from (concern for _, concern in sorted(found, key=lambda one: -one[0])[:MOST])
