"""Figures about knowledge, and whether it helps, as they are shown."""

from __future__ import annotations

from typing import NamedTuple

PERCENT = 5  # of 100 sessions that an experiment tells nothing


class Figure(NamedTuple):
    """One figure: its name, its value (None when nothing can be said), how it is made, and what to make of it."""

    name: str
    value: float | None
    unit: str
    how: str
    note: str = ""
    series: tuple[tuple[str, float], ...] = ()


class Compared(NamedTuple):
    """One measure in both groups: their means, and half the width of the interval in which the difference lies."""

    name: str
    told: float
    untold: float
    doubt: float

    @property
    def is_clear(self) -> bool:
        """Whether chance alone hardly explains the difference."""
        return abs(self.told - self.untold) > self.doubt


class Helped(NamedTuple):
    """What can be said: how many sessions each group has, where the groups come from, the measures, one sentence."""

    basis: str
    told: int
    untold: int
    measures: list[Compared]
    said: str
