"""Packets that wait for the next session, and the projects they are made for."""

from __future__ import annotations

from nous.stores.database import Database, Row


class Cache:
    """The injection cache: one packet per context key."""

    def __init__(self, db: Database):
        self.db = db

    def get(self, context_key: str) -> str | None:
        """The packet as JSON, or None."""
        row = self.db.one("cache.get", context_key=context_key)
        return row["packet_json"] if row else None

    def put(self, context_key: str, project_id: str, branch: str, packet: str, version: int, now: str) -> None:
        """Store a packet; `version` is the last event it knows of."""
        self.db.run(
            "cache.put",
            context_key=context_key,
            project_id=project_id,
            branch=branch,
            packet_json=packet,
            version=version,
            now=now,
        )

    def of_project(self, project_id: str) -> list[Row]:
        """Keys, branches and versions of a project's packets."""
        return self.db.all("cache.of_project", project_id=project_id)

    def drop(self, context_key: str) -> None:
        """Remove one packet."""
        self.db.run("cache.drop", context_key=context_key)

    def expire(self, project_id: str, moment: str) -> None:
        """Remove the packets of a project that were made before a moment."""
        self.db.run("cache.expire", project_id=project_id, moment=moment)

    def drop_project(self, project_id: str) -> None:
        """Remove all packets of a project."""
        self.db.run("cache.drop_project", project_id=project_id)

    def clear(self) -> None:
        """Remove every packet."""
        self.db.run("cache.clear")

    def see_project(self, project_id: str, root: str, branch: str | None, now: str) -> None:
        """Note that somebody works in a project."""
        self.db.run("cache.see_project", project_id=project_id, root=root, branch=branch, now=now)

    def projects(self) -> list[Row]:
        """All projects seen, the latest first."""
        return self.db.all("cache.projects")

    def root(self, project_id: str) -> str:
        """The directory a project lives in; empty when it was never seen."""
        row = self.db.one("cache.root", project_id=project_id)
        return row["root"] if row else ""

    def branches(self, project_id: str) -> list[str]:
        """Branches with memories of their own."""
        return [row["branch"] for row in self.db.all("cache.branches", project_id=project_id)]
