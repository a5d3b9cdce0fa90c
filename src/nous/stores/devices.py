"""Events of other devices: what goes out to them, and what comes in.

What one device wrote is taken in its own order, each event chained to the one before it; what comes too early waits.
Devices may come in any order, and anything may come twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from nous.core.carried import Carried, check_carried, decode, encode, rechained
from nous.core.events import ERASURES, GENESIS, TOMBSTONE_JSON, payload_hash
from nous.core.moments import later
from nous.errors import BadEvent, Forbidden, Forked
from nous.stores.database import Database
from nous.stores.events import Device, Events, new_uuid

HERE = "here"  # in the place of a hub: chains of what was written on this one itself
AT_ONCE = 2000  # events that are chained together
AHEAD = 600.0  # seconds: an event from further in the future waits, so that no device's wrong clock becomes everybody's


class Absorbed(NamedTuple):
    """What came in: the numbers it has here, what was known already, what waits, and streams whose words must go."""

    events: list[int]
    known: int
    waiting: int
    erased: list[str]


class Devices:
    """The border between this log and those of other devices."""

    def __init__(self, db: Database, events: Events):
        self.db = db
        self.events = events

    # out
    def known(self) -> dict[str, int]:
        """How far this log knows each device; sent to another, it says what is missing here."""
        return {device.id: device.last_seq for device in self.events.devices() if device.last_seq}

    def written(self, known: Mapping[str, int] | None = None, only: Collection[str] | None = None) -> Iterator[Carried]:
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
            for row in self.events.cold.warmed(rows, number=-1, payload=16):
                yield Carried(*row[:-1])

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
                    raise _forked(device.id)

    # in
    def absorb(self, carried: Iterable[Carried], now: str) -> Absorbed:
        """Take in events of other devices, in whatever order they come. All that fit are taken, or none.

        Two histories under the name of one device are refused: a database was copied, and both went on writing.
        """
        with self.db.transaction():
            devices = {device.id: device for device in self.events.devices()}
            fresh, known = self._fresh(carried, devices)
            ready, waiting = self._ready(fresh, devices, later(now, AHEAD))
            numbers, erased = self._take(ready, devices, now) if ready else ([], [])
            for event in waiting:
                row = {"device": event.device, "device_seq": event.device_seq, "arrived_at": now}
                self.db.run("events.wait", **row, event_json=encode(event).decode())
        return Absorbed(numbers, known, len(waiting), erased)

    def drop_waiting(self) -> None:
        """Let go of what waits: it comes again, and says nothing meanwhile of what was erased."""
        self.db.run("events.drop_waiting")

    def _fresh(self, carried: Iterable[Carried], devices: dict[str, Device]) -> tuple[list[Carried], int]:
        """What is new, with what waited before; and how much was known."""
        found: dict[tuple[str, int], Carried] = {}
        known = 0
        waited = [decode(raw) for (raw,) in self.db.each("events.waiting")]
        for event in [*carried, *waited]:
            device = devices.get(event.device)
            if device and event.device_seq <= device.last_seq:
                self._agree(event, device)
                known += 1
                continue
            check_carried(event)
            other = found.setdefault((event.device, event.device_seq), event)
            if other.event_hash != event.event_hash:
                raise _forked(event.device)
        return list(found.values()), known

    def _agree(self, event: Carried, device: Device) -> None:
        row = self.db.one("events.hash_of", device=device.number, device_seq=event.device_seq)
        if row and row["event_hash"] != event.event_hash:
            raise _forked(event.device)

    def _ready(
        self, fresh: Sequence[Carried], devices: dict[str, Device], horizon: str
    ) -> tuple[list[Carried], list[Carried]]:
        """What follows on what is here, in the order of all events; and what has to wait."""
        ready: list[Carried] = []
        waiting: list[Carried] = []
        reached = {device.id: (device.last_seq, device.last_hash, device.last_time) for device in devices.values()}
        for event in sorted(fresh, key=lambda event: (event.device, event.device_seq)):
            seq, previous, moment = reached.get(event.device, (0, GENESIS, ""))
            if event.device_seq != seq + 1 or event.transaction_time > horizon:
                waiting.append(event)
                continue
            if event.prev_hash != previous:
                raise _forked(event.device)
            if event.transaction_time < moment:
                raise BadEvent(f"the time of device {event.device[:8]} falls at its event {event.device_seq}")
            reached[event.device] = (event.device_seq, event.event_hash, event.transaction_time)
            ready.append(event)
        return sorted(ready, key=lambda one: (one.transaction_time, one.device, one.device_seq)), waiting

    def _take(self, ready: Sequence[Carried], devices: dict[str, Device], now: str) -> tuple[list[int], list[str]]:
        own = next(device for device in reversed(devices.values()) if device.is_own)
        if any(event.device == own.id for event in ready):
            self.renew(
                now
            )  # this database was put back to an earlier state: what it wrote since is somebody else's now
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
            (_to_row(event, at, names[event.device], causes, arrived, event.stream_id in gone) for event, at in rows),
        )
        self.db.many("events.link", (_to_link(event, names[event.device]) for event in linked))
        homes = self.homes(event.stream_id for event in ready)
        told = {(names[event.device], homes.get(event.stream_id, event.project_id)) for event in ready}
        self.db.many("events.note_project", sorted(told))
        self.db.run("events.find_causes", uuids=_json([event.event_uuid for event, _ in rows]))
        for event in {event.device: event for event in ready}.values():
            said = {"last_seq": event.device_seq, "last_hash": event.event_hash, "last_time": event.transaction_time}
            self.db.run("events.device_wrote", number=names[event.device], **said)
            self.db.run("events.stop_waiting", device=event.device, device_seq=event.device_seq)
        return [at for _, at in rows], erased

    def _erase(self, ready: Sequence[Carried]) -> tuple[set[str], list[str]]:
        """The streams among these that were erased, here or there; and those of them that had words here until now."""
        streams = {event.stream_id for event in ready}
        gone = {stream for (stream,) in self.db.each("events.erased_streams", ids=_json(sorted(streams)))}
        gone |= {event.stream_id for event in ready if event.event_type in ERASURES}
        rows = list(self.db.each("events.with_payload", ids=_json(sorted(gone)), tombstone=TOMBSTONE_JSON))
        self.events.erase(number for number, _ in rows)
        return gone, sorted({stream for _, stream in rows})

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
        """Refuse chains that are somebody else's."""
        for name, known in self.authors(names).items():
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

    def given(self, seen: Collection[str] | None, known: Collection[str]) -> set[str]:
        """The chains that somebody gets: those that tell of nothing but projects that they see. What was written here
        itself is of all projects; for who sees some of them it is chained anew."""
        made = {name for _, name in self.db.each("events.publishing", hub=None)}
        if seen is None:
            return {*known} - made
        inside = {name for (name,) in self.db.each("events.chains_inside", projects=_json(sorted(seen)))}
        return inside - made | inside & {*self.publishing(HERE)}

    # what is shared with a team
    def unpublished(self, hub: str) -> Iterator[list[Carried]]:
        """What was written here and stands in no chain for a hub yet, without its words, some at a time: a backlog may
        be larger than memory."""
        after = 0
        while rows := list(
            self.db.each("events.unpublished", hub=hub, after=after, tombstone=TOMBSTONE_JSON, limit=AT_ONCE)
        ):
            after = rows[-1][-1]
            yield [Carried(*row[:-1]) for row in rows]

    def streams_of(self, names: Collection[str], streams: Iterable[str]) -> set[str]:
        """Those of some streams to which something happened that stands in the chain of one of these devices."""
        asked = {"devices": _json(sorted(names)), "streams": _json(sorted(set(streams)))}
        return {stream for (stream,) in self.db.each("events.streams_of", **asked)}

    def publishing(self, hub: str) -> list[str]:
        """The chains that this device makes for a hub."""
        return [name for _, name in self.db.each("events.publishing", hub=hub)]

    def publish(self, hub: str, events: Sequence[Carried], now: str) -> int:
        """Chain events for a hub, those of each project or team apart, since not everybody there sees all; how many.

        Time never falls in a chain, so what is shared later than what came after it begins a new one.
        """
        with self.db.transaction():
            homes = self.homes(event.stream_id for event in events)
            apart: dict[str, list[Carried]] = {}
            for event in events:
                apart.setdefault(homes.get(event.stream_id, event.project_id), []).append(event)
            for project, group in sorted(apart.items()):
                self._chain(hub, project, group, now)
        return len(events)

    def _chain(self, hub: str, project: str, events: Sequence[Carried], now: str) -> None:
        """Chain the events of one project for a hub."""
        with self.db.transaction():
            chain = self._chain_for(hub, project, now)
            for event in sorted(events, key=lambda one: (one.transaction_time, one.device_seq)):
                if event.transaction_time < chain.last_time:
                    self._reached(chain)
                    chain = self._chain_for(hub, project, now, after=chain.id)
                moved = rechained(event, chain.id, chain.last_seq + 1, chain.last_hash)
                self.db.many("events.link", [_to_link(moved, chain.number)])
                chain = chain._replace(
                    last_seq=moved.device_seq, last_hash=moved.event_hash, last_time=moved.transaction_time
                )
            self._reached(chain)
            self.db.many("events.note_project", [(chain.number, project)])

    def take_back(self, hub: str) -> None:
        """Let go of the chains made for a hub: another database had places in them first. They come from the hub
        again, and then go on behind what is there."""
        with self.db.transaction():
            for device in self.events.devices():
                if device.id in self.publishing(hub):
                    self.db.run("events.unlink", device=device.number)
                    self._reached(device._replace(last_seq=0, last_hash=GENESIS, last_time=""))

    def _reached(self, chain: Device) -> None:
        said = {"last_seq": chain.last_seq, "last_hash": chain.last_hash, "last_time": chain.last_time}
        self.db.run("events.device_wrote", number=chain.number, **said)

    def _chain_for(self, hub: str, project: str, now: str, after: str = "") -> Device:
        """The chain to go on with for a project on a hub: the last one, or the next.

        Its name begins as this device's own, so that it sorts as that does among all devices, and goes on with hub and
        project and a count: after a backup was put back it is found again when it comes from the hub.
        """
        known = {device.id: device for device in self.events.devices()}
        begins = self.events.own_device()[:20] + payload_hash(f"{hub} {project}")[:8]
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


def _forked(device: str) -> Forked:
    return Forked(
        f"two databases write as device {device[:8]}: one is a copy of the other",
        hint="put one of them in place with `nous restore-backup`, which gives it a name of its own",
    )


def _to_row(
    event: Carried, number: int, device: int, causes: Mapping[str, int], arrived: str, is_gone: bool
) -> tuple[Any, ...]:
    """The row of an event that came from elsewhere; of a stream that was erased, without its words."""
    erase = is_gone and event.event_type not in ERASURES
    first = (number, event.event_uuid, event.stream, event.stream_id, device, event.device_seq, event.event_type)
    times = (event.transaction_time, event.valid_from, event.valid_until, event.vector_clock_json)
    cause = (causes.get(event.parent_uuid) if event.parent_uuid else None, event.parent_uuid)
    last = (event.session_id, event.project_id, event.source, TOMBSTONE_JSON if erase else event.payload_json)
    hashes = (event.payload_hash, event.prev_hash, event.event_hash, event.chain, arrived, 1)
    return (*first, event.idempotency_key, event.schema_version, *times, *cause, *last, *hashes)


def _to_link(event: Carried, device: int) -> tuple[Any, ...]:
    """The place in a chain of an event that is here already."""
    hashes = (event.prev_hash, event.event_hash, event.chain, event.cause_seq)
    return (device, event.device_seq, event.event_uuid, *hashes)


def _json(values: Sequence[str]) -> str:
    return msgspec.json.encode(list(values)).decode()
