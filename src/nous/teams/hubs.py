"""A hub as a carrier between devices, over HTTP: for a team what it shares, for one person everything, sealed.

A hub that is away is no harm: nothing is lost, and the next round goes on where the last one stopped. What a team gets
is chained for it alone, so that the chain says nothing of what stays here. What one person's devices exchange is sealed
with a passphrase, and the hub sees names, numbers, times and hashes only.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from nous.config import Settings
from nous.errors import ConfigError, Forked, NousError, StoreError
from nous.kernel.log.device_events import HERE
from nous.kernel.log.wire import WireEvent, decode, encode
from nous.kernel.sharing import EVERY_PROJECT, SealedEvent, is_shared
from nous.teams.arrival import OWN, Sender
from nous.teams.hub_link import HttpLink, HubAway, read_token
from nous.teams.hub_store import Round
from nous.teams.sealing import read_passphrase, seal, unseal
from nous.teams.sync import PLAIN, Arrival, Carrier

if TYPE_CHECKING:
    from nous.kernel.stores import Circles, Devices, Memories, SealedEvents, Stores

__all__ = ["HERE", "HubAway", "HubLink", "SealedHub", "TeamHub", "open_hub", "publish", "settle_dispute"]
PIECE = 1_000_000  # bytes of one request, about
PERSONAL = frozenset({"ProjectTrusted", "RulesApplied"})  # what concerns one person's copy of a project


class HubLink(Protocol):
    """A way to a hub: a question and its answer, or an error that says why there is none."""

    @property
    def name(self) -> str:
        """Where it leads; what a device remembers of a hub goes by it."""
        ...

    def ask(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        """What the hub answers, as plain data. `Forked` when two databases write as one device."""
        ...


class _Hub(Carrier):
    """What both ways of using a hub share."""

    is_sealed = False
    sender = OWN

    def __init__(self, link: HubLink):
        self.link = link
        self.said: dict[str, Any] = {}  # what the hub last said of itself
        self.authors: dict[str, str] = {}  # and whose the chains are that came

    def heads(self, own: Collection[str] = ()) -> dict[str, int]:
        """How far the hub knows each device; of one's own chains it says the last hashes as well."""
        self.said = self.link.ask("POST", "/v1/sync/heads", {"sealed": self.is_sealed, "own": sorted(own)})
        found: dict[str, int] = self.said["devices"]
        return found

    def arrivals(self, known: Callable[[], Mapping[str, int]]) -> Iterator[Arrival]:
        """What the hub has, page by page. Of devices that it does not know nothing is said to it."""
        there = self.heads()
        here = {device: seq for device, seq in known().items() if device in there}
        while any(seq > here.get(device, 0) for device, seq in there.items()):
            said = self.link.ask("POST", "/v1/sync/pull", {"known": here, "sealed": self.is_sealed})
            self.authors |= said.get("authors") or {}
            for device, group in groupby(said["events"], key=lambda event: str(event["device"])):
                events = list(group)
                here[device] = max(here.get(device, 0), int(events[-1]["device_seq"]))
                yield Arrival(device, here[device], partial(self.opened, events))
            if not said["more"] or not said["events"]:
                return

    def opened(self, events: Sequence[Mapping[str, Any]]) -> list[WireEvent]:
        """Events out of what the hub gave."""
        raise NotImplementedError

    def tidy(self, device: str) -> None:
        """A hub keeps itself."""


class TeamHub(_Hub):
    """A hub that a team shares: memories of some projects, in the clear, and nothing that is personal."""

    def __init__(self, link: HubLink, projects: frozenset[str]):
        super().__init__(link)
        self.projects = projects

    @property
    def sender(self) -> Sender:  # type: ignore[override]
        """Somebody of the team, who is heard in the projects and teams that both share: those that are given from
        here, and the teams that the hub says this person is in, with their projects."""
        circles: Mapping[str, Collection[str]] = self.said.get("circles") or {}
        inside = {project for members in circles.values() for project in members} - {EVERY_PROJECT}
        return Sender("hub", self.projects | {*circles, *inside}, authors=self.authors)

    def opened(self, events: Sequence[Mapping[str, Any]]) -> list[WireEvent]:
        """Events as they are."""
        try:
            return [msgspec.convert(event, WireEvent) for event in events]
        except msgspec.ValidationError as wrong:
            raise StoreError(f"the hub sent what is no event: {wrong}") from None

    def offered(self, stores: Stores, now: str) -> Iterator[WireEvent]:
        """Chain what is shared since the last round, and give what the hub lacks of these chains."""
        heads = self.heads(stores.devices.publishing(self.link.name))
        seen = self._keep_told(stores)
        publish(stores, self.link.name, self.projects, now, heads)
        own = stores.devices.publishing(self.link.name)
        stores.devices.only_one(own, heads, self.said.get("hashes") or {})
        offered = stores.devices.list_written(heads, only=own)
        return (event for event in offered if seen is None or event.project_id in seen)

    def _keep_told(self, stores: Stores) -> frozenset[str] | None:
        """Keep what the hub says of teams and of who wrote what; the projects that it takes, None being all."""
        said = self.said
        stores.circles.replace(said.get("circles") or {}, said.get("writes") or ())
        stores.devices.name_authors(self.authors)
        return None if said.get("projects") is None else frozenset(said["projects"])

    def write(self, device: str, events: Sequence[WireEvent]) -> None:
        """Give events of a chain that was made for this hub."""
        for piece in _pieces(events, lambda event: len(event.payload_json) + 800):
            self.link.ask("POST", "/v1/sync/push", {"events": [msgspec.to_builtins(event) for event in piece]})

    def without(self, stores: Stores, erased: set[str]) -> int:
        """The erasure itself is an event, and the hub does as it says."""
        return 0


def publish(stores: Stores, hub: str, projects: frozenset[str], now: str, heads: Collection[str] = ()) -> None:
    """Chain for a hub what was written here since the last round and belongs to its teams."""
    # What others wrote may share something of one's own with a team, but not on the hub, where all of it is.
    last = stores.events.own_head()[1] if hub == HERE else stores.events.last_id()
    choice = ",".join(sorted(projects | stores.circles.list_writable()))
    before = stores.sealed.round(hub)
    if (before.last_event, before.choice) == (last, choice):
        return
    for events in stores.devices.list_unpublished(hub):
        stores.devices.publish(
            hub, _shared_events(stores.memories, stores.circles, stores.devices, hub, projects, heads, events), now
        )
    stores.sealed.end_round(hub, Round(last, choice))


def _shared_events(
    memories: Memories,
    circles: Circles,
    devices: Devices,
    hub: str,
    projects: frozenset[str],
    heads: Collection[str],
    events: Sequence[WireEvent],
) -> list[WireEvent]:
    """Of some events those of memories that are shared, what happens to them later, and what else is said of their
    projects."""
    told = {event.stream_id for event in events}
    streams = {name for name, memory in memories.by_learning(told).items() if is_shared(memory, projects)}
    streams |= devices.streams_of({*heads, *devices.publishing(hub)}, told)
    barred = circles.list_known().keys() - circles.list_writable()
    return [
        event
        for event in events
        if _leaves(event, streams, projects)
        and (event.project_id not in barred or event.event_type == "LearningContested")
    ]


def _leaves(event: WireEvent, streams: set[str], projects: frozenset[str]) -> bool:
    if event.stream == "memory" or event.stream_id in streams:
        return event.stream_id in streams
    is_ours = EVERY_PROJECT in projects or event.project_id in projects
    return is_ours and event.event_type not in PERSONAL and not event.is_erased


class SealedHub(_Hub):
    """A hub between one person's devices: everything, and nobody else can read it."""

    is_sealed = True

    def __init__(self, link: HubLink, passphrase: str):
        super().__init__(link)
        self.passphrase = passphrase

    def opened(self, events: Sequence[Mapping[str, Any]]) -> list[WireEvent]:
        """Events unsealed, each compared with what the hub says of it."""
        found = []
        for one in events:
            raw = unseal(base64.b64decode(one["sealed"]), self.passphrase)
            try:
                event: WireEvent = decode(raw)
            except msgspec.MsgspecError as wrong:
                raise StoreError(f"event {one['device_seq']} of device {one['device'][:8]} is none: {wrong}") from None
            if (event.device, event.device_seq, event.event_hash) != tuple(one[name] for name in _SEEN):
                raise StoreError(f"event {one['device_seq']} of device {one['device'][:8]} was put in another's place")
            found.append(event)
        return found

    def offered(self, stores: Stores, now: str) -> Iterator[WireEvent]:
        """What the hub lacks, of whichever device it is."""
        there = self.heads([stores.events.own_device()])
        if there:  # whoever has another passphrase finds out before anything is sealed with it
            said = self.link.ask("POST", "/v1/sync/pull", {"known": {}, "sealed": True, "limit": 1})
            try:
                unseal(base64.b64decode(said["events"][0]["sealed"]), self.passphrase)
            except NousError as problem:
                hint = "set the same passphrase as on your other devices"
                raise ConfigError(f"what is on the hub cannot be read here: {problem}", hint=hint) from None
        stores.devices.only_one({stores.events.own_device()}, there, self.said.get("hashes") or {})
        return stores.devices.list_written(there)

    def write(self, device: str, events: Sequence[WireEvent]) -> None:
        """Give events, sealed one by one."""
        for piece in _pieces([self._seal_event(event) for event in events], lambda event: len(event.sealed) + 400):
            self.link.ask("POST", "/v1/sync/push", {"sealed": [msgspec.to_builtins(event) for event in piece]})

    def _seal_event(self, event: WireEvent) -> SealedEvent:
        salt = hashlib.sha256(event.device.encode()).digest()[:16]  # one key for each device, made once
        return SealedEvent(
            device=event.device,
            device_seq=event.device_seq,
            event_uuid=event.event_uuid,
            transaction_time=event.transaction_time,
            prev_hash=event.prev_hash,
            event_hash=event.event_hash,
            is_erased=event.is_erased,
            sealed=base64.b64encode(seal(encode(event), self.passphrase, salt)).decode(),
        )

    def without(self, stores: Stores, erased: set[str]) -> int:
        """Seal erased events anew, without their words, when there are new ones."""
        swept = hashlib.sha256("".join(sorted(erased)).encode()).hexdigest() if erased else ""
        before = stores.sealed.round(self.link.name)
        if before.swept == swept:
            return 0
        empty = [self._seal_event(event) for event in stores.devices.list_written() if event.event_uuid in erased]
        done = 0
        for piece in _pieces(empty, lambda event: len(event.sealed) + 400):
            plain = [msgspec.to_builtins(event) for event in piece]
            done += int(self.link.ask("POST", "/v1/sync/sweep", {"sealed": plain})["erased"])
        stores.sealed.end_round(self.link.name, before._replace(swept=swept))
        return done


_SEEN = ("device", "device_seq", "event_hash")


def _pieces(events: Sequence[Any], size: Callable[[Any], int]) -> Iterator[list[Any]]:
    """Events in pieces that a request can carry."""
    piece: list[Any] = []
    taken = 0
    for event in events:
        taken += size(event)
        if piece and (taken > PIECE or len(piece) >= 1000):
            yield piece
            piece, taken = [], size(event)
        piece.append(event)
    if piece:
        yield piece


@contextmanager
def open_hub(settings: Settings) -> Iterator[TeamHub | SealedHub]:
    """The hub that the settings name, over one connection."""
    if not settings.hub_token_file:
        hint = "put the token that `nous admin token create` printed on the hub into a file: hub_token_file names it"
        raise ConfigError("the hub asks for a token", hint=hint)
    token = read_token(settings.hub_token_file)
    with HttpLink(settings.hub, token, settings.hub_ca_file, settings.hub_cert_file) as link:
        yield _hub_over(link, settings)


def _hub_over(link: HubLink, settings: Settings) -> TeamHub | SealedHub:
    if settings.hub_sealed:
        if settings.sync_passphrase_file in ("", PLAIN):
            raise ConfigError("hub_sealed needs a passphrase", hint="name its file in sync_passphrase_file")
        return SealedHub(link, read_passphrase(settings.sync_passphrase_file))
    return TeamHub(link, frozenset(re.split(r"[\s,]+", settings.team_projects.strip())) - {""})


def settle_dispute(devices: Devices, sealed: SealedEvents, carrier: Carrier, problem: Forked) -> str:
    """What is said when a hub did not take what another database sent first under this device's name.

    For a team the chain is made anew behind what the hub has, so that the next round goes on.
    """
    if not isinstance(carrier, TeamHub):
        raise problem
    devices.take_back(carrier.link.name)
    sealed.end_round(carrier.link.name, Round())
    return f"{problem}; the next round sends it under a new number"
