"""A project whose memories disagree with each other."""

from __future__ import annotations

from collections.abc import Iterator

from nous.stores import Stores
from nous.tend.observers.seen import Concern

FEWEST = 3  # memories that stand in contradiction
SHARE = 0.05


def look(stores: Stores, project_id: str, now: str) -> Iterator[Concern]:
    """Many active memories of a project that contradict others."""
    known = [
        one for one in stores.memories.visible(project_id) if one.status == "active" and one.project_id == project_id
    ]
    torn = [one for one in known if one.contradicted_with]
    if len(torn) >= FEWEST and len(torn) >= SHARE * len(known):
        text = (
            f"{len(torn)} memories of this project contradict others. Check the code before relying on a remembered"
            " value, and ask the user to run `nous review`."
        )
        yield Concern("contradictions", text, min(0.9, 0.7 + 0.02 * len(torn)))
