"""Candidates by their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nous.errors import ProviderError, StoreError
from nous.kernel.recall.embedder import Embedder
from nous.kernel.recall.embedding import embed_waiting
from nous.kernel.recall.retrievers.asking import Ask, Hits, Model

if TYPE_CHECKING:
    from nous.kernel.stores import EmbeddingQueue, Vectors

NEAR = 0.2  # below this cosine a memory without a common word is noise
NEAR_ENOUGH = 0.5  # the same when the store knows none of the question's words
AT_ONCE = 512  # vectors made in passing by a search; more are left to the background


def prepare(embeddings: EmbeddingQueue, vectors: Vectors, embedder: Embedder) -> Model | None:
    """The model to search with, after a few waiting memories got their vectors. A database that cannot be written is
    searched with the vectors it has."""
    try:
        model_id = vectors.model(embedder.model, embedder.dims)
        if not embedder.remote and embeddings.waiting():
            embed_waiting(embeddings, vectors, embedder, AT_ONCE)
        return Model(embedder, model_id)
    except StoreError:
        known = vectors.known_model(embedder.model)
        return Model(embedder, known) if known is not None else None


def find(ask: Ask) -> Hits:
    """The nearest memories, and how near those are that others brought; nothing when the question has no vector."""
    if ask.model is None or all(term.word.isascii() and len(term.word) < 2 for term in ask.question.terms):
        return Hits()  # a letter is near to nothing
    embedder, model_id = ask.model
    try:
        vector = embedder.query(ask.question.text, {**ask.question.emphasis, **ask.rarity})
    except ProviderError:
        return Hits()
    scores = _near(ask, model_id, vector)
    least = NEAR if ask.knows_a_word else NEAR_ENOUGH
    return Hits(tuple(number for number, nearness in scores.items() if nearness >= least), scores)


def _near(ask: Ask, model_id: int, vector: bytes) -> dict[int, float]:
    """How near the nearest memories are to a vector, and those that others brought."""
    store = ask.stores.vectors
    scores = dict(store.nearest(model_id, vector, ask.limit, ask.project_id, any_status=ask.any_status))
    if missing := [number for number in ask.found if number not in scores]:
        scores |= store.nearness(model_id, vector, missing)
    return scores
