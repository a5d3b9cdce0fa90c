"""What is old and can be made again is let go of; the log stays, and what is restored is whole again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from factories import NOW
from nous.app import Nous
from nous.config import load_settings
from nous.kernel.learn.rejections import Refusal
from nous.kernel.memory.projection import compare_with_replay
from nous.kernel.stores import open_stores
from nous.moments import later

DAY = 86400
P = "/shop"
WORDS = ("Deploys go through make ship", "Deploys go through make ship only", "The importer reads UTF-8 files")


class Clock:
    now = NOW

    def __call__(self) -> str:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def opened(folder: Path, clock: Clock, **settings: str) -> Nous:
    given = load_settings({"NOUS_DATA_DIR": str(folder), "HOME": str(folder)} | settings)
    return Nous(open_stores(given.db_path), given, clock)


@pytest.fixture
def nous(tmp_path: Path, clock: Clock) -> Iterator[Nous]:
    with opened(tmp_path, clock) as made:
        made.remember_many([{"text": words, "ref": f"r{at}"} for at, words in enumerate(WORDS)], project=P)
        made.embed()
        made.forget(2)
        yield made


def vectors(nous: Nous) -> list[int]:
    return [number for number in (1, 2, 3) if nous.stores.vectors.models_of(number)]


def pruned(nous: Nous) -> str:
    return next(done.said for done in nous.maintain().steps if done.step == "prune")


def log(nous: Nous) -> list[object]:
    return list(nous.stores.events.each_row())


def test_what_hangs_on_a_memory_archived_long_ago_goes_and_nothing_else(nous: Nous, clock: Clock) -> None:
    clock.now = later(NOW, 100 * DAY)
    assert pruned(nous) == "nothing is old enough" and vectors(nous) == [1, 2, 3]
    clock.now = later(NOW, 181 * DAY)
    before = log(nous)
    assert pruned(nous).startswith("1 vectors")
    assert vectors(nous) == [1, 3]
    assert log(nous) == before
    assert not compare_with_replay(nous.stores.events, nous.stores.memories, clock.now).differences
    assert nous.get(2).status == "archived" and nous.explain(2).memory.content == WORDS[1]


def test_what_is_restored_is_found_by_its_meaning_again(nous: Nous, clock: Clock) -> None:
    clock.now = later(NOW, 181 * DAY)
    nous.maintain()
    nous.undo([nous.stores.events.of_learning(nous.get(2).learning_id)[-1].event_id])
    assert nous.get(2).status == "active"
    nous.embed()
    assert vectors(nous) == [1, 2, 3]


def test_old_notes_for_tuning_go_too(nous: Nous, clock: Clock) -> None:
    nous.stores.rejections.add(
        [Refusal(project_id="p", session_id="s", extractor="x", reason="none", excerpt="a word", created_at=NOW)]
    )
    clock.now = later(NOW, 181 * DAY)
    assert "1 rejections" in pruned(nous)
    assert nous.stores.rejections.recent() == []
