"""What other devices wrote becomes part of what is believed here."""

from __future__ import annotations

from collections.abc import Iterable

from nous.core.carried import Carried
from nous.remember.projection import catch_up
from nous.stores import Stores
from nous.stores.devices import Absorbed


def absorb(stores: Stores, events: Iterable[Carried], now: str) -> Absorbed:
    """Take in events of other devices and bring the read models up to date, all or nothing.

    What another device erased is erased here too: its words leave the log and everything made from it. Free pages and
    copies follow when `nous purge --finish` wipes them; until then `nous verify` says so.
    """
    with stores.db.transaction():
        catch_up(stores, now)
        found = stores.devices.absorb(events, now)
        catch_up(stores, now)
        if found.erased:
            for memory in stores.memories.by_learning(found.erased).values():
                stores.forget(memory.id)
            stores.cache.clear()
            stores.erasures.begin(stores.events.last_id(), now)
    return found
