"""What a hub keeps that it cannot read, and what a device remembers of its rounds with a hub."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from nous.errors import BadEvent, Forked
from nous.kernel.db.store import Store
from nous.kernel.log.events import GENESIS
from nous.kernel.sharing import SealedEvent


class Round(NamedTuple):
    """Up to which event a hub was offered everything, under which choice, and which erasures it was told of."""

    last_event: int = 0
    choice: str = ""
    swept: str = ""


class SealedEvents(Store, group="hub"):
    """Events of people's own devices, each owner's apart, in chains that are checked link by link."""

    def get_reached(self, owner: str) -> dict[str, int]: ...
    def hashes(self, owner: str) -> dict[str, str]: ...

    def keep(self, owner: str, events: Sequence[SealedEvent]) -> int:
        """Keep events in the order of their chains; how many were new. Nothing that is kept is ever overwritten."""
        with self.db.transaction():
            return sum(
                self._keep(owner, event) for event in sorted(events, key=lambda one: (one.device, one.device_seq))
            )

    def _keep(self, owner: str, event: SealedEvent) -> bool:
        known = self._hash(owner, event.device, event.device_seq)
        if known is not None:
            if known != event.event_hash:
                raise Forked(f"two databases write as device {event.device[:8]}: one is a copy of the other")
            return False
        before = self._hash(owner, event.device, event.device_seq - 1) if event.device_seq > 1 else GENESIS
        if before is None:
            raise BadEvent(f"event {event.device_seq - 1} of device {event.device[:8]} has to come first")
        if before != event.prev_hash:
            raise Forked(f"event {event.device_seq} of device {event.device[:8]} does not follow on the one before it")
        row = structs.asdict(event) | {"is_erased": int(event.is_erased)}
        return self.db.run("hub.keep", owner=owner, **row) > 0

    def _hash(self, owner: str, device: str, seq: int) -> str | None: ...

    def erase(self, owner: str, events: Sequence[SealedEvent]) -> int:
        """Put a sealed text without words in the place of one with them, for good; how many."""
        with self.db.transaction():
            return sum(
                self.db.run(
                    "hub.erase",
                    owner=owner,
                    device=event.device,
                    device_seq=event.device_seq,
                    event_hash=event.event_hash,
                    sealed=event.sealed,
                )
                for event in events
                if event.is_erased
            )

    def after(self, owner: str, known: Mapping[str, int], limit: int) -> Iterator[SealedEvent]:
        """What somebody who knows devices this far does not know, device by device, at most so many."""
        for device in sorted(self.get_reached(owner)):
            place = {"owner": owner, "device": device, "after": known.get(device, 0)}
            for row in self.db.each("hub.after", **place, limit=limit):
                limit -= 1
                names = ("device", "device_seq", "event_uuid", "transaction_time", "prev_hash", "event_hash")
                yield SealedEvent(**dict(zip(names, row, strict=False)), is_erased=bool(row[6]), sealed=row[7])
            if limit <= 0:
                return

    # on a device
    def round(self, hub: str) -> Round:
        """What is remembered of the last round with a hub."""
        row = self.db.one("hub.round", hub=hub)
        return Round(**row) if row else Round()

    def end_round(self, hub: str, done: Round) -> None: ...
