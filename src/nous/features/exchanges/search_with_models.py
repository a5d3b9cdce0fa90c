"""One list of memories and exchanges for somebody who asked; hooks and packets never come here."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from nous.features.exchanges import search
from nous.features.exchanges.applying import applying, with_rule
from nous.features.exchanges.search import Asked, Spoken
from nous.features.exchanges.together import ONLY_OF_MEMORIES, Found, one_list
from nous.kernel.asking import RecordKind
from nous.kernel.recall.retrievers import Model
from nous.kernel.recall.retrievers.vectors import prepare
from nous.kernel.recall.search import PAGE, Hit, Query, recall
from nous.kernel.recall.weights import Weights
from nous.kernel.stores import Stores
from nous.providers import Embedder


class SearchModels(NamedTuple):
    """What a search uses: vectors, and what each part of a score counts."""

    embedder: Embedder | None
    weights: Weights


def find(stores: Stores, query: Query, means: SearchModels, records: RecordKind = "all") -> list[Found]:
    """The memories and exchanges that answer a question best, in one list, best first.

    A score is measured against those it was found with, so a longer search may order anew. A list is therefore made of
    pages, each twice as long as all before it, and the first of a longer list are those of a shorter one.
    """
    found: list[Found] = []
    known: set[str | int] = set()
    length = PAGE
    while len(found) < query.limit:
        page = _find_page(stores, replace(query, limit=length), means, records)
        for one in page:
            if known.isdisjoint(one.names):
                known |= one.names
                found.append(one)
        if len(page) < length:
            break
        length *= 2
    return found[: query.limit]


def _find_page(stores: Stores, query: Query, means: SearchModels, records: RecordKind) -> list[Found]:
    twice = replace(query, limit=2 * query.limit)  # a memory and its exchange become one hit
    memories = search_with_models(stores, twice, means) if records != "exchanges" else []
    model = (
        prepare(stores.embeddings, stores.vectors, means.embedder)
        if means.embedder and not means.embedder.remote
        else None
    )
    with stores.db.snapshot():
        asked = search.ask(stores.exchanges, query)
        spoken = _find_exchanges(stores, query, asked, model) if records != "memories" else []
        rule = applying(stores.memories, query, asked.telling) if records != "exchanges" else None
    return with_rule(one_list(memories, spoken, means.weights, query.limit), rule)[: query.limit]


def _find_exchanges(stores: Stores, query: Query, asked: Asked, model: Model | None) -> list[Spoken]:
    """The exchanges that answer; none when a filter asks for what only memories have."""
    if any(getattr(query, name) for name in ONLY_OF_MEMORIES):
        return []
    moment = min((one for one in (query.as_of, query.as_at, query.before) if one), default=None)
    return search.search(stores, replace(query, before=moment), model, asked)


def search_with_models(stores: Stores, query: Query, means: SearchModels) -> list[Hit]:
    """The memories that answer a question best; faded ones, by their words, where nothing else does."""
    found = recall(stores, query, means.embedder, means.weights)
    if not found and not query.as_of and not query.as_at:  # what nobody needed for long may be wanted now
        found = recall(stores, replace(query, with_faded=True), None, means.weights)
    return found
