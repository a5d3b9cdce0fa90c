"""The read model of what was decided about items of the review queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nous.features.review.store import ReviewRow
from nous.kernel.log.events import Erased, Recorded, Reviewed, Undone, order
from nous.kernel.log.evolve import standing

if TYPE_CHECKING:
    from nous.kernel.stores import Events, Reviews


def note_reviews(log: Events, reviews: Reviews, events: Sequence[Recorded]) -> None:
    """What was decided about items of the review queue."""
    for event in events:
        if event.absorbed or isinstance(event.payload, Undone):
            _decide_anew(log, reviews, event)
        elif isinstance(event.payload, Erased):
            reviews.drop(event.learning_id)
        elif isinstance(event.payload, Reviewed):
            reviews.put([_review(event, event.payload)])


def _decide_anew(log: Events, reviews: Reviews, event: Recorded) -> None:
    """The decisions about every item of which the events of a learning speak; either of its memories may hold them."""
    events = log.of_learning(event.learning_id, until=event.event_id)
    items = {one.payload.item for one in events if isinstance(one.payload, Reviewed)}
    items |= reviews.naming(event.learning_id)
    if not items:
        return
    named = {event.learning_id} | {part for item in items for part in item.split(":")[1:]}
    told = [one for name in sorted(named) for one in standing(log.of_learning(name, until=event.event_id))]
    reviews.remove(items)
    rows: dict[str, ReviewRow] = {}
    for one in sorted(told, key=order):
        if isinstance(one.payload, Reviewed) and one.payload.item in items:
            rows[one.payload.item] = _review(one, one.payload)
        elif isinstance(one.payload, Erased):
            rows = {item: row for item, row in rows.items() if not _names(row, one.learning_id)}
    reviews.put(rows.values())


def _names(row: ReviewRow, learning_id: str) -> bool:
    return learning_id == row.learning_id or learning_id in row.item.split(":")


def _review(event: Recorded, said: Reviewed) -> ReviewRow:
    return ReviewRow(said.item, event.learning_id, said.action, said.until, event.event_id)
