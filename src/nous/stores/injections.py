"""Receipts: what was put in front of which session, and what came of it."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from nous.stores.database import Database, Row


class Injections:
    """Reads receipts and notes what transcripts say of them. Hooks write them (see `nous.shells.answers`)."""

    def __init__(self, db: Database):
        self.db = db

    def recent(
        self,
        session_id: str | None = None,
        project_id: str | None = None,
        limit: int = 50,
        memory_id: int | None = None,
    ) -> list[Row]:
        """The latest receipts, each with its memories."""
        rows = self.db.all(
            "injections.recent", session_id=session_id, project_id=project_id, memory_id=memory_id, limit=limit
        )
        memories: dict[int, list[Row]] = {row["injection_id"]: [] for row in rows}
        for row in self.db.all("injections.memories_of", ids=_json(memories)):
            memories[row.pop("injection_id")].append(row)
        return [row | {"memories": memories[row["injection_id"]]} for row in rows]

    def given(self, session_id: str) -> list[int]:
        """The memories that a session was given."""
        return [row["memory_id"] for row in self.db.all("injections.given", session_id=session_id)]

    def acknowledge(self, session_id: str, memory_ids: Collection[int], at: str) -> None:
        """The transcript shows that the client took these in."""
        self.db.run("injections.acknowledge", session_id=session_id, ids=_json(memory_ids), at=at)

    def reference(self, session_id: str, memory_ids: Collection[int], at: str) -> None:
        """The assistant cited these."""
        self.db.run("injections.reference", session_id=session_id, ids=_json(memory_ids), at=at)

    def effect(self, memory_id: int) -> Row:
        """How often a memory was injected, acknowledged and cited."""
        nothing = {"memory_id": memory_id, "injected": 0, "acknowledged": 0, "referenced": 0}
        return self.db.one("injections.effect", memory_id=memory_id) or nothing

    def effects(self, project_id: str | None = None, limit: int = 50) -> list[Row]:
        """How often each memory was injected, acknowledged and cited, and when last; the most cited first."""
        return self.db.all("injections.effects", project_id=project_id, limit=limit)

    def of_session(self, session_id: str) -> list[Row]:
        """What a session and its agents were given: `memory_id`, `injected_at`, `acknowledged_at`, `referenced_at`."""
        return self.db.all("injections.of_session", session_id=session_id)

    def forget(self, memory_id: int) -> None:
        """Drop what receipts say of a memory (erasure)."""
        self.db.run("injections.forget", memory_id=memory_id)


def _json(ids: Collection[int]) -> str:
    return msgspec.json.encode(list(ids)).decode()
