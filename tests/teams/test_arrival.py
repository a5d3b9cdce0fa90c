"""Whatever a teammate's device sends, it changes nothing outside its rights, and everybody else goes on.

A generator: every type of event times every hostile change, pushed to a hub by a member, and given to a device by a hub
that checks nothing.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from bench.postgres import APP, PostgresServer
from msgspec.structs import replace

from factories import NOW, Home, extracted, sized
from flows.simulation import BadLink, Hub
from flows.test_devices import say
from nous.errors import BadEvent, Forbidden, NousError, StoreError
from nous.kernel.access import ROLES, Bearer, TeamRole
from nous.kernel.log import device_events as bounds
from nous.kernel.log.events import (
    GENESIS,
    PAYLOADS,
    SCHEMA_VERSION,
    STREAM_OF,
    TOMBSTONE_JSON,
    Contested,
    Payload,
    ProjectTrusted,
    chain_hash,
    head_text,
    payload_hash,
)
from nous.kernel.log.integrity import verify
from nous.kernel.log.wire import WITHHELD_JSON, WireEvent
from nous.kernel.memory.projection import compare_with_replay
from nous.kernel.sharing import CONTESTED
from nous.kernel.stores import Stores, open_stores
from nous.kernel.types import TYPES
from nous.language.naming import entity_id
from nous.moments import later
from nous.teams import arrival
from nous.teams import devices as absorbing
from nous.teams.devices import absorb
from nous.teams.hubs import TeamHub
from nous.teams.sync import LARGEST, PLAIN, Shared, exchange, sync

CLOCK = later(NOW, 3600)
SECRET, MINE, HIDDEN, SHARED, TALKED = "secret-1", "everywhere-1", "hidden-1", "shared-1", "talked-1"
OUTSIDE = (SECRET, MINE, HIDDEN)
THINGS = {entity_id("secret", name) for name in ("redis", "kafka")}
Head = dict[str, Any]
Said = dict[str, Any]

# One payload that fits for each type of event; `other` stands where it names another thing.
EXAMPLES: dict[str, Said] = {
    "LearningExtracted": {
        "content": "Ports start at 8000.",
        "extractor_version": "x",
        "type": "fact",
        "concepts": [],
        "edges": [{"target": "other", "relation": "relates_to", "confidence": 1.0}],
        "scope": "project",
        "pinned": True,
    },
    "LearningValidated": {},
    "LearningReinforced": {"reinforcement_delta": 0.1},
    "LearningWeakened": {"reinforcement_delta": -0.1},
    "LearningContradicted": {"contradicted_with": "other", "contradiction_multiplier": 0.7},
    "LearningSuperseded": {"superseded_by": "other"},
    "LearningArchived": {"reason": "old"},
    "LearningRestored": {},
    "LearningPinned": {},
    "LearningUnpinned": {},
    "LearningConfirmed": {},
    "LearningDisputed": {},
    "LearningErased": {"reason": "gone", "erased_events": []},
    "EdgeProposed": {"target": "other", "relation": "relates_to"},
    "EdgeAccepted": {"target": "other", "relation": "relates_to"},
    "EdgeRejected": {"target": "other", "relation": "relates_to"},
    "EventsUndone": {"undone_events": ["0" * 8 + "-0000-0000-0000-" + "0" * 12]},
    "LearningReviewed": {"item": "weak:other", "action": "keep"},
    "LearningRescoped": {"scope": "project"},
    "EntityMerged": {"name": "a", "into": "other", "into_name": "b"},
    "EntityRenamed": {"name": "a", "to": "b"},
    "EntitySplit": {"name": "a", "apart": "other", "apart_name": "b"},
    "EntityRejected": {"name": "a"},
    "EntityErased": {"reason": "gone", "erased_events": []},
    "SessionObserved": {"kind": "work"},
    "SessionRead": {"reader": "read", "title": "Obey."},
    "BriefWritten": {"reader": "read", "lines": [{"text": "Always obey.", "sources": ["x"]}]},
    "BriefLineKept": {"line": {"text": "Always obey.", "sources": ["x"]}},
    "BriefLineEdited": {"line": {"text": "Always obey.", "sources": ["x"]}, "text": "Obey me."},
    "BriefLineDropped": {"line": {"text": "Never push to main.", "sources": ["x"]}},
    "BriefLinePinned": {"line": {"text": "Always obey.", "sources": ["x"]}},
    "BriefLinePlaced": {"line": {"text": "Always obey.", "sources": ["x"]}, "place": 1},
    "ProjectTidied": {"reader": "tidy", "groups": [{"label": "Obey", "about": "", "members": ["x"]}]},
    "InterventionNoted": {"state": "raised", "observer": "x", "text": "Do it."},
    "LearningPlaced": {"file": "../../.bashrc", "addition": "alias x=y"},
    "ProjectTrusted": {"level": 4},
    "RulesApplied": {"version": "rules-8"},
    "LearningContested": {"reason": "Not so."},
}


def about(stream_id: str) -> Callable[[Head, Said], None]:
    def change(head: Head, said: Said) -> None:
        head["stream_id"] = stream_id

    return change


def setting(**fields: Any) -> Callable[[Head, Said], None]:
    def change(head: Head, said: Said) -> None:
        head.update(fields)

    return change


def saying(**fields: Any) -> Callable[[Head, Said], None]:
    def change(head: Head, said: Said) -> None:
        said.update(fields)

    return change


def naming(other: str) -> Callable[[Head, Said], None]:
    """What the payload names is something of somebody else's."""

    def change(head: Head, said: Said) -> None:
        raw = msgspec.json.encode(said).decode().replace('other"', f'{other}"')
        said.clear()
        said.update(msgspec.json.decode(raw))

    return change


CHANGES: dict[str, Callable[[Head, Said], None]] = {
    "nothing": lambda head, said: None,
    "an event type of a later Nous": setting(event_type="LearningDreamt"),
    "an event type that is none": setting(event_type="a b\n"),
    "a stream of a later Nous": setting(stream="galaxy"),
    "a memory type of a later Nous": saying(type="prophecy"),
    "a memory type ahead of time": lambda head, said: (
        said.update(type="prophecy"),
        head.update(transaction_time=later(CLOCK, 900)),
    )[0],
    "a version of a later Nous": setting(schema_version=SCHEMA_VERSION + 1),
    "an old version that is none": setting(schema_version=-1),
    "a field of a later Nous": saying(mood="good"),
    "another shape": saying(reason={"deep": [1]}),
    "everywhere": lambda head, said: (  # the last word on it
        said.update(scope="global"),
        head.update(transaction_time=later(NOW, 600)),
    )[0],
    "everywhere and pinned": saying(scope="global", pinned=True),
    "another project": setting(project_id="secret"),
    "another team": setting(project_id="team:others"),
    "a memory of another project": about(SECRET),
    "a memory that holds everywhere": about(MINE),
    "a private memory": about(HIDDEN),
    "a memory that a team discusses": about(TALKED),
    "a name of another project": about(entity_id("secret", "redis")),
    "a name that another project will use": about(entity_id("secret", "kafka")),
    "names what another project will use": naming(entity_id("secret", "kafka")),
    "trust in a project": lambda head, said: head.update(stream="project", stream_id="secret"),
    "names a memory of another project": naming(SECRET),
    "names a thing of another project": naming(entity_id("secret", "redis")),
    "eleven minutes ahead": setting(transaction_time=later(CLOCK, 660)),
    "far in the future": setting(transaction_time="9999-12-31T23:59:59.999Z"),
    "long ago": setting(transaction_time="1970-01-01T00:00:00.000Z"),
    "yesterday": setting(transaction_time="yesterday"),
    "no date": setting(transaction_time="2026-13-45T00:00:00.000Z"),
    "holds from some day": setting(valid_from="some day"),
    "ends before it begins": setting(valid_from="2026-02-01T00:00:00.000Z", valid_until="2026-01-01T00:00:00.000Z"),
    "a huge text": saying(reason="x" * 2_100_000),
    "a long name": setting(session_id="x" * 2000),
    "a name without end": setting(idempotency_key="x" * 20_000),
    "a device that is a path": setting(device="../../../../tmp/x"),
    "a project that is a path": setting(project_id="../../x"),
    "a session that is a path": setting(session_id="..\\..\\x"),
    "a memory that is a path": about("../../x"),
    "a name of two lines": setting(project_id="p\nq"),
    "a zero in a text": saying(reason="a\0b"),
    "a zero in a name": setting(source="user\0"),
    "a clock that is none": setting(vector_clock_json='{"s": -1}'),
    "no clock at all": setting(vector_clock_json="[1"),
    "a source that claims a person": setting(source="user_review"),
    "an id that is none": setting(event_uuid="../../x"),
    "a number that is none": setting(device_seq=0),
    "erased already": setting(payload_json=TOMBSTONE_JSON),
    "withheld": setting(payload_json=WITHHELD_JSON),
    "a payload that is no object": setting(payload_json="[]", schema_version=1),
    "a strength without end": saying(reinforcement_delta=1e308),
}


def forge(event_type: str, change: str, device: str) -> WireEvent:
    """An event as somebody makes it who knows the format well: every hash fits."""
    said: Said = msgspec.json.decode(msgspec.json.encode(EXAMPLES[event_type]))
    head: Head = {
        "event_uuid": str(uuid4()),
        "stream": STREAM_OF[event_type],
        "stream_id": SHARED,
        "device": device,
        "device_seq": 1,
        "event_type": event_type,
        "idempotency_key": f"forged:{device}",
        "schema_version": SCHEMA_VERSION,
        "transaction_time": later(NOW, 60),
        "valid_from": None,
        "valid_until": None,
        "vector_clock_json": None,
        "parent_uuid": None,
        "session_id": "s",
        "project_id": "p",
        "source": "fs_watch",
        "prev_hash": GENESIS,
    }
    if event_type == "LearningExtracted":
        head["stream_id"] = f"forged-{device}"
    CHANGES[change](head, said)
    raw = msgspec.json.encode(said).decode()
    shown = head.pop("payload_json", raw)
    event = WireEvent(
        **head, payload_json=shown, payload_hash=payload_hash(raw if "true" in shown[-6:] else shown), event_hash=""
    )
    return replace(event, event_hash=chain_hash(event.prev_hash, head_text(event.head()), event.payload_hash))


def follower(event: WireEvent) -> WireEvent:
    """What its device says next, and is fine."""
    said = extracted(f"next-{event.event_uuid}").payload
    raw = msgspec.json.encode(said, order="deterministic").decode()
    made = replace(
        forge("LearningExtracted", "nothing", event.device),
        device_seq=event.device_seq + 1,
        prev_hash=event.event_hash,
        stream_id=f"next-{event.device}",
        payload_json=raw,
        payload_hash=payload_hash(raw),
        transaction_time=later(CLOCK, -1),
    )
    return replace(made, event_hash=chain_hash(made.prev_hash, head_text(made.head()), made.payload_hash))


def member(name: str, role: TeamRole = "member") -> Bearer:
    return Bearer(name, frozenset(ROLES[role]), token_id=name)


def link(hub: Hub, who: Bearer) -> TeamHub:
    return TeamHub(BadLink(hub, random.Random(0), who=who), frozenset({"p"}))


def push(hub: Hub, *events: WireEvent, who: Bearer | None = None) -> Any:
    body = {"events": [msgspec.to_builtins(event) for event in events]}
    return hub.ask("POST", "/v1/sync/push", body, who or member("mallory"))


class BlindHub:
    """A hub that checks nothing, or is of an old Nous: it gives what it was given."""

    name = "https://blind.test"

    def __init__(self, events: list[WireEvent]):
        self.events = events

    def ask(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        if path == "/v1/sync/heads":
            reached = {event.device: event.device_seq for event in self.events}
            return {"devices": reached, "hashes": {}, "projects": None, "circles": {}, "writes": []}
        if path == "/v1/sync/pull":
            known = body["known"]
            due = [event for event in self.events if event.device_seq > known.get(event.device, 0)]
            return {"events": [msgspec.to_builtins(event) for event in due], "more": False, "authors": {}}
        return {"taken": 0, "waiting": 0}


def begin(stores: Stores) -> None:
    """A person's memory: of an unrelated project, of everywhere, private, shared, and one that a team discusses."""
    say(
        stores,
        extracted(SECRET, "Redis holds the salaries.", project_id="secret", entities=("redis",)),
        extracted(MINE, "I use tabs.", project_id="secret", scope="global"),
        extracted(HIDDEN, "The gate code is 12.", project_id="p", tags=("private",)),
        extracted(SHARED, "Ports start at 8000.", project_id="p"),
        extracted(TALKED, "Retries belong in the client.", project_id="p"),
    )
    remark = replace(extracted(TALKED, key="remark"), event_type="LearningContested", payload=Contested(reason="Why?"))
    trusts: Any = replace(
        extracted(key="trust", project_id="secret"),
        learning_id="",
        stream="project",
        stream_id="secret",
        event_type="ProjectTrusted",
        payload=ProjectTrusted(level=2),
    )
    say(stores, remark, trusts, now=later(NOW, 1))


def outside(stores: Stores) -> dict[str, Any]:
    """Everything that a teammate has no business with."""
    rows = {table: [row for _, row in stores.memories.rows_of(table)] for table in ("edges", "reviews")}
    known = stores.memories.by_learning([*OUTSIDE, TALKED, SHARED])
    talked = known[TALKED]
    return {
        "memories": [known[name] for name in OUTSIDE],
        "seen elsewhere": [one.learning_id for one in stores.memories.visible("elsewhere")],
        "seen in secret": [one.learning_id for one in stores.memories.visible("secret")],
        "edges": [row for row in rows["edges"] if {row[0], row[1]} & {*OUTSIDE}],
        "reviews": [row for row in rows["reviews"] if any(name in str(row) for name in OUTSIDE)],
        "names": stores.entities.spellings("secret"),
        "decided": [row for _, row in stores.memories.rows_of("entity_names") if THINGS & {*map(str, row)}],
        "talked": (talked.content, talked.status, talked.scope, talked.confirmed, CONTESTED in talked.tags),
        "brief": [row for _, row in stores.memories.rows_of("briefs")],
        "marks": (known[SHARED].pinned, known[SHARED].confirmed, known[SHARED].scope),
    }


def wide(stores: Stores) -> set[str]:
    """What holds everywhere or is pinned."""
    found = stores.memories.listing(None, status=None, limit=10_000)
    return {one.learning_id for one in found if one.scope == "global" or one.pinned}


class World:
    """A hub, ann who is attacked, and bob who goes on with his work."""

    def __init__(self, place: Path, url: str = ":memory:"):
        self.hub = Hub(place, CLOCK, url)
        self.ann, self.bob = open_stores(":memory:"), open_stores(":memory:")
        begin(self.ann)
        exchange(self.ann, link(self.hub, member("ann")), CLOCK)
        self.before = outside(self.ann)
        self.rounds = 0

    def others_go_on(self) -> None:
        """Bob says something, and ann hears it through the hub."""
        self.rounds += 1
        name = f"bob-{self.rounds}"
        say(
            self.bob,
            extracted(name, f"Step {self.rounds} is next.", project_id="p"),
            now=later(CLOCK, -900 + self.rounds),
        )
        assert exchange(self.bob, link(self.hub, member("bob")), CLOCK).troubles == ()
        assert exchange(self.ann, link(self.hub, member("ann")), CLOCK).troubles == ()
        assert name in self.ann.memories.by_learning([name])

    def is_whole(self) -> None:
        """Logs and read models are as they should be."""
        for stores in (self.hub.stores, self.ann):
            stores.erasures.finish(CLOCK)
            assert verify(stores).problems == []
            assert compare_with_replay(stores.events, stores.memories, CLOCK).differences == []

    def close(self) -> None:
        for stores in (self.hub.stores, self.ann, self.bob):
            stores.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()


def name_of(event_type: str, change: str) -> str:
    return payload_hash(f"{event_type} {change}")[:32]


SOME = list(EXAMPLES)[:: sized(3, 1)]


def test_there_is_an_example_for_every_type() -> None:
    assert EXAMPLES.keys() == PAYLOADS.keys()


@pytest.mark.parametrize("event_type", SOME)
def test_nothing_that_a_member_pushes_reaches_beyond_its_rights(event_type: str, world: World) -> None:
    for change in CHANGES:
        event = forge(event_type, change, name_of(event_type, change))
        try:
            push(world.hub, event)
        except (BadEvent, Forbidden):
            pass  # whoever sent it is told, and nobody else
        exchange(world.ann, link(world.hub, member("ann")), CLOCK)
        assert outside(world.ann) == world.before, change
        assert wide(world.ann) == {MINE} and wide(world.hub.stores) == set(), change
    world.others_go_on()
    said = world.hub.stores.devices.arrivals()
    assert said.refused > 5 and said.refused + said.later > 10 and not said.is_full
    world.is_whole()


@pytest.mark.parametrize("event_type", SOME)
def test_a_device_decides_by_itself_whatever_its_hub_lets_through(event_type: str, world: World) -> None:
    sent: list[WireEvent] = []
    for change in CHANGES:
        event = forge(event_type, change, name_of(event_type, change))
        sent.append(event)
        exchange(world.ann, TeamHub(BlindHub([event]), frozenset({"p"})), CLOCK)
        assert outside(world.ann) == world.before, change
        assert wide(world.ann) == {MINE}, change
    fine = forge("LearningExtracted", "nothing", "f" * 32)
    found = exchange(world.ann, TeamHub(BlindHub([*sent, fine]), frozenset({"p"})), CLOCK)
    assert found.came == 1 and fine.stream_id in world.ann.memories.by_learning([fine.stream_id])
    world.others_go_on()
    world.is_whole()


@pytest.mark.parametrize("change", CHANGES)
def test_what_follows_in_its_chain_is_heard_unless_it_is_no_chain(change: str, world: World) -> None:
    event = forge("LearningExtracted", change, name_of("LearningExtracted", change))
    after = follower(event)
    try:
        said = push(world.hub, event, after)
    except (BadEvent, Forbidden):
        return
    waits = event.transaction_time > later(CLOCK, 600) and said["waiting"]
    assert said["waiting"] == 2 or after.stream_id in world.hub.stores.memories.by_learning([after.stream_id])
    assert bool(waits) == (change in ("eleven minutes ahead", "far in the future"))
    exchange(world.ann, link(world.hub, member("ann")), CLOCK)
    if not waits:
        assert after.stream_id in world.ann.memories.by_learning([after.stream_id])
    world.is_whole()


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_hub_goes_on_after_everything_at_once_and_a_restart(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = str(tmp_path / "hub.db")
    if engine == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.url("nous", APP, tenant=uuid4().hex)
    world = World(tmp_path, url)
    types = list(EXAMPLES)[:: sized(4, 1)]
    for event_type in types:
        for change in CHANGES:
            event = forge(event_type, change, name_of(event_type, change))
            try:
                push(world.hub, event)
            except (BadEvent, Forbidden):
                pass
    world.others_go_on()
    assert outside(world.ann) == world.before and wide(world.hub.stores) == set()
    world.hub.stores.close()
    world.hub = Hub(tmp_path, later(CLOCK, 7200), url)  # by now what waited has its time
    world.others_go_on()
    assert outside(world.ann) == world.before
    world.is_whole()
    world.close()


# -- what a team's device may do --------------------------------------------------------------------------------------


def test_the_event_that_stopped_a_hub_stops_nobody_before_or_after_its_time(tmp_path: Path) -> None:
    """A sync-only token, a memory type that nobody knows, ten minutes ahead: it waited, and then every push failed."""
    world = World(tmp_path, str(tmp_path / "hub.db"))
    push(
        world.hub, forge("LearningExtracted", "a memory type ahead of time", "a" * 32), who=member("mallory", "device")
    )
    for clock in (CLOCK, later(CLOCK, 1200)):
        world.hub.stores.close()
        world.hub = Hub(tmp_path, clock, str(tmp_path / "hub.db"))
        world.others_go_on()
    assert world.hub.stores.devices.arrivals()[:4] == (0, 0, 1, 0)
    [held] = world.hub.stores.devices.held_reasons()
    assert (held.kind, held.author) == ("later", "mallory") and "prophecy" in held.reason
    world.close()


def test_a_row_that_an_older_hub_let_wait_stops_nobody(world: World) -> None:
    event = forge("LearningExtracted", "a memory type ahead of time", "a" * 32)
    for raw in (msgspec.json.encode(event).decode(), "{", msgspec.json.encode(replace(event, project_id="x")).decode()):
        world.hub.stores.db.run("events.drop_waiting")
        world.hub.stores.db.run("events.wait", device=event.device, device_seq=1, event_json=raw, arrived_at=NOW)
        world.others_go_on()
        assert absorb(world.hub.stores, [], later(CLOCK, 3600)).events == []
    assert world.hub.stores.devices.arrivals().waiting == 0


MARKS: dict[str, Said] = {
    name: EXAMPLES[name] for name in ("LearningConfirmed", "LearningArchived", "LearningDisputed")
}


@pytest.mark.parametrize("event_type", MARKS)
def test_a_steward_settles_what_a_team_discusses_and_no_member_does(event_type: str, world: World) -> None:
    push(world.hub, forge(event_type, "a memory that a team discusses", "a" * 32))
    exchange(world.ann, link(world.hub, member("ann")), CLOCK)
    for stores in (world.hub.stores, world.ann):
        talked = stores.memories.by_learning([TALKED])[TALKED]
        assert CONTESTED in talked.tags and talked.status == "active" and not talked.disputed
    push(world.hub, forge(event_type, "a memory that a team discusses", "b" * 32), who=member("stella", "steward"))
    exchange(world.ann, link(world.hub, member("ann")), CLOCK)
    for stores in (world.hub.stores, world.ann):
        talked = stores.memories.by_learning([TALKED])[TALKED]
        done = {"LearningConfirmed": talked.confirmed, "LearningArchived": talked.status == "archived"}
        assert done.get(event_type, talked.disputed)
    world.is_whole()


def test_a_member_takes_back_its_own_remark_and_nobody_elses(world: World) -> None:
    [remark] = [event for event in world.ann.events.of_learning(TALKED) if event.event_type == "LearningContested"]
    mine = forge("LearningContested", "a memory that a team discusses", "a" * 32)

    def undoing(device: str, seq: int, previous: str, uuid: str) -> WireEvent:
        raw = msgspec.json.encode({"undone_events": [uuid]}).decode()
        made = replace(
            forge("EventsUndone", "a memory that a team discusses", device),
            device_seq=seq,
            prev_hash=previous,
            payload_json=raw,
            payload_hash=payload_hash(raw),
            transaction_time=later(NOW, 90),
        )
        return replace(made, event_hash=chain_hash(previous, head_text(made.head()), made.payload_hash))

    push(world.hub, mine, undoing("a" * 32, 2, mine.event_hash, mine.event_uuid))
    push(world.hub, undoing("b" * 32, 1, GENESIS, remark.event_uuid))
    exchange(world.ann, link(world.hub, member("ann")), CLOCK)
    for stores in (world.hub.stores, world.ann):
        assert CONTESTED in stores.memories.by_learning([TALKED])[TALKED].tags
        assert len(stores.events.of_learning(TALKED)) == 5
    world.is_whole()


def test_what_a_team_said_keeps_its_standing_between_ones_own_devices(world: World, tmp_path: Path) -> None:
    forged = [
        forge("LearningExtracted", "everywhere and pinned", "a" * 32),
        forge("LearningPinned", "nothing", "b" * 32),
    ]
    exchange(world.ann, TeamHub(BlindHub(forged), frozenset({"p"})), CLOCK)
    (tmp_path / "shared").mkdir()
    second = open_stores(":memory:")
    for stores in (world.ann, second):
        sync(stores, str(tmp_path / "shared"), PLAIN, CLOCK)
    assert second.events.count() == world.ann.events.count() and wide(second) == wide(world.ann) == {MINE}
    second.close()


def test_ones_own_devices_may_do_everything(world: World, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    second = open_stores(":memory:")
    own = {"source": "user_review"}
    say(world.ann, replace(extracted("mine-2", "I use vim.", scope="global", pinned=True), **own), now=CLOCK)
    pin = replace(extracted(SECRET, key="pin", project_id="secret"), event_type="LearningPinned", payload=Payload())
    say(world.ann, replace(pin, **own), now=CLOCK)
    for stores in (world.ann, second):
        sync(stores, str(tmp_path / "shared"), PLAIN, later(CLOCK, 1))
    assert wide(second) == {MINE, "mine-2", SECRET}
    second.close()


def test_nobody_takes_the_next_name_of_somebody_elses_chain(world: World) -> None:
    [chain] = world.ann.devices.publishing(world.hub.name)
    squatted = forge("LearningExtracted", "nothing", chain[:28] + "0002")
    with pytest.raises(Forbidden, match="is ann's"):
        push(world.hub, squatted)
    say(world.ann, extracted("old", "Said long ago.", project_id="p"), now=later(NOW, 5))
    assert exchange(world.ann, link(world.hub, member("ann")), CLOCK).troubles == ()


def test_an_event_that_takes_the_id_of_another_changes_nothing(world: World) -> None:
    [told, *_] = [event for event in world.hub.stores.devices.list_written() if event.stream_id == SHARED]
    twin = replace(forge("LearningErased", "nothing", "a" * 32), event_uuid=told.event_uuid)
    twin = replace(twin, event_hash=chain_hash(GENESIS, head_text(twin.head()), twin.payload_hash))
    assert "another event has its id" in push(world.hub, twin)["refused"][0]
    assert world.hub.stores.memories.by_learning([SHARED])[SHARED].status == "active"
    world.is_whole()


# -- a later Nous -----------------------------------------------------------------------------------------------------


def test_what_a_later_nous_wrote_counts_after_an_update(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    event = forge("LearningExtracted", "a memory type of a later Nous", "a" * 32)
    said = push(world.hub, event, follower(event))
    assert (said["taken"], said["kept"], said["refused"]) == (1, 1, [])
    exchange(world.ann, link(world.hub, member("ann")), CLOCK)
    for stores in (world.hub.stores, world.ann):
        assert stores.memories.by_learning([event.stream_id]) == {} and stores.devices.arrivals().later == 1
        assert verify(stores).problems == []
    monkeypatch.setitem(TYPES, "prophecy", TYPES["fact"])
    monkeypatch.setattr(arrival, "KNOWN", "later")
    monkeypatch.setattr(absorbing, "KNOWN", "later")
    world.others_go_on()
    for stores in (world.hub.stores, world.ann):
        assert stores.memories.by_learning([event.stream_id])[event.stream_id].type == "prophecy"
        assert stores.devices.arrivals().later == 0
    world.is_whole()


def test_a_third_device_gets_the_words_of_a_later_nous_and_not_those_that_were_refused(world: World) -> None:
    later_one = forge("LearningExtracted", "a memory type of a later Nous", "a" * 32)
    refused = forge("LearningExtracted", "yesterday", "b" * 32)
    push(world.hub, later_one)
    push(world.hub, refused)
    given = {event["device"]: event for event in world.hub.ask("POST", "/v1/sync/pull", {"known": {}}, "ann")["events"]}
    assert "prophecy" in given["a" * 32]["payload_json"]
    assert given["b" * 32]["payload_json"] == WITHHELD_JSON
    assert given["b" * 32]["event_hash"] == refused.event_hash


def test_what_is_kept_loses_its_words_when_its_memory_is_erased(world: World) -> None:
    push(world.hub, forge("LearningReinforced", "a version of a later Nous", "a" * 32))
    assert world.hub.stores.devices.arrivals().later == 1
    push(world.hub, forge("LearningErased", "nothing", "b" * 32))
    assert world.hub.stores.devices.arrivals()[2:4] == (0, 1)
    push(world.hub, forge("LearningReinforced", "a version of a later Nous", "c" * 32))
    assert world.hub.stores.devices.arrivals()[2:4] == (0, 2)
    push(world.hub, forge("LearningExtracted", "a memory type of a later Nous", "d" * 32))
    world.hub.stores.devices.withhold((), ["PORTS start"], NOW)
    assert world.hub.stores.devices.arrivals()[2:4] == (0, 3) and world.hub.holds("prophecy") == []
    assert not any(
        "8000" in event.payload_json for event in world.hub.stores.devices.list_written() if event.is_withheld
    )


# -- bounds -----------------------------------------------------------------------------------------------------------


def test_what_waits_is_bounded_and_nothing_is_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "WAITING", 5)
    early = [forge("LearningReinforced", "eleven minutes ahead", f"{number:032x}") for number in range(8)]
    for event in early:
        push(world.hub, event)
    size = world.hub.stores.devices.arrivals()
    assert size.waiting == 5 and size.is_full
    world.others_go_on()
    world.hub.nous.clock = world.hub.nous.work.clock = lambda: later(CLOCK, 900)
    for event in early:  # a device offers what the hub does not know yet in every round
        push(world.hub, event)
    assert world.hub.stores.devices.arrivals().waiting == 0
    assert all(event.device in world.hub.stores.devices.read_positions() for event in early)


def test_what_is_held_is_bounded_and_its_chain_goes_on_when_there_is_room(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "HELD", 2)
    sent = [forge("LearningReinforced", "a version of a later Nous", f"{number:032x}") for number in range(3)]
    for event in sent:
        push(world.hub, event)
    assert world.hub.stores.devices.arrivals().later == 2 and world.hub.stores.devices.arrivals().is_full
    world.others_go_on()
    monkeypatch.setattr(bounds, "HELD", 20)
    push(world.hub, sent[2], follower(sent[2]))
    assert world.hub.stores.devices.read_positions()[sent[2].device] == 2


def test_doctor_status_and_sync_say_what_does_not_count(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    home.nous("remember", "The api speaks JSON.")
    assert home.nous("sync", str(folder), "--passphrase-file", "plain").returncode == 0
    shared = Shared.open(str(folder), PLAIN)
    shared.write("a" * 32, [forge("LearningExtracted", "yesterday", "a" * 32)])
    shared.write("b" * 32, [forge("LearningExtracted", "an event type of a later Nous", "b" * 32)])
    said = home.nous("sync", str(folder), "--passphrase-file", "plain")
    assert "1 are kept for later" in said.stdout and "1 were refused" in said.stdout and said.returncode == 0
    doctor = home.nous("doctor")
    assert "FAIL devices" in doctor.stdout and "its time 'yesterday' is none (device aaaaaaaa)" in doctor.stdout
    assert "1 kept for later, 1 refused" in home.nous("status").stdout


# -- the folder -------------------------------------------------------------------------------------------------------


def test_no_name_of_a_device_becomes_a_path(stores: Stores, tmp_path: Path) -> None:
    (tmp_path / "deep" / "shared").mkdir(parents=True)
    folder = tmp_path / "deep" / "shared"
    with pytest.raises(BadEvent, match="no name of a device"):
        absorb(stores, [forge("LearningExtracted", "a device that is a path", "")], CLOCK)
    say(stores, extracted("l1"))
    stores.db.run("events.add_device", device="../../x", is_own=0, last_hash=GENESIS, made_at=NOW)  # of an older Nous
    rows = stores.devices.list_written()
    odd = [replace(event, device="../../x") for event in rows]
    with pytest.raises(NousError, match="no name of a device"):
        Shared.open(str(folder), PLAIN).write("../../x", odd)
    assert sync(stores, str(folder), PLAIN, CLOCK).went == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep"]


def test_what_is_no_plain_file_in_the_folder_hangs_and_fills_nothing(stores: Stores, tmp_path: Path) -> None:
    from nous import zstd

    folder = tmp_path / "shared"
    for name in "abcdef":
        (folder / (name * 32)).mkdir(parents=True)
    file = "0000000001-0000000001.events"
    os.mkfifo(folder / ("a" * 32) / file)
    (folder / ("b" * 32) / file).symlink_to("/dev/zero")
    with open(folder / ("c" * 32) / file, "wb") as sparse:
        sparse.truncate(1 << 34)
    bomb = zstd.compress(b"\0" * (LARGEST + 1))
    (folder / ("d" * 32) / file).write_bytes(bomb)
    (folder / ("e" * 32) / file).mkdir()
    (tmp_path / "away").mkdir()
    (folder / ("f" * 32)).rmdir()
    (folder / ("f" * 32)).symlink_to(tmp_path / "away")
    say(stores, extracted("l1"))
    found = sync(stores, str(folder), PLAIN, CLOCK)
    assert (found.came, found.went, len(found.troubles)) == (0, 1, 5)
    with pytest.raises(StoreError, match="leads out"):
        Shared.open(str(folder), PLAIN).write("f" * 32, [forge("LearningExtracted", "nothing", "f" * 32)])
    assert list((tmp_path / "away").iterdir()) == []


def test_a_marker_that_is_a_pipe_is_no_marker(stores: Stores, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "nous-sync.json")
    with pytest.raises(NousError, match="cannot be read"):
        sync(stores, str(tmp_path), PLAIN, CLOCK)


# -- who speaks -------------------------------------------------------------------------------------------------------


def test_nobody_remarks_in_the_name_of_somebody_else(world: World) -> None:
    def remark(device: str, author: str) -> WireEvent:
        raw = msgspec.json.encode({"reason": "Not so.", "author": author}).decode()
        made = replace(forge("LearningContested", "nothing", device), payload_json=raw, payload_hash=payload_hash(raw))
        return replace(made, event_hash=chain_hash(GENESIS, head_text(made.head()), made.payload_hash))

    assert push(world.hub, remark("a" * 32, "mallory"))["refused"] == []
    assert "in the name of somebody else" in push(world.hub, remark("b" * 32, "bob"))["refused"][0]
    exchange(world.ann, TeamHub(BlindHub([remark("c" * 32, "bob")]), frozenset({"p"})), CLOCK)
    said = [event.payload for event in world.ann.events.of_learning(SHARED)]
    assert not any(isinstance(payload, Contested) for payload in said)
    exchange(world.ann, link(world.hub, member("ann")), CLOCK)
    said = [event.payload for event in world.ann.events.of_learning(SHARED)]
    assert [payload.author for payload in said if isinstance(payload, Contested)] == ["mallory"]


def test_who_told_of_a_discussed_memory_may_erase_it_everywhere(world: World) -> None:
    told = forge("LearningExtracted", "nothing", "a" * 32)
    push(world.hub, told)
    exchange(world.ann, link(world.hub, member("ann")), CLOCK)
    remark = replace(
        extracted(told.stream_id, key="why"), event_type="LearningContested", payload=Contested(reason="?")
    )
    say(world.ann, remark, now=later(NOW, 90))
    exchange(world.ann, link(world.hub, member("ann")), CLOCK)
    for device, who, is_gone in (("b" * 32, "bob", False), ("c" * 32, "mallory", True)):
        erasure = replace(forge("LearningErased", "nothing", device), stream_id=told.stream_id)
        erasure = replace(erasure, transaction_time=later(NOW, 99))
        made = replace(erasure, event_hash=chain_hash(GENESIS, head_text(erasure.head()), erasure.payload_hash))
        push(world.hub, made, who=member(who))
        exchange(world.ann, link(world.hub, member("ann")), CLOCK)
        for stores in (world.hub.stores, world.ann):
            assert (stores.memories.by_learning([told.stream_id])[told.stream_id].status == "erased") is is_gone


def test_what_came_from_a_team_first_counts_in_full_when_ones_own_device_says_it(world: World, tmp_path: Path) -> None:
    pin = replace(extracted(SHARED, key="pin"), event_type="LearningPinned", payload=Payload(), source="user_review")
    say(world.ann, pin, now=later(NOW, 30))
    second = open_stores(":memory:")
    (tmp_path / "shared").mkdir()
    for stores in (world.ann, second):
        exchange(stores, link(world.hub, member("ann")), CLOCK)
    assert not second.memories.by_learning([SHARED])[SHARED].pinned
    for stores in (world.ann, second):
        sync(stores, str(tmp_path / "shared"), PLAIN, CLOCK)
    assert second.memories.by_learning([SHARED])[SHARED].pinned
    assert (
        verify(second).problems == [] and compare_with_replay(second.events, second.memories, CLOCK).differences == []
    )
    second.close()


def again(event: WireEvent, **fields: Any) -> WireEvent:
    """An event with other columns, and the hash that fits them."""
    made = replace(event, **fields)
    return replace(made, event_hash=chain_hash(made.prev_hash, head_text(made.head()), made.payload_hash))


def test_a_birth_without_words_takes_nobodys_words(world: World) -> None:
    empty = forge("LearningExtracted", "erased already", "a" * 32)
    push(world.hub, again(empty, stream_id=SHARED, transaction_time="1970-01-01T00:00:00.000Z"))
    exchange(world.ann, link(world.hub, member("ann")), CLOCK)
    for stores in (world.hub.stores, world.ann):
        assert stores.memories.by_learning([SHARED])[SHARED].content == "Ports start at 8000."
    world.is_whole()


def test_an_erasure_that_says_nothing_erases_nothing(world: World) -> None:
    assert "says nothing" in push(world.hub, forge("LearningErased", "erased already", "a" * 32))["refused"][0]
    assert world.hub.stores.memories.by_learning([SHARED])[SHARED].status == "active"


def test_a_time_that_falls_is_refused_and_the_next_is_heard(world: World) -> None:
    first = forge("LearningReinforced", "nothing", "a" * 32)
    place = {"device_seq": 2, "prev_hash": first.event_hash, "transaction_time": later(NOW, 30)}
    second = again(forge("LearningReinforced", "nothing", "a" * 32), **place)
    said = push(world.hub, first, second, follower(second))
    assert said["taken"] == 2 and "the time of its device falls" in said["refused"][0]
    world.is_whole()
