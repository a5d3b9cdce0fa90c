"""What a feature brings to the kernel, which knows none by name: `nous.features.FEATURES` lists them.

Everything is named by an import string and loaded when it is needed first.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple


class Projector(NamedTuple):
    """A read model: `fold(*stores, events)` takes in events, and `clear` of its stores empties the tables it fills.

    `takes` are its stores by name; `clears` one of them each, and what its `clear` is given. One that is not about
    memories takes in the events of every stream.
    """

    name: str
    fold: str
    takes: tuple[str, ...]
    clears: tuple[tuple[str, ...], ...]
    tables: tuple[str, ...]
    of_memories: bool = True


class Feature(NamedTuple):
    """A folder below `nous.features`: its read models, and what it reads of a session without a model."""

    name: str
    projectors: tuple[Projector, ...] = ()
    extract: str = ""


def features() -> tuple[Feature, ...]:
    """Every feature that brings something."""
    found: tuple[Feature, ...] = import_module("nous.features").FEATURES
    return found


def resolve(place: str) -> Callable[..., Any]:
    """The function that an import string names: `nous.features.memories.reads:listing`."""
    module, _, name = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
