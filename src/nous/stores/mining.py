"""What process mining and experiments ask of the database."""

from __future__ import annotations

from nous.stores.database import Database, Row


class Mining:
    """Counts over the log and the read models; nothing here is kept but which experiment runs."""

    def __init__(self, db: Database):
        self.db = db

    def rows(self, name: str, project_id: str | None) -> list[Row]:
        """The rows of one named count."""
        return self.db.all(f"mining.{name}", project_id=project_id)

    def number(self, name: str, project_id: str | None) -> int:
        """One number."""
        row = self.db.one(f"mining.{name}", project_id=project_id)
        return int(row["n"] or 0) if row else 0

    def used(self) -> dict[int, str]:
        """When each memory was last used."""
        return {row["memory_id"]: row["at"] for row in self.db.all("mining.used")}

    # experiments
    def experiment(self) -> Row | None:
        """The last experiment; it runs when it has no end."""
        return self.db.one("mining.experiment")

    def start(self, percent: int, now: str) -> None:
        """Tell a share of sessions nothing from now on."""
        with self.db.transaction():
            self.db.run("mining.end_experiment", now=now)
            self.db.run("mining.start_experiment", percent=percent, now=now)

    def end(self, now: str) -> bool:
        """Tell every session again; False when no experiment runs."""
        return self.db.run("mining.end_experiment", now=now) > 0

    def installed(self) -> str:
        """When something was first shown to a session; nothing when it never was."""
        row = self.db.one("mining.installed")
        return str(row["at"] or "") if row else ""
