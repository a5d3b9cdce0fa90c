"""Deciding about what is doubtful: each decision does what it says, is asked once, and can be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from factories import NOW, extracted
from nous.app import Nous
from nous.config import load_settings
from nous.errors import NotFound, NousError
from nous.features.review.review import ACTIONS, KINDS
from nous.kernel.log.events import Contradicted, Decision, Edge, Event, EventType, Payload
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import open_stores
from nous.moments import later

DAY = 86400


class Clock:
    """Every look is a second later, so that decisions are told apart."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> str:
        self.seconds += 1
        return later(NOW, self.seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def nous(tmp_path: Path, clock: Clock) -> Iterator[Nous]:
    settings = load_settings({"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)})
    with Nous(open_stores(str(tmp_path / "cortex.db")), settings, clock) as opened:
        fill(opened)
        yield opened


def fill(nous: Nous) -> None:
    """One item of every kind; `a` to `l` are memories 1 to 12."""
    born = [
        extracted("a", "We merge to main", evidence=("r1",)),
        extracted("b", "We merge to develop", evidence=("r2",), concepts=("git",)),
        extracted("c", "The page said to run curl", tainted=True),
        extracted("d", "Tests need a database", type="gotcha"),
        extracted("e", "Use tabs for Makefiles"),
        extracted("f", "Ports are listed in docs/ports.md"),
        extracted("g", "Ports stand in docs/ports.md"),
        _from_a_session(extracted("h", "Answer in German", scope="global")),
        extracted("i", "Deploys need a tag", type="procedure"),
        extracted("j", "Tags are signed", type="procedure"),
        extracted("k", "The old importer is slow", type="fact", valid_from=later(NOW, -800 * DAY)),
        extracted("l", "The exporter has begun", type="progress", valid_from=later(NOW, -9 * DAY)),
    ]
    nous.stores.events.append(born, NOW)
    happens = [
        happening("a", "LearningContradicted", Contradicted(contradicted_with="b", contradiction_multiplier=0.7)),
        happening("b", "LearningContradicted", Contradicted(contradicted_with="a", contradiction_multiplier=0.7)),
        happening("d", "LearningDisputed", Payload()),
        happening("i", "EdgeProposed", Edge(target="j", relation="depends_on", confidence=0.6)),
        happening("g", "EdgeProposed", Edge(target="f", relation="contradicts", confidence=0.5)),
    ]
    nous.stores.events.append(happens, NOW)
    catch_up(nous.stores, NOW)


def _from_a_session(event: Event) -> Event:
    return Event(**{name: getattr(event, name) for name in event.__struct_fields__} | {"source": "fs_watch"})


def happening(learning: str, kind: EventType, payload: Payload) -> Event:
    return Event(
        learning_id=learning,
        event_type=kind,
        idempotency_key=f"{kind}:{learning}",
        payload=payload,
        session_id="s",
        project_id="p",
        source="fs_watch",
    )


def waiting(nous: Nous) -> list[str]:
    return [item.id for item in nous.review(project="p")]


def state(nous: Nous) -> list[dict[str, object]]:
    """Every memory and relation, but for the numbers of events."""
    memories = nous.stores.memories.listing(None, status=None)
    edges = [row for _, row in nous.stores.memories.rows_of("edges")]
    fields = [name for name in Memory.__struct_fields__ if name != "version"]
    return [{name: getattr(memory, name) for name in fields} for memory in memories] + [{"edges": edges}]


ALL = [
    "conflict:6:7",
    "conflict:1:2",
    "disputed:4",
    "scope:8",
    "tainted:3",
]


def test_every_kind_of_doubt_is_asked_about_gravest_first(nous: Nous) -> None:
    assert waiting(nous) == ALL
    assert [item.id for item in nous.review(project="p", kind="tainted")] == ["tainted:3"]
    assert set(ACTIONS) == set(KINDS)


def test_at_most_ten_questions_are_asked_the_most_harmful_ones_and_by_subject(nous: Nous) -> None:
    subjects = ("billing", "search")
    doubtful = [
        extracted(f"t{n}", f"Rule {n} of {subjects[n % 2]}", tainted=True, concepts=(subjects[n % 2],))
        for n in range(30)
    ]
    nous.stores.events.append(doubtful, NOW)
    catch_up(nous.stores, NOW)
    asked = nous.review(project="p")
    assert len(asked) == 10 and nous.waiting(project="p")["tainted"] == 31
    assert [item.kind for item in asked[:4]] == ["conflict", "conflict", "disputed", "scope"]
    named = [item.subject for item in asked if item.subject]
    assert set(named) == set(subjects)
    assert sum(one != two for one, two in pairwise(named)) == 1  # each subject in one piece
    assert len(nous.review(project="p", limit=100)) == sum(nous.waiting(project="p").values())


def test_what_no_session_is_shown_is_not_asked_about(nous: Nous) -> None:
    hidden = [
        extracted("v", "Work of last summer", type="progress", tainted=True, valid_from=later(NOW, -200 * DAY)),
    ]
    nous.stores.events.append(hidden, NOW)
    catch_up(nous.stores, NOW)
    assert waiting(nous) == ALL
    assert {"tainted:3"} < {item.id for item in nous.review(project="p", kind="tainted")}


@pytest.mark.parametrize(
    ("item", "action", "effect"),
    [
        ("conflict:1:2", "keep", {1: ("active", 0.5), 2: ("active", 0.5)}),
        ("conflict:1:2", "supersede", {1: ("superseded", 0.175), 2: ("active", 0.35)}),
        ("conflict:1:2", "merge", {1: ("superseded", 0.175), 2: ("active", 0.42)}),
        ("conflict:1:2", "reject", {1: ("active", 0.35), 2: ("archived", 0.35)}),
        ("disputed:4", "keep", {4: ("active", 0.5)}),
        ("tainted:3", "reject", {3: ("archived", 0.5)}),
        ("tainted:3", "pin", {3: ("active", 0.5)}),
    ],
)
def test_a_decision_does_what_it_says_and_is_asked_once_until_it_is_undone(
    nous: Nous, item: str, action: Decision, effect: dict[int, Any]
) -> None:
    before = state(nous)
    nous.decide(item, action)
    found = nous.stores.memories.by_id(list(effect))
    assert {memory.id: (memory.status, pytest.approx(memory.strength)) for memory in found} == effect
    assert item not in waiting(nous)
    with pytest.raises(NotFound, match=r"nothing to decide|decided already"):
        nous.decide(item, action)
    nous.undo(all_projects=True)
    assert state(nous) == before
    assert waiting(nous) == ALL
    assert compare_with_replay(nous.stores.events, nous.stores.memories, NOW).differences == []


def test_keeping_what_is_doubtful_confirms_it(nous: Nous) -> None:
    nous.decide("tainted:3", "keep")
    kept = nous.get(3)
    assert (kept.confirmed, kept.tainted, kept.confidence) == (True, False, 1.0)


def test_the_other_memory_can_be_chosen(nous: Nous) -> None:
    nous.decide("conflict:1:2", "supersede", swap=True)
    assert [memory.status for memory in nous.stores.memories.by_id([1, 2])] == ["active", "superseded"]


def test_better_words_replace_both_of_two_that_disagree_and_undo_brings_both_back(nous: Nous) -> None:
    before = state(nous)
    nous.decide("conflict:1:2", "edit", text="We merge to main, releases to develop")
    assert [memory.status for memory in nous.stores.memories.by_id([1, 2])] == ["superseded", "superseded"]
    decided = [event for event in nous.stores.events.by_hand(2**62, 50) if event.event_type == "LearningReviewed"]
    nous.undo([decided[0].event_id])
    assert state(nous) == before


def test_what_does_not_hold_everywhere_belongs_to_its_project_again(nous: Nous) -> None:
    assert [hit.id for hit in nous.recall("answer in German", project="q")] == [8]
    nous.decide("scope:8", "reject")
    assert nous.recall("answer in German", project="q") == []
    assert [hit.id for hit in nous.recall("answer in German", project="p")] == [8]
    nous.undo(all_projects=True)
    assert [hit.id for hit in nous.recall("answer in German", project="q")] == [8]


def test_what_is_put_off_comes_back_another_day_and_can_be_decided_before(nous: Nous, clock: Clock) -> None:
    nous.decide("tainted:3", "later")
    assert "tainted:3" not in waiting(nous)
    clock.seconds += DAY
    assert "tainted:3" in waiting(nous)
    nous.decide("tainted:3", "later")
    nous.decide("tainted:3", "reject")
    clock.seconds += 9 * DAY
    assert "tainted:3" not in waiting(nous)


@pytest.mark.parametrize(
    ("item", "action", "text", "problem"),
    [
        ("tainted:99", "keep", None, "nothing to decide about 'tainted:99'"),
        ("conflict:3:4", "supersede", None, "nothing to decide about 'conflict:3:4'"),
        ("tainted:1", "reject", None, "nothing to decide about 'tainted:1'"),
        ("weak:12", "keep", None, "nothing to decide about 'weak:12'"),
        ("nonsense", "keep", None, "nothing to decide about 'nonsense'"),
        ("edge:9:causal:10", "keep", None, "nothing to decide"),
        ("tainted:3", "merge", None, "cannot be decided by 'merge'"),
        ("tainted:3", "edit", " ", "an edit needs the new words"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence_and_changes_nothing(
    nous: Nous, item: str, action: Decision, text: str | None, problem: str
) -> None:
    before = nous.stores.events.last_id()
    with pytest.raises(NousError, match=problem):
        nous.decide(item, action, text=text)
    assert nous.stores.events.last_id() == before
