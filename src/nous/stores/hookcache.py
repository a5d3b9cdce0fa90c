"""What hooks read and write when the memory is on a server: a local file, so that no session ever waits for a network.

It has the schema of any SQLite memory and none of its memories: packets come down from the server, receipts
of what was said go up. What a hook finds there is as new as the last time this device learned something.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from nous.paths import HOOKS
from nous.stores.copies import wipe
from nous.stores.events import Events
from nous.stores.sqlite import Sqlite

if TYPE_CHECKING:
    from nous.stores import Stores

COPIED = ("experiments",)
AT_ONCE = 500


class HookCache:
    """The file beside a server. Use it from one thread at a time."""

    def __init__(self, data_dir: str):
        self.db = Sqlite(os.path.join(data_dir, HOOKS))

    def refresh(self, stores: Stores, now: str) -> int:
        """Bring receipts up, and what is waiting down; how many packets were new."""
        self.carry(stores, now)
        here = {key: mark for key, *mark in self.db.each("hookcache.packets")}
        there = {key: mark for key, *mark in stores.db.each("hookcache.packets")}
        changed = [key for key, mark in there.items() if here.get(key) != mark]
        with self.db.transaction():
            for key in here.keys() - there.keys():
                self.db.run("cache.drop", context_key=key)
            for start in range(0, len(changed), AT_ONCE):
                asked = msgspec.json.encode(changed[start : start + AT_ONCE]).decode()
                for row in stores.db.all("hookcache.whole_packets", keys=asked):
                    self.db.run("cache.put", **row)
            for table in COPIED:
                self.db.replace_rows(table, *stores.db.table_rows(table))
        return len(changed)

    def carry(self, stores: Stores, now: str) -> int:
        """Give the server the receipts that it does not have; how many. A crash in between repeats none."""
        step = f"receipts of {Events(self.db).own_device()}"
        done = stores.outcomes.step(step) or {"last_event_id": 0, "finished_at": ""}
        rows = self.db.all("hookcache.receipts", after=done["last_event_id"], limit=AT_ONCE)
        parts = self.db.all("hookcache.parts", since=done["finished_at"])
        if not rows and not parts:
            return 0
        with stores.db.transaction():
            for row in rows:
                self._give(stores, row.pop("injection_id"), row)
            for part in parts:
                stores.db.run("hooks.take_part", **part)
            last = max((row["last"] for row in rows), default=done["last_event_id"])
            stores.outcomes.set_step(step, last, now, f"{len(rows)} receipts")
        return len(rows)

    def _give(self, stores: Stores, here: int, receipt: dict[str, object]) -> None:
        memories = [number for (number,) in self.db.each("hookcache.memories", injection_id=here)]
        exchanges = [uuid for (uuid,) in self.db.each("hookcache.exchanges", injection_id=here)]
        stores.injections.add(receipt, memories, exchanges)
        receipt["last"] = here

    def wipe(self) -> None:
        """Leave nothing in the file of what was taken out of it."""
        wipe(self.db)

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()
