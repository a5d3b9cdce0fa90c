"""Learning: a unit is all or nothing, and what it says is taken up once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factories import NOW
from kernel.test_capture import lines, record
from nous.errors import NousError
from nous.features.rules_reader.extractor import extract
from nous.kernel.capture.intake import take_in
from nous.kernel.learn.learn import Learned, WorkerOptions, learn_all, learn_next
from nous.kernel.stores import Stores
from nous.moments import later

RULE = "We use pnpm, not npm."


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> str:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now = later(self.now, seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def say(stores: Stores, folder: Path, *words: str, **fields: Any) -> None:
    """Queue prompts, as a file of their own."""
    file = folder / f"{len(list(folder.iterdir()))}.jsonl"
    file.write_bytes(lines(*(record(word, sessionId=file.stem, **fields) for word in words)))
    take_in(stores, str(file), "fs_watch", lambda: NOW)


def contents(stores: Stores, status: str = "active") -> list[str]:
    return [memory.content for memory in stores.memories.listing(None, status=status)]


def test_a_rule_becomes_a_memory_and_the_unit_is_finished(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    say(stores, tmp_path, RULE)
    outcome = learn_all(stores, "w", clock)
    assert (outcome.learned, outcome.failed) == (1, 0)
    assert outcome.projects == {"/nowhere/app"}
    assert "pnpm" in contents(stores)[0]
    assert stores.queue.counts() == {"completed": 1}


def test_hearing_it_again_makes_it_stronger_not_more(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    say(stores, tmp_path, RULE)
    say(stores, tmp_path, RULE)
    outcome = learn_all(stores, "w", clock)
    assert (outcome.learned, outcome.repeated) == (1, 1)
    [memory] = stores.memories.listing(None)
    assert len(memory.evidence) == 2
    assert stores.events.count() == 2


def test_a_newer_value_supersedes_the_older_one(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    say(stores, tmp_path, "The dev server runs on port 3000.", timestamp="2026-11-01T10:00:00.000Z")
    say(stores, tmp_path, "The dev server runs on port 4000 now.", timestamp="2026-11-02T10:00:00.000Z")
    assert learn_all(stores, "w", clock).superseded == 1
    assert [one for one in contents(stores) if "4000" in one]
    assert [one for one in contents(stores, "superseded") if "3000" in one]


def test_a_worker_that_dies_midway_leaves_nothing_of_the_unit(
    stores: Stores, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(stores, tmp_path, RULE, "The dev server runs on port 4000.")

    class Died(BaseException):
        pass

    def die(*_: object) -> None:
        raise Died

    with monkeypatch.context() as patched:
        patched.setattr(stores.queue, "ack", die)
        with pytest.raises(Died):
            learn_next(stores, "w1", clock)
    assert stores.events.count() == 0
    assert stores.queue.counts() == {"processing": 1}
    assert learn_next(stores, "w2", clock) is None
    clock.advance(61)
    assert stores.queue.sweep(clock()) == 1
    clock.advance(10)
    assert learn_all(stores, "w2", clock).learned == 2
    assert stores.queue.counts() == {"completed": 1}


def test_a_worker_that_lost_its_lease_commits_nothing(
    stores: Stores, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(stores, tmp_path, RULE)

    def slowly(*given: Any, **named: Any) -> Any:
        clock.advance(61)
        assert stores.queue.sweep(clock()) == 1
        clock.advance(10)
        assert stores.queue.claim("other", clock()) is not None
        return extract(*given, **named)

    monkeypatch.setattr("nous.features.rules_reader.extractor.extract", slowly)
    learn_next(stores, "slow", clock)
    assert stores.events.count() == 0
    assert stores.queue.counts() == {"processing": 1}


def test_a_failing_unit_is_retried_with_growing_patience_then_becomes_a_dead_letter(
    stores: Stores, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(stores, tmp_path, RULE)

    def refuse(*_: object, **__: object) -> None:
        raise NousError("the extractor is ill")

    with monkeypatch.context() as patched:
        patched.setattr("nous.features.rules_reader.extractor.extract", refuse)
        for attempt in range(3):
            assert learn_next(stores, "w", clock, WorkerOptions(max_attempts=3)) == Learned(failed=1)
            assert learn_next(stores, "w", clock, WorkerOptions(max_attempts=3)) is None, "it waits before the next try"
            clock.advance(2 * 2**attempt + 1)
    assert stores.queue.counts() == {"dead_letter": 1}
    assert learn_next(stores, "w", clock) is None
    assert stores.queue.requeue(1, clock())
    assert learn_all(stores, "w", clock).learned == 1


def test_a_dead_letter_does_not_hold_up_what_its_session_said_later(
    stores: Stores, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(stores, tmp_path, "nothing of interest")
    with monkeypatch.context() as patched:
        patched.setattr("nous.features.rules_reader.extractor.extract", lambda *_, **__: 1 / 0)
        assert learn_next(stores, "w", clock, WorkerOptions(max_attempts=1)) == Learned(failed=1)
    say(stores, tmp_path, RULE)
    assert learn_all(stores, "w", clock).learned == 1


def did(tool: str, **given: Any) -> dict[str, Any]:
    """A call of the assistant, as the client writes it."""
    call = {"type": "tool_use", "id": "t1", "name": tool, "input": given}
    return record("", type="assistant", message={"role": "assistant", "content": [call]})


def test_a_correction_of_nothing_known_becomes_a_rule(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    file = tmp_path / "s.jsonl"
    words = "No, don't run pytest directly, use `make check` instead."
    file.write_bytes(lines(record("please add a test"), did("Bash", command="pytest -q"), record(words)))
    take_in(stores, str(file), "fs_watch", lambda: NOW)
    learn_all(stores, "w", clock)
    [rule] = stores.memories.listing(None)
    assert (rule.type, "make check" in rule.content, rule.tainted) == ("requirement", True, False)
    assert rule.replaces is not None, "it still counts against what is learned late"


def test_a_correction_supersedes_what_another_session_taught(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    say(stores, tmp_path, "We use moment.js for all date handling.", timestamp="2026-11-01T10:00:00.000Z")
    say(stores, tmp_path, "No, don't use moment.js any more, use date-fns for date handling.")
    learn_all(stores, "w", clock)
    assert [one for one in contents(stores) if "date-fns" in one]
    assert contents(stores, "superseded") == ["We use moment.js for all date handling."]
