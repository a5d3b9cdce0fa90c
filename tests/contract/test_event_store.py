"""The contract of an Events."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from factories import NOW, extracted
from nous.errors import BadEvent
from nous.kernel.log.clocks import canonical, compare, tick
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import GENESIS, Event, Payload, Superseded, chain_hash, head_text, payload_hash
from nous.kernel.stores import Stores
from nous.moments import later


def birth(name: str = "l1", **fields: Any) -> Event:
    return extracted(name, **({"project_id": "p", "session_id": "s"} | fields))


def mark(name: str, key: str, **fields: object) -> Event:
    pinned = replace(birth(name), event_type="LearningPinned", payload=Payload(), idempotency_key=key)
    return replace(pinned, **fields)


def test_it_is_an_event_store(stores: Stores) -> None:
    store: Events = stores.events
    assert store.get(1) is None and store.as_of(NOW) == 0 and store.known_to("s") == {}


def test_events_are_numbered_without_a_gap(stores: Stores) -> None:
    assert stores.events.append([birth("a"), birth("b")], NOW) == [1, 2]
    assert stores.events.append([birth("c")], NOW) == [3]
    assert (stores.events.last_id(), stores.events.count()) == (3, 3)


def test_a_repeated_key_stores_nothing(stores: Stores) -> None:
    assert stores.events.append([birth("a"), birth("a")], NOW) == [1, None]
    assert stores.events.append([birth("a"), birth("b")], NOW) == [None, 2]
    assert stores.events.count() == 2


def test_a_bad_event_takes_the_whole_batch_with_it(stores: Stores) -> None:
    with pytest.raises(BadEvent):
        stores.events.append([birth("a"), birth("b", content=" ")], NOW)
    assert stores.events.count() == 0


def test_an_event_is_read_back_as_it_was_written(stores: Stores) -> None:
    clock = {"s": 2, "a": 1}
    given = birth(content="Ü — “quoted”\x1f", files=("a.py",), concepts=("x",), clock=clock, valid_from="2026-11-01")
    stores.events.append([given], NOW)
    found = stores.events.get(1)
    assert found is not None
    assert found.payload == given.payload and found.clock == clock
    assert (found.valid_from, found.transaction_time) == ("2026-11-01T00:00:00.000Z", NOW)
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", found.event_uuid)


def test_each_event_carries_the_hash_of_the_one_before(stores: Stores) -> None:
    stores.events.append([birth("a"), birth("b")], NOW)
    stores.events.append([birth("c")], NOW)
    previous = GENESIS
    for event in stores.events.each_row():
        assert event.prev_hash == previous
        assert event.payload_hash == payload_hash(event.payload_json)
        assert event.event_hash == chain_hash(previous, head_text(event.head()), event.payload_hash)
        previous = event.event_hash


def test_transaction_time_never_falls(stores: Stores) -> None:
    stores.events.append([birth("a")], later(NOW, 60))
    stores.events.append([birth("b")], NOW)
    times = [event.transaction_time for batch in stores.events.replay() for event in batch]
    assert times == [later(NOW, 60)] * 2


def test_a_moment_is_an_event_number(stores: Stores) -> None:
    for minute, name in enumerate("abc"):
        stores.events.append([birth(name)], later(NOW, minute * 60))
    asked = [later(NOW, seconds) for seconds in (-1, 0, 59, 60, 9999)]
    assert [stores.events.as_of(moment) for moment in asked] == [0, 1, 1, 2, 3]
    assert [stores.events.before(moment) for moment in asked] == [0, 0, 1, 1, 3]


def test_replay_gives_everything_in_order_whatever_the_batch(stores: Stores) -> None:
    stores.events.append([birth(f"l{number}") for number in range(7)], NOW)
    for limit in (1, 3, 7, 100):
        batches = list(stores.events.replay(limit=limit))
        assert [event.event_id for batch in batches for event in batch] == list(range(1, 8))
    assert [event.event_id for batch in stores.events.replay(after=5) for event in batch] == [6, 7]


def test_what_happened_to_a_learning_and_what_it_caused(stores: Stores) -> None:
    stores.events.append([birth("a"), birth("b")], NOW)
    end = mark("a", "end", event_type="LearningSuperseded", payload=Superseded(superseded_by="b"), parent_event_id=2)
    stores.events.append([end], NOW)
    assert [event.event_id for event in stores.events.of_learning("a")] == [1, 3]
    assert [event.event_id for event in stores.events.caused_by([2])] == [3]
    assert [event.event_id for event in stores.events.between(1, 3)] == [2, 3]
    assert [event.event_id for event in stores.events.between(0, 3, limit=1)] == [3]
    assert stores.events.births(["a", "b", "c"]) == {"a": (1, False), "b": (2, False)}


def test_an_erased_payload_leaves_the_chain_whole(stores: Stores) -> None:
    stores.events.append([birth("a", content="secret"), birth("b")], NOW)
    before = [(event.event_hash, event.payload_hash) for event in stores.events.each_row()]
    stores.events.erase([1])
    assert [(event.event_hash, event.payload_hash) for event in stores.events.each_row()] == before
    assert stores.events.births(["a"]) == {"a": (1, True)}
    assert [number for number, _ in stores.events.list_erased()] == [1]
    assert "secret" not in msgspec.json.encode(list(stores.events.each_row())).decode()


def test_learnings_are_found_by_words_session_and_project(stores: Stores) -> None:
    stores.events.append([birth("a", content='50% of "it"_'), birth("b", session_id="t", project_id="q")], NOW)
    assert stores.events.mentioning('50% OF "IT"_') == ["a"]
    assert stores.events.mentioning("%") == ["a"]
    assert stores.events.of_session("t") == stores.events.of_project("q") == ["b"]


def test_an_append_that_fails_half_way_leaves_nothing(stores: Stores) -> None:
    def fail() -> None:
        with stores.db.transaction():
            stores.events.append([birth("a")], NOW)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert stores.events.append([birth("b")], NOW) == [1]


def test_a_snapshot_does_not_see_what_others_append(stores: Stores, open_again: Callable[[], Stores]) -> None:
    other = open_again()
    stores.events.append([birth("a")], NOW)
    with stores.db.snapshot():
        assert stores.events.count() == 1
        other.events.append([birth("b")], NOW)
        assert stores.events.count() == 1
    assert stores.events.count() == 2


# -- clocks ---------------------------------------------------------------------------------------------------------


def receipt(stores: Stores, session: str, memory: int, at: str) -> None:
    """What a hook leaves when it gives a memory to a session."""
    said = {"context": session, "project_id": "p", "hook": "SessionStart", "trigger": "", "key": "", "now": at}
    stores.injections.add(said | {"characters": 0, "latency_ms": 0.0}, [memory])


def test_clocks_are_stored_with_sorted_keys(stores: Stores) -> None:
    stores.events.append([birth(clock={"z": 1, "a": 2})], NOW)
    assert next(stores.events.each_row()).vector_clock_json == canonical({"a": 2, "z": 1}) == '{"a":2,"z":1}'


def test_a_session_knows_its_own_last_clock(stores: Stores) -> None:
    stores.events.append([birth("a", clock={"s": 1}), birth("b", clock={"s": 2}), birth("c", session_id="t")], NOW)
    assert stores.events.session_clock("s") == stores.events.known_to("s") == {"s": 2}
    assert stores.events.known_to("t") == {}


def test_a_session_that_was_given_a_memory_subsumes_its_clock(stores: Stores) -> None:
    stores.events.append([birth("a", session_id="A", clock={"A": 3})], NOW)
    alone = tick(stores.events.known_to("B"), "B")
    assert compare({"A": 3}, alone) == "concurrent"
    receipt(stores, "B", 1, later(NOW, 1))
    informed = tick(stores.events.known_to("B"), "B")
    assert informed == {"A": 3, "B": 1}
    assert compare({"A": 3}, informed) == "before"


def test_what_happened_to_a_memory_after_it_was_given_is_not_known(stores: Stores) -> None:
    stores.events.append([birth("a", session_id="A", clock={"A": 1})], NOW)
    receipt(stores, "B", 1, later(NOW, 1))
    stores.events.append([mark("a", "k2", session_id="C", clock={"C": 1})], later(NOW, 2))
    assert stores.events.known_to("B") == {"A": 1}
    receipt(stores, "B", 1, later(NOW, 3))
    assert stores.events.known_to("B") == {"A": 1, "C": 1}


def test_of_too_many_sessions_those_with_the_latest_events_are_kept(stores: Stores) -> None:
    clock: dict[str, int] = {}
    for number in range(70):
        clock = tick(clock, f"p{number:02}")
        stores.events.append([birth(f"l{number}", session_id=f"p{number:02}", clock=clock)], NOW)
    assert tick(stores.events.known_to("p00"), "p00")["p00"] == 2
    receipt(stores, "me", 70, later(NOW, 1))
    kept = tick(stores.events.known_to("me"), "me")
    assert len(kept) == 64 and kept["me"] == 1
    assert "p69" in kept and "p00" not in kept
