"""Receipts: what was put in front of which session, and what came of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from nous.kernel.db.database import Row
from nous.kernel.db.store import Store


class Injections(Store):
    """Reads receipts and notes what transcripts say of them. Hooks write them (see `nous.kernel.hooks.responses`)."""

    def recent(
        self,
        session_id: str | None = None,
        project_id: str | None = None,
        limit: int = 50,
        memory_id: int | None = None,
    ) -> list[Row]:
        """The latest receipts, each with its memories and the earlier exchanges it told of."""
        rows = self.db.all(
            "injections.recent", session_id=session_id, project_id=project_id, memory_id=memory_id, limit=limit
        )
        numbers = [row["injection_id"] for row in rows]
        memories, exchanges = self._of("memories_of", numbers), self._of("exchanges_of", numbers)
        return [
            row | {"memories": memories[row["injection_id"]], "exchanges": exchanges[row["injection_id"]]}
            for row in rows
        ]

    def _of(self, statement: str, numbers: Collection[int]) -> dict[int, list[Row]]:
        """The rows of a statement, by the receipt that they belong to."""
        found: dict[int, list[Row]] = {number: [] for number in numbers}
        for row in self.db.all(f"injections.{statement}", ids=_json(numbers)):
            found[row.pop("injection_id")].append(row)
        return found

    def add(self, receipt: Row, memory_ids: Iterable[int], exchanges: Iterable[str] = ()) -> int:
        """Keep a receipt that was written elsewhere; its number here."""
        with self.db.transaction():
            row = self.db.one("hooks.receipt", **receipt)
            assert row is not None
            number = int(row["injection_id"])
            self.db.many("hooks.receipt_memory", ((number, memory_id) for memory_id in memory_ids))
            self.db.many("hooks.receipt_exchange", ((number, uuid) for uuid in exchanges))
        return number

    def latencies(self, project_id: str | None, limit: int) -> list[Row]: ...
    def list_given(self, session_id: str) -> list[int]: ...
    def acknowledge(self, session_id: str, memory_ids: Collection[int], at: str) -> None: ...
    def reference(self, session_id: str, memory_ids: Collection[int], at: str) -> None: ...
    def reference_exchanges(self, session_id: str, beginnings: Collection[str], at: str) -> None: ...

    def effect(self, memory_id: int) -> Row:
        """How often a memory was injected, acknowledged and cited."""
        nothing = {"memory_id": memory_id, "injected": 0, "acknowledged": 0, "referenced": 0}
        return self.db.one("injections.effect", memory_id=memory_id) or nothing

    def of_session(self, session_id: str) -> list[Row]: ...
    def forget(self, memory_id: int) -> None: ...


def _json(ids: Collection[int] | Collection[str]) -> str:
    return msgspec.json.encode(list(ids)).decode()
