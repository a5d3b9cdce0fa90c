"""Which event each learning of a session became."""

from __future__ import annotations

from nous.stores.database import Database


class Extractions:
    """Keeps a learning that is read twice, by whatever extractor, from being appended twice."""

    def __init__(self, db: Database):
        self.db = db

    def is_known(self, project_id: str, session_id: str, index: int) -> bool:
        """Whether this learning of this session is already in the log, whatever extractor wrote it."""
        return self.became(project_id, session_id, index) is not None

    def became(self, project_id: str, session_id: str, index: int) -> int | None:
        """The event that a learning of a session became; None when it is not in the log."""
        row = self.db.one("extractions.became", project_id=project_id, session_id=session_id, learning_index=index)
        return row["latest_event_id"] if row else None

    def mark(self, project_id: str, session_id: str, index: int, event_id: int, version: str, now: str) -> None:
        """Remember which event a learning of a session became."""
        self.db.run(
            "extractions.mark",
            project_id=project_id,
            session_id=session_id,
            learning_index=index,
            event_id=event_id,
            version=version,
            now=now,
        )
