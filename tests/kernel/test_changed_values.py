"""What a later session says of a rule: another value ends it, other words strengthen it, the opposite never does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factories import NOW
from kernel.test_capture import lines, record
from nous.kernel.capture.intake import Intake
from nous.kernel.learn.by_hand import Note, keep
from nous.kernel.learn.learn import WorkerOptions, learn_all
from nous.kernel.log.evolve import INITIAL_STRENGTH
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import compare_with_replay
from nous.kernel.stores import Stores


def tell(stores: Stores, folder: Path, session: str, *prompts: str, day: int = 1, **fields: Any) -> None:
    """A session of some prompts that is over, learned."""
    file = folder / f"{session}.jsonl"
    more = {"sessionId": session, "timestamp": f"2026-11-{day:02}T10:00:00.000Z"} | fields
    file.write_bytes(lines(*(record(text, **more) for text in prompts)))
    Intake(stores, lambda: NOW).take_in(str(file), "fs_watch")
    learn_all(stores, "w", lambda: NOW, WorkerOptions())


def told(stores: Stores, folder: Path, *said: str) -> list[Memory]:
    """Something is said in each of some sessions, a day apart; all that is known then."""
    for day, text in enumerate(said, 1):
        tell(stores, folder, f"s{day}", text, day=day)
    return stores.memories.listing(None, status=None)


CHANGES = {
    "Variable names start with 'm_'.": "Variable names start with 'vr_'.",
    "We use class components.": "We use functional components.",
    "We deploy with Helm.": "We deploy with Kustomize, not Helm.",
    "Deploy with `make deploy`.": "Deploy with `make ship`.",
    "The staging host is stg7.example.org.": "The staging host is stg9.example.org.",
    "We use Node 20.": "We use Node 22.",
    "Always indent with tabs.": "Always indent with spaces.",
    "Never push to main.": "From now on always push to main.",
    "Always run the linter before the tests.": "Always run the tests before the linter.",
    "Verwende immer pnpm.": "Ab jetzt verwenden wir yarn.",
}


@pytest.mark.parametrize(("old", "new"), CHANGES.items())
def test_another_value_ends_the_older_one_at_once(stores: Stores, tmp_path: Path, old: str, new: str) -> None:
    found = told(stores, tmp_path, old, new)
    assert {one.content: one.status for one in found} == {old: "superseded", new: "active"}
    [ended] = [one for one in found if one.status == "superseded"]
    assert ended.strength <= INITIAL_STRENGTH, "the opposite never strengthens"
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []


@pytest.mark.parametrize(("old", "new"), CHANGES.items())
def test_the_order_of_reading_makes_no_difference(stores: Stores, tmp_path: Path, old: str, new: str) -> None:
    tell(stores, tmp_path, "s2", new, day=2)
    tell(stores, tmp_path, "s1", old, day=1)
    active = [one.content for one in stores.memories.listing(None)]
    assert active == [new]


def test_other_words_for_a_rule_are_one_memory_with_both_occasions(stores: Stores, tmp_path: Path) -> None:
    [known] = told(stores, tmp_path, "All functions must have docstrings.", "Always use docstrings in your functions.")
    assert known.strength > INITIAL_STRENGTH
    assert len(known.evidence) == 2


def test_a_rule_among_others_ends_alone(stores: Stores, tmp_path: Path) -> None:
    told(
        stores,
        tmp_path,
        "I want you to end function names with '_d' and method names with '_u'.",
        "From now on, end method names with '_n'.",
    )
    active = {one.content for one in stores.memories.listing(None)}
    assert active == {"I want you to end function names with '_d'.", "From now on, end method names with '_n'."}


def test_a_rule_with_a_date_knows_its_end(stores: Stores, tmp_path: Path) -> None:
    [known] = told(stores, tmp_path, "Until Friday staging is frozen, do not deploy there.")
    assert known.valid_until == "2026-11-07T00:00:00.000Z"  # said on Sunday, the first of November


def test_an_agents_word_ends_nothing_and_is_asked_about(stores: Stores, tmp_path: Path) -> None:
    [known] = told(stores, tmp_path, "Variable names start with 'm_'.")
    note = Note(text="Variable names start with 'vr_'.", by_agent=True)
    keep(stores, [note], known.project_id, "s9", NOW)
    after = {one.content: one for one in stores.memories.listing(None)}
    assert after[known.content].status == "active" and after[known.content].strength == known.strength
    asked = [row for row in stores.graph.list_suggested(None, 10) if row["rel_type"] == "contradicts"]
    assert [row["target_id"] for row in asked] == [known.learning_id]


def test_a_note_by_hand_ends_what_it_gives_another_value(stores: Stores, tmp_path: Path) -> None:
    [known] = told(stores, tmp_path, "Variable names start with 'm_'.")
    keep(stores, [Note(text="Variable names start with 'vr_'.")], known.project_id, "s9", NOW)
    assert [one.content for one in stores.memories.listing(None)] == ["Variable names start with 'vr_'."]
