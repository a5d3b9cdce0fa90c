"""Memories that are alike are tied by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nous.app import Nous
from nous.config import load_settings
from nous.providers.hashed import Hashed
from nous.recall.linking import link_waiting, relink
from nous.remember.projection import compare_with_replay

P, NOW = "project-a", "2026-11-10T12:00:00.000Z"
FACTS = [
    "Sessions are cached in Redis for a day",
    "Redis is the cache of sessions",
    "The staging server listens on port 8443",
    "Staging is deployed by the release workflow",
    "Indent with two spaces in TypeScript files",
]


@pytest.fixture
def nous(tmp_path: Path) -> Iterator[Nous]:
    settings = load_settings({"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)})
    with Nous.open(tmp_path / "memory.db", settings=settings) as opened:
        opened.clock = lambda: NOW
        if isinstance(opened.embedder, Hashed):
            pytest.skip("no embedder that knows meaning")
        yield opened


def ties(nous: Nous) -> dict[tuple[int, int], str]:
    ids = {memory.learning_id: memory.id for memory in nous.list(all_projects=True, status=None)}
    return {(ids[one], ids[other]): tier for one, other, _, tier in nous.stores.graph.likenesses()}


def test_new_memories_are_tied_to_earlier_ones_they_are_like(nous: Nous) -> None:
    a, b, c, d, e = nous.remember_many([{"text": text, "ref": text} for text in FACTS], project=P)
    other = nous.remember("Redis caches sessions", project="project-b")
    nous.embed()
    assert nous.link() == 6
    found = ties(nous)
    assert found[b, a] == "duplicate"
    assert found[d, c] == "related"
    assert not any(e in pair or other in pair for pair in found)
    assert [one.memory.id for one in nous.traverse(d)] == [c]
    told = {memory.id: memory.learning_id for memory in nous.stores.memories.by_id([a, b])}
    assert nous.stores.graph.likes_of([told[b]]) == [(told[b], told[a])]
    assert nous.link() == 0
    assert compare_with_replay(nous.stores, NOW).differences == []


def test_the_ties_are_the_same_made_in_one_go_one_by_one_or_again(nous: Nous) -> None:
    words = ["port", "cache", "redis", "session", "staging", "token", "schema", "index", "queue", "worker"]
    rows = [f"The {one} of the {other} is kept by the {one} service" for one in words for other in words]
    nous.remember_many([{"text": text, "ref": text} for text in rows], project=P)
    assert nous.embedder
    assert nous.link() == len(rows)
    at_once = nous.stores.graph.likenesses()
    assert at_once
    relink(nous.stores, nous.embedder)
    assert nous.stores.graph.likenesses() == at_once
    nous.stores.graph.clear_likenesses()
    nous.stores.vectors.clear_linked()
    while link_waiting(nous.stores, nous.embedder, 7):
        pass
    again = nous.stores.graph.likenesses()
    assert len(again) == len(at_once)
    assert sorted(row[2] for row in again) == pytest.approx(sorted(row[2] for row in at_once), abs=2e-4)


def test_episodes_are_not_tied_and_what_is_erased_leaves_no_tie(nous: Nous) -> None:
    told = [{"text": text, "type": "episode", "session": "s", "ref": text} for text in FACTS[:2]]
    nous.remember_many(told, project=P)
    nous.link()
    assert ties(nous) == {}
    a, b = nous.remember_many([{"text": text, "ref": f"f{text}"} for text in FACTS[:2]], project=P)
    nous.link()
    assert list(ties(nous)) == [(b, a)]
    nous.stores.graph.drop(nous.get(a).learning_id)
    assert ties(nous) == {}
