"""What was observed in sessions, as read models of the log: files, errors, sightings; and what they add up to."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from nous.core.events import SessionObserved
from nous.stores.database import Database, Row, like

_json = msgspec.json.Encoder().encode


def module_of(path: str) -> str:
    """The folder that a file belongs to: its first two names."""
    return "/".join(path.split("/")[:-1][:2]) or "."


class Observations:
    """One row for each session, and what it showed; everything else is counted from these."""

    def __init__(self, db: Database):
        self.db = db

    def put(self, learning_id: str, project_id: str, session_id: str, said: SessionObserved, version: int) -> None:
        """Keep what a session showed, in the place of what was known of it."""
        self.drop(learning_id)
        names = (
            "kind",
            "started_at",
            "ended_at",
            "prompts",
            "calls",
            "corrections",
            "failures",
            "rereads",
            "tokens",
            "agents",
        )
        counted = {name: getattr(said, name) for name in names}
        who = {"learning_id": learning_id, "project_id": project_id, "session_id": session_id}
        self.db.run("observations.put", **who, **counted, phases=_json(said.phases).decode(), version=version)
        key = (learning_id, project_id, session_id)
        self.db.many(
            "observations.put_file", ((*key, file.path, module_of(file.path), *file[1:]) for file in said.files)
        )
        self.db.many("observations.put_error", ((*key, *error) for error in said.errors))
        self.db.many(
            "observations.put_sighting",
            ((*key, one.signal, one.subject, one.said, _json(one.evidence).decode()) for one in said.sightings),
        )

    def drop(self, learning_id: str) -> None:
        """Forget what a session showed."""
        for table in ("", "_files", "_errors", "_sightings"):
            self.db.run(f"observations.drop{table}", learning_id=learning_id)

    def clear(self) -> None:
        """Empty the read models before they are built again."""
        for table in ("", "_files", "_errors", "_sightings"):
            self.db.run(f"observations.clear{table}")

    # what they add up to
    def recurring(self, project_id: str, session_id: str, signals: Sequence[str], most: int) -> list[Row]:
        """What some signals saw in one session, with how many sessions of the project saw it, up to `most`."""
        asked = {"project_id": project_id, "session_id": session_id, "most": most}
        return self.db.all("observations.recurring", **asked, signals=_json(list(signals)).decode())

    def shown_by(self, project_id: str, signal: str, subject: str, limit: int) -> list[Row]:
        """The records of some sessions that showed a thing, and when they began."""
        asked = {"project_id": project_id, "signal": signal, "subject": subject, "limit": limit}
        return self.db.all("observations.shown_by", **asked)

    def count(self, project_id: str | None, last: int = 20) -> int:
        """How many of the last sessions with any tool call there are."""
        row = self.db.one("observations.count", project_id=project_id, last=last)
        return int(row["sessions"]) if row else 0

    def sessions(self, project_id: str | None) -> list[Row]:
        """Every observed session, oldest first."""
        return self.db.all("observations.sessions", project_id=project_id)

    def modules(self, project_id: str) -> list[Row]:
        """Modules with the number of sessions that worked in them, the busiest first."""
        return self.db.all("observations.modules", project_id=project_id)

    def files(self, project_id: str, module: str | None = None, limit: int = 50) -> list[Row]:
        """Files with the sessions that opened or changed them, the most used first."""
        return self.db.all("observations.files", project_id=project_id, module=module, limit=limit)

    def errors(self, project_id: str | None, limit: int = 50) -> list[Row]:
        """Errors that came in more than one session, with what ended them, the most frequent first."""
        return self.db.all("observations.errors", project_id=project_id, limit=limit)

    def seen(self, project_id: str, signal: str) -> list[Row]:
        """What one signal saw in a project, oldest first."""
        return self.db.all("observations.seen", project_id=project_id, signal=signal)

    def naming(self, record: str) -> list[str]:
        """The observations that rest on a record."""
        return [row["learning_id"] for row in self.db.all("observations.naming", pattern=like(record))]
