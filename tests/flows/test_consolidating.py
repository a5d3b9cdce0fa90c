"""Making one of many: groups by subject and words, one undo for a group, nothing lost of what they rest on."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from factories import NOW, extracted
from nous.app import Nous
from nous.config import load_settings
from nous.core.consolidation import LONGEST, Alike, composed, groups, is_free, may_join, pairs
from nous.core.memory import Memory
from nous.remember.projection import catch_up, compare_with_replay
from nous.tend.consolidate import is_due


@pytest.fixture
def nous(tmp_path: Path) -> Nous:
    (tmp_path / "data").mkdir()
    environ = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path), "NOUS_DATA_DIR": str(tmp_path / "data")}
    return Nous.open(settings=load_settings(environ))


def learn(nous: Nous, *rows: tuple[str, str, str]) -> None:
    """Learn sentences, each with its session and the record it rests on, as an extractor does."""
    events = [
        replace(
            extracted(f"l-{session}-{record}-{at}", text, key=f"k-{session}-{record}-{at}", evidence=(record,)),
            session_id=session,
            project_id="p",
            source="fs_watch",
        )
        for at, (text, session, record) in enumerate(rows)
    ]
    with nous.stores.db.transaction():
        nous.stores.events.append(events, NOW)
        catch_up(nous.stores, NOW)


FRAGMENTS = (
    ("The invoice is created when a booking is paid", "s1", "r1"),
    ("Invoice numbers have eight digits and begin with the year", "s1", "r1"),
)


def test_what_was_said_in_one_breath_becomes_one_with_all_its_evidence_and_one_undo(nous: Nous) -> None:
    learn(nous, *FRAGMENTS, ("Deploys go through the staging cluster first", "s2", "r9"))
    [made] = nous.consolidate(project="p")
    active = nous.list(project="p")
    assert len(active) == 2
    whole = nous.get(made.event_id)
    assert all(text in whole.content for text, _, _ in FRAGMENTS)
    assert whole.evidence == ("r1",)
    assert {row["rel_type"] for row in nous.stores.graph.of(whole.learning_id)} >= {"derived_from", "supersedes"}
    assert not compare_with_replay(nous.stores, nous.clock()).differences
    nous.undo([made.event_id], project="p")
    assert len(nous.list(project="p")) == 3
    assert nous.consolidate(project="p") == []  # what somebody took back is not done again
    assert list((Path(nous.settings.data_dir) / "checkpoints").iterdir())


def test_all_groups_of_one_run_are_one_decision(nous: Nous) -> None:
    learn(nous, *FRAGMENTS, ("Prices include tax", "s3", "r3"), ("Prices are shown in crowns", "s3", "r3"))
    assert len(nous.consolidate(project="p")) == 2
    nous.undo(project="p")
    assert len(nous.list(project="p")) == 4


def test_a_near_duplicate_of_another_session_leaves_the_clearest_words(nous: Nous) -> None:
    learn(
        nous,
        ("Run the linter with make lint before every commit", "s1", "r1"),
        ("Before every commit run the linter with make lint and fix what it says", "s2", "r2"),
    )
    [made] = nous.consolidate(project="p")
    assert made.group.content == "Before every commit run the linter with make lint and fix what it says"
    assert set(nous.get(made.event_id).evidence) == {"r1", "r2"}


def test_a_dry_run_changes_nothing(nous: Nous) -> None:
    learn(nous, *FRAGMENTS)
    before = nous.stores.events.last_id()
    assert len(nous.consolidate(project="p", dry_run=True)) == 1
    assert nous.stores.events.last_id() == before


def test_said_again_later_it_strengthens_the_whole(nous: Nous) -> None:
    learn(nous, *FRAGMENTS)
    [made] = nous.consolidate(project="p")
    again = nous.remember(FRAGMENTS[1][0], project="p")
    assert again == made.event_id


def test_it_is_due_after_ten_or_with_very_many(nous: Nous) -> None:
    rows = [(f"Part {number} is stored in bin {number * 7}", f"s{number}", f"r{number}") for number in range(12)]
    learn(nous, *rows[:9])
    assert not is_due(nous.stores, "p")
    learn(nous, *rows)
    assert is_due(nous.stores, "p")
    nous.work.consolidate(["p"], due=True)
    assert not is_due(nous.stores, "p")


def memory(number: int, content: str, **more: object) -> Memory:
    fields: dict[str, object] = {
        "id": number,
        "learning_id": f"l{number}",
        "project_id": "p",
        "session_id": "s",
        "type": "fact",
        "kind": "semantic",
        "content": content,
        "created_at": NOW,
        "version": number,
    }
    return Memory(**(fields | more))  # type: ignore[arg-type]


APART: list[dict[str, object]] = [
    {"scope": "global"},
    {"branch": "dev"},
    {"project_id": "q"},
    {"type": "error_pattern"},
    {"contradicted_with": ("l1",)},
]


@pytest.mark.parametrize("other", APART, ids=lambda other: next(iter(other)))
def test_groups_never_cross(other: dict[str, object]) -> None:
    assert may_join(memory(1, "The cache is warm"), memory(2, "The cache has a limit"))
    assert not may_join(memory(1, "The cache is warm"), memory(2, "The cache has a limit", **other))


def test_what_was_said_again_is_not_buried_in_what_was_said_beside_it() -> None:
    again = memory(1, "Ask any questions before you begin", last_said_at=NOW)
    beside = memory(2, "Payments are logged in a table. Ask any questions before you begin")
    assert not may_join(again, beside) and not may_join(beside, again)
    assert may_join(replace(again, last_said_at=None), beside)
    assert may_join(again, memory(3, "Ask any questions, before you begin"))


def test_what_contradicts_is_never_one() -> None:
    assert not may_join(
        memory(1, "The flag must be on in production"), memory(2, "The flag must not be on in production")
    )


OWN: list[dict[str, object]] = [
    {"pinned": True},
    {"confirmed": True},
    {"disputed": True},
    {"tainted": True},
    {"slot": "api|port"},
    {"ref": "k"},
    {"source": "user_review"},
    {"tags": ("placed",)},
    {"tags": ("proposed",)},
    {"type": "work_state"},
    {"status": "archived"},
]


@pytest.mark.parametrize("own", OWN, ids=lambda own: next(iter(own)))
def test_what_a_person_decided_or_what_has_a_place_is_left_alone(own: dict[str, object]) -> None:
    assert is_free(memory(1, "x")) and not is_free(memory(1, "x", **own))


def test_a_group_is_no_longer_than_one_memory_may_be() -> None:
    parts = [memory(number, f"Sentence number {number} about it " + "word " * 50) for number in range(1, 5)]
    found = groups([Alike(parts[0], other, 0.9) for other in parts[1:]])
    assert all(len(group.content) <= LONGEST for group in found)


def test_words_stand_in_the_order_in_which_they_were_said() -> None:
    assert (
        composed([memory(2, "Second comes this"), memory(1, "First came that.")])
        == "First came that. Second comes this."
    )


def test_what_a_model_told_apart_stays_apart() -> None:
    """Sentences of one record are joined because rules cut them; a model's sentence is whole."""
    ones = [memory(number, text, evidence=("r1",)) for number, (text, _, _) in enumerate(FRAGMENTS, 1)]
    assert len(pairs(ones, [])) == 1
    written = [replace(one, extractor="extract@1a2b/claude:haiku") for one in ones]
    assert pairs(written, []) == [] and len(pairs([ones[0], written[1]], [])) == 0
    alike = [("l1", "l2", 1.0)]
    again = [memory(1, "Invoices have eight digits"), memory(2, "Invoices have eight digits, always")]
    assert len(pairs([replace(one, extractor="extract@1/x:y") for one in again], alike)) == 1
