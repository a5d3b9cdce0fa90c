"""What an earlier version made of several memories: read, strengthened, undone and replayed as it was then."""

from __future__ import annotations

from pathlib import Path

import pytest

from factories import NOW, extracted, joined
from nous.app import Nous
from nous.config import load_settings
from nous.kernel.log.integrity import verify
from nous.kernel.memory.projection import catch_up, compare_with_replay

PARTS = ("The invoice is created when a booking is paid", "Invoice numbers have eight digits and begin with the year")


@pytest.fixture
def nous(tmp_path: Path) -> Nous:
    (tmp_path / "data").mkdir()
    environ = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path), "NOUS_DATA_DIR": str(tmp_path / "data")}
    return Nous.open(settings=load_settings(environ))


@pytest.fixture
def whole(nous: Nous) -> int:
    """Two memories that became one; its number."""
    nous.stores.events.append([extracted(f"l{at}", text, evidence=("r1",)) for at, text in enumerate(PARTS)], NOW)
    catch_up(nous.stores, NOW)
    return joined(nous.stores, *nous.stores.memories.by_id([1, 2]))


def test_it_is_read_with_the_words_and_the_evidence_of_its_parts(nous: Nous, whole: int) -> None:
    assert [one.id for one in nous.list(project="p")] == [whole]
    found = nous.get(whole)
    assert all(text in found.content for text in PARTS) and found.evidence == ("r1",)
    assert {row["rel_type"] for row in nous.stores.graph.of(found.learning_id)} >= {"derived_from", "supersedes"}
    assert nous.recall("invoice numbers", project="p")[0].id == whole
    assert (
        compare_with_replay(nous.stores.events, nous.stores.memories, nous.clock()).differences == []
        and verify(nous.stores).ok
    )


def test_one_undo_brings_its_parts_back(nous: Nous, whole: int) -> None:
    nous.undo([whole], project="p")
    assert {one.content for one in nous.list(project="p")} == set(PARTS)
    assert compare_with_replay(nous.stores.events, nous.stores.memories, nous.clock()).differences == []


def test_the_end_of_a_part_is_undone_with_the_whole(nous: Nous, whole: int) -> None:
    [ended] = [one.event_id for one in nous.stores.events.of_learning("l0") if one.event_type == "LearningSuperseded"]
    nous.undo([ended], project="p")
    assert {one.content for one in nous.list(project="p")} == set(PARTS)


def test_a_part_that_is_said_again_strengthens_the_whole(nous: Nous, whole: int) -> None:
    assert nous.remember(PARTS[1], project="p") == whole


def test_maintenance_makes_nothing_like_it_any_more(nous: Nous) -> None:
    nous.stores.cache.see_project("p", "/p", None, NOW)
    many = [extracted(f"l{at}", f"Invoices of part {at} go to the archive", evidence=("r1",)) for at in range(12)]
    nous.stores.events.append(many, NOW)
    catch_up(nous.stores, NOW)
    report = nous.maintain()
    assert "consolidate" not in [step.step for step in report.steps]
    assert len(nous.list(project="p", limit=50)) == 12
