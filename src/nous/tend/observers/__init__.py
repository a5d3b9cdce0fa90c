"""Observers look at what the stores know of a project and propose what the next session should hear unasked.

Each is one function in this tuple. None of them quotes a tool, a page or what nobody has reviewed: an intervention says
what was counted, or what the user said, with the number of the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from nous.stores import Stores
from nous.tend.observers import contradictions, corrections, frustration, stalled
from nous.tend.observers.seen import Concern

Observer = Callable[[Stores, str, str], Iterator[Concern]]


class NamedObserver(NamedTuple):
    """An observer and what it is called in the log."""

    name: str
    look: Observer


OBSERVERS: tuple[NamedObserver, ...] = (
    NamedObserver("repeated-corrections", corrections.look),
    NamedObserver("stalled-progress", stalled.look),
    NamedObserver("contradiction-density", contradictions.look),
    NamedObserver("frustration", frustration.look),
)
