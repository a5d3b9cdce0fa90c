"""Memories that are related to some, over one or more relations: for who follows them, not for ranking."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import msgspec

from nous.kernel.memory.graph import Graph

Direction = Literal["out", "in", "both"]
FAN_OUT = 50  # relations followed from one memory
FURTHER = 0.5  # what a second hop is worth beside the first


class Hop(msgspec.Struct, frozen=True, kw_only=True):
    """A learning reached by following relations: how near, over which relation, from where."""

    learning_id: str
    depth: int
    nearness: float
    relation: str
    came_from: str
    outward: bool
    status: str


def walk(
    graph: Graph,
    start: Sequence[str],
    *,
    depth: int = 2,
    relations: Collection[str] = (),
    direction: Direction = "both",
    min_strength: float = 0.0,
    suggested: bool = False,
    replaced: bool = False,
) -> list[Hop]:
    """Learnings within some hops, breadth first, each once and over its strongest relation."""
    seen = set(start)
    reached: list[Hop] = []
    frontier = dict.fromkeys(start, 1.0)
    for hop in range(1, depth + 1):
        steps: dict[str, Hop] = {}
        for source, nearness in frontier.items():
            for step in _steps(graph, source, hop, nearness, direction):
                wanted = (not relations or step.relation in relations) and (replaced or step.relation != "supersedes")
                if not wanted or step.learning_id in seen or step.nearness < min_strength:
                    continue
                if step.status != "active" and not (suggested and step.status == "suggested"):
                    continue
                known = steps.get(step.learning_id)
                if known is None or step.nearness > known.nearness:
                    steps[step.learning_id] = step
        reached += sorted(steps.values(), key=lambda step: (-step.nearness, step.learning_id))
        seen |= steps.keys()
        frontier = {name: step.nearness for name, step in steps.items()}
    return reached


def _steps(graph: Graph, source: str, hop: int, nearness: float, direction: Direction) -> list[Hop]:
    """One hop in every allowed direction."""
    found = []
    for row in graph.of(source)[:FAN_OUT]:
        outward = row["source_id"] == source
        if direction in ("both", "out" if outward else "in"):
            found.append(
                Hop(
                    learning_id=row["target_id"] if outward else row["source_id"],
                    depth=hop,
                    nearness=nearness * row["weight"] * (1.0 if hop == 1 else FURTHER),
                    relation=row["rel_type"],
                    came_from=source,
                    outward=outward,
                    status=row["status"],
                )
            )
    return found
