"""A user who had to stop and correct the last session again and again."""

from __future__ import annotations

from collections.abc import Iterator

from nous.core.moments import days_between
from nous.stores import Stores
from nous.tend.observers.seen import Concern

OFTEN = 3
SHARE = 0.3  # of the prompts of a session
DAYS = 3


def look(stores: Stores, project_id: str, now: str) -> Iterator[Concern]:
    """The last session with prompts, if a third of them or more were corrections."""
    rows = [row for row in stores.observations.sessions(project_id) if row["prompts"]]
    for row in rows[-1:]:
        many = row["corrections"] >= OFTEN and row["corrections"] >= SHARE * row["prompts"]
        if many and row["ended_at"] and days_between(row["ended_at"], now) <= DAYS:
            share = row["corrections"] / row["prompts"]
            text = (
                f"In the last session the user corrected or stopped the agent {row['corrections']} times in"
                f" {row['prompts']} prompts. Say what you are about to do before larger steps, and ask when in doubt."
            )
            yield Concern(row["session_id"], text, min(0.9, 0.65 + 0.3 * share), 1)
