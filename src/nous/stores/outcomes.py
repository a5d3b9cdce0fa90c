"""What became of memories that were put in front of sessions, and how far maintenance has come."""

from __future__ import annotations

from nous.core.outcome import Outcome
from nous.stores.database import Database, Row


class Outcomes:
    """Each memory's outcome in each session, decided once."""

    def __init__(self, db: Database):
        self.db = db

    def put(self, session_id: str, memory_id: int, outcome: Outcome, now: str) -> bool:
        """Keep an outcome; False when it was decided before."""
        values = {"session_id": session_id, "memory_id": memory_id, "now": now}
        return bool(self.db.run("outcomes.put", outcome=outcome.signal, reason=outcome.reason, **values))

    def of_session(self, session_id: str) -> list[Row]:
        """What became of everything a session was shown."""
        return self.db.all("outcomes.of_session", session_id=session_id)

    def effect(self, memory_id: int) -> tuple[int, int]:
        """In how many sessions a memory was useful, and in how many it was shown."""
        row = self.db.one("outcomes.effect", memory_id=memory_id) or {}
        return row.get("useful") or 0, row.get("shown") or 0

    def undecided(self, before: str, limit: int) -> list[str]:
        """Sessions that were shown something, said nothing since a moment, and were not looked at yet."""
        return [session for (session,) in self.db.each("outcomes.undecided", before=before, limit=limit)]

    def forget(self, memory_id: int) -> None:
        """Drop the outcomes of a memory (erasure)."""
        self.db.run("outcomes.forget", memory_id=memory_id)

    # maintenance
    def step(self, name: str) -> Row | None:
        """When a step of maintenance last ended, what it had seen and what it said."""
        return self.db.one("outcomes.step", step=name)

    def set_step(self, name: str, last_event_id: int, now: str, said: str) -> None:
        """A step of maintenance is done."""
        self.db.run("outcomes.set_step", step=name, last_event_id=last_event_id, now=now, said=said)
