"""Which memories hang together by meaning: each new one is tied to the nearest of those learned before it.

The ties are a read model of the vectors, in bands (`core/relations.py`). A memory looks only back, and at a handful, so
the work per memory is one search and the result does not depend on how the memories were cut into batches.
"""

from __future__ import annotations

from nous.core.relations import Tier, tier
from nous.core.types import TYPES
from nous.providers import Embedder
from nous.stores import Stores
from nous.stores.vectors import Unlinked, Vectors

BATCH = 256
NEAREST = 3  # ties that one memory makes
LOOKED_AT = 20  # among so many that are near


def link_waiting(stores: Stores, embedder: Embedder, limit: int | None = None) -> int:
    """Compare the vectors that were not compared yet, up to a limit; how many. Every batch is one transaction."""
    model_id = stores.vectors.model(embedder.model, embedder.dims)
    done = 0
    while limit is None or done < limit:
        rows = stores.vectors.unlinked(model_id, BATCH if limit is None else min(BATCH, limit - done))
        if not rows:
            break
        found = _likenesses(stores.vectors, model_id, rows)
        with stores.db.transaction():
            stores.graph.set_likenesses(found)
            stores.vectors.set_linked(model_id, rows[-1].seq)
        done += len(rows)
    return done


def _likenesses(vectors: Vectors, model_id: int, rows: list[Unlinked]) -> dict[str, list[tuple[str, float, Tier]]]:
    """What each memory is like. Episodes are left out: neighbours in a conversation share their context, so all of them
    are alike, and tying them was measured to make recall worse."""
    told = [row for row in rows if _is_lasting(row.type)]
    found: dict[str, list[tuple[str, float, Tier]]] = {row.learning_id: [] for row in rows}
    for row, near in zip(told, vectors.nearest_earlier(model_id, told, LOOKED_AT), strict=True):
        lasting = [(other, round(nearness, 4)) for other, kind, nearness in near if _is_lasting(kind)]
        found[row.learning_id] = [(other, close, band) for other, close in lasting[:NEAREST] if (band := tier(close))]
    return found


def _is_lasting(type_: str) -> bool:
    return TYPES[type_].kind != "episodic"


def relink(stores: Stores, embedder: Embedder) -> int:
    """Throw every tie away and find them again."""
    with stores.db.transaction():
        stores.graph.clear_likenesses()
        stores.vectors.clear_linked()
    return link_waiting(stores, embedder)
