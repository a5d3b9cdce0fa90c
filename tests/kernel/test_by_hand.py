"""What somebody teaches is described and compared like anything learned from a session."""

from __future__ import annotations

from typing import Any

import pytest

from factories import NOW
from nous.identity import Project
from nous.kernel.capture.artifacts import ingest
from nous.kernel.learn.by_hand import Note, keep
from nous.kernel.learn.learn import learn_all
from nous.kernel.memory.memory import Memory
from nous.kernel.stores import Stores
from nous.moments import later


def taught(stores: Stores, *texts: str, **fields: Any) -> list[Memory]:
    """What became of notes given one after the other, oldest first."""
    for minute, text in enumerate(texts):
        keep(stores, [Note(text=text, **fields)], "p", "s", later(NOW, 60 * minute))
    return stores.memories.listing(None, status=None)[::-1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The default branch is main.", "The default branch is develop."),
        ("The dev server listens on port 4600.", "The dev server listens on port 4700."),
    ],
)
def test_the_last_word_about_a_thing_with_one_value_counts(stores: Stores, old: str, new: str) -> None:
    found = taught(stores, old, new)
    assert [(memory.content, memory.status) for memory in found] == [(old, "superseded"), (new, "active")]
    assert found[0].superseded_by == found[1].learning_id


def test_what_is_taught_about_other_things_stays_beside_it(stores: Stores) -> None:
    found = taught(stores, "The dev server listens on port 4600.", "The metrics server listens on port 4700.")
    assert [memory.status for memory in found] == ["active", "active"]


def test_a_note_has_concepts_and_names(stores: Stores) -> None:
    [memory] = taught(stores, "The api runs on Postgres.")
    assert "postgres" in memory.concepts and "Postgres" in memory.entities
    assert memory.relations == ()  # what things have to do with each other, a reading tells


def test_what_was_given_with_a_note_stays_as_it_is(stores: Stores) -> None:
    [memory] = taught(stores, "The api runs on Postgres.", entities=("Billing",), files=("a.py",))
    assert (memory.entities, memory.files) == (("Billing",), ("a.py",))


def test_what_tells_of_one_occasion_ends_nothing(stores: Stores) -> None:
    found = taught(stores, "The default branch is main.", "The default branch is develop.", type="episode")
    assert [(memory.status, memory.slot) for memory in found] == [("active", None), ("active", None)]


def test_a_callers_own_notes_are_kept_as_they_are(stores: Stores) -> None:
    keep(stores, [Note(text=f"The default branch is {name}.", ref=name) for name in ("main", "develop")], "p", "s", NOW)
    assert [memory.status for memory in stores.memories.listing(None)] == ["active", "active"]


def test_a_summary_is_described_too(stores: Stores) -> None:
    ingest(
        stores.cache,
        stores.queue,
        {"learnings": [{"content": "The api runs on Postgres.", "type": "fact"}]},
        Project("p", "/p", ""),
        NOW,
    )
    learn_all(stores, "w", lambda: NOW)
    [memory] = stores.memories.listing("p")
    assert "Postgres" in memory.entities and memory.concepts
