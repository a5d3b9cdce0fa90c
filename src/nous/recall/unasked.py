"""What a prompt or an error calls for although nobody asked: the same search, and only what is surely meant."""

from __future__ import annotations

from nous.core.decay import UNUSED, Curve
from nous.core.likeness import tokens
from nous.core.memory import Memory
from nous.core.packing import Entry
from nous.core.weights import Weights
from nous.core.worth import called_for, entry, is_certain, is_injectable, opposite, worth
from nous.providers import Embedder
from nous.recall.search import Hit, Query, recall
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
    curve: Curve,
) -> list[Entry]:
    """Memories that a text calls for, as entries; none when nothing is good enough to be shown unasked.

    What they are worth is how likely a session needs them that says this.
    """
    circles = tuple(stores.circles.of_project(project_id))
    asked = Query(text=text, project_id=project_id, circles=circles, limit=FOUND, now=now, check_files=False)
    hits = recall(stores, asked, embedder, weights)
    certain = (hit for hit in hits if is_certain(hit.memory) and is_injectable(hit.memory, now, branch))
    good = [hit for hit in certain if answers(hit.memory, text)]
    uses = stores.uses([hit.memory for hit in good], project_id)
    known = stores.memories.by_learning(name for hit in good for name in hit.memory.contradicted_with)
    found = []
    for hit in good:
        memory = hit.memory
        needed = worth(memory, now, branch, uses.get(memory.id, UNUSED), curve) + called_for(match(hit, weights))
        shown = entry(memory, now, branch, opposite(memory, known), curve)
        found.append(shown._replace(worth=round(needed, 4), anchors=_rows(memory, project_id)))
    return found


def match(hit: Hit, weights: Weights) -> dict[str, float]:
    """How well a hit fits by its words and by its meaning, each as a part of the best."""
    each = {"words": ("text", weights.text), "meaning": ("vector", weights.vector)}
    return {name: hit.shares.get(part, 0.0) / weight if weight else 0.0 for name, (part, weight) in each.items()}


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
