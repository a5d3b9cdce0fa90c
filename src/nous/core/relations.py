"""What two memories are to each other: by nearness, by what both name; and how much hangs on one of them."""

from __future__ import annotations

from typing import Literal

Tier = Literal["related", "suggested", "duplicate"]

# Cortex's bands, on the cosine of the built-in embedder. Its lowest limit of 0.1 is what three of four unrelated facts
# stay below, which would tie everything to something; 0.25 is passed by one unrelated pair in twenty.
RELATED = 0.25
SUGGESTED = 0.4
DUPLICATE = 0.5
HALF_CENTRAL = 4  # relations that lead to a memory of centrality one half


def tier(nearness: float) -> Tier | None:
    """What two memories are to each other: related, worth a person's look, perhaps one and the same, or nothing."""
    if nearness < RELATED:
        return None
    return "related" if nearness < SUGGESTED else "suggested" if nearness <= DUPLICATE else "duplicate"


def centrality(in_degree: int) -> float:
    """How much hangs on a memory, from the relations that lead to it: d / (d + 4), so four give 0.5 and five a hub.

    It needs nothing but the memory's own relations, and does not change when another memory becomes a greater hub.
    """
    return in_degree / (in_degree + HALF_CENTRAL)
