"""Communities: what hangs together is found, the same every time, and what comes later joins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nous.app import Nous
from nous.config import load_settings
from nous.recall.communities import LEAST, leiden, modularity, refresh
from nous.stores import Stores


def arrays(edges: list[tuple[int, int, float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    one, other, weight = zip(*edges, strict=True)
    return np.array(one, dtype=np.int64), np.array(other, dtype=np.int64), np.array(weight, dtype=np.float64)


def cliques(count: int, size: int, between: float = 0.1) -> list[tuple[int, int, float]]:
    """Cliques in a ring, tied to each other by one weak edge."""
    inside = [
        (at * size + one, at * size + other, 1.0) for at in range(count) for one in range(size) for other in range(one)
    ]
    return inside + [(at * size, ((at + 1) % count) * size, between) for at in range(count)]


@pytest.mark.parametrize(("count", "size"), [(4, 5), (10, 8), (30, 4)])
def test_cliques_are_communities(count: int, size: int) -> None:
    found = leiden(count * size, *arrays(cliques(count, size))).reshape(count, size)
    assert all(len(set(clique)) == 1 for clique in found.tolist())
    assert len(set(found[:, 0].tolist())) == count


# Zachary's karate club: 34 nodes, 78 edges; the best partition that is known has a modularity of 0.4198.
KARATE = (
    "0-1 0-2 0-3 0-4 0-5 0-6 0-7 0-8 0-10 0-11 0-12 0-13 0-17 0-19 0-21 0-31 1-2 1-3 1-7 1-13 1-17 1-19 1-21 1-30 2-3 "
    "2-7 2-8 2-9 2-13 2-27 2-28 2-32 3-7 3-12 3-13 4-6 4-10 5-6 5-10 5-16 6-16 8-30 8-32 8-33 9-33 13-33 14-32 14-33 "
    "15-32 15-33 18-32 18-33 19-33 20-32 20-33 22-32 22-33 23-25 23-27 23-29 23-32 23-33 24-25 24-27 24-31 25-31 26-29 "
    "26-33 27-33 28-31 28-33 29-32 29-33 30-32 30-33 31-32 31-33 32-33"
)


def test_the_karate_club_is_split_nearly_as_well_as_anybody_can() -> None:
    edges = arrays([(int(one), int(other), 1.0) for one, other in (pair.split("-") for pair in KARATE.split())])
    found = leiden(34, *edges)
    assert modularity(34, *edges, found) >= 0.41


def test_the_same_graph_gives_the_same_communities_however_its_edges_are_told() -> None:
    edges = [*cliques(6, 5), (1, 9, 0.3), (2, 27, 0.2)]
    turned = [(other, one, weight) for one, other, weight in reversed(edges)]
    assert leiden(30, *arrays(edges)).tolist() == leiden(30, *arrays(turned)).tolist()


def test_nodes_without_edges_are_alone() -> None:
    nothing = np.array([], dtype=np.int64)
    assert leiden(3, nothing, nothing, np.array([], dtype=np.float64)).tolist() == [0, 1, 2]


@pytest.fixture
def nous(tmp_path: Path) -> Nous:
    (tmp_path / "data").mkdir()
    environ = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path), "NOUS_DATA_DIR": str(tmp_path / "data")}
    return Nous.open(settings=load_settings(environ))


SUBJECTS = {
    "invoice": "The invoice number {} of a booking is printed with tax and customer",
    "canvas": "The canvas layer {} is painted off screen before zoom and undo",
    "kubernetes": "The kubernetes cluster node {} drains before the helm release is deployed",
}


def fill(nous: Nous, count: int) -> None:
    rows = [
        {"text": text.format(number), "ref": f"{name}-{number}", "entities": [name]}
        for name, text in SUBJECTS.items()
        for number in range(count)
    ]
    nous.remember_many(rows, project="p")


def test_a_projects_memories_fall_into_subjects_with_names(nous: Nous) -> None:
    fill(nous, 12)
    found = nous.communities(project="p")
    assert sum(one.size for one in found) == 36
    assert len(found) <= 6
    stores: Stores = nous.stores
    refs = {memory.id: memory.ref or "" for memory in nous.list(project="p", limit=99)}
    for _, members in stores.communities.members("p"):
        assert len({refs[number].split("-")[0] for number in members}) == 1


def test_there_are_none_among_few(nous: Nous) -> None:
    fill(nous, LEAST // 3 - 1)
    assert nous.communities(project="p") == []


def test_what_is_learned_later_joins_and_what_ended_leaves(nous: Nous) -> None:
    fill(nous, 12)
    nous.communities(project="p")
    before = dict(nous.stores.communities.members("p"))
    new = nous.remember("The invoice number 99 of a booking is printed with tax and customer", project="p", ref="late")
    nous.embed()
    nous.link()
    assert refresh(nous.stores, "p") == 1
    joined = nous.stores.communities.by_memory([new])[new]
    assert any(nous.get(number).content.startswith("The invoice") for number in before[joined])
    nous.forget(new)
    refresh(nous.stores, "p")
    assert nous.stores.communities.by_memory([new]) == {}


def test_an_erased_memory_leaves_no_name_of_a_community(nous: Nous) -> None:
    fill(nous, 12)
    nous.communities(project="p")
    nous.stores.forget(nous.list(project="p")[0].id)
    assert nous.stores.communities.listing("p") == []
