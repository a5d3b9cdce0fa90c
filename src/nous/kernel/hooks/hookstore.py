"""What hooks read and write in the database. Standard library only, and no import of a store: this is the hook path.

Its SQL stands in `kernel/hooks/hooks.sql`. The daemon and a process without a daemon use it alike, each with its own
driver.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Protocol

SQL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hooks.sql")
_read: dict[str, str] = {}


class Connection(Protocol):
    """What both SQLite drivers offer."""

    def execute(self, sql: str, bindings: dict[str, Any] = ..., /) -> Any: ...


def statements() -> dict[str, str]:
    """The named statements of `hooks.sql`, read once per process."""
    if not _read:
        with open(SQL, encoding="utf-8") as file:
            pieces = file.read().split("-- name: ")[1:]
        for name, _, body in (piece.partition("\n") for piece in pieces):
            _read[name.split()[0]] = body.strip().rstrip(";")
    return _read


class HookStore:
    """Packets that wait, what a context was given, and receipts; over a connection that somebody else opened."""

    def __init__(self, connection: Connection):
        self.connection = connection

    def packet(self, key: str) -> tuple[str, str] | None:
        """What waits under a key: the key and its JSON."""
        row = self._one("packet", key=key)
        return (row[0], row[1]) if row else None

    def out_of_use(self, memory_ids: Iterable[int]) -> set[int]:
        """Of some memories those that were forgotten, replaced, disputed or erased since their packet was made."""
        asked = set(memory_ids)
        if not asked or self._one("has_log") is None:
            return set()
        numbers = ",".join(str(int(number)) for number in asked)
        rows = self.connection.execute(statements()["in_use"], {"ids": f"[{numbers}]"})
        return asked - {row[0] for row in rows.fetchall()}

    def seen(self, context: str) -> set[int]:
        """The memories that a context holds; a compaction empties it."""
        rows = self.connection.execute(statements()["seen"], {"context": context})
        return {row[0] for row in rows.fetchall()}

    def told(self, context: str) -> set[str]:
        """The earlier exchanges that a context was told of, each by the record that it begins with."""
        rows = self.connection.execute(statements()["told"], {"context": context})
        return {row[0] for row in rows.fetchall()}

    def known_then(self, moment: str) -> int:
        """The last event that was known at a moment."""
        return int(self._one("known_then", moment=moment)[0])

    def last_injected_at(self, context: str) -> str:
        """When a context was last told anything; empty when it never was."""
        return str(self._one("last_injected_at", context=context)[0] or "")

    def was_prompted(self, context: str) -> bool:
        """Whether a prompt of this context was answered before."""
        return self._one("was_prompted", context=context) is not None

    def was_said(self, context: str, key: str) -> bool:
        """Whether a context was told what waits under a key, since it was last summarised."""
        return self._one("was_said", context=context, key=key) is not None

    def keep_receipt(
        self,
        memory_ids: Iterable[int],
        exchanges: Iterable[str] = (),
        **said: Any,
    ) -> None:
        """Note what was said to whom. A store that cannot be written now must not cost the answer."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            [number] = self._one("receipt", **said)
            for memory_id in memory_ids:
                row = {"injection_id": number, "memory_id": memory_id}
                self.connection.execute(statements()["receipt_memory"], row)
            for uuid in exchanges:
                self.connection.execute(statements()["receipt_exchange"], {"injection_id": number, "uuid": uuid})
            self.connection.execute("COMMIT")
        except Exception:
            self._roll_back()

    def _one(self, name: str, **values: Any) -> Any:
        return self.connection.execute(statements()[name], values).fetchone()

    def _roll_back(self) -> None:
        try:
            self.connection.execute("ROLLBACK")
        except Exception:
            return
