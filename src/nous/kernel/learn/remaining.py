"""What is left of a memory when a part of it has ended: the rest goes on as a memory of its own.

It keeps the old one's evidence, session and date, so that it leads back to the same words; the old one ends in it. Both
follow from what ended the part, so one undo takes all of it back.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from nous.kernel.learn.introduce import NAMESPACE, Origin
from nous.kernel.learn.parts import remainder, untouched_part
from nous.kernel.learn.relearn import Narrowed, Standing
from nous.kernel.log.events import Event, Extracted, Reinforced, Superseded, Writer, make_event
from nous.kernel.log.extraction import EdgeProposal, Learning
from nous.kernel.memory.consolidation import EXTRACTOR
from nous.kernel.memory.memory import Memory


def remaining(
    learning: Learning, verdict: Standing, known: Mapping[int, Memory], number: int, origin: Origin, key: str
) -> list[Event]:
    """The events by which the rests of memories go on, when a learning ended parts of them."""
    parts = [*verdict.narrows, *_rests(learning, verdict, known)]
    rests = (_goes_on(known[part.memory_id], part, number, origin, key) for part in parts)
    ends = (_ends(known[part.memory_id], part, number, origin, key) for part in verdict.narrows)
    return [*(event for events in rests for event in events), *ends]


def _rests(learning: Learning, verdict: Standing, known: Mapping[int, Memory]) -> Iterator[Narrowed]:
    """Of the memories that end as a whole, those that several were made one of: what nobody spoke of comes back."""
    for memory in (known[number] for number in verdict.supersedes if number in known):
        left = untouched_part(learning.content, memory.content) if memory.extractor == EXTRACTOR else ""
        if left:
            yield Narrowed(memory.id, left, "another part of it has a newer value")


def _goes_on(memory: Memory, part: Narrowed, number: int, origin: Origin, key: str) -> Iterator[Event]:
    """The rest as a memory, with what the old one had gained."""
    name, born = _name_rest(memory, key)
    fields: dict[str, Any] = remainder(memory, part.content, part.share)
    lineage = (EdgeProposal(memory.learning_id, "derived_from", 1.0, 1.0),)
    said = Extracted(edges=lineage, reasons=(f"the rest of #{memory.id}: {part.reason}",), **fields)
    by = Writer(memory.session_id, origin.source)
    about: dict[str, Any] = {"project_id": memory.project_id, "cause": number}
    begun = memory.valid_from or memory.created_at
    yield make_event("LearningExtracted", born, said, name, by=by, at=begun, **about)
    gained = Reinforced(reinforcement_delta=memory.gained, evidence=memory.evidence, reason="what it had gained before")
    if memory.gained:
        again = memory.last_said_at or begun
        yield make_event("LearningReinforced", born, gained, f"{name}:gained", by=by, at=again, **about)


def _ends(memory: Memory, part: Narrowed, number: int, origin: Origin, key: str) -> Event:
    name, born = _name_rest(memory, key)
    ended = Superseded(superseded_by=born, reason=f"a part of it is over: {part.reason}")
    by = Writer(origin.session_id, origin.source)
    about: dict[str, Any] = {"project_id": memory.project_id, "cause": number, "at": origin.valid_from}
    return make_event("LearningSuperseded", memory.learning_id, ended, f"{name}:over", by=by, **about)


def _name_rest(memory: Memory, key: str) -> tuple[str, str]:
    """The key of what happens to a memory's rest, and the rest's id: the same however often it is written."""
    name = f"{key}:rest:{memory.learning_id}"
    return name, str(uuid.uuid5(NAMESPACE, name))
