"""What memories name and say of it, from the events that introduced them; what people decided about names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nous.features.entities.model import fold_decisions, mentions, observations
from nous.features.entities.store import MentionRow, ObservationRow
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import Erased, Extracted, Recorded, Undone, order
from nous.kernel.log.evolve import standing
from nous.language.naming import entity_id

if TYPE_CHECKING:
    from nous.kernel.stores import Entities


def note_mentions(log: Events, entities: Entities, events: Sequence[Recorded]) -> None:
    """Mentions and observations: what the introduction of a memory names and says, for as long as it has words."""
    said: dict[str, tuple[list[MentionRow], list[ObservationRow]]] = {}
    born = {event.learning_id for event in events if isinstance(event.payload, Extracted)}
    anew = {event.learning_id for event in events if event.absorbed or isinstance(event.payload, Erased | Undone)}
    births = log.births(born | anew)
    for event in events:
        number, is_erased = births.get(event.learning_id, (0, True))
        if not number or number > event.event_id:
            continue
        if event.learning_id in anew and (event.absorbed or isinstance(event.payload, Erased | Undone)):
            said.pop(event.learning_id, None)
            entities.drop(number)
            first = None if is_erased else _introduction(log, event)
            if first:
                said[event.learning_id] = _rows(number, first)
        elif isinstance(event.payload, Extracted) and number == event.event_id and not is_erased:
            said[event.learning_id] = _rows(number, event)
    entities.add((row for rows, _ in said.values() for row in rows), (row for _, rows in said.values() for row in rows))


def _introduction(events: Events, event: Recorded) -> Recorded | None:
    """The event that introduced a learning, as far as it counts; of several devices' the first."""
    known = events.of_learning(event.learning_id, until=event.event_id)
    births = [one for one in standing(known) if isinstance(one.payload, Extracted)]
    return min(births, key=order, default=None)


def _rows(number: int, event: Recorded) -> tuple[list[MentionRow], list[ObservationRow]]:
    payload = event.payload
    assert isinstance(payload, Extracted)
    project, moment = event.project_id, event.valid_from or event.transaction_time
    shared = project, event.learning_id, moment, number
    named = [
        MentionRow(number, entity_id(project, one.form), one.form, one.name, one.kind, *shared)
        for one in mentions(payload)
    ]
    stated = [
        ObservationRow(
            number,
            nth,
            entity_id(project, one.form),
            one.subject,
            one.predicate,
            entity_id(project, one.target) if one.target else None,
            one.object,
            project,
            moment,
            number,
        )
        for nth, one in enumerate(observations(payload))
    ]
    return named, stated


def note_names(log: Events, entities: Entities, events: Sequence[Recorded]) -> None:
    """What people decided about names. Decisions are few, so all of them are read again when one comes."""
    if any(event.stream == "entity" for event in events):
        entities.set_decided(fold_decisions(log.of_entities(events[-1].event_id)))
