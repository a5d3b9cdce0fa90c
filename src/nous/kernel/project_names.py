"""Other names of projects."""

from __future__ import annotations

from nous.kernel.db.database import Row
from nous.kernel.db.store import Store


class Projects(Store, group="projects"):
    """What names and directories stand for."""

    def get(self, project_id: str) -> Row | None: ...
    def aliases(self) -> list[Row]: ...
    def meaning(self, alias: str) -> str | None: ...
    def forget(self, alias: str) -> None: ...

    def alias(self, alias: str, project_id: str, kind: str, now: str) -> None:
        """Let a name stand for a project; names that stood for the name follow it."""
        with self.db.transaction():
            self.db.run("projects.follow_aliases", project_id=alias, into=project_id)
            self.db.run("projects.add_alias", alias=alias, project_id=project_id, kind=kind, now=now)
            self.forget(project_id)

    def drop(self, project_id: str) -> None:
        """Forget that somebody worked in a project; its memories are another matter."""
        self.db.run("projects.drop_project", project_id=project_id)
        self.db.run("cache.drop_project", project_id=project_id)
