"""The contract of a Memories: memories now, and after any event."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from factories import NOW, memory
from nous.kernel.log.extraction import Anchor, Triple
from nous.kernel.memory.memories import COLUMNS, Memories, from_row, to_row
from nous.kernel.memory.memory import Memory
from nous.kernel.stores import Stores
from nous.moments import later

FULL = memory(
    id=3,
    content="Ü “x”",
    scope="global",
    status="superseded",
    strength=0.25,
    branch="main",
    slot="port",
    replaces="3000",
    last_said_at=later(NOW, 5),
    ref="r",
    pinned=True,
    confirmed=True,
    disputed=True,
    tainted=True,
    concepts=("a", "b"),
    entities=("e",),
    relations=(Triple("api", "runs_on", "eks"),),
    files=("f.py",),
    symbols=("S",),
    evidence=("u1",),
    tags=("t",),
    anchors=(Anchor("f.py", "S"),),
    superseded_by="l9",
    contradicted_with=("l8",),
    archived_reason="old",
    valid_until=later(NOW, 9),
    temporal_confidence="high",
    source="fs_watch",
    extractor="x1",
    clock={"s": 1},
    gained=0.1,
    lost=0.2,
    factor=0.5,
    by="user",
)


def test_it_is_a_projection_store(stores: Stores) -> None:
    store: Memories = stores.memories
    assert store.get(1) is None and store.checkpoint("memories") == 0


def test_a_memory_is_read_back_as_it_was_saved(stores: Stores) -> None:
    plain = memory()
    stores.memories.save([plain, FULL])
    assert stores.memories.get(1) == plain
    assert stores.memories.get(3) == FULL
    assert from_row(to_row(FULL)) == FULL


def test_every_field_of_a_memory_has_its_place() -> None:
    for name in Memory.__struct_fields__:
        assert (
            getattr(FULL, name) != getattr(memory(), name)
            or name in ("project_id", "session_id", "type", "kind")
            or (name in ("created_at", "valid_from", "confidence"))
        ), f"the example does not show that {name} is kept"
    assert set(COLUMNS) <= set(Memory.__struct_fields__)


def versions(stores: Stores) -> list[Memory]:
    """Memory 1 as it was after events 1, 4 and 9."""
    first = memory(1, version=1)
    second = replace(first, strength=0.6, version=4)
    third = replace(second, status="superseded", valid_until=later(NOW, 60), version=9)
    stores.memories.save([third])
    stores.memories.keep_history([(first, 4), (second, 9)])
    return [first, second, third]


def test_a_memory_is_what_it_was_after_any_event(stores: Stores) -> None:
    first, second, third = versions(stores)
    then = {number: stores.memories.by_id([1], number) for number in (0, 1, 3, 4, 8, 9, 100)}
    assert then == {0: [], 1: [first], 3: [first], 4: [second], 8: [second], 9: [third], 100: [third]}


def test_listing_asks_what_was_known_and_what_was_true(stores: Stores) -> None:
    versions(stores)
    listed = stores.memories.listing
    assert listed("p") == []
    assert [found.version for found in listed("p", as_of=5)] == [4]
    assert [found.version for found in listed("p", as_at=later(NOW, 30))] == [9]
    assert listed("p", as_at=later(NOW, 60)) == []
    assert listed("p", as_at=later(NOW, -1)) == []
    assert [found.version for found in listed("p", as_of=5, as_at=later(NOW, 99))] == [4]
    assert [found.version for found in listed("p", status=None)] == [9]


def test_counts_ask_what_was_known_and_what_was_true(stores: Stores) -> None:
    versions(stores)

    def counted(**asked: object) -> dict[str, int]:
        return {row["status"]: row["memories"] for row in stores.memories.counts(**asked)}  # type: ignore[arg-type]

    assert counted() == {"superseded": 1}
    assert counted(as_of=5) == {"active": 1}
    assert counted(as_of=0) == counted(as_at=later(NOW, 61)) == {}


def test_listing_is_newest_first_limited_and_filtered(stores: Stores) -> None:
    stores.memories.save(
        [
            memory(number, project_id="pq"[number % 2], type=("fact", "gotcha")[number % 3 == 0])
            for number in range(1, 9)
        ]
    )
    stores.memories.save([memory(20, project_id="other", scope="global"), memory(21, status="erased")])
    assert [found.id for found in stores.memories.listing("p")] == [20, 8, 6, 4, 2]
    assert [found.id for found in stores.memories.listing("p", with_global=False, limit=2)] == [8, 6]
    assert [found.id for found in stores.memories.listing("p", type="gotcha")] == [6]
    assert [found.id for found in stores.memories.listing(None, as_of=5)] == [5, 4, 3, 2, 1]
    assert [found.id for found in stores.memories.listing(None, as_of=30, limit=3)] == [20, 8, 7]


def test_a_project_sees_its_own_and_global_memories(stores: Stores) -> None:
    stores.memories.save(
        [memory(1), memory(2, project_id="q"), memory(3, project_id="q", scope="global"), memory(4, status="archived")]
    )
    assert [found.id for found in stores.memories.visible("p")] == [3, 1]


def test_slots_refs_and_learnings(stores: Stores) -> None:
    stores.memories.save([memory(1, slot="port", ref="w"), memory(2, slot="port", project_id="q")])
    assert [found.id for found in stores.memories.in_slot("port", "p")] == [1]
    assert stores.memories.in_slot(None, "p") == []
    by_ref = stores.memories.by_ref("w", "p")
    assert by_ref is not None and by_ref.id == 1
    assert stores.memories.by_learning(["l1", "l2", "l9"]).keys() == {"l1", "l2"}


def test_saving_again_replaces(stores: Stores) -> None:
    stores.memories.save([memory(1)])
    stores.memories.save([memory(1, strength=0.9, version=2)])
    found = stores.memories.get(1)
    assert found is not None and (found.strength, found.version) == (0.9, 2)


def test_erasing_forgets_past_versions(stores: Stores) -> None:
    versions(stores)
    stores.memories.forget_history(1)
    assert stores.memories.by_id([1], 5) == []


def test_checkpoints_are_kept_by_name(stores: Stores) -> None:
    stores.memories.set_checkpoints(["memories"], 5, NOW)
    stores.memories.set_checkpoints(["memories"], 7, NOW)
    stores.memories.set_checkpoints(["text"], 2, NOW)
    assert stores.memories.checkpoints() == {"memories": 7, "text": 2}


def test_what_no_query_asks_for_travels_without_its_defaults() -> None:
    rest = msgspec.json.decode(to_row(memory())[-1])
    assert rest == {"kind": "semantic"}
