"""Candidates by the thing that a question names, for "who is …" and "what is …": memories that call it otherwise."""

from __future__ import annotations

from nous.features.entities.model import normal
from nous.kernel.recall.retrievers.asking import Ask, Hits
from nous.language.text import plain_words

LONGEST = 3  # words of a name
INTENTS = ("who", "what", "which", "where")


def find(ask: Ask) -> Hits:
    """Memories about a thing that the question names, under other names of it; words find those under the same."""
    if ask.project_id is None or ask.question.intent not in INTENTS:
        return Hits()
    names = _names(ask.question.text)
    forms = {normal(name) for name in names}
    entities = {ask.stores.entities.resolve(ask.project_id, name) for name in names}
    members = [one for entity in entities if entity for one in ask.stores.entities.members(entity)]
    if not members:
        return Hits()
    told = [row.memory_id for row in ask.stores.entities.mentions(members) if row.form not in forms]
    latest = dict.fromkeys(reversed(told[-ask.limit :]), 1.0)
    return Hits(tuple(latest), latest)


def _names(text: str) -> list[str]:
    """What a question may name: its words, and up to three of them together."""
    words = plain_words(text)
    runs = (words[at : at + length] for length in range(1, LONGEST + 1) for at in range(len(words) - length + 1))
    return list(dict.fromkeys(" ".join(run) for run in runs))
