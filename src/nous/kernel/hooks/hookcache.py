"""What hooks read and write when the memory is on a server: a local file, so that no session ever waits for a network.

It has the schema of any SQLite memory and none of its memories: packets come down from the server, receipts
of what was said go up. What a hook finds there is as new as the last time this device learned something.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from nous.kernel.db.file_copies import wipe
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.hooks.packing import Entry
from nous.kernel.log.event_store import Events
from nous.paths import HOOKS

if TYPE_CHECKING:
    from nous.kernel.db.database import Database
    from nous.kernel.learn.injections import Injections
    from nous.kernel.stores import Stores

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
        return len(changed)

    def retire(self, db: Database) -> int:
        """Drop packets with a memory that no longer holds on the server, before they are made anew; how many."""
        packets = {key: _ids(raw) for key, raw in self.db.each("hookcache.contents")}
        told = {number for ids in packets.values() for number in ids}
        if not told:
            return 0
        asked = msgspec.json.encode(sorted(told)).decode()
        gone = told - {number for (number,) in db.each("hookcache.in_use", ids=asked)}
        stale = [key for key, ids in packets.items() if not gone.isdisjoint(ids)]
        for key in stale:
            self.db.run("cache.drop", context_key=key)
        return len(stale)

    def carry(self, stores: Stores, now: str) -> int:
        """Give the server the receipts that it does not have; how many. A crash in between repeats none."""
        step = f"receipts of {Events(self.db).own_device()}"
        done = stores.outcomes.step(step) or {"last_event_id": 0}
        rows = self.db.all("hookcache.receipts", after=done["last_event_id"], limit=AT_ONCE)
        if not rows:
            return 0
        with stores.db.transaction():
            for row in rows:
                self._give(stores.injections, row.pop("injection_id"), row)
            stores.outcomes.set_step(step, rows[-1]["last"], now, f"{len(rows)} receipts")
        return len(rows)

    def _give(self, injections: Injections, here: int, receipt: dict[str, object]) -> None:
        memories = [number for (number,) in self.db.each("hookcache.memories", injection_id=here)]
        exchanges = [uuid for (uuid,) in self.db.each("hookcache.exchanges", injection_id=here)]
        injections.add(receipt, memories, exchanges)
        receipt["last"] = here

    def wipe(self) -> None:
        """Leave nothing in the file of what was taken out of it."""
        wipe(self.db)

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()


def _ids(packet_json: str) -> set[int]:
    """The memories that a packet tells of."""
    entries = _entries(msgspec.json.decode(packet_json))
    return {number for entry in entries for number in (entry.id, *entry.beside)}


def _entries(plain: Any) -> Iterator[Entry]:
    """The entries of a packet, which stand in it by themselves or behind how rare their words are."""
    if isinstance(plain, list) and len(plain) > 6 and isinstance(plain[0], int):
        yield Entry(*plain)
    elif isinstance(plain, list):
        for inner in plain:
            yield from _entries(inner)
