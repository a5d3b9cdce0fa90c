"""What a prompt or an error calls for although nobody asked: the same search, and only what is surely meant."""

from __future__ import annotations

from nous.core.decay import Curve
from nous.core.likeness import tokens
from nous.core.memory import Memory
from nous.core.packing import Entry
from nous.core.weights import Weights
from nous.core.worth import entry, is_injectable, opposite
from nous.providers import Embedder
from nous.recall.search import Query, recall
from nous.stores import Stores

FOUND = 8


def unasked(
    stores: Stores,
    text: str,
    project_id: str,
    branch: str,
    now: str,
    *,
    embedder: Embedder | None,
    weights: Weights,
    curve: Curve,
) -> list[Entry]:
    """Memories that answer, as entries; none when nothing is good enough to be shown unasked."""
    asked = Query(text=text, project_id=project_id, limit=FOUND, now=now, check_files=False)
    hits = recall(stores, asked, embedder, weights)
    good = [hit.memory for hit in hits if is_injectable(hit.memory, now, branch) and answers(hit.memory, text)]
    known = stores.memories.by_learning(name for memory in good for name in memory.contradicted_with)
    return [
        entry(memory, now, branch, opposite(memory, known), curve)._replace(anchors=_rows(memory, project_id))
        for memory in good
    ]


def _rows(memory: Memory, project_id: str) -> list[tuple[str, str, str]]:
    """What a memory of this project is anchored to."""
    own = memory.anchors if memory.project_id == project_id else ()
    return [(anchor.file, anchor.symbol, anchor.hash) for anchor in own]


def answers(memory: Memory, text: str) -> bool:
    """Whether a memory is surely about what a text says: two words in common, or one that is nobody's everyday word.

    A search always finds something that is best; to be shown unasked, a memory must be good.
    """
    said = {*tokens(memory.content), *(word.lower() for word in (*memory.entities, *memory.tags))}
    shared = said & set(tokens(text))
    return len(shared) >= 2 or any(not word.isalpha() and len(word) > 2 for word in shared)
