"""How much hangs on a memory."""

from __future__ import annotations

HALF_CENTRAL = 4  # relations that lead to a memory of centrality one half


def centrality(in_degree: int) -> float:
    """How much hangs on a memory, from the relations that lead to it: d / (d + 4), so four give 0.5 and five a hub.

    It needs nothing but the memory's own relations, and does not change when another memory becomes a greater hub.
    """
    return in_degree / (in_degree + HALF_CENTRAL)
