"""What is looked up while a session waits for it."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from nous.config import Settings
from nous.features.code.places import KnownPlaces, WordIndex
from nous.features.exchanges import passages as said_before
from nous.features.exchanges.passages import same_error
from nous.kernel.hooks.packing import Earlier
from nous.kernel.stores import open_stores
from nous.providers import Embeddable
from nous.providers.words import builtin_table

if TYPE_CHECKING:
    from nous.app.pipeline import Pipeline

FRAME = 80  # tokens of a first prompt's packet for its lead and headings


def word_index(settings: Settings, clock: Callable[[], str]) -> WordIndex:
    """Which memories speak of which names of code; one for all threads."""
    return WordIndex(lambda: open_stores(settings.db_path), clock)


def places(work: Pipeline, words: WordIndex) -> KnownPlaces:
    """Where things are that a session searches for."""
    return KnownPlaces(work.settings.data_dir, words, work.stores.events.last_id)


def passages(work: Pipeline, text: str, project_id: str, seen: Collection[str], *, is_error: bool) -> list[Earlier]:
    """What earlier sessions say about a first prompt or an error that they plainly match; a hook waits for it."""
    if is_error:
        return same_error(work.stores, text, project_id, seen=seen)
    return said_before.passages(work.stores, text, project_id, work.settings.prompt_tokens - FRAME, seen=seen)


def likeness(text: str, others: Sequence[str]) -> list[float]:
    """How near other texts are to one in meaning, by the table that is always there; a hook waits for it."""
    table = builtin_table()
    if table is None:
        return [1.0] * len(others)
    own, *theirs = (array("f", one) for one in table.documents([Embeddable(one) for one in (text, *others)]))
    return [math.fsum(a * b for a, b in zip(own, one, strict=True)) for one in theirs]
