"""Trust levels of projects as a read model of the log, and what the log says for or against them."""

from __future__ import annotations

from nous.core.trust import LEVELS, STANDARD, USUAL, Level, TrustLevel
from nous.stores.database import Database, Row


class TrustLevels:
    """One row for each project whose level somebody chose; the others are at the usual one."""

    def __init__(self, db: Database):
        self.db = db

    def put(self, project_id: str, level: Level, since: str, version: int) -> None:
        """Keep a project's level, and since when it holds."""
        self.db.run("trust.put", project_id=project_id, level=level, since=since, version=version)

    def drop(self, project_id: str) -> None:
        """Back to the usual level."""
        self.db.run("trust.drop", project_id=project_id)

    def clear(self) -> None:
        """Empty the read model before it is built again."""
        self.db.run("trust.clear")

    def chosen(self, project_id: str) -> tuple[Level, str]:
        """A project's level, and since when somebody chose it; nothing when nobody did."""
        row = self.db.one("trust.chosen", project_id=project_id)
        return (row["level"], row["since"]) if row else (STANDARD, "")

    def of(self, project_id: str) -> TrustLevel:
        """What a project's level asks of memories."""
        row = self.db.one("trust.chosen", project_id=project_id)
        return LEVELS[row["level"]] if row else USUAL

    def levels(self) -> dict[str, Level]:
        """The chosen levels by project."""
        return {row["project_id"]: row["level"] for row in self.db.all("trust.levels")}

    def judged(self, project_id: str) -> list[Row]:
        """What people said of a project's memories: that one is right, doubtful, replaced or to be forgotten."""
        return self.db.all("trust.judged", project_id=project_id)

    def memories(self, project_id: str) -> int:
        """How many memories were ever learned in a project and not erased."""
        row = self.db.one("trust.memories", project_id=project_id)
        return int(row["n"]) if row else 0
