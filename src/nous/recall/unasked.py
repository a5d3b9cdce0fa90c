"""What an error calls for although nobody asked: the same search, and only what is surely meant."""

from __future__ import annotations

import os

from nous.core.likeness import tokens
from nous.core.memory import Memory
from nous.core.packing import Entry
from nous.core.weights import Weights
from nous.core.worth import entry, is_certain, is_injectable, opposite
from nous.providers import Embedder
from nous.recall.search import Query, recall
from nous.stores import Stores

FOUND = 40  # the best of them a session has often seen already


def unasked(
    stores: Stores,
    text: str,
    project_id: str,
    branch: str,
    now: str,
    *,
    embedder: Embedder | None,
    weights: Weights,
) -> list[Entry]:
    """Memories that a text calls for, as entries, the best first; none when nothing is good enough to be shown unasked.

    What is anchored in a file that the text names comes before the rest.
    """
    circles = tuple(stores.circles.of_project(project_id))
    asked = Query(text=text, project_id=project_id, circles=circles, limit=FOUND, now=now, check_files=False)
    hits = recall(stores, asked, embedder, weights)
    certain = [hit for hit in hits if is_certain(hit.memory) and is_injectable(hit.memory, now, branch)]
    said = frozenset(tokens(text))
    good = [hit for hit in certain if answers(hit.memory, said)]
    known = stores.memories.by_learning(name for hit in good for name in hit.memory.contradicted_with)
    found = []
    for hit in good:
        memory = hit.memory
        shown = entry(memory, now, branch, opposite(memory, known))
        is_named = any(os.path.basename(file) in text for file in memory.files)
        found.append(shown._replace(worth=round(hit.score + is_named, 4), anchors=_rows(memory, project_id)))
    return found


def _rows(memory: Memory, project_id: str) -> list[tuple[str, str, str]]:
    """What a memory of this project is anchored to."""
    own = memory.anchors if memory.project_id == project_id else ()
    return [(anchor.file, anchor.symbol, anchor.hash) for anchor in own]


def answers(memory: Memory, said: frozenset[str]) -> bool:
    """Whether a memory is surely about what a text says: two words in common, or one that is nobody's everyday word.

    A search always finds something that is best; to be shown unasked, a memory must be good.
    """
    words = {*tokens(memory.content), *(word.lower() for word in (*memory.entities, *memory.tags))}
    shared = words & said
    return len(shared) >= 2 or any(not word.isalpha() and len(word) > 2 for word in shared)
