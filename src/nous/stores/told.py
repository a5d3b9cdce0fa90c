"""What a chosen model wrote of episodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from nous.stores.database import Database


class WrittenEpisode(NamedTuple):
    """A summary and labels in a model's words: of what it was made, and by whom."""

    source: str
    summary: str
    labels: Mapping[str, str]
    by: str


class ToldEpisodes:
    """Reads and writes what models wrote of episodes; it goes with the transcript."""

    def __init__(self, db: Database):
        self.db = db

    def keep(self, uuid: str, session_id: str, written: WrittenEpisode, now: str) -> None:
        """Keep what was written of an episode, and say it of its exchanges."""
        self.db.run(
            "told.keep",
            uuid=uuid,
            session_id=session_id,
            source=written.source,
            summary=written.summary,
            labels=msgspec.json.encode(dict(written.labels)).decode(),
            written_by=written.by,
            written_at=now,
        )
        for record, label in written.labels.items():
            self.db.run("told.label", uuid=record, label=label)

    def of_session(self, session_id: str) -> dict[str, WrittenEpisode]:
        """What was written of a session's episodes, by the record that each begins with."""
        rows = self.db.all("told.of_session", session_id=session_id)
        return {
            row["uuid"]: WrittenEpisode(
                row["source"], row["summary"], msgspec.json.decode(row["labels"]), row["written_by"]
            )
            for row in rows
        }

    def labels(self, session_id: str) -> dict[str, str]:
        """The labels of a session's exchanges in a model's words."""
        return {uuid: label for one in self.of_session(session_id).values() for uuid, label in one.labels.items()}

    def drop(self, session_id: str) -> None:
        """Forget what was written of a session."""
        self.db.run("told.drop", session_id=session_id)

    def drop_changed(self) -> None:
        """Forget what was written of sessions that are no longer as they were."""
        self.db.run("told.drop_changed")
