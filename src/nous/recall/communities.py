"""Which memories hang together: communities of a project's graph, found without a model and the same every time.

Edges are relations that count, likenesses, and names that few memories share. The method is Leiden's: nodes move to the
community where they gain most modularity, communities are refined so that none falls apart, and the refined ones become
the nodes of the next round. Where Leiden takes chances the first in order is taken, so the result depends on the graph
alone. What is learned later joins where it fits best, until a tenth of the project is new; then all is found again.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nous.stores import Stores
from nous.stores.communities import Community, Tie

LEAST = 30  # memories needed before there is something to see
ANEW = 0.1  # share of new memories after which all is found again
ROUNDS = 12
SMALL = 10_000
PASSES = 8
NOTHING = 1e-12
TERMS = 3  # that name a community

Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
EdgeWeights = np.ndarray[tuple[int], np.dtype[np.float64]]


class Network(NamedTuple):
    """An undirected graph: for each node its neighbours and the weights, its own loop, and what all weighs twice."""

    neighbours: list[list[int]]
    weights: list[list[float]]
    loops: list[float]
    degrees: list[float]
    total: float


def network(size: int, source: Ints, target: Ints, weight: EdgeWeights, loops: EdgeWeights | None = None) -> Network:
    """A graph from its edges, each given once; several between two nodes are one."""
    loop = np.zeros(size) if loops is None else loops.copy()
    own = source == target
    np.add.at(loop, source[own], weight[own])
    low, high = np.minimum(source[~own], target[~own]), np.maximum(source[~own], target[~own])
    key, where = np.unique(low * size + high, return_inverse=True)
    joined = np.bincount(where, weights=weight[~own], minlength=len(key))
    one, other = key // size, key % size
    begins = np.concatenate((one, other))
    ends = np.concatenate((other, one))
    both = np.concatenate((joined, joined))
    order = np.lexsort((ends, begins))
    cuts = np.searchsorted(begins[order], np.arange(1, size))
    neighbours = [part.tolist() for part in np.split(ends[order], cuts)] if size else []
    weights = [part.tolist() for part in np.split(both[order], cuts)] if size else []
    degrees = np.bincount(begins, weights=both, minlength=size) + 2 * loop
    return Network(neighbours, weights, loop.tolist(), degrees.tolist(), float(degrees.sum()))


def leiden(size: int, source: Ints, target: Ints, weight: EdgeWeights) -> Ints:
    """The community of each node, numbered by its first node; small graphs are gone over until nothing gets better."""
    found = _pass(size, source, target, weight, list(range(size)))
    for _ in range(PASSES if size <= SMALL else 0):
        better = _pass(size, source, target, weight, found.tolist())
        if modularity(size, source, target, weight, better) <= modularity(size, source, target, weight, found) + 1e-6:
            break
        found = better
    return found


def _pass(size: int, source: Ints, target: Ints, weight: EdgeWeights, labels: list[int]) -> Ints:
    """Move, refine and aggregate until there is nothing left to join."""
    graph = network(size, source, target, weight)
    member = np.arange(size)  # the node of the present graph to which each memory belongs
    for _ in range(ROUNDS):
        moved = _move(graph, labels)
        count = len(set(moved))
        if count == len(graph.degrees):
            labels = moved
            break
        refined = _refined(graph, moved)
        nodes, refined_of = np.unique(np.array(refined), return_inverse=True)
        of_node = np.zeros(len(nodes), dtype=np.int64)
        of_node[refined_of] = np.array(moved)
        graph = _aggregated(graph, refined_of, len(nodes))
        member = refined_of[member]
        labels = _renumbered(of_node.tolist())
        if len(nodes) == count:
            labels = _move(graph, labels)
            break
    return np.array(_renumbered(np.array(labels)[member].tolist()), dtype=np.int64)


def _move(graph: Network, labels: Sequence[int]) -> list[int]:
    """Move nodes, each to the community where modularity gains most, until nobody gains."""
    mine = list(labels)
    weight_of = [0.0] * (max(mine) + 1 if mine else 0)
    for node, community in enumerate(mine):
        weight_of[community] += graph.degrees[node]
    if not graph.total:
        return mine
    waiting = deque(range(len(mine)))
    is_waiting = [True] * len(mine)
    while waiting:
        node = waiting.popleft()
        is_waiting[node] = False
        best = _best(graph, node, mine, weight_of)
        if best == mine[node]:
            continue
        weight_of[mine[node]] -= graph.degrees[node]
        weight_of[best] += graph.degrees[node]
        mine[node] = best
        for other in graph.neighbours[node]:
            if mine[other] != best and not is_waiting[other]:
                is_waiting[other] = True
                waiting.append(other)
    return mine


def _best(graph: Network, node: int, mine: list[int], weight_of: list[float]) -> int:
    """The community in which a node gains most; its own unless another is truly better."""
    towards: dict[int, float] = {}
    for other, weight in zip(graph.neighbours[node], graph.weights[node], strict=True):
        towards[mine[other]] = towards.get(mine[other], 0.0) + weight
    present, share = mine[node], graph.degrees[node] / graph.total
    best = present
    most = towards.get(present, 0.0) - share * (weight_of[present] - graph.degrees[node]) + NOTHING
    for community, weight in towards.items():
        gain = weight - share * weight_of[community]
        if community != present and gain > most:
            best, most = community, gain
    return best


def _refined(graph: Network, labels: Sequence[int]) -> list[int]:
    """Each community as the parts of it that hang together: nodes join parts of their community, from one node on."""
    part = list(range(len(labels)))
    weight_of = list(graph.degrees)
    alone = [True] * len(labels)
    for node, community in enumerate(labels):
        if not alone[node]:
            continue
        towards: dict[int, float] = {}
        for other, weight in zip(graph.neighbours[node], graph.weights[node], strict=True):
            if labels[other] == community:
                towards[part[other]] = towards.get(part[other], 0.0) + weight
        share = graph.degrees[node] / graph.total
        gains = [(weight - share * weight_of[one], -one) for one, weight in towards.items() if one != part[node]]
        gain, other_part = max(gains, default=(0.0, 0))
        if gain > NOTHING:
            weight_of[part[node]] -= graph.degrees[node]
            weight_of[-other_part] += graph.degrees[node]
            part[node] = -other_part
            alone[-other_part] = False
    return part


def _aggregated(graph: Network, node_of: Ints, size: int) -> Network:
    lengths = np.fromiter((len(row) for row in graph.neighbours), dtype=np.int64, count=len(graph.neighbours))
    begins = np.repeat(np.arange(len(lengths)), lengths)
    ends = np.fromiter((one for row in graph.neighbours for one in row), dtype=np.int64, count=int(lengths.sum()))
    both = np.fromiter((one for row in graph.weights for one in row), dtype=np.float64, count=int(lengths.sum()))
    once = begins < ends
    loops = np.zeros(size)
    np.add.at(loops, node_of, np.array(graph.loops))
    return network(size, node_of[begins[once]], node_of[ends[once]], both[once], loops)


def _renumbered(labels: Sequence[int]) -> list[int]:
    """The same communities, numbered in the order in which they first come."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in labels]


def modularity(size: int, source: Ints, target: Ints, weight: EdgeWeights, labels: Ints) -> float:
    """How much more of the edges lies within communities than chance would put there, up to 1."""
    graph = network(size, source, target, weight)
    inside = float(weight[labels[source] == labels[target]].sum()) * 2
    degrees = np.bincount(labels, weights=np.array(graph.degrees), minlength=int(labels.max(initial=0)) + 1)
    return inside / graph.total - float(((degrees / graph.total) ** 2).sum()) if graph.total else 0.0


# -- of a project ---------------------------------------------------------------------------------------------------


def refresh(stores: Stores, project_id: str, *, anew: bool = False) -> int:
    """Bring the communities of a project up to date; how many memories were placed."""
    with stores.db.transaction():
        stores.communities.forget_ended(project_id)
        known, active = stores.communities.known(project_id), stores.memories.active_count(project_id)
        if active < LEAST:
            stores.communities.clear(project_id)
            return 0
        fresh = stores.communities.unplaced(project_id)
        if anew or not known or len(fresh) > ANEW * active:
            return _found_anew(stores, project_id)
        for memory_id in fresh:
            stores.communities.place(project_id, memory_id, _joining(stores, project_id, memory_id))
        return len(fresh)


def _found_anew(stores: Stores, project_id: str) -> int:
    numbers, ties = stores.communities.graph(project_id)
    labels = leiden(len(numbers), *as_arrays(numbers, ties))
    stores.communities.clear(project_id)
    stores.communities.put(project_id, zip(numbers, labels.tolist(), strict=True))
    _label(stores, project_id)
    return len(numbers)


def as_arrays(numbers: Sequence[int], ties: Sequence[Tie]) -> tuple[Ints, Ints, EdgeWeights]:
    """Edges between the places of memories in a list."""
    place = {number: at for at, number in enumerate(numbers)}
    source = np.array([place[tie.one] for tie in ties], dtype=np.int64)
    target = np.array([place[tie.other] for tie in ties], dtype=np.int64)
    return source, target, np.array([tie.weight for tie in ties], dtype=np.float64)


def _joining(stores: Stores, project_id: str, memory_id: int) -> int:
    """The community that a new memory has most to do with, one of its own when with none."""
    towards: dict[int, float] = {}
    for community, weight in stores.communities.towards(project_id, memory_id):
        towards[community] = towards.get(community, 0.0) + weight
    if not towards:
        return stores.communities.next_number(project_id)
    return min(towards, key=lambda community: (-towards[community], community))


def _label(stores: Stores, project_id: str) -> None:
    """Name communities by the terms that many of their memories share and few others have."""
    common = stores.communities.terms(project_id)
    size = max(1, stores.memories.active_count(project_id))
    for community, members in stores.communities.members(project_id):
        counted = Counter(term for number in members for term in common.of.get(number, ()))
        scored = {
            term: times * math.log(1 + size / common.frequency[term])
            for term, times in counted.items()
            if times > 1 or len(members) == 1
        }
        best = sorted(scored, key=lambda term: (-scored[term], term))[:TERMS]
        stores.communities.label(Community(project_id, community, ", ".join(best), len(members)))
