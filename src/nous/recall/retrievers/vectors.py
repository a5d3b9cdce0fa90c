"""Candidates by their meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nous.core.query import Question
from nous.errors import ProviderError, StoreError
from nous.providers import Embedder
from nous.recall.embedding import embed_waiting
from nous.stores import Stores

AT_ONCE = 512  # vectors made in passing by a search; more are left to the background


class Model(NamedTuple):
    """An embedder and the number of its vectors in this store."""

    embedder: Embedder
    model_id: int


class Near(NamedTuple):
    """What a question's vector found, and what it needs to measure further memories."""

    model_id: int
    vector: bytes
    found: dict[int, float]


def prepare(stores: Stores, embedder: Embedder) -> Model | None:
    """The model to search with, after a few waiting memories got their vectors. A database that cannot be written is
    searched with the vectors it has."""
    try:
        model_id = stores.vectors.model(embedder.model, embedder.dims)
        if not embedder.remote and stores.vectors.waiting():
            embed_waiting(stores, embedder, AT_ONCE)
        return Model(embedder, model_id)
    except StoreError:
        known = stores.vectors.known_model(embedder.model)
        return Model(embedder, known) if known is not None else None


def find(
    stores: Stores,
    model: Model,
    question: Question,
    rarity: Mapping[str, float],
    project_id: str | None,
    limit: int,
    *,
    any_status: bool = False,
) -> Near | None:
    """The nearest memories; None when there is no vector of the question."""
    try:
        vector = model.embedder.query(question.text, rarity)
    except ProviderError:
        return None
    found = stores.vectors.nearest(model.model_id, vector, limit, project_id, any_status=any_status)
    return Near(model.model_id, vector, dict(found))


def measure(stores: Stores, near: Near, memory_ids: Sequence[int]) -> dict[int, float]:
    """The nearness of memories that something else found."""
    missing = [number for number in memory_ids if number not in near.found]
    return near.found | (stores.vectors.nearness(near.model_id, near.vector, missing) if missing else {})
