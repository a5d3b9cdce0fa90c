"""The contract of a Vectors: the nearest memories of one model, for whom may see them."""

from __future__ import annotations

import struct

import pytest

from factories import memory
from nous.errors import StoreError
from nous.kernel.recall.vectors import Vectors
from nous.kernel.stores import Stores


def vector(*numbers: float) -> bytes:
    return struct.pack(f"{len(numbers)}f", *numbers)


@pytest.fixture
def model(stores: Stores) -> int:
    """Three memories with vectors, one of them of another project."""
    stores.memories.save([memory(1), memory(2), memory(3, project_id="q"), memory(4, status="archived")])
    number = stores.vectors.model("tiny", 2)
    rows = {1: vector(1, 0), 2: vector(0.6, 0.8), 3: vector(0, 1), 4: vector(1, 0.01)}
    stores.vectors.put(number, ((memory_id, memory_id, blob) for memory_id, blob in rows.items()))
    return number


def nearest(
    stores: Stores, model: int, blob: bytes, project: str | None = "p", **asked: bool
) -> list[tuple[int, float]]:
    store: Vectors = stores.vectors
    found = store.nearest(model, blob, 9, project, **asked)
    return [(number, round(nearness, 3)) for number, nearness in found]


def test_the_nearest_come_first_and_other_projects_never(stores: Stores, model: int) -> None:
    for _ in range(3):  # the first question is answered in SQL, later ones from memory
        assert nearest(stores, model, vector(1, 0)) == [(1, 1.0), (2, 0.6)]
    assert [number for number, _ in nearest(stores, model, vector(0, 1), None)] == [3, 2, 1]


def test_memories_that_are_not_active_are_found_when_asked_for(stores: Stores, model: int) -> None:
    for _ in range(2):  # in SQL, and from memory once a question has loaded the vectors
        assert [number for number, _ in nearest(stores, model, vector(1, 0), any_status=True)] == [1, 4, 2]
        assert [number for number, _ in nearest(stores, model, vector(1, 0))] == [1, 2]


def test_models_are_never_compared(stores: Stores, model: int) -> None:
    other = stores.vectors.model("other", 2)
    assert other != model
    assert nearest(stores, other, vector(1, 0)) == []
    with pytest.raises(StoreError, match="2 dimensions before, now of 3"):
        stores.vectors.model("tiny", 3)


def test_a_memory_can_be_dropped_and_put_again(stores: Stores, model: int) -> None:
    assert nearest(stores, model, vector(1, 0))[0] == (1, 1.0)
    stores.vectors.put(model, [(1, 9, vector(0, 1))])
    assert nearest(stores, model, vector(1, 0)) == [(2, 0.6), (1, 0.0)]
    stores.vectors.drop(2)
    assert [number for number, _ in nearest(stores, model, vector(1, 0), any_status=True)] == [4, 1]


def test_a_new_model_makes_every_memory_wait_for_a_vector(stores: Stores, model: int) -> None:
    waiting = [row.memory_id for row in stores.embeddings.next_waiting(9)]
    assert waiting == [1, 2, 3, 4] and stores.embeddings.waiting() == 4
    stores.embeddings.finish(waiting)
    assert stores.embeddings.waiting() == 0
    stores.embeddings.enqueue([2, 2])
    assert stores.embeddings.waiting() == 1
