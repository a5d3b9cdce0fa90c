"""Events of other devices: what goes out to them, and what comes in.

What one device wrote is taken in its own order, each event chained to the one before it; what comes too early waits.
Devices may come in any order, and anything may come twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from nous.errors import BadEvent, Forbidden, Forked
from nous.kernel.db.database import Database
from nous.kernel.log.event_store import Device, Events, new_uuid
from nous.kernel.log.events import ERASURES, GENESIS, TOMBSTONE_JSON, TeamStanding, is_global_id, payload_hash
from nous.kernel.log.evolve import DEVICE
from nous.kernel.log.wire import WITHHELD_JSON, Hold, WireEvent, check_carried, decode, encode, rechain_event
from nous.kernel.sharing import SETTLING
from nous.moments import later

RANKS: dict[TeamStanding, int] = {"": 1, "member": 2, "steward": 3}  # in the column `absorbed`; 0 was written here
HERE = "here"  # in the place of a hub: chains of what was written on this one itself
AT_ONCE = 2000  # events that are chained together
AHEAD = 600.0  # seconds: an event from further in the future waits, so that no device's wrong clock becomes everybody's
# What waits or is held beyond these is left with whoever sends it, and comes again.
WAITING, WAITING_BYTES, WAITING_OF_ONE = 10_000, 32_000_000, 2_000
HELD, HELD_BYTES, HELD_OF_ONE = 20_000, 64_000_000, 5_000

ArrivalCheck = Callable[[WireEvent], Hold | None]
CheckMaker = Callable[[Sequence[WireEvent]], ArrivalCheck]  # made once for all that came and all that waited


class Absorbed(NamedTuple):
    """What came in: the numbers it has here, what was known already, what waits, and streams whose words must go;
    how many are kept for later, and why others were refused. `is_vouched`: one's own device wrote what a team told of
    before, and counts for more now."""

    events: list[int]
    known: int
    waiting: int
    erased: list[str]
    kept: int = 0
    refused: tuple[str, ...] = ()
    is_vouched: bool = False


class HeldReason(NamedTuple):
    """Why events of a device are held, how many, and when the last one came."""

    kind: str
    reason: str
    device: str
    author: str | None
    events: int
    last_at: str


class ArrivalSize(NamedTuple):
    """What of other devices' events does not count yet, or never: how many wait, are kept for later, were refused."""

    waiting: int
    waiting_bytes: int
    later: int
    refused: int
    held_bytes: int

    @property
    def is_full(self) -> bool:
        """Whether more is left with whoever sends it."""
        is_waiting_full = self.waiting >= WAITING or self.waiting_bytes >= WAITING_BYTES
        return is_waiting_full or self.later + self.refused >= HELD or self.held_bytes >= HELD_BYTES


class Devices:
    """The border between this log and those of other devices."""

    def __init__(self, db: Database, events: Events):
        self.db = db
        self.events = events

    # out
    def read_positions(self) -> dict[str, int]:
        """How far this log knows each device; sent to another, it says what is missing here."""
        return {device.id: device.last_seq for device in self.events.devices() if device.last_seq}

    def list_written(
        self, known: Mapping[str, int] | None = None, only: Collection[str] | None = None
    ) -> Iterator[WireEvent]:
        """Everything that somebody who knows devices this far does not know, device by device, in order.

        The chains that are made here for a hub say nothing new, and go only to whoever asks for them.
        """
        made = {name for _, name in self.db.each("events.publishing", hub=None)}
        for device in self.events.devices():
            if device.id not in only if only is not None else device.id in made:
                continue
            after = (known or {}).get(device.id, 0)
            if device.last_seq <= after:
                continue
            few = device.last_seq - after <= AT_ONCE
            rows = self.db.each("events.written", number=device.number, after=after, few=few)
            taken = (WireEvent(*row[:-1]) for row in self.events.cold.warm(rows, number=-1, payload=16))
            held = self._held_of(device, after)
            yield from merge(taken, held, key=lambda event: event.device_seq) if held else taken

    def hashes(self) -> dict[str, str]:
        """The hash of the last event that is known of each device."""
        return {device.id: device.last_hash for device in self.events.devices() if device.last_seq}

    def only_one(self, names: Collection[str], reached: Mapping[str, int], hashes: Mapping[str, str]) -> None:
        """Refuse when somebody else knows another event under a number that one of these chains has here: two
        databases write as one device, and the second would wait for ever to be heard."""
        for device in self.events.devices():
            seq = reached.get(device.id, 0)
            if device.id in names and 0 < seq <= device.last_seq and device.id in hashes:
                row = self.db.one("events.hash_of", device=device.number, device_seq=seq)
                if row and row["event_hash"] != hashes[device.id]:
                    raise _describe_fork(device.id)

    # in
    def absorb(self, carried: Iterable[WireEvent], now: str, checking: CheckMaker, stamp: str) -> Absorbed:
        """Take in events of other devices, in whatever order they come, and hold those that are refused.

        Two histories under the name of one device are refused: a database was copied, and both went on writing.
        """
        with self.db.transaction():
            devices = {device.id: device for device in self.events.devices()}
            fresh, known = self._fresh(list(carried), devices)
            sorted_out = self._sort(fresh, devices, later(now, AHEAD), checking(fresh))
            own = next(device for device in reversed(devices.values()) if device.is_own)
            if own.id in sorted_out.reached:
                self.renew(now)  # this database was put back to an earlier state: what it wrote since is another's now
            ready, held = sorted_out.ready, sorted_out.held
            taken = self._take(ready, devices, now)
            self._hold(held, now, stamp)
            self._reach(sorted_out.reached, now)
            waiting = self._wait(sorted_out.waiting, now)
        kept = sum(why.kind == "later" for _, why in held)
        refused = tuple(_why(event, why) for event, why in held if why.kind == "refused")
        return Absorbed(taken.numbers, known, waiting, taken.erased, kept, refused, taken.is_vouched)

    def drop_waiting(self) -> None:
        """Let go of what waits: it comes again, and says nothing meanwhile of what was erased."""
        self.db.run("events.drop_waiting")

    def _fresh(self, carried: list[WireEvent], devices: dict[str, Device]) -> tuple[list[WireEvent], int]:
        """What is new, with what waited before of the same devices; and how much was known.

        What waits stops nobody: where something else comes in its place, or it no longer fits, it goes.
        """
        found: dict[tuple[str, int], WireEvent] = {}
        known = 0
        for event in carried:
            device = devices.get(event.device)
            if device and event.device_seq <= device.last_seq:
                self._agree(event, device)
                known += 1
                continue
            check_carried(event)
            other = found.setdefault((event.device, event.device_seq), event)
            if other.event_hash != event.event_hash:
                raise _describe_fork(event.device)
        return [*found.values(), *self._take_waiting({event.device for event in carried}, found)], known

    def _take_waiting(self, names: set[str], found: Mapping[tuple[str, int], WireEvent]) -> list[WireEvent]:
        """What waited of some devices, or of all when none is named, and is not among what came now."""
        asked = _json(sorted(names)) if names else None
        waited = []
        for device, seq, raw in list(self.db.each("events.waiting", devices=asked)):
            event = _read_waiting(raw) if (device, seq) not in found else None
            if event is None:
                self.db.run("events.drop_waiting_at", device=device, device_seq=seq)
            else:
                waited.append(event)
        return waited

    def _agree(self, event: WireEvent, device: Device) -> None:
        row = self.db.one("events.hash_of", device=device.number, device_seq=event.device_seq)
        if row and row["event_hash"] != event.event_hash:
            raise _describe_fork(event.device)

    def _sort(
        self, fresh: Sequence[WireEvent], devices: dict[str, Device], horizon: str, check: ArrivalCheck
    ) -> SortedOut:
        """What follows on what is here, in the order of all events; what is held; and what has to wait."""
        ready: list[WireEvent] = []
        held: list[tuple[WireEvent, Hold]] = []
        waiting: list[WireEvent] = []
        room = HeldRoom(self.db.each("events.held_size"), devices)
        reached: dict[str, Device] = {}
        known = self._contents(fresh)
        for event in sorted(fresh, key=lambda event: (event.device, event.device_seq)):
            at = reached.get(event.device) or devices.get(event.device) or Device(0, event.device, 0, 0, GENESIS, "")
            why = check(event)
            if why is None and known.setdefault(event.event_uuid, _content(event)) != _content(event):
                why = Hold("refused", "another event has its id")
            if why is None and event.transaction_time < at.last_time and event.device_seq == at.last_seq + 1:
                why = Hold("refused", "the time of its device falls")
            is_ahead = why is None and event.transaction_time > horizon
            if event.device_seq != at.last_seq + 1 or is_ahead:
                waiting.append(event)
                continue
            if event.prev_hash != at.last_hash:
                self._drop_or_raise(event)
                continue
            if why is not None and not room.takes(event, why):
                continue  # what follows waits, and everything comes again when there is room
            if why is None:
                ready.append(event)
            else:
                held.append((event, why))
            moment = at.last_time if why else event.transaction_time
            reached[event.device] = at._replace(last_seq=event.device_seq, last_hash=event.event_hash, last_time=moment)
        ready.sort(key=lambda one: (one.transaction_time, one.device, one.device_seq))
        return SortedOut(ready, held, waiting, reached)

    def _contents(self, events: Sequence[WireEvent]) -> dict[str, tuple[str, ...]]:
        """What those of some events are that are here already, by their global ids."""
        uuids = {event.event_uuid for event in events if is_global_id(event.event_uuid)}
        rows = self.db.each("events.contents", uuids=_json(sorted(uuids)))
        return {uuid: tuple(said) for uuid, *said in rows}

    def _drop_or_raise(self, event: WireEvent) -> None:
        """Let go of an event that waited and follows on nothing; refuse one that came now."""
        if not self.db.run("events.drop_waiting_at", device=event.device, device_seq=event.device_seq):
            raise _describe_fork(event.device)

    def _wait(self, waiting: Sequence[WireEvent], now: str) -> int:
        """Let events wait for what they follow, as many as there is room for; how many do."""
        row = self.db.one("events.waiting_size") or {}
        events, size = int(row["events"]), int(row["bytes"])
        mine: dict[str, int] = {}
        for event in waiting:
            raw = encode(event).decode()
            mine[event.device] = mine.get(event.device, 0) + 1
            if events < WAITING and size + len(raw) < WAITING_BYTES and mine[event.device] <= WAITING_OF_ONE:
                place = {"device": event.device, "device_seq": event.device_seq, "arrived_at": now}
                new = self.db.run("events.wait", **place, event_json=raw)
                events, size = events + new, size + len(raw) * new
        return len(waiting)

    def _reach(self, reached: Mapping[str, Device], now: str) -> None:
        """Note how far chains have come, with what is held of them."""
        devices = {device.id: device for device in self.events.devices()}
        for name, device in reached.items():
            self._note_reached(device._replace(number=self._device(name, devices, now)))
            self.db.run("events.stop_waiting", device=name, device_seq=device.last_seq)

    # what is held
    def _hold(self, held: Sequence[tuple[WireEvent, Hold]], now: str, stamp: str) -> None:
        """Keep the places of events that do not count; what was refused or erased loses its words."""
        if not held:
            return
        devices = {device.id: device for device in self.events.devices()}
        gone = self._find_erased({event.stream_id for event, why in held if why.kind == "later"})
        for event, why in held:
            number = self._device(event.device, devices, now)
            devices.setdefault(event.device, Device(number, event.device, 0, 0, GENESIS, ""))
            if (event.stream, event.stream_id) in gone:
                why = Hold("refused", "what it is about was erased")
            self._put_held(number, event, why, now, stamp)
            if why.kind == "later":
                self.db.many("events.note_project", [(number, event.project_id)])

    def _put_held(self, number: int, event: WireEvent, why: Hold, now: str, stamp: str) -> None:
        is_kept = why.kind == "later"
        event = event if is_kept else replace(event, payload_json=WITHHELD_JSON)
        self.db.run(
            "events.hold",
            device=number,
            device_seq=event.device_seq,
            event_hash=event.event_hash,
            stream_id=event.stream_id if is_kept else "",
            kind=why.kind,
            reason=why.reason,
            event_json=encode(event).decode(),
            stamp=stamp,
            arrived_at=now,
        )

    def _held_of(self, device: Device, after: int) -> list[WireEvent]:
        return [decode(raw) for (raw,) in self.db.each("events.held_of", device=device.number, after=after)]

    def list_kept(self, stamps: Collection[str]) -> list[WireEvent]:
        """What is kept for later and was not looked at under one of these stamps."""
        return [decode(raw) for _, raw in self.db.each("events.held_later", stamps=_json(sorted(stamps)))]

    def reconsider(self, decided: Sequence[tuple[WireEvent, Hold | None]], now: str, stamp: str) -> list[int]:
        """Take in what was kept and counts now, and note what was decided about the rest; the numbers it has here."""
        with self.db.transaction():
            devices = {device.id: device for device in self.events.devices()}
            ready = [event for event, why in decided if why is None]
            numbers = self._take(ready, devices, now).numbers
            for event, why in decided:
                if why is not None:
                    self._put_held(devices[event.device].number, event, why, now, stamp)
                else:
                    place = {"device": devices[event.device].number, "device_seq": event.device_seq}
                    self.db.run("events.drop_held", **place)
        return numbers

    def withhold(self, streams: Collection[str], words: Collection[str] = (), now: str = "") -> None:
        """Let go of the words of what is kept for later: of some streams, and wherever some words stand."""
        sought = [word.casefold() for word in words]
        asked = None if sought else _json(sorted(streams))
        for number, raw in list(self.db.each("events.held_words", streams=asked)):
            event = decode(raw)
            said = event.payload_json.casefold() if sought else ""
            if event.stream_id in streams or any(word in said for word in sought):
                self._put_held(number, event, Hold("refused", "what it is about was erased"), now, "")

    def arrivals(self) -> ArrivalSize:
        """How much of what came does not count."""
        waiting = self.db.one("events.waiting_size") or {}
        sizes: dict[str, int] = {}
        total = 0
        for _, kind, events, size in self.db.each("events.held_size"):
            sizes[kind] = sizes.get(kind, 0) + events
            total += size
        return ArrivalSize(
            int(waiting["events"]), int(waiting["bytes"]), sizes.get("later", 0), sizes.get("refused", 0), total
        )

    def held_reasons(self) -> list[HeldReason]:
        """Why events are held, the latest five."""
        return [HeldReason(*row) for row in self.db.each("events.held_reasons", limit=5)]

    def places(self, streams: Iterable[str]) -> list[tuple[str, str, str]]:
        """The projects of memories, names and other streams, and what each of them is."""
        rows = self.db.each("events.places", ids=_json(sorted(set(streams))))
        return [(stream, project, kind) for stream, project, kind in rows]

    def _take(self, ready: Sequence[WireEvent], devices: dict[str, Device], now: str) -> TakenIn:
        """Write events into the log, or their second places where they are here already."""
        if not ready:
            return TakenIn([], [], False)
        number, arrived = self.events.head()
        arrived = max(now, arrived)
        here = dict(self.db.each("events.numbers", uuids=_json([event.event_uuid for event in ready])))
        gone, erased = self._erase(ready)
        rows, linked = [], []
        for event in ready:
            if event.event_uuid in here:
                linked.append(event)
                continue
            number += 1
            here[event.event_uuid] = number
            rows.append((event, number))
        causes = self._causes(event.parent_uuid for event, _ in rows) | here
        names = {name: self._device(name, devices, now) for name in sorted({event.device for event in ready})}
        self.db.many(
            "events.append",
            (_to_row(event, at, names[event.device], causes, arrived, gone) for event, at in rows),
        )
        self.db.many("events.link", (_to_link(event, names[event.device]) for event in linked))
        own = [event for event in linked if not event.standing]
        vouched = [event for event in own if self.db.run("events.vouch", event_uuid=event.event_uuid)]
        homes = self.homes(event.stream_id for event in ready)
        told = {(names[event.device], homes.get(event.stream_id, event.project_id)) for event in ready}
        self.db.many("events.note_project", sorted(told))
        self.db.run("events.find_causes", uuids=_json([event.event_uuid for event, _ in rows]))
        return TakenIn([at for _, at in rows], erased, any(map(_hangs_on_standing, vouched)))

    def _erase(self, ready: Sequence[WireEvent]) -> tuple[set[StreamKey], list[str]]:
        """The streams among these that were erased, here or there; and those of them that had words here until now."""
        gone = self._find_erased({event.stream_id for event in ready})
        gone |= {(event.stream, event.stream_id) for event in ready if event.event_type in ERASURES}
        names = {name for _, name in gone}
        if names:
            self.withhold(names)
        rows = self.db.each("events.with_payload", ids=_json(sorted(names)), tombstone=TOMBSTONE_JSON)
        found = [(number, name) for number, kind, name in rows if (kind, name) in gone]
        self.events.erase(number for number, _ in found)
        return gone, sorted({name for _, name in found})

    def _find_erased(self, streams: Collection[str]) -> set[StreamKey]:
        """Those of some streams that were erased, each with what it is."""
        if not streams:
            return set()
        return {(kind, name) for kind, name in self.db.each("events.erased_streams", ids=_json(sorted(streams)))}

    def _causes(self, uuids: Iterable[str | None]) -> dict[str, int]:
        return dict(self.db.each("events.numbers", uuids=_json(sorted({uuid for uuid in uuids if uuid}))))

    def _device(self, name: str, devices: dict[str, Device], now: str) -> int:
        if name in devices:
            return devices[name].number
        return self._add_device(name, False, now)

    def _add_device(self, name: str, is_own: bool, now: str) -> int:
        row = self.db.one("events.add_device", device=name, is_own=int(is_own), last_hash=GENESIS, made_at=now)
        assert row is not None
        return int(row["number"])

    def homes(self, streams: Iterable[str]) -> dict[str, str]:
        """The projects of memories, by their global ids."""
        return dict(self.db.each("events.homes", ids=_json(sorted(set(streams)))))

    # whose a chain is, and who may have it
    def only_of(self, author: str, names: Collection[str]) -> None:
        """Refuse chains that are somebody else's, and those that begin as a device of somebody else's does."""
        beginnings = {name[:DEVICE] for name in names}
        for name, known in self.db.each("events.named_alike", beginnings=_json(sorted(beginnings))):
            if author != known:
                raise Forbidden(f"the chain {name[:8]} is {known}'s", hint=f"ask for a token of the name {known}")

    def name_authors(self, authors: Mapping[str, str]) -> None:
        """Note whose chains are."""
        for name, author in authors.items():
            self.db.run("events.name_author", device=name, author=author)

    def authors(self, names: Collection[str]) -> dict[str, str]:
        """Whose chains are, as far as that is known."""
        return {name: author for name, author in self.db.each("events.authors", devices=_json(sorted(names))) if author}

    def written_by(self, learning_ids: Iterable[str]) -> dict[str, str]:
        """Who told of memories that came through a hub, by their global ids."""
        return dict(self.db.each("events.written_by", ids=_json(sorted(learning_ids))))

    def select_given(self, seen: Collection[str] | None, known: Collection[str]) -> set[str]:
        """The chains that somebody gets: those that tell of nothing but projects that they see. What was written here
        itself is of all projects; for who sees some of them it is chained anew."""
        made = {name for _, name in self.db.each("events.publishing", hub=None)}
        if seen is None:
            return {*known} - made
        inside = {name for (name,) in self.db.each("events.chains_inside", projects=_json(sorted(seen)))}
        return inside - made | inside & {*self.publishing(HERE)}

    # what is shared with a team
    def list_unpublished(self, hub: str) -> Iterator[list[WireEvent]]:
        """What was written here and stands in no chain for a hub yet, without its words, some at a time: a backlog may
        be larger than memory."""
        after = 0
        while rows := list(
            self.db.each("events.unpublished", hub=hub, after=after, tombstone=TOMBSTONE_JSON, limit=AT_ONCE)
        ):
            after = rows[-1][-1]
            yield [WireEvent(*row[:-1]) for row in rows]

    def streams_of(self, names: Collection[str], streams: Iterable[str]) -> set[str]:
        """Those of some streams to which something happened that stands in the chain of one of these devices."""
        asked = {"devices": _json(sorted(names)), "streams": _json(sorted(set(streams)))}
        return {stream for (stream,) in self.db.each("events.streams_of", **asked)}

    def publishing(self, hub: str) -> list[str]:
        """The chains that this device makes for a hub."""
        return [name for _, name in self.db.each("events.publishing", hub=hub)]

    def publish(self, hub: str, events: Sequence[WireEvent], now: str) -> int:
        """Chain events for a hub, those of each project or team apart, since not everybody there sees all; how many.

        Time never falls in a chain, so what is shared later than what came after it begins a new one.
        """
        with self.db.transaction():
            homes = self.homes(event.stream_id for event in events)
            apart: dict[str, list[WireEvent]] = {}
            for event in events:
                apart.setdefault(homes.get(event.stream_id, event.project_id), []).append(event)
            for project, group in sorted(apart.items()):
                self._chain(hub, project, group, now)
        return len(events)

    def _chain(self, hub: str, project: str, events: Sequence[WireEvent], now: str) -> None:
        """Chain the events of one project for a hub."""
        with self.db.transaction():
            chain = self._chain_for(hub, project, now)
            for event in sorted(events, key=lambda one: (one.transaction_time, one.device_seq)):
                if event.transaction_time < chain.last_time:
                    self._note_reached(chain)
                    chain = self._chain_for(hub, project, now, after=chain.id)
                moved = rechain_event(event, chain.id, chain.last_seq + 1, chain.last_hash)
                self.db.many("events.link", [_to_link(moved, chain.number)])
                chain = chain._replace(
                    last_seq=moved.device_seq, last_hash=moved.event_hash, last_time=moved.transaction_time
                )
            self._note_reached(chain)
            self.db.many("events.note_project", [(chain.number, project)])

    def take_back(self, hub: str) -> None:
        """Let go of the chains made for a hub: another database had places in them first. They come from the hub
        again, and then go on behind what is there."""
        with self.db.transaction():
            for device in self.events.devices():
                if device.id in self.publishing(hub):
                    self.db.run("events.unlink", device=device.number)
                    self.db.run("events.drop_held", device=device.number, device_seq=None)
                    self._note_reached(device._replace(last_seq=0, last_hash=GENESIS, last_time=""))

    def _note_reached(self, chain: Device) -> None:
        said = {"last_seq": chain.last_seq, "last_hash": chain.last_hash, "last_time": chain.last_time}
        self.db.run("events.device_wrote", number=chain.number, **said)

    def _chain_for(self, hub: str, project: str, now: str, after: str = "") -> Device:
        """The chain to go on with for a project on a hub: the last one, or the next.

        Its name begins as this device's own, so that it sorts as that does among all devices, and goes on with hub and
        project and a count: after a backup was put back it is found again when it comes from the hub.
        """
        known = {device.id: device for device in self.events.devices()}
        begins = self.events.own_device()[:DEVICE] + payload_hash(f"{hub} {project}")[:8]
        numbers = sorted(name for name in known if name.startswith(begins) and name > after)
        name = numbers[-1] if numbers else f"{begins}{int(after[28:] or '0', 16) + 1:04x}"
        if name not in known:
            self._add_device(name, False, now)
        self.db.run("events.publish_as", device=name, hub=hub)
        return next(device for device in self.events.devices() if device.id == name)

    def renew(self, now: str) -> str:
        """Write as a new device from now on, with a chain of its own: what a copy or a restored database has to do."""
        name = new_uuid(now).replace("-", "")
        with self.db.transaction():
            for device in self.events.devices():
                said = {"last_seq": device.last_seq, "last_hash": device.last_hash, "last_time": device.last_time}
                self.db.run("events.disown", number=device.number, **said)
            self._add_device(name, True, now)
        return name


class SortedOut(NamedTuple):
    """What came, sorted out: what counts, what is held and why, what waits, and how far each device has come."""

    ready: list[WireEvent]
    held: list[tuple[WireEvent, Hold]]
    waiting: list[WireEvent]
    reached: dict[str, Device]


class TakenIn(NamedTuple):
    """The numbers of new events, streams whose words must go, and whether known ones count for more now."""

    numbers: list[int]
    erased: list[str]
    is_vouched: bool


class HeldRoom:
    """How much more can be held, of one device and altogether."""

    def __init__(self, sizes: Iterable[Sequence[Any]], devices: Mapping[str, Device]):
        names = {device.number: device.id for device in devices.values()}
        self.events = self.bytes = 0
        self.mine: dict[str, int] = {}
        for number, _, events, size in sizes:
            self.events, self.bytes = self.events + events, self.bytes + size
            self.mine[names.get(number, "")] = self.mine.get(names.get(number, ""), 0) + events

    def takes(self, event: WireEvent, why: Hold) -> bool:
        """Whether there is room for one more; then it is taken."""
        size = 1000 + (len(event.payload_json) if why.kind == "later" else 0)
        mine = self.mine.get(event.device, 0)
        if self.events >= HELD or self.bytes + size > HELD_BYTES or mine >= HELD_OF_ONE:
            return False
        self.events, self.bytes, self.mine[event.device] = self.events + 1, self.bytes + size, mine + 1
        return True


StreamKey = tuple[str, str]  # what happened to: memory, entity, …, and its id


def _hangs_on_standing(event: WireEvent) -> bool:
    """Whether it makes a difference if an event is one's own or a teammate's."""
    if event.event_type == "LearningExtracted":
        return any(mark in event.payload_json for mark in ('"pinned":true', '"scope":"global"', '"scope":"session"'))
    return event.event_type in SETTLING or event.event_type == "EventsUndone"


def _content(event: WireEvent) -> tuple[str, ...]:
    """What an event is, wherever it stands."""
    return event.stream_id, event.event_type, event.transaction_time, event.payload_hash


def _read_waiting(raw: str) -> WireEvent | None:
    """An event that waited; None when it is none."""
    try:
        event: WireEvent = decode(raw)
        check_carried(event)
    except (msgspec.MsgspecError, BadEvent):
        return None
    return event


def _why(event: WireEvent, why: Hold) -> str:
    return f"event {event.device_seq} of device {event.device[:8]}: {why.reason}"


def _describe_fork(device: str) -> Forked:
    return Forked(
        f"two databases write as device {device[:8]}: one is a copy of the other",
        hint="put one of them in place with `nous admin restore-backup`, which gives it a name of its own",
    )


def _to_row(
    event: WireEvent, number: int, device: int, causes: Mapping[str, int], arrived: str, gone: Collection[StreamKey]
) -> tuple[Any, ...]:
    """The row of an event that came from elsewhere; of a stream that was erased, without its words."""
    erase = (event.stream, event.stream_id) in gone and event.event_type not in ERASURES
    first = (number, event.event_uuid, event.stream, event.stream_id, device, event.device_seq, event.event_type)
    times = (event.transaction_time, event.valid_from, event.valid_until, event.vector_clock_json)
    cause = (causes.get(event.parent_uuid) if event.parent_uuid else None, event.parent_uuid)
    last = (event.session_id, event.project_id, event.source, TOMBSTONE_JSON if erase else event.payload_json)
    hashes = (event.payload_hash, event.prev_hash, event.event_hash, event.chain, arrived, RANKS[event.standing])
    return (*first, event.idempotency_key, event.schema_version, *times, *cause, *last, *hashes)


def _to_link(event: WireEvent, device: int) -> tuple[Any, ...]:
    """The place in a chain of an event that is here already."""
    hashes = (event.prev_hash, event.event_hash, event.chain, event.cause_seq)
    return (device, event.device_seq, event.event_uuid, *hashes)


def _json(values: Sequence[str]) -> str:
    return msgspec.json.encode(list(values)).decode()
