"""Candidates by time, for questions that name nothing else: "what did we do last week?"."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from nous import moments
from nous.kernel.recall.retrievers.asking import Ask, Hits

EARLIEST = date(1970, 1, 1)


def find(ask: Ask) -> Hits:
    """Memories of the time a question speaks of, the latest first; none when it is about something else as well."""
    if ask.project_id is None or ask.question.subject:
        return Hits()
    today = datetime.fromisoformat(ask.now).date()
    found: list[int] = []
    for span in ask.question.spans:
        if span.month is None:
            first, last = span.first or EARLIEST, (span.last or today) + timedelta(days=1)
            found += ask.stores.memories.told_between(ask.project_id, _moment(first), _moment(last), ask.limit)
    return Hits(tuple(found[: ask.limit]))


def _moment(day: date) -> str:
    return moments.text(datetime(day.year, day.month, day.day, tzinfo=UTC))
