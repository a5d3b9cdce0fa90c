"""Work that does not move: an error that comes back and nothing ends it, a session that repeats a failing command."""

from __future__ import annotations

from collections.abc import Iterator

from nous.core.moments import days_between
from nous.stores import Stores
from nous.tend.observers.seen import Concern

SESSIONS = 2  # sessions in which an error came that nothing has ended
DAYS = 14
AGAIN = 4  # failures of one session with hardly anything that passed


def look(stores: Stores, project_id: str, now: str) -> Iterator[Concern]:
    """Errors that several recent sessions met and none ended."""
    for row in stores.observations.errors(project_id, 10):
        is_recent = row["last_seen_at"] and days_between(row["last_seen_at"], now) <= DAYS
        if row["sessions"] >= SESSIONS and not row["resolved_how"] and is_recent:
            text = (
                f"The same error stopped {row['sessions']} sessions here and nothing ended it so far. Look for its"
                " cause before trying the same command again; `nous metrics` shows it."
            )
            yield Concern(row["error_fingerprint"], text, min(0.9, 0.6 + 0.1 * row["sessions"]), 1)
    for row in stores.observations.sessions(project_id)[-1:]:
        if row["failures"] >= AGAIN and row["failures"] * 2 >= row["calls"]:
            text = (
                f"In this session {row['failures']} of {row['calls']} calls failed. Step back: say what is known about"
                " the failure before the next attempt."
            )
            yield Concern(row["session_id"], text, 0.78, 1, "session", row["session_id"])
