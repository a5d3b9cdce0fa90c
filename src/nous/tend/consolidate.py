"""Making one of many: groups of memories become one each, with their evidence, and one undo takes a group back."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from nous.core.consolidation import EXTRACTOR, OFTEN, PLENTY, Group, Made, groups, merged, pairs
from nous.core.events import Event, Extracted, Reinforced, Superseded, Writer, make_event
from nous.core.extraction import EdgeProposal
from nous.core.memory import Memory
from nous.stores import Stores
from nous.stores.database import EVERY

NAMESPACE = uuid.UUID("6d1c1f5e-3f0a-5d7b-9a52-6e6f75730112")
SOURCE = "consolidation"
GAINED = 0.5  # of strength, which is all that can be gained
STEP = "consolidate:"  # with a project's id: how far it was looked at


def is_due(stores: Stores, project_id: str) -> bool:
    """Whether enough was learned in a project since it was last looked at: ten things, or one among very many."""
    last = stores.outcomes.step(STEP + project_id)
    fresh = stores.memories.learned_since(project_id, last["last_event_id"] if last else 0, OFTEN)
    return fresh >= OFTEN or (fresh > 0 and stores.memories.active_count(project_id) > PLENTY)


def find(stores: Stores, project_id: str) -> list[Group]:
    """The groups among a project's memories. Reads only."""
    memories = stores.memories.listing(project_id, limit=EVERY, with_global=False)
    return groups(pairs(memories, stores.graph.likenesses_of(project_id)))


def consolidate(stores: Stores, project_id: str, found: Sequence[Group], now: str, by: Writer) -> list[Made]:
    """Make each group one memory. A group that was made before, and perhaps undone, is left alone.

    The new memory belongs to the sessions of its members, so that it leads back to what was said there; that these end
    in it is the word of who asks.
    """
    made = []
    with stores.db.transaction():
        for group in found:
            born = _born(group, project_id)
            [number] = stores.events.append([born], now)
            if number is not None:
                stores.events.append(_following(group, born.learning_id, number, by), now)
                made.append(Made(project_id, number, group))
        stores.outcomes.set_step(STEP + project_id, stores.events.last_id(), now, f"{len(made)} groups")
    return made


def _born(group: Group, project_id: str) -> Event:
    fields: dict[str, Any] = merged(group)
    edges = tuple(EdgeProposal(one.learning_id, "derived_from", 1.0, 1.0) for one in group.members)
    why = (f"joined from {len(group.members)} that were said together or say one thing",)
    said = Extracted(extractor_version=EXTRACTOR, edges=edges, reasons=why, **fields)
    name = str(uuid.uuid5(NAMESPACE, group.key))
    begun = min(one.valid_from or one.created_at for one in group.members)
    by = Writer(group.members[0].session_id, SOURCE)
    return make_event("LearningExtracted", name, said, group.key, project_id=project_id, by=by, at=begun)


def _following(group: Group, name: str, number: int, by: Writer) -> list[Event]:
    """Every session that had a say strengthens the new memory as it did the old ones; these end in it."""
    project = group.members[0].project_id
    last = max(_said(one) for one in group.members)
    sessions = {one.session_id: one for one in group.members}
    left = min(GAINED, sum(one.gained for one in group.members))
    found = []
    for session, one in sessions.items():
        told = Reinforced(reinforcement_delta=left, evidence=one.evidence, reason="what its parts had gained")
        key, writer = f"{group.key}:{session}", Writer(session, SOURCE)
        found.append(
            make_event(
                "LearningReinforced", name, told, key, project_id=project, by=writer, at=_said(one), cause=number
            )
        )
        left = 0.0
    for one in group.members:
        ended = Superseded(superseded_by=name, reason=f"consolidated into #{number}")
        key = f"{group.key}:{one.learning_id}"
        found.append(
            make_event(
                "LearningSuperseded", one.learning_id, ended, key, project_id=project, by=by, at=last, cause=number
            )
        )
    return found


def _said(memory: Memory) -> str:
    return memory.last_said_at or memory.valid_from or memory.created_at
