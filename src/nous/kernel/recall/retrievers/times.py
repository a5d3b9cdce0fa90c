"""Candidates by time, for questions that name nothing else: "what did we do last week?"."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from msgspec.structs import replace

from nous import moments
from nous.kernel.memory.memories import Memories
from nous.kernel.recall.query import Question
from nous.kernel.recall.retrievers.asking import Ask, Hits
from nous.language.text import Wanted

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


def with_event_time(memories: Memories, question: Question, project_id: str | None) -> Question:
    """The question with the time of the event it names ("before the migration"), when a memory tells of that event."""
    event = question.event
    if event is None or question.spans:
        return question
    words = tuple(term.word for term in event.terms)
    told = memories.search_text(Wanted(words, project_id, together=True, own=True), 1)
    if not told:
        return question
    memory = memories.get(told[0][0])
    if memory is None or memory.status == "erased":
        return question
    day = date.fromisoformat((memory.valid_from or memory.created_at)[:10])
    return replace(question, spans=(event.span(day),))


def _moment(day: date) -> str:
    return moments.text(datetime(day.year, day.month, day.day, tzinfo=UTC))
