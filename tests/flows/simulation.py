"""Five devices through partitions, clock skew, duplicates, reordering, crashes, erasures and undoing, by seed.

A seed is a history: chance, times, the order of everything and every random id come from it, so that a failure can be
seen again. A few are tried in every run of the suite. Many are run from a copy of the sources that nobody changes:

    git worktree add --detach /tmp/frozen && cd /tmp/frozen
    PYTHONPATH=src:tests:. python -m flows.simulation --kind team --seeds 0:1000 --to outcomes.txt

Each line is a kind, a seed and what came of it. What stands in the file already is not run again, so that a run that
was stopped goes on, and several ranges may be run one after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from factories import NOW, extracted
from flows.test_devices import Device
from nous.app import Nous
from nous.config import load_settings
from nous.kernel.access import ROLES, Bearer
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.log.events import Event, Undone
from nous.kernel.log.integrity import verify
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.sharing import ORGANISATION, PERSONAL_MARKS, WRITES, is_circle, is_shared, scope_of
from nous.kernel.stores import open_stores
from nous.kernel.viewer import viewer_of_bearer
from nous.moments import later
from nous.shells.web.rights import confine
from nous.shells.web.routes import ROUTES
from nous.teams import sync as syncing
from nous.teams.hubs import HubAway, SealedHub, TeamHub
from nous.teams.sync import PLAIN, Shared, Synced, exchange, sync

CANARY, PASSPHRASE = "qzxvkanary", "correct horse battery"
DOORS = {route.path: route for route in ROUTES}
LAST = 100_000  # seconds: when everything has arrived, whatever a clock says


@contextmanager
def seeded(seed: int) -> Iterator[random.Random]:
    """Chance, and all that the product draws by itself, from one number."""
    drawn = random.Random(f"ids {seed}")
    with pytest.MonkeyPatch.context() as patch:
        for where in ("os.urandom", "nous.kernel.log.event_store.urandom"):
            patch.setattr(where, drawn.randbytes)
        yield random.Random(seed)


def check(devices: Sequence[Device], view: Callable[[Device], dict[str, Any]]) -> str:
    """Every device believes the same, its log is whole, and its read models are what the log says. What they believe,
    as a figure by which a run can be compared with another of the same seed."""
    for device in devices:
        device.stores.erasures.finish(NOW)
        assert verify(device.stores).problems == []
        catch_up(device.stores, NOW)
        assert compare_with_replay(device.stores.events, device.stores.memories, NOW).differences == []
    return agreed(devices, view)


def agreed(devices: Sequence[Device], view: Callable[[Device], dict[str, Any]]) -> str:
    """Every device believes the same."""
    first = view(devices[0])
    for device in devices:
        assert view(device) == first, f"device {device.name} believes something else"
    return f"{zlib.crc32(repr(sorted(first['memories'].items())).encode()):08x}"


def nothing_is_lost(devices: Collection[Device]) -> None:
    """Whatever stands in one log stands in all of them."""
    logs = [{event.event_uuid for event in device.stores.events.each_row()} for device in devices]
    assert all(log == logs[0] for log in logs), "an event is missing"


# -- a hub -----------------------------------------------------------------------------------------------------------


class Hub:
    """A hub in this process: the functions behind its routes, and everything as JSON on the way."""

    name = "https://hub.test"

    def __init__(self, tmp_path: Path, clock: str = later(NOW, 2 * LAST), url: str = ":memory:"):
        settings = load_settings({"HOME": str(tmp_path), "NOUS_DATA_DIR": str(tmp_path / "hub")})
        self.stores = open_stores(url)
        self.nous = Nous(self.stores, replace(settings, serve_hub=True), lambda: clock)
        self.nous.work.wipe = lambda: self.stores.erasures.finish(NOW)  # type: ignore[method-assign]
        self.asked: list[str] = []

    def ask(self, method: str, path: str, body: Mapping[str, Any], who: str | Bearer = "ann") -> Any:
        route = DOORS[path]
        self.asked.append(path)
        asked = msgspec.convert(json.loads(json.dumps(body)), route.operation.takes, strict=True)
        bearer = who if isinstance(who, Bearer) else Bearer(who, frozenset(ROLES["member"]), token_id=who)
        held, _ = confine(self.nous, route.operation.about, asked, bearer)
        return json.loads(msgspec.json.encode(route.operation.call(self.nous, held, viewer_of_bearer(bearer))))

    def holds(self, word: str) -> list[str]:
        """The tables of the hub in which a word stands."""
        assert isinstance(self.stores.db, Sqlite)
        ask = self.stores.db.connection.execute
        tables = [name for (name,) in ask("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return [name for name in tables if any(word in str(row) for row in ask(f'SELECT * FROM "{name}"'))]


class BadLink:
    """A way to the hub that fails: before a request, or after it was done, or for good for a while."""

    def __init__(self, hub: Hub, chance: random.Random, share: float = 0.0, who: str | Bearer = "ann"):
        self.name = hub.name
        self.hub, self.chance, self.share, self.who = hub, chance, share, who

    def ask(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        if self.chance.random() < self.share:
            raise HubAway("lost on the way there")
        if self.chance.random() < self.share / 2 and body.get("events"):
            piece = [*body["events"], *self.chance.sample(body["events"], 1)]  # twice, and in another order
            self.chance.shuffle(piece)
            body = {**body, "events": piece}
        said = self.hub.ask(method, path, body, self.who)
        if self.chance.random() < self.share:
            raise self.chance.choice([HubAway("lost on the way back"), KeyboardInterrupt()])
        return said


class Mate(Device):
    """A device of a team: what it writes of shared things, and things of its own that nobody else may see."""

    def __init__(self, name: int, skew: int):
        super().__init__(name, skew)
        assert isinstance(self.stores.db, Sqlite)  # names are random, and differ from their first letter on
        self.stores.db.connection.execute(f"UPDATE devices SET device = '{str(name) * 32}'").fetchall()

    def born(self, chance: random.Random, name: str) -> Event:
        made = super().born(chance, name)
        return replace(made, payload=replace(made.payload, scope="project"))

    def happens(self, chance: random.Random, name: str, other: str) -> Event | None:
        """What holds how far is of one device: nobody makes a teammate's memory hold everywhere."""
        made = super().happens(chance, name, other)
        return None if made is None or made.event_type == "LearningRescoped" else made

    def keeps(self, chance: random.Random, now: int) -> None:
        """It learns something personal."""
        hidden: dict[str, Any] = chance.choice([{"scope": "global"}, {"tags": ("private",)}, {"tainted": True}])
        project = chance.choice(["p", f"{CANARY}-project"])
        if project == "p" or chance.random() < 0.5:
            made = extracted(f"own-{self.name}-{now}", f"{CANARY} {now}", project_id=project, **hidden)
        else:
            made = extracted(f"own-{self.name}-{now}", f"{CANARY} {now}", project_id=project)
        with self.stores.db.transaction():
            self.stores.events.append([made], later(NOW, now + self.skew))
            catch_up(self.stores, NOW)


TEAMS = {"team:a": ("p",), "team:b": ("q",)}
MEMBERS = (("team:a",), ("team:a",), ("team:b",), ("team:b",), ("team:a", "team:b"))


class Member(Mate):
    """A device of somebody who is in one team of two, or in both: what it writes is for a project or a whole team."""

    def __init__(self, name: int, skew: int):
        super().__init__(name, skew)
        role = ROLES["admin" if name == 4 else "steward" if name % 2 else "member"]
        teams = MEMBERS[name]
        seen = frozenset({*teams, ORGANISATION, *(one for team in teams for one in TEAMS[team])})
        self.bearer = Bearer(f"m{name}", frozenset(role), seen, f"t{name}")
        self.homes = sorted(one for one in seen if not is_circle(one) or self.bearer.may(WRITES[scope_of(one)]))

    def write(self, chance: random.Random, now: int) -> None:
        self.home = chance.choice(self.homes)
        super().write(chance, now)

    def about(self) -> list[str]:
        return [f"{self.home.replace(':', '-')}-{number}" for number in range(3)]

    def born(self, chance: random.Random, name: str) -> Event:
        made = super().born(chance, name)
        scope = scope_of(self.home)
        return replace(made, project_id=self.home, payload=replace(made.payload, scope=scope))

    def happens(self, chance: random.Random, name: str, other: str) -> Event | None:
        made = super().happens(chance, name, other)
        if made is None or (not self.bearer.may("steward") and PERSONAL_MARKS & self.kinds(made)):
            return None  # a member's marks are of one device
        return replace(made, project_id=self.home)

    def kinds(self, made: Event) -> set[str]:
        """The types of an event and of those that it takes back."""
        undone = made.payload.undone_events if isinstance(made.payload, Undone) else ()
        numbers = [ref for ref in undone if isinstance(ref, int)]
        return {made.event_type, *(event.event_type for event in self.stores.events.by_id(numbers))}


def of_the_team(device: Device, shared_names: Collection[str], home: str = "p") -> dict[str, Any]:
    """What a device believes of what is shared in a project or a team; counts are of everything it wrote.

    An edge or an answer that also names what was erased or taken back before anybody heard of it is of one device.
    """
    found = device.believes()
    shared = {name: memory for name, memory in found["memories"].items() if name in shared_names}
    ours = (one for one in found["memories"].values() if one.project_id == home and is_shared(one, {home}))
    missing = {one.learning_id for one in ours} - set(shared_names)
    assert not missing, f"never shared: {missing}"
    return {
        "memories": shared,
        "concepts": {row for row in found["concepts"] if row[0] in shared},
        "text": {name: row for name, row in found["text"].items() if name in shared},
        "edges": [row for row in found["edges"] if {row[0], row[1]} <= shared.keys()],
        "reviews": [row for row in found["reviews"] if {*str(row[0]).split(":")[1:]} <= shared.keys()],
        "events": {event.event_uuid for event in device.stores.events.each_row() if event.stream_id in shared},
    }


def round_(device: Device, carrier: TeamHub | SealedHub, now: int) -> Synced | None:
    """One round that may fail anywhere; what a killed process leaves is what a killed process leaves."""
    try:
        return exchange(device.stores, carrier, later(NOW, now + device.skew))
    except (HubAway, KeyboardInterrupt):
        return None


def carried(kind: str, hub: Hub, device: Device, chance: random.Random, share: float) -> TeamHub | SealedHub:
    steward = Bearer("ann", frozenset(ROLES["steward"]), token_id="ann")  # a member's marks are of one device
    link = BadLink(hub, chance, share, device.bearer if isinstance(device, Member) else steward)
    if kind == "sealed":
        return SealedHub(link, PASSPHRASE)
    return TeamHub(link, frozenset({"p", "q"} if kind == "teams" else {"p"}))


def check_shared(hub: Hub, devices: Sequence[Any]) -> str:
    """Whoever sees a project or a team believes of it what the hub does, nobody else heard of it, and nothing that is
    a person's own is on the hub."""
    teller = Mate(9, 0)
    teller.stores.close()
    teller.stores = hub.stores
    homes: dict[str, set[str]] = {"p": set()}
    for one in hub.stores.memories.listing(None, status=None, limit=1000):
        homes.setdefault(one.project_id, set()).add(one.learning_id)
    for device in (*devices, teller):
        check([device], Device.believes)
    figures = []
    for home, names in sorted(homes.items()):
        sees = [one for one in devices if not isinstance(one, Member) or one.bearer.sees(home)]
        figures.append(agreed([teller, *sees], partial(of_the_team, shared_names=names, home=home)))
    for device in devices:
        heard = {event.project_id for event in device.stores.events.each_row() if event.absorbed}
        seen = device.bearer.projects if isinstance(device, Member) else {"p"}
        assert heard <= set(seen or ()), "heard of another's"
    assert hub.holds(CANARY) == []
    return f"{zlib.crc32(' '.join(figures).encode()):08x}"


def through_a_hub(kind: str, chance: random.Random, place: Path) -> str:
    """Five devices and a hub that is away at times, for a team or for one person."""
    hub = Hub(place)
    made = {"team": Mate, "teams": Member}.get(kind, Device)
    devices: list[Any] = [made(name, chance.choice([0, 0, -300, 300])) for name in range(5)]
    for team, projects in TEAMS.items() if kind == "teams" else ():
        hub.stores.circles.add(team, projects)
    away = 0
    for step in range(80):
        chosen = chance.choice(devices)
        draw = chance.random()
        away = step + 10 if chance.random() < 0.03 else away  # the hub is down for a while
        if draw < 0.45:
            chosen.write(chance, step)
        elif draw < 0.6 and kind != "sealed":
            chosen.keeps(chance, step)
        elif step >= away:
            round_(chosen, carried(kind, hub, chosen, chance, 0.15), step)
    for _ in range(3):
        for device in devices:
            assert round_(device, carried(kind, hub, device, chance, 0.0), LAST)
    if kind == "sealed":
        believed = check(devices, Device.believes)
        nothing_is_lost(devices)
        assert hub.holds("About ") == hub.holds(" says") == []  # with a space, which no sealed text has by chance
    else:
        believed = check_shared(hub, devices)
    for stores in (hub.stores, *(device.stores for device in devices)):
        stores.close()
    return believed


# -- a folder --------------------------------------------------------------------------------------------------------


class Replica:
    """A device with its own copy of the folder, which some service carries about when it pleases."""

    def __init__(self, device: Device, folder: Path):
        self.device = device
        self.folder = folder
        folder.mkdir()

    def round(self, now: int, crash: bool = False) -> None:
        """Synchronise; sometimes the process dies while it writes a file."""
        moment = later(NOW, now + self.device.skew)
        with pytest.MonkeyPatch.context() as patch, suppress(KeyboardInterrupt):
            if crash:
                patch.setattr("nous.teams.sync.os.replace", _dies)
            sync(self.device.stores, str(self.folder), PLAIN, moment)


def _dies(source: str, target: str) -> None:
    raise KeyboardInterrupt


def carry(giver: Replica, taker: Replica, chance: random.Random, share: float) -> None:
    """Some files of one replica reach another, in any order; an older one may come after a newer one."""
    paths = [path for path in sorted(giver.folder.rglob("*")) if path.is_file() and path.suffix != ".partial"]
    chance.shuffle(paths)
    for path in paths:
        target = taker.folder / path.relative_to(giver.folder)
        if path.name == syncing.MARKER and target.exists():
            continue
        if path.name != syncing.SWEPT and chance.random() < share:
            target.parent.mkdir(exist_ok=True)
            shutil.copy(path, target)


def through_a_folder(chance: random.Random, place: Path) -> str:
    """Five devices, each with a copy of the folder."""
    replicas = [Replica(Device(name, chance.choice([0, 0, -300, 300])), place / f"folder{name}") for name in range(5)]
    for replica in replicas[1:]:
        Shared.open(str(replicas[0].folder), PLAIN)
        shutil.copy(replicas[0].folder / syncing.MARKER, replica.folder / syncing.MARKER)
    for step in range(60):
        kind = chance.random()
        if kind < 0.5:
            chance.choice(replicas).device.write(chance, step)
        elif kind < 0.75:
            chance.choice(replicas).round(step, crash=chance.random() < 0.2)
        else:
            giver, taker = chance.sample(replicas, 2)
            carry(giver, taker, chance, share=0.6)
    for _ in range(3):
        for replica in replicas:
            replica.round(LAST)
        for giver in replicas:
            for taker in replicas:
                if giver is not taker:
                    carry(giver, taker, chance, share=1.0)
    for replica in replicas:
        replica.round(LAST)
    devices = [replica.device for replica in replicas]
    believed = check(devices, Device.believes)
    nothing_is_lost(devices)
    reached = [device.stores.devices.read_positions() for device in devices]
    assert all(known == reached[0] for known in reached)
    for device in devices:
        device.stores.close()
    return believed


# -- many ------------------------------------------------------------------------------------------------------------

KINDS = ("folder", "team", "teams", "sealed")


def simulate(kind: str, seed: int, place: Path) -> str:
    """One history, and what all believe at its end; an AssertionError says how it ended badly."""
    with seeded(seed) as chance:
        if kind == "folder":
            return through_a_folder(chance, place)
        return through_a_hub(kind, chance, place)


def outcome(kind: str, seed: int) -> str:
    """What came of one history, in a line."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        try:
            believed = simulate(kind, seed, Path(place))
        except Exception as problem:  # whatever it is, it is what came of this one, and the next one is tried
            traceback.print_exc()
            return f"{kind} {seed} FAILED {type(problem).__name__}: {' '.join(str(problem).split())[:300]}"
    return f"{kind} {seed} ok {believed} {time.monotonic() - began:.1f}s"


def main() -> int:
    """Run a range of seeds and note each outcome."""
    wants = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    wants.add_argument("--kind", choices=KINDS, action="append", help="which way; all of them unless said")
    wants.add_argument("--seeds", default="0:1000", help="from:to, the last one not included")
    wants.add_argument("--to", type=Path, required=True, help="the file of outcomes")
    said = wants.parse_args()
    first, last = map(int, said.seeds.split(":"))
    lines = said.to.read_text().splitlines() if said.to.exists() else []
    done = {tuple(line.split()[:2]) for line in lines}
    failed = 0
    with said.to.open("a", buffering=1) as file:
        for seed in range(first, last):
            for kind in said.kind or KINDS:
                if (kind, str(seed)) not in done:
                    line = outcome(kind, seed)
                    failed += " FAILED " in line
                    print(line, file=file)
    return int(failed > 0)


if __name__ == "__main__":
    if "PYTHONHASHSEED" not in os.environ:  # the order of sets is chance, too
        os.execve(
            sys.executable,
            [sys.executable, "-m", "flows.simulation", *sys.argv[1:]],
            os.environ | {"PYTHONHASHSEED": "0"},
        )
    sys.exit(main())
