"""The queue: worked on once at a time, in order, never lost, and nothing waits for a clock that went wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import NOW
from nous.kernel.capture.queue import BACKOFF_CEILING, MAX_KILLS, Artifact, Item, backoff, is_dead, worker_name
from nous.kernel.learn.learn import beating
from nous.kernel.stores import Stores, open_stores
from nous.moments import later


def artifact(number: int = 0, path: str = "/t/s1.jsonl", start: int | None = None, end: int | None = None) -> Artifact:
    first = number * 100 if start is None else start
    return Artifact(
        source="fs_watch",
        project_id="p",
        session_id="s1",
        transcript_path=path,
        file_inode="7",
        file_offset=first,
        end_offset=first + 100 if end is None else end,
        payload="[]",
        idempotency_key=f"{path}:{number}",
    )


def claimed(stores: Stores, worker: str = "w", now: str = NOW) -> Item:
    item = stores.queue.claim(worker, now)
    assert item is not None
    return item


def test_the_same_key_is_queued_once(stores: Stores) -> None:
    assert stores.queue.enqueue(artifact(), NOW) is not None
    assert stores.queue.enqueue(artifact(), NOW) is None


def test_a_file_is_worked_on_in_order_and_others_meanwhile(stores: Stores) -> None:
    for number in range(2):
        stores.queue.enqueue(artifact(number), NOW)
    stores.queue.enqueue(artifact(0, "/t/s2.jsonl"), NOW)
    first = claimed(stores)
    second = claimed(stores, "other")
    assert (first.file_offset, second.transcript_path) == (0, "/t/s2.jsonl")
    assert stores.queue.claim("third", NOW) is None
    assert stores.queue.ack(first, "w", NOW)
    assert claimed(stores).file_offset == 100


def test_nothing_is_claimed_before_it_is_due(stores: Stores) -> None:
    stores.queue.enqueue(artifact(), NOW, due=later(NOW, 2))
    assert stores.queue.claim("w", NOW) is None
    assert stores.queue.hurry("/t/s1.jsonl", NOW) == 1
    assert claimed(stores)


def test_only_the_holder_can_finish_or_prolong(stores: Stores) -> None:
    stores.queue.enqueue(artifact(), NOW)
    item = claimed(stores)
    assert not stores.queue.ack(item, "thief", NOW)
    assert not stores.queue.heartbeat(item.ingest_id, "thief", NOW)
    assert stores.queue.heartbeat(item.ingest_id, "w", later(NOW, 50))
    assert stores.queue.sweep(later(NOW, 70)) == 0, "the lease was prolonged"
    assert stores.queue.sweep(later(NOW, 111)) == 1
    assert not stores.queue.ack(item, "w", NOW)


def test_the_sweeper_says_why_and_counts_the_kill(stores: Stores) -> None:
    stores.queue.enqueue(artifact(), NOW)
    item = claimed(stores)
    assert stores.queue.sweep(later(NOW, 61)) == 1
    row = stores.queue.get(item.ingest_id)
    assert row is not None
    assert (row["status"], row["retry_count"], row["kills"], row["last_error"]) == ("pending", 0, 1, "lease_expired")
    assert row["next_attempt_at"] > later(NOW, 61)


def test_kills_cost_no_attempt_and_only_very_many_set_an_item_aside(stores: Stores) -> None:
    number = stores.queue.enqueue(artifact(), NOW)
    assert number is not None
    now = NOW
    for kill in range(1, MAX_KILLS + 1):
        now = later(now, BACKOFF_CEILING)
        assert stores.queue.claim("w", now) is not None, kill
        now = later(now, 61)
        assert stores.queue.sweep(now) == 1
        expected = "pending" if kill < MAX_KILLS else "dead_letter"
        row = stores.queue.get(number)
        assert row is not None and (row["status"], row["retry_count"]) == (expected, 0)
    assert stores.queue.requeue(number, now)
    row = stores.queue.get(number)
    assert row is not None and (row["status"], row["kills"]) == ("pending", 0)


def test_items_of_a_dead_process_come_back_at_once(stores: Stores) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    name = worker_name("daemon").replace(str(os.getpid()), str(dead.pid))
    assert is_dead(name)
    assert not is_dead(worker_name("daemon"))
    assert not is_dead("daemon:1@another-computer")
    stores.queue.enqueue(artifact(), NOW)
    claimed(stores, name)
    assert stores.queue.sweep(NOW, is_dead=is_dead) == 1


def test_a_worker_that_stops_gives_back_without_a_try(stores: Stores) -> None:
    stores.queue.enqueue(artifact(), NOW)
    claimed(stores)
    assert stores.queue.give_back("w", NOW) == 1
    assert claimed(stores, "next").retry_count == 0


def test_a_dead_letter_holds_the_cursor_back_until_it_is_decided(stores: Stores) -> None:
    for number in range(3):
        stores.queue.enqueue(artifact(number), NOW)
    first = claimed(stores)
    stores.queue.ack(first, "w", NOW)
    second = claimed(stores)
    stores.queue.fail(second.ingest_id, "w", "bad", NOW, 0, max_attempts=1)
    third = claimed(stores)
    stores.queue.ack(third, "w", NOW)
    assert stores.queue.counts() == {"completed": 2, "dead_letter": 1}
    assert stores.cursors.get("/t/s1.jsonl", "7") == 100
    assert stores.queue.skip(second.ingest_id, NOW)
    assert stores.cursors.get("/t/s1.jsonl", "7") == 300


def test_finished_items_can_be_neither_retried_nor_skipped(stores: Stores) -> None:
    stores.queue.enqueue(artifact(), NOW)
    item = claimed(stores)
    stores.queue.ack(item, "w", NOW)
    assert not stores.queue.requeue(item.ingest_id, NOW)
    assert not stores.queue.skip(item.ingest_id, NOW)
    assert not stores.queue.skip(99, NOW)


@pytest.mark.parametrize("hours", [-24, 24])
def test_a_clock_that_jumps_delays_nothing_for_long(stores: Stores, hours: int) -> None:
    then = later(NOW, hours * 3600)
    stores.queue.enqueue(artifact(0), NOW, due=later(NOW, 2))
    stores.queue.enqueue(artifact(0, "/t/s2.jsonl"), NOW)
    claimed(stores)
    stores.queue.sweep(then)
    soon = later(then, 10)
    assert {claimed(stores, "new", soon).transcript_path for _ in range(2)} == {"/t/s1.jsonl", "/t/s2.jsonl"}


@given(st.integers(0, 60), st.floats(0, 1))
def test_backoff_grows_and_has_a_ceiling(retries: int, jitter: float) -> None:
    assert 1.0 <= backoff(retries, jitter) <= BACKOFF_CEILING
    assert backoff(retries, jitter) <= backoff(retries + 1, jitter)


def test_a_heart_beats_while_work_is_long(tmp_path: Path) -> None:
    path = str(tmp_path / "cortex.db")
    stores = open_stores(path)
    stores.queue.enqueue(artifact(), NOW)
    item = claimed(stores)
    moment = [NOW]
    beaten = threading.Event()

    def clock() -> str:
        beaten.set()
        return moment[0]

    with beating(item, "w", clock, lambda: open_stores(path), every=0.02):
        moment[0] = later(NOW, 45)
        assert beaten.wait(10)
        deadline = time.monotonic() + 10
        while (row := stores.queue.get(item.ingest_id)) and row["lease_expires_at"] < later(NOW, 100):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert stores.queue.sweep(later(NOW, 61)) == 0
    stores.close()


CLAIM = """
import sys
from nous.kernel.stores import open_stores
stores, name = open_stores(sys.argv[1]), sys.argv[2]
while item := stores.queue.claim(name, "2026-11-10T12:00:00.000Z"):
    assert stores.queue.ack(item, name, "2026-11-10T12:00:00.000Z")
    print(item.ingest_id)
"""


def test_several_processes_share_the_work_and_no_item_twice(tmp_path: Path) -> None:
    path = str(tmp_path / "cortex.db")
    stores = open_stores(path)
    for number in range(120):
        stores.queue.enqueue(artifact(number, f"/t/{number % 30}.jsonl"), NOW)
    workers = [
        subprocess.Popen([sys.executable, "-c", CLAIM, path, f"w{number}"], stdout=subprocess.PIPE, text=True)
        for number in range(3)
    ]
    done = [int(line) for worker in workers for line in worker.communicate(timeout=300)[0].splitlines()]
    assert len(done) == 120 and len(set(done)) == 120
    assert stores.queue.counts() == {"completed": 120}
    stores.close()
