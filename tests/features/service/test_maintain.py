"""Maintenance does what is due within its time, and the same run twice changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from factories import NOW, Home
from nous.app import Nous
from nous.config import load_settings
from nous.kernel.memory.memories import KEYS
from nous.kernel.stores import open_stores
from nous.moments import later

DAY = 86400


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> str:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def nous(tmp_path: Path, clock: Clock) -> Iterator[Nous]:
    settings = load_settings({"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)})
    with Nous(open_stores(settings.db_path), settings, clock) as opened:
        for number in range(5):
            opened.remember(
                f"Step {number} of the importer is done", type="progress", project="/shop", ref=f"r{number}"
            )
        opened.remember("Deploys go through make ship", type="decision", project="/shop")
        yield opened


def everything(nous: Nous) -> dict[str, list[tuple[object, ...]]]:
    return {table: [row for _, row in nous.stores.memories.rows_of(table)] for table in KEYS}


def test_the_same_run_twice_changes_nothing(nous: Nous, clock: Clock) -> None:
    clock.now = later(NOW, 60 * DAY)
    first = nous.maintain()
    assert first.events == 5
    assert "archive: 5 faded memories archived" in first.line()
    assert [done.state for done in first.steps] == ["done"] * len(first.steps)
    known = everything(nous)
    second = nous.maintain()
    assert second.events == 0
    assert everything(nous) == known
    assert {done.state for done in nous.maintain().steps if done.step not in ("outcomes", "observe")} == {"nothing new"}


def test_what_time_alone_changes_is_looked_at_once_a_day(nous: Nous, clock: Clock) -> None:
    nous.maintain()
    clock.now = later(NOW, 60 * DAY)
    due = [done.step for done in nous.maintain().steps if done.state == "done"]
    assert "archive" in due and "reconcile" not in due
    assert len(nous.list(project="/shop")) == 1


def test_without_time_nothing_is_done_and_nothing_is_lost(nous: Nous) -> None:
    assert {done.state for done in nous.maintain(seconds=0).steps} == {"no time left"}
    assert {done.state for done in nous.maintain().steps} == {"done"}


def test_feedback_counts_once_per_session(nous: Nous) -> None:
    assert nous.feedback(1, "useful", session="s1") and not nous.feedback(1, "useful", session="s1")
    assert nous.get(1).strength == pytest.approx(0.6)
    assert nous.feedback(1, "corrected", session="s2") and nous.feedback(1, "ignored", session="s3")
    assert nous.get(1).strength == pytest.approx(0.4)


def test_the_commands_say_what_they_did(home: Home) -> None:
    app = home.project("app")
    home.nous("remember", "Deploys go through make ship", cwd=app)
    assert "integrity   done" in home.nous("maintain", cwd=app).stdout
    assert "useful: #1" in home.nous("feedback", "1", "useful", cwd=app).stdout
    wrong = home.nous("feedback", "1", "splendid", cwd=app)
    assert wrong.returncode == 2 and "splendid" in wrong.stderr
