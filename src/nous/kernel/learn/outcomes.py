"""What became of memories that were put in front of sessions, and how far maintenance has come."""

from __future__ import annotations

from nous.kernel.db.database import Row
from nous.kernel.db.store import Store
from nous.kernel.learn.outcome import Outcome


class Outcomes(Store):
    """Each memory's outcome in each session, decided once."""

    def put(self, session_id: str, memory_id: int, outcome: Outcome, now: str) -> bool:
        """Keep an outcome; False when it was decided before."""
        values = {"session_id": session_id, "memory_id": memory_id, "now": now}
        return bool(self.db.run("outcomes.put", outcome=outcome.signal, reason=outcome.reason, **values))

    def of_session(self, session_id: str) -> list[Row]: ...

    def effect(self, memory_id: int) -> tuple[int, int]:
        """In how many sessions a memory was useful, and in how many it was shown."""
        row = self.db.one("outcomes.effect", memory_id=memory_id) or {}
        return row.get("useful") or 0, row.get("shown") or 0

    def list_undecided(self, before: str, limit: int) -> list[str]: ...
    def forget(self, memory_id: int) -> None: ...

    # maintenance
    def step(self, name: str) -> Row | None: ...
    def set_step(self, name: str, last_event_id: int, now: str, said: str) -> None: ...
