"""Up to where each session was observed.

A working index over kept transcripts: whoever drops it loses no memory, and reading them again fills it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from nous.stores.database import Database


class Due(NamedTuple):
    """A session with turns that nobody has observed."""

    session_id: str
    project_id: str
    turns: int


class Sayings:
    """Which sessions were observed, and how far."""

    def __init__(self, db: Database):
        self.db = db

    def due(self, quiet_until: str, now: str, limit: int) -> list[Due]:
        """Sessions that rest since a moment and were not observed to their end, oldest first.

        One whose last record lies in the future rests too: its clock is wrong, and nobody knows when it ends.
        """
        rows = self.db.all("sayings.due", quiet=quiet_until, now=now, limit=limit)
        return [Due(**row) for row in rows]

    def observed(self, due: Due, now: str) -> None:
        """Note that a session was observed up to here."""
        self.db.run("sayings.observed", **due._asdict(), now=now)

    def forget(self, session_ids: Iterable[str]) -> None:
        """Drop what is known of sessions (erasure)."""
        for session_id in session_ids:
            self.db.run("sayings.drop_observed", session_id=session_id)
