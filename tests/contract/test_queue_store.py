"""The contract of an Queue: one worker at a time, nothing lost, nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from factories import NOW
from nous.kernel.capture.files import File
from nous.kernel.capture.queue import BACKOFF_CEILING, Artifact, Item, Queue, backoff
from nous.kernel.stores import Stores
from nous.moments import later


def artifact(key: str = "k1", **fields: Any) -> Artifact:
    said: dict[str, Any] = {
        "source": "fs_watch",
        "project_id": "p",
        "session_id": "s",
        "transcript_path": "/t/a.jsonl",
        "file_inode": "7",
        "file_offset": 0,
        "end_offset": 10,
        "payload": "[]",
    }
    return Artifact(idempotency_key=key, **(said | fields))


def claimed(stores: Stores, worker: str = "w", at: str = NOW) -> Item:
    item = stores.queue.claim(worker, at)
    assert item is not None
    return item


def test_it_is_a_queue_store(stores: Stores) -> None:
    store: Queue = stores.queue
    assert store.claim("w", NOW) is None


def test_the_same_stretch_is_queued_once(stores: Stores) -> None:
    assert stores.queue.enqueue(artifact(), NOW) is not None
    assert stores.queue.enqueue(artifact(), NOW) is None
    assert stores.queue.counts() == {"pending": 1}


def test_an_item_is_claimed_by_one_worker_only(stores: Stores, open_again: Callable[[], Stores]) -> None:
    stores.queue.enqueue(artifact(), NOW)
    assert claimed(stores).idempotency_key == "k1"
    assert open_again().queue.claim("other", NOW) is None


def test_a_file_is_learned_in_order(stores: Stores) -> None:
    stores.queue.enqueue(artifact("k1"), NOW)
    stores.queue.enqueue(artifact("k2", file_offset=10, end_offset=20), NOW)
    stores.queue.enqueue(artifact("k3", transcript_path="/t/b.jsonl"), NOW)
    assert [claimed(stores).idempotency_key, claimed(stores).idempotency_key] == ["k1", "k3"]
    assert stores.queue.claim("w", NOW) is None


def test_finishing_moves_the_cursor_and_only_the_owner_can(stores: Stores) -> None:
    stores.queue.enqueue(artifact(), NOW)
    item = claimed(stores)
    assert stores.cursors.get("/t/a.jsonl", "7") == 0
    assert not stores.queue.ack(item, "somebody else", NOW)
    assert stores.queue.ack(item, "w", NOW)
    assert not stores.queue.ack(item, "w", NOW)
    assert stores.cursors.get("/t/a.jsonl", "7") == 10
    assert stores.queue.counts() == {"completed": 1}


def test_a_failed_item_waits_and_becomes_a_dead_letter_at_last(stores: Stores) -> None:
    stores.queue.enqueue(artifact(), NOW)
    now = NOW
    for tries in range(3):
        item = claimed(stores, at=now)
        stores.queue.fail(item.ingest_id, "w", "no", now, item.retry_count, 3)
        assert stores.queue.claim("w", now) is None, "it is not due at once"
        now = later(now, BACKOFF_CEILING)
        assert stores.queue.counts() == ({"failed": 1} if tries < 2 else {"dead_letter": 1})
    assert stores.queue.claim("w", now) is None
    assert stores.queue.requeue(item.ingest_id, now)
    assert claimed(stores, at=now).retry_count == 0


def test_a_lease_that_ran_out_is_taken_back(stores: Stores) -> None:
    stores.queue.enqueue(artifact(), NOW)
    item = claimed(stores)
    assert stores.queue.sweep(later(NOW, 59)) == 0
    assert stores.queue.heartbeat(item.ingest_id, "w", later(NOW, 50))
    assert stores.queue.sweep(later(NOW, 70)) == 0
    assert stores.queue.sweep(later(NOW, 200)) == 1
    assert not stores.queue.heartbeat(item.ingest_id, "w", later(NOW, 201))
    assert not stores.queue.ack(item, "w", later(NOW, 201))
    again = claimed(stores, "w2", later(NOW, 900))
    assert (again.ingest_id, again.retry_count) == (item.ingest_id, 0), "a worker that died is no fault of the item"


def test_records_are_seen_once(stores: Stores) -> None:
    assert stores.records.see(["a", "b", "a"]) == {"a", "b"}
    assert stores.records.see(["a", "c"]) == {"c"}


def test_a_file_is_remembered_as_it_was_read(stores: Stores) -> None:
    assert stores.files.get("/t/a.jsonl") is None
    file = File(path="/t/a.jsonl", device=1, inode=7, size=10, mtime_ns=5, read_offset=10)
    stores.files.put(file)
    assert stores.files.get("/t/a.jsonl") == file
    assert stores.files.fingerprints() == {"/t/a.jsonl": (1, 7, 10, 5)}


def test_waiting_doubles_up_to_ten_minutes() -> None:
    assert [backoff(retries, jitter=1.0) for retries in (0, 1, 2, 20)] == [2.0, 4.0, 8.0, 600.0]
    assert backoff(2, jitter=0.0) == 4.0
