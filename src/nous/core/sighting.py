"""One thing that a signal saw."""

from __future__ import annotations

from typing import NamedTuple


class Sighting(NamedTuple):
    """One thing that a signal saw in a session: what it is about, what is said of it, and the records that show it."""

    signal: str
    subject: str
    said: str
    evidence: tuple[str, ...]
