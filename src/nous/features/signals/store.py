"""What was observed in sessions, as read models of the log: sightings, and what they add up to."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from nous.kernel.db.database import Row, like
from nous.kernel.db.store import Store
from nous.kernel.log.events import SessionObserved

_json = msgspec.json.Encoder().encode


class Observations(Store, group="observations"):
    """One row for each session, and what it showed; everything else is counted from these."""

    def put(self, learning_id: str, project_id: str, session_id: str, said: SessionObserved, version: int) -> None:
        """Keep what a session showed, in the place of what was known of it."""
        self.drop(learning_id)
        who = {"learning_id": learning_id, "project_id": project_id, "session_id": session_id}
        self.db.run("observations.put", **who, started_at=said.started_at, version=version)
        key = (learning_id, project_id, session_id)
        self.db.many(
            "observations.put_sighting",
            ((*key, one.signal, one.subject, one.said, _json(one.evidence).decode()) for one in said.sightings),
        )

    def drop(self, learning_id: str) -> None:
        """Forget what a session showed."""
        for table in ("", "_sightings"):
            self.db.run(f"observations.drop{table}", learning_id=learning_id)

    def clear(self) -> None:
        """Empty the read models before they are built again."""
        for table in ("", "_sightings"):
            self.db.run(f"observations.clear{table}")

    # what they add up to
    def recurring(self, project_id: str, session_id: str, signals: Sequence[str], most: int) -> list[Row]: ...
    def shown_by(self, project_id: str, signal: str, subject: str, limit: int) -> list[Row]: ...

    def naming(self, record: str) -> list[str]:
        """The observations that rest on a record."""
        return [row["learning_id"] for row in self.db.all("observations.naming", pattern=like(record))]
