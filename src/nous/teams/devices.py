"""What other devices wrote becomes part of what is believed here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from msgspec.structs import replace

from nous.kernel.log.device_events import Absorbed, ArrivalCheck
from nous.kernel.log.wire import WireEvent
from nous.kernel.memory.projection import catch_up, replay
from nous.kernel.stores import Stores
from nous.teams.arrival import KNOWN, OWN, Scene, Sender, check_arrival

ForgetWords = Callable[[Stores, Sequence[int]], None]  # takes what memories say out of what sessions said here


def absorb(
    stores: Stores,
    events: Iterable[WireEvent],
    now: str,
    sender: Sender = OWN,
    forget_words: ForgetWords = lambda stores, memory_ids: None,
) -> Absorbed:
    """Take in events of other devices and bring the read models up to date, all or nothing.

    Each is checked whole, with the rights of whoever sends it; what does not count is held, and what follows goes on.
    What another device erased is erased here too: its words leave the log and everything made from it, and where it is
    one's own device, what was said here as well. Free pages and copies follow when `nous admin purge --finish` wipes
    them; until then `nous admin verify` says so.
    """
    with stores.db.transaction():
        catch_up(stores, now)
        came = [replace(event, standing=sender.standing(event)) for event in events]
        if sender.kind == "own":
            erased = {event.stream_id for event in came if event.event_type == "LearningErased"}
            known = stores.memories.by_learning(erased).values() if erased else ()
            forget_words(stores, [memory.id for memory in known if memory.status != "erased"])
        found = stores.devices.absorb(came, now, partial(_checking, stores, sender), sender.stamp())
        (replay if found.is_vouched else catch_up)(stores, now)
        if found.erased:
            for memory in stores.memories.by_learning(found.erased).values():
                stores.forget(memory.id)
            stores.cache.clear()
            stores.erasures.begin(stores.events.last_id(), now)
    return found


def _checking(stores: Stores, sender: Sender, events: Sequence[WireEvent]) -> ArrivalCheck:
    scene = Scene.of(stores, sender, events)
    return lambda event: check_arrival(event, sender, scene)


def release(stores: Stores, sender: Sender, now: str) -> int:
    """Take in what was kept for later and counts now, since Nous was updated or more is shared; how many.

    What came from a team is judged as what comes from its hub is, the rest as one's own.
    """
    with stores.db.transaction():
        due = stores.devices.list_kept({KNOWN, sender.stamp()})
        mine = [event for event in due if bool(event.standing) != (sender.kind == "own")]
        if not mine:
            return 0
        check = _checking(stores, sender, mine)
        decided = [(event, check(event)) for event in mine]
        taken = stores.devices.reconsider(decided, now, sender.stamp())
        catch_up(stores, now)
    return len(taken)
