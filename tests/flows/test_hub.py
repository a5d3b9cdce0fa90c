"""Devices and a hub: whatever happens on the way, they end up believing the same, and nothing personal is there."""

from __future__ import annotations

import random
import shutil
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from bench.postgres import APP, PostgresServer
from msgspec.structs import replace

from factories import NOW, extracted, sized
from flows.simulation import CANARY, PASSPHRASE, BadLink, Hub, simulate
from flows.test_devices import say
from nous.errors import BadEvent, ConfigError, Forked, NousError
from nous.features.backup.backup import backup, restore
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.log.events import Erased, Payload
from nous.kernel.log.integrity import verify
from nous.kernel.stores import Stores, open_stores
from nous.moments import later
from nous.teams import hubs
from nous.teams.hubs import HubAway, SealedHub, TeamHub, settle_dispute
from nous.teams.sync import PLAIN, Shared, exchange


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    made = Hub(tmp_path)
    yield made
    made.stores.close()


@pytest.fixture
def pair() -> Iterator[tuple[Stores, Stores]]:
    here, there = open_stores(":memory:"), open_stores(":memory:")
    yield here, there
    here.close()
    there.close()


def team(hub: Hub, *projects: str) -> TeamHub:
    return TeamHub(BadLink(hub, random.Random(0)), frozenset(projects or ("p",)))


def erase(stores: Stores, name: str, now: str = NOW) -> None:
    """Erase a memory as a purge does."""
    numbers = [number for number, _, _ in stores.events.payloads([name])]
    stores.events.erase(numbers)
    gone = Erased(reason="asked for", erased_events=tuple(numbers))
    made = replace(extracted(name, key=f"erase:{name}"), event_type="LearningErased", payload=gone)
    say(stores, replace(made, source="user_review"), now=now)


def contents(stores: Stores) -> dict[str, str]:
    return {one.learning_id: one.content for one in stores.memories.listing(None, status=None, limit=1000)}


# -- a team ----------------------------------------------------------------------------------------------------------


def test_a_team_shares_a_project_and_nothing_that_is_personal(hub: Hub, pair: tuple[Stores, Stores]) -> None:
    here, there = pair
    say(
        here,
        extracted("l1", "Ports start at 8000.", project_id="p"),
        extracted("l2", f"My {CANARY} everywhere.", project_id="p", scope="global"),
        extracted("l3", f"Of {CANARY} nobody hears.", project_id="p", tags=("private",)),
        extracted("l4", f"Another project's {CANARY}.", project_id=f"{CANARY}-other"),
        extracted("l5", f"A page said {CANARY}.", project_id="p", tainted=True),
        extracted("l6", f"For this session {CANARY}.", project_id="p", scope="session"),
    )
    found = exchange(here, team(hub), NOW)
    assert found.went == 1 and hub.holds(CANARY) == []
    assert exchange(there, team(hub), NOW).came == 1
    assert contents(there) == contents(hub.stores) == {"l1": "Ports start at 8000."}
    assert exchange(here, team(hub), NOW)[:2] == (0, 0)
    for stores in (here, there, hub.stores):
        assert verify(stores).problems == []


def test_nothing_goes_to_a_team_unless_a_project_is_named(hub: Hub, pair: tuple[Stores, Stores]) -> None:
    here, _ = pair
    say(here, extracted("l1", project_id="p"))
    assert exchange(here, TeamHub(BadLink(hub, random.Random(0)), frozenset()), NOW).went == 0
    assert exchange(here, team(hub, "*"), NOW).went == 1


def test_what_is_shared_later_goes_later_and_what_was_shared_stays_so(hub: Hub, pair: tuple[Stores, Stores]) -> None:
    here, there = pair
    say(here, extracted("l1", project_id="q"))
    say(here, extracted("l2", project_id="p"), now=later(NOW, 10))
    exchange(here, team(hub), NOW)
    assert set(contents(hub.stores)) == {"l2"}
    exchange(here, team(hub, "p", "q"), NOW)  # older than what went before, so a chain of its own
    assert set(contents(hub.stores)) == {"l1", "l2"} and len(here.devices.publishing(hub.name)) == 2
    pin = replace(extracted("l1", key="pin", project_id="q"), event_type="LearningPinned", payload=Payload())
    say(here, replace(pin, source="user_review"), now=later(NOW, 20))
    exchange(here, team(hub), NOW)  # q is no longer shared; what happens to a shared memory is still told
    assert exchange(there, team(hub), NOW).kept == 2
    assert set(contents(there)) == {"l2"}  # and nobody is told of a project that they do not share
    assert exchange(there, team(hub, "p", "q"), NOW).came == 2
    assert hub.stores.events.count() == 3 and set(contents(there)) == {"l1", "l2"}
    assert verify(here).problems == verify(there).problems == verify(hub.stores).problems == []


def test_what_is_erased_leaves_the_hub_and_no_late_device_brings_it_back(hub: Hub, pair: tuple[Stores, Stores]) -> None:
    here, there = pair
    say(here, extracted("l1", f"Use {CANARY}.", project_id="p"))
    exchange(here, team(hub), NOW)
    exchange(there, team(hub), NOW)
    say(there, extracted("l1", f"Use {CANARY}.", key="read:there", project_id="p"), now=later(NOW, 1))
    erase(here, "l1", later(NOW, 5))
    exchange(here, team(hub), NOW)
    assert hub.holds(CANARY) == []
    late = exchange(there, team(hub), later(NOW, 9))  # it wrote of it meanwhile, and hears of the erasure now
    assert late.erased and hub.holds(CANARY) == []
    third = open_stores(":memory:")
    exchange(third, team(hub), NOW)
    assert CANARY not in str(contents(third)) and verify(hub.stores).problems == []
    third.close()


def test_a_device_put_back_to_an_old_copy_goes_on(hub: Hub, tmp_path: Path) -> None:
    path = str(tmp_path / "one.db")
    here = open_stores(path)
    say(here, extracted("l1", project_id="p"))
    exchange(here, team(hub), NOW)
    here.close()
    shutil.copy(path, tmp_path / "copy.db")
    here = open_stores(path)
    say(here, extracted("l2", project_id="p"), now=later(NOW, 1))
    exchange(here, team(hub), NOW)
    here.close()
    shutil.copy(tmp_path / "copy.db", path)
    here = open_stores(path)
    say(here, extracted("l3", project_id="p"), now=later(NOW, 2))  # under a number that was given before
    exchange(here, team(hub), later(NOW, 3))
    assert set(contents(here)) == set(contents(hub.stores)) == {"l1", "l2", "l3"}
    assert verify(here).problems == verify(hub.stores).problems == []
    here.close()


def two_copies(hub: Hub, folder: Path) -> tuple[Stores, Stores]:
    """A device that the hub knows and a copy of it; each has said something since."""
    first = open_stores(str(folder / "first.db"))
    say(first, extracted("l1", project_id="p"))
    exchange(first, team(hub), NOW)
    first.close()
    shutil.copy(folder / "first.db", folder / "second.db")
    first, second = open_stores(str(folder / "first.db")), open_stores(str(folder / "second.db"))
    say(first, extracted("l2", project_id="p"), now=later(NOW, 1))
    say(second, extracted("l3", project_id="p"), now=later(NOW, 2))
    return first, second


def test_two_copies_of_one_device_are_noticed_and_both_are_heard(hub: Hub, tmp_path: Path) -> None:
    first, second = two_copies(hub, tmp_path)
    carrier = team(hub)
    offered = list(carrier.offered(second, NOW))  # both made number 2 of the chain before either was there
    exchange(first, team(hub), NOW)
    with pytest.raises(Forked, match="one is a copy of the other"):
        carrier.write(offered[0].device, offered)
    assert "next round" in settle_dispute(second.devices, second.sealed, carrier, Forked("refused"))
    for stores in (second, first, second):
        exchange(stores, team(hub), later(NOW, 9))
    assert set(contents(first)) == set(contents(second)) == set(contents(hub.stores)) == {"l1", "l2", "l3"}
    for stores in (first, second, hub.stores):
        assert verify(stores).problems == []
    first.close()
    second.close()


def test_a_clock_that_is_ahead_waits_on_the_hub_and_hurts_nobody(tmp_path: Path, pair: tuple[Stores, Stores]) -> None:
    early = Hub(tmp_path, NOW)
    here, there = pair
    say(here, extracted("l1", project_id="p"), now=later(NOW, 86400))
    say(there, extracted("l2", project_id="p"))
    exchange(here, team(early), NOW)
    exchange(there, team(early), NOW)
    assert set(contents(early.stores)) == {"l2"}
    early.nous.clock = early.nous.work.clock = lambda: later(NOW, 86400)
    exchange(here, team(early), later(NOW, 86400))
    assert set(contents(early.stores)) == {"l1", "l2"}
    early.stores.close()


def test_a_hub_that_was_away_for_days_gets_a_large_backlog_in_pieces(
    hub: Hub, pair: tuple[Stores, Stores], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = pair
    link = BadLink(hub, random.Random(0), share=1.0)
    say(here, *(extracted(f"l{number}", "word " * 200, project_id="p") for number in range(300)))
    for _ in range(3):
        with pytest.raises(HubAway):
            exchange(here, TeamHub(link, frozenset({"p"})), NOW)
    monkeypatch.setattr(hubs, "PIECE", 50_000)
    monkeypatch.setattr("nous.features.hub.runs.LARGEST", 50_000)
    assert exchange(here, team(hub), NOW).went == 300
    assert hub.asked.count("/v1/sync/push") > 5
    hub.asked.clear()
    assert exchange(there, team(hub), NOW).came == 300
    assert hub.asked.count("/v1/sync/pull") > 3


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["team", "sealed", "folder"])
def test_a_backlog_that_is_larger_than_memory_goes_and_comes_in_pieces(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two gigabytes are tried as forty megabytes, in pieces that are smaller by as much: what is held at once stays."""
    monkeypatch.setattr(hubs, "PIECE", 100_000)
    monkeypatch.setattr("nous.features.hub.runs.LARGEST", 200_000)
    monkeypatch.setattr("nous.teams.sync.BATCH_BYTES", 200_000)
    monkeypatch.setattr("nous.teams.sync.SMALL", 1_000)
    monkeypatch.setattr("nous.kernel.log.device_events.AT_ONCE", 50)
    monkeypatch.setattr("nous.kernel.memory.memories.KEPT", 50)
    hub = Hub(tmp_path, url=str(tmp_path / "hub.db"))
    (tmp_path / "shared").mkdir()
    here, there = (open_stores(str(tmp_path / f"{name}.db")) for name in ("here", "there"))
    whole = 0
    for start in range(0, 2000, 100):
        made = [extracted(f"l{n}", f"{n} ".ljust(20_000, "x"), project_id="p") for n in range(start, start + 100)]
        say(here, *made, now=later(NOW, start))
        whole += sum(20_000 for _ in made)
    carriers: dict[str, Any] = {"team": team(hub), "sealed": own(hub), "folder": None}
    carrier = carriers[kind] or Shared.open(str(tmp_path / "shared"), PLAIN)
    tracemalloc.start()
    went, came = exchange(here, carrier, later(NOW, 9000)), exchange(there, carrier, later(NOW, 9000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (went.went, came.came, came.troubles) == (2000, 2000, ())
    assert peak < whole / 4, f"{peak / 1e6:.0f} MB were held at once of {whole / 1e6:.0f}"
    for stores in (here, there, hub.stores):
        stores.close()


@pytest.mark.parametrize("kind", ["team", "sealed", "folder"])
def test_a_device_put_back_to_an_old_backup_loses_nothing_and_repeats_no_number(kind: str, tmp_path: Path) -> None:
    """What it wrote after the backup comes back from the others, and it goes on under another name."""
    hub = Hub(tmp_path)
    (tmp_path / "shared").mkdir()
    made: dict[str, Any] = {"team": lambda: team(hub), "sealed": lambda: own(hub)}
    carrier = made.get(kind, lambda: Shared.open(str(tmp_path / "shared"), PLAIN))
    path = str(tmp_path / "one.db")
    here, there = open_stores(path), open_stores(":memory:")
    say(here, extracted("l1", project_id="p"))
    exchange(here, carrier(), NOW)
    backup(path, str(tmp_path / "old.db"))
    say(here, extracted("l2", project_id="p"), now=later(NOW, 1))
    exchange(here, carrier(), NOW)
    exchange(there, carrier(), NOW)
    here.close()
    restore(path, str(tmp_path / "old.db"), str(tmp_path / "kept"), later(NOW, 2))
    here = open_stores(path)
    say(here, extracted("l3", project_id="p"), now=later(NOW, 3))
    for stores in (here, there, here):
        assert exchange(stores, carrier(), later(NOW, 9)).troubles == ()
    assert set(contents(here)) == set(contents(there)) == {"l1", "l2", "l3"}
    assert verify(here).problems == verify(there).problems == verify(hub.stores).problems == []
    for stores in (here, there, hub.stores):
        stores.close()


def test_a_copy_whose_number_another_took_meanwhile_is_heard_under_the_next(hub: Hub, tmp_path: Path) -> None:
    first, second = two_copies(hub, tmp_path)
    list(team(hub).offered(second, NOW))  # it had chained it as number 2 when the hub went away
    exchange(first, team(hub), NOW)
    with pytest.raises(Forked) as problem:
        exchange(second, team(hub), later(NOW, 3))
    settle_dispute(second.devices, second.sealed, team(hub), problem.value)
    for stores in (second, first):
        exchange(stores, team(hub), later(NOW, 9))
    assert set(contents(first)) == set(contents(second)) == set(contents(hub.stores)) == {"l1", "l2", "l3"}
    first.close()
    second.close()


def test_two_devices_of_one_identity_are_named_and_the_others_go_on(hub: Hub, tmp_path: Path) -> None:
    first = open_stores(str(tmp_path / "first.db"))
    say(first, extracted("l1"))
    exchange(first, own(hub), NOW)
    first.close()
    shutil.copy(tmp_path / "first.db", tmp_path / "second.db")
    first, second = open_stores(str(tmp_path / "first.db")), open_stores(str(tmp_path / "second.db"))
    other = open_stores(":memory:")
    say(first, extracted("l2"), now=later(NOW, 1))
    say(second, extracted("l3"), now=later(NOW, 2))
    say(other, extracted("l4"))
    exchange(first, own(hub), NOW)
    with pytest.raises(Forked, match="one is a copy of the other"):  # though the hub has as many events of it
        exchange(second, own(hub), later(NOW, 3))
    assert exchange(other, own(hub), later(NOW, 4)).troubles == ()
    assert set(contents(other)) == {"l1", "l2", "l4"} and set(contents(second)) == {"l1", "l3"}
    for stores in (first, second, other):
        stores.close()


@pytest.mark.parametrize(
    "change",
    [
        lambda event: event | {"payload_json": '{"content":"other words"}'},
        lambda event: event | {"project_id": "q"},
        lambda event: event | {"event_hash": "0" * 64},
        lambda event: event | {"prev_hash": "1" * 64},
        lambda event: event | {"event_type": "Nothing"},
    ],
)
def test_a_hub_checks_every_event_on_arrival(hub: Hub, pair: tuple[Stores, Stores], change: Any) -> None:
    here, _ = pair
    say(here, extracted("l1", project_id="p"))
    carrier = team(hub)
    [event] = carrier.offered(here, NOW)
    with pytest.raises(BadEvent):
        hub.ask("POST", "/v1/sync/push", {"events": [change(msgspec.to_builtins(event))]})
    assert hub.stores.events.count() == 0


def test_a_hub_on_a_server(postgres: PostgresServer, tmp_path: Path, pair: tuple[Stores, Stores]) -> None:
    here, there = pair
    shared = Hub(tmp_path, url=postgres.url("nous", APP, tenant=uuid4().hex))
    say(here, extracted("l1", "Ports start at 8000.", project_id="p"))
    say(there, extracted("l2", f"Use {CANARY}.", project_id="p"))
    for stores in (here, there, here):
        assert exchange(stores, team(shared), NOW).troubles == ()
        assert exchange(stores, own(shared), NOW).troubles == ()
    assert contents(here) == contents(there) == contents(shared.stores)
    erase(here, "l2", later(NOW, 5))
    for stores in (here, there):
        exchange(stores, team(shared), later(NOW, 9))
        exchange(stores, own(shared), later(NOW, 9))
    assert CANARY not in str([contents(here), contents(there), contents(shared.stores)])
    assert verify(shared.stores).problems == []
    event = shared.ask("POST", "/v1/sync/pull", {"sealed": True})["events"][0]
    with pytest.raises(Forked):
        shared.ask("POST", "/v1/sync/push", {"sealed": [event | {"event_hash": "f" * 64}]})
    shared.stores.close()


def test_a_device_on_a_server(postgres: PostgresServer, hub: Hub, pair: tuple[Stores, Stores]) -> None:
    here = open_stores(postgres.url("nous", APP, tenant=uuid4().hex))
    say(here, extracted("l1", project_id="p"))
    assert exchange(here, team(hub), NOW).went == 1
    say(here, extracted("l0", project_id="q"), now=later(NOW, -5))
    exchange(here, team(hub, "p", "q"), NOW)
    settle_dispute(here.devices, here.sealed, team(hub), Forked("refused"))
    exchange(here, team(hub, "p", "q"), NOW)
    exchange(pair[0], team(hub, "p", "q"), NOW)
    assert set(contents(pair[0])) == {"l0", "l1"} and verify(here).problems == []
    here.close()


# -- one person's own devices ----------------------------------------------------------------------------------------


def own(hub: Hub, passphrase: str = PASSPHRASE, owner: str = "ann") -> SealedHub:
    return SealedHub(BadLink(hub, random.Random(0), who=owner), passphrase)


def test_sealed_events_reach_ones_own_devices_and_the_hub_reads_nothing(hub: Hub, pair: tuple[Stores, Stores]) -> None:
    here, there = pair
    say(here, extracted("l1", f"My {CANARY} everywhere.", project_id=f"{CANARY}-p", scope="global"))
    assert exchange(here, own(hub), NOW).went == 1
    assert hub.holds(CANARY) == [] and hub.stores.events.count() == 0
    assert exchange(there, own(hub), NOW).came == 1 and contents(there) == contents(here)
    stranger = open_stores(":memory:")
    assert exchange(stranger, own(hub, owner="bob"), NOW)[:2] == (0, 0)
    stranger.close()


def test_another_passphrase_is_found_out_before_anything_is_given(hub: Hub, pair: tuple[Stores, Stores]) -> None:
    here, there = pair
    say(here, extracted("l1"))
    say(there, extracted("l2"))
    exchange(here, own(hub), NOW)
    with pytest.raises(NousError, match="another passphrase"):
        exchange(there, own(hub, "another passphrase"), NOW)
    assert list(hub.stores.sealed.get_reached("ann")) == [here.events.own_device()]
    with pytest.raises(ConfigError, match="cannot be read here"):
        own(hub, "another passphrase").offered(there, NOW)


def test_an_erasure_takes_the_sealed_words_out_for_good(hub: Hub, pair: tuple[Stores, Stores]) -> None:
    here, there = pair
    say(here, extracted("l1", f"Use {CANARY}."))
    exchange(here, own(hub), NOW)
    before = hub.ask("POST", "/v1/sync/pull", {"sealed": True})["events"]
    erase(here, "l1", later(NOW, 5))
    assert exchange(here, own(hub), NOW).rewritten == 1
    assert exchange(here, own(hub), NOW).rewritten == 0
    hub.ask("POST", "/v1/sync/push", {"sealed": before})  # a late device has the old text
    hub.ask("POST", "/v1/sync/sweep", {"sealed": [event | {"is_erased": True} for event in before]})
    texts = [
        str(event.payload_json)
        for event in own(hub).opened(hub.ask("POST", "/v1/sync/pull", {"sealed": True})["events"])
    ]
    assert CANARY not in "".join(texts)
    exchange(there, own(hub), NOW)
    assert CANARY not in str(contents(there))


def test_a_sealed_event_cannot_be_put_in_the_place_of_another(hub: Hub, pair: tuple[Stores, Stores]) -> None:
    here, there = pair
    say(here, extracted("l1"), extracted("l2"))
    exchange(here, own(hub), NOW)
    assert isinstance(hub.stores.db, Sqlite)
    hub.stores.db.connection.execute(
        "UPDATE sealed_events SET sealed = (SELECT sealed FROM sealed_events WHERE device_seq = 2) WHERE device_seq = 1"
    ).fetchall()
    found = exchange(there, own(hub), NOW)
    assert found.came == 0 and "another's place" in found.troubles[0]


def test_a_chain_of_sealed_events_has_no_gap_and_no_fork(hub: Hub, pair: tuple[Stores, Stores]) -> None:
    here, _ = pair
    say(here, extracted("l1"), extracted("l2"), extracted("l3"))
    exchange(here, own(hub), NOW)
    first, second, third = hub.ask("POST", "/v1/sync/pull", {"sealed": True})["events"]
    other = Hub.ask
    with pytest.raises(BadEvent, match="has to come first"):
        other(hub, "POST", "/v1/sync/push", {"sealed": [first, third]}, "bob")
    with pytest.raises(Forked):
        hub.ask("POST", "/v1/sync/push", {"sealed": [second | {"event_hash": "f" * 64}]})
    with pytest.raises(Forked):
        other(hub, "POST", "/v1/sync/push", {"sealed": [first, second | {"prev_hash": "f" * 64}]}, "carl")


# -- the simulation --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["team", "teams", "sealed"])
@pytest.mark.parametrize("seed", range(sized(2, 1000)))
def test_five_devices_and_a_hub_through_partitions_skew_crashes_and_erasures_agree(
    kind: str, seed: int, tmp_path: Path
) -> None:
    simulate(kind, seed, tmp_path)
