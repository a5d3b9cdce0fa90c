"""Figures about knowledge, as they are shown."""

from __future__ import annotations

from typing import NamedTuple


class Figure(NamedTuple):
    """One figure: its name, its value (None when nothing can be said), how it is made, and what to make of it."""

    name: str
    value: float | None
    unit: str
    how: str
    note: str = ""
    series: tuple[tuple[str, float], ...] = ()
