"""Up to where each session was observed.

A working index over kept transcripts: whoever drops it loses no memory, and reading them again fills it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from nous.kernel.db.store import Store


class PendingSession(NamedTuple):
    """A session with turns that nobody has observed."""

    session_id: str
    project_id: str
    turns: int


class ObservedSessions(Store, group="sayings"):
    """Which sessions were observed, and how far."""

    def due(self, quiet_until: str, now: str, limit: int) -> list[PendingSession]: ...
    def note_observed(self, due: PendingSession, now: str) -> None: ...

    def forget(self, session_ids: Iterable[str]) -> None:
        """Drop what is known of sessions (erasure)."""
        for session_id in session_ids:
            self.db.run("sayings.drop_observed", session_id=session_id)
