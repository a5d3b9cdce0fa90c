"""What a memory's relations lead to, for whoever follows them; they have no say in what a search finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nous.features.memories.operations import Related
from nous.kernel.asking import number_of
from nous.kernel.viewer import Viewer
from nous.kernel.views import memory_fields

if TYPE_CHECKING:
    from nous.app import Nous
    from nous.kernel.db.database import Row

FAN_OUT = 50  # relations followed from one memory
FURTHER = 0.5  # what a later hop is worth beside the first


def related(nous: Nous, viewer: Viewer, asked: Related) -> dict[str, Any]:
    """The memories around one, breadth first, each once and over its strongest relation."""
    start = nous.get(number_of(nous, asked.id)).learning_id
    seen, frontier, items = {start}, {start: 1.0}, []
    for depth in range(1, asked.depth + 1):
        steps: dict[str, tuple[float, str, Row]] = {}
        for source, reached in frontier.items():
            for target, row in _leads(nous.stores.graph.of(source)[:FAN_OUT], source, asked):
                nearness = reached * row["weight"] * (1.0 if depth == 1 else FURTHER)
                if target not in seen and nearness >= max(asked.min_strength, steps.get(target, (0.0,))[0]):
                    steps[target] = nearness, source, row
        known = nous.stores.memories.by_learning({*steps, *frontier})
        for target, (nearness, source, row) in sorted(steps.items(), key=lambda step: (-step[1][0], step[0])):
            if target in known and known[target].status != "erased":
                items.append(
                    {
                        "depth": depth,
                        "nearness": round(nearness, 4),
                        "relation": row["rel_type"],
                        "outward": row["source_id"] == source,
                        "from_id": known[source].id if source in known else None,
                        "memory": memory_fields(known[target]),
                    }
                )
        seen |= steps.keys()
        frontier = {target: step[0] for target, step in steps.items()}
    return {"items": items}


def _leads(rows: list[Row], source: str, asked: Related) -> Iterator[tuple[str, Row]]:
    """Where the relations of one memory lead, as far as they are asked for."""
    statuses = ("active", "suggested") if asked.suggested else ("active",)
    for row in rows:
        outward = row["source_id"] == source
        wanted = asked.direction in ("both", "out" if outward else "in")
        if wanted and row["status"] in statuses and (not asked.relations or row["rel_type"] in asked.relations):
            yield row["target_id"] if outward else row["source_id"], row
