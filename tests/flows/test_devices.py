"""Devices that write for themselves and hear of each other late, twice and in any order end up believing the same."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from factories import NOW, extracted, sized
from flows.test_migration import put
from flows.test_projection import CONCEPTS, NAMES
from nous.errors import BadEvent
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.log import events as events_module
from nous.kernel.log.events import (
    Archived,
    Contradicted,
    Edge,
    Erased,
    Event,
    EventType,
    Payload,
    Reinforced,
    Rescoped,
    Reviewed,
    Superseded,
    Undone,
    Weakened,
    item_key,
)
from nous.kernel.log.integrity import verify
from nous.kernel.log.wire import WireEvent, decode, encode
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores, open_stores
from nous.moments import later
from nous.teams.devices import absorb

LATE = "2099-01-01T00:00:00.000Z"
MARKS: tuple[EventType, ...] = (
    "LearningRestored",
    "LearningPinned",
    "LearningUnpinned",
    "LearningConfirmed",
    "LearningDisputed",
)


class Device:
    """One of several databases that belong together, with a clock of its own."""

    def __init__(self, name: int, skew: int):
        self.name = name
        self.stores = open_stores(":memory:")
        assert isinstance(self.stores.db, Sqlite)  # named, so that a failure can be seen again
        self.stores.db.connection.execute(f"UPDATE devices SET device = '{name:032x}'").fetchall()
        self.skew = skew
        self.written = 0

    def write(self, chance: random.Random, now: int) -> None:
        """Something happens to a learning that this device knows, or it learns a new one."""
        name = chance.choice(self.about())
        if stands(self.stores, name):
            made = self.happens(chance, name, chance.choice(self.about()))
        elif not self.stores.events.of_learning(name):
            made = self.born(chance, name)
        else:
            return  # it was erased or taken back here
        if made:
            self.written += 1
            with self.stores.db.transaction():
                self.stores.events.append([made], later(NOW, now + self.skew))
                catch_up(self.stores, NOW)

    def about(self) -> list[str]:
        """The learnings that it may write of."""
        return NAMES

    def born(self, chance: random.Random, name: str) -> Event:
        """The same records are read on every device: the same key, perhaps in other words."""
        words = f"About {name}, as {self.name if chance.random() < 0.3 else 'anybody'} says"
        tags = tuple(chance.sample(CONCEPTS, 2))
        scope = chance.choice(["project", "global"])
        made = extracted(name, words, key=f"born:{name}", project_id="p", concepts=tags, scope=scope)
        return replace(made, source="fs_watch")

    def happens(self, chance: random.Random, name: str, other: str) -> Event | None:
        events = self.stores.events.of_learning(name)
        edge = Edge(target=other, relation="relates_to", weight=chance.choice([0.5, 1.0]))
        payloads: list[tuple[EventType, Payload]] = [
            ("LearningReinforced", Reinforced(reinforcement_delta=0.1, concepts=(chance.choice(CONCEPTS),))),
            ("LearningReinforced", Reinforced(reinforcement_delta=0.2, evidence=(other,))),
            ("LearningWeakened", Weakened(reinforcement_delta=-0.2)),
            ("LearningContradicted", Contradicted(contradicted_with=other, contradiction_multiplier=0.7)),
            ("LearningSuperseded", Superseded(superseded_by=other)),
            ("LearningArchived", Archived(reason="old")),
            ("EdgeProposed", edge),
            ("EdgeAccepted", edge),
            ("EdgeRejected", edge),
            ("LearningRescoped", Rescoped(scope=chance.choice(["global", "project"]))),
            ("LearningReviewed", Reviewed(item=item_key("conflict", name, other), action="keep")),
            ("LearningReviewed", Reviewed(item=item_key("weak", name), action=chance.choice(["keep", "pin"]))),
            ("EventsUndone", Undone(undone_events=(chance.choice(events).event_id,))),
            ("EventsUndone", Undone(undone_events=tuple(event.event_id for event in chance.sample(events, 1)))),
            (chance.choice(MARKS), Payload()),
        ]
        kind, payload = chance.choice(payloads)
        if chance.random() < 0.04:
            kind = "LearningErased"
            numbers = [number for number, _, _ in self.stores.events.payloads([name])]
            self.stores.events.erase(numbers)
            payload = Erased(reason="asked for", erased_events=tuple(numbers))
        by_hand = chance.random() < 0.5
        key = f"hand:{name}:{len(events)}" if by_hand else f"read:{kind}:{name}:{self.name}:{self.written}"
        made = extracted(name, key=key, project_id="p")
        source = "user_review" if by_hand else "fs_reconcile"
        cause = chance.choice([None, events[0].event_id])
        return replace(made, event_type=kind, payload=payload, source=source, parent_event_id=cause)

    def hear(self, events: Sequence[WireEvent], now: int) -> None:
        """Take in what came, as it comes over a wire."""
        absorb(self.stores, [decode(encode(event)) for event in events], later(NOW, now + self.skew))

    def believes(self) -> dict[str, Any]:
        """Everything in the read models but the numbers that are its own."""
        memories = self.stores.memories.listing(None, status=None, limit=1000)
        names = {memory.id: memory.learning_id for memory in memories}
        rows = {table: [row for _, row in self.stores.memories.rows_of(table)] for table in TABLES}
        return {
            "memories": {memory.learning_id: replace(memory, id=0, version=0) for memory in memories},
            "concepts": {(names[row[0]], row[1]) for row in rows["concepts"] if row[0] in names},
            "text": {names[row[0]]: (*row[1:4], row[6]) for row in rows["memories_fts"] if row[0] in names},
            "edges": [row[:-1] for row in rows["edges"]],
            "reviews": [row[:-1] for row in rows["reviews"]],
            "stats": [(*row[:3], row[4]) for row in rows["event_stats"]],
        }


TABLES = ("concepts", "memories_fts", "edges", "reviews", "event_stats")


def stands(stores: Stores, name: str) -> bool:
    memory = stores.memories.by_learning([name]).get(name)
    return memory is not None and memory.status != "erased"


def exchange(devices: Sequence[Device], chance: random.Random, now: int) -> None:
    """Some events of one device reach another: a piece from anywhere, shuffled, with repetitions."""
    giver, taker = chance.sample(devices, 2)
    events = list(giver.stores.devices.list_written())
    piece = chance.choices(events, k=chance.randint(0, len(events))) if events else []
    taker.hear(piece, now)


def settle(devices: Sequence[Device], chance: random.Random) -> None:
    """Everything reaches everybody, still in disorder."""
    for _ in range(2):
        for giver in devices:
            for taker in devices:
                if giver is not taker:
                    events = [*giver.stores.devices.list_written(taker.stores.devices.read_positions())]
                    chance.shuffle(events)
                    taker.hear(events, 100_000)


@settings(
    max_examples=sized(10, 30), deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate]
)  # a seed cannot shrink
@given(st.integers(2, 4), st.integers(0, 2**32))
def test_devices_that_heard_everything_believe_the_same(count: int, seed: int) -> None:
    chance = random.Random(seed)
    devices = [Device(name, chance.choice([0, 0, -300, 300])) for name in range(count)]
    for step in range(chance.randint(5, 60)):
        if chance.random() < 0.7:
            chance.choice(devices).write(chance, step)
        else:
            exchange(devices, chance, step)
    settle(devices, chance)
    first = devices[0].believes()
    for device in devices:
        device.stores.erasures.finish(NOW)  # the traces of what others erased, wiped
        assert device.believes() == first
        assert verify(device.stores).problems == []
        assert compare_with_replay(device.stores.events, device.stores.memories, NOW).differences == []
        assert device.stores.devices.read_positions() == devices[0].stores.devices.read_positions()
    for device in devices:
        device.stores.close()


# -- one thing at a time --------------------------------------------------------------------------------------------


def two() -> tuple[Stores, Stores]:
    return open_stores(":memory:"), open_stores(":memory:")


def tell(giver: Stores, taker: Stores, now: str = NOW) -> Any:
    """Send what is missing there."""
    return absorb(taker, list(giver.devices.list_written(taker.devices.read_positions())), now)


def say(stores: Stores, *events: Event, now: str = NOW) -> None:
    stores.events.append(list(events), now)
    catch_up(stores, now)


def happens(name: str, kind: EventType, payload: Payload, key: str, **fields: Any) -> Event:
    return replace(extracted(name, key=key), event_type=kind, payload=payload, **fields)


def known(stores: Stores, name: str = "l1") -> Memory:
    return stores.memories.by_learning([name])[name]


def plain(stores: Stores) -> dict[str, Memory]:
    """Memories without the numbers that they have here."""
    found = stores.memories.listing(None, status=None)
    return {memory.learning_id: replace(memory, id=0, version=0) for memory in found}


def test_a_memory_has_a_number_on_each_device_and_one_global_id() -> None:
    here, there = two()
    say(there, extracted("x"), extracted("y"))
    say(here, extracted("l1", "Use pnpm here."))
    tell(here, there)
    assert (known(here).id, known(there).id) == (1, 3)
    assert plain(here)["l1"] == plain(there)["l1"]


def test_a_cause_is_the_same_event_wherever_it_is_asked_for() -> None:
    here, there = two()
    say(there, extracted("x"))
    say(here, extracted("l1"))
    say(here, happens("l1", "LearningPinned", Payload(), "pin", parent_event_id=1))
    first, second = here.devices.list_written()
    assert absorb(there, [second], NOW).waiting == 1
    assert there.events.count() == 1  # it waits for the one before it
    absorb(there, [first], NOW)
    assert [event.parent_event_id for event in there.events.of_learning("l1")] == [None, 2]


def test_a_cause_may_come_after_its_effect() -> None:
    here, there = two()
    third = open_stores(":memory:")
    say(here, extracted("l1"))
    tell(here, there)
    say(there, happens("l1", "LearningPinned", Payload(), "pin", parent_event_id=1))
    effect = [event for event in there.devices.list_written() if event.device == there.events.own_device()]
    absorb(third, effect, NOW)
    assert [event.parent_event_id for event in third.events.of_learning("l1")] == [None]
    tell(here, third)
    assert [event.parent_event_id for event in third.events.of_learning("l1")] == [2, None]
    assert known(third).pinned and verify(third).ok


def test_what_is_heard_twice_is_there_once() -> None:
    here, there = two()
    say(here, extracted("l1"))
    events = list(here.devices.list_written())
    assert len(absorb(there, [*events, *events], NOW).events) == 1
    assert absorb(there, events, NOW).known == 1
    assert absorb(here, events, NOW).known == 1
    assert there.events.count() == 1 and verify(there).ok


def test_chains_that_somebody_knows_are_not_read_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = open_stores(":memory:"), open_stores(":memory:")
    here.events.append([extracted("mine")], NOW)
    there.events.append([extracted("theirs")], NOW)
    absorb(here, list(there.devices.list_written()), NOW)
    read: list[str] = []
    each = here.db.each

    def watched(name: str, /, **values: Any) -> Iterator[tuple[Any, ...]]:
        read.append(name)
        return each(name, **values)

    monkeypatch.setattr(here.db, "each", watched)
    known = here.devices.read_positions()
    assert len(known) == 2 and not list(here.devices.list_written(known)) and "events.written" not in read
    behind = known | {there.events.own_device(): 0}
    assert [event.stream_id for event in here.devices.list_written(behind)] == ["theirs"]
    assert read.count("events.written") == 1


def test_records_that_two_devices_read_count_once() -> None:
    here, there = two()
    born = replace(extracted("l1", key="record 1"), source="fs_watch")
    again = happens("l1", "LearningReinforced", Reinforced(reinforcement_delta=0.1), "record 2", source="fs_watch")
    for stores in (here, there):
        say(stores, born, again)
    tell(here, there)
    assert there.events.count() == 4
    assert known(there).strength == pytest.approx(0.6)


def test_what_another_device_introduced_is_not_introduced_again() -> None:
    here, there = two()
    born = replace(extracted("l1", key="record 1"), source="fs_watch")
    say(here, born)
    tell(here, there)
    assert there.events.append([born], NOW) == [None]


def test_what_is_decided_by_hand_on_two_devices_are_two_decisions_though_their_keys_are_alike() -> None:
    here, there = two()
    for stores in (here, there):
        say(stores, extracted("l1"))
        say(stores, happens("l1", "LearningDisputed", Payload(), "by-hand:l1:1", source="user_review"))
    tell(here, there)
    assert known(there).confidence == pytest.approx(0.7 / 4)


def test_an_undoing_reaches_an_event_of_another_device() -> None:
    here, there = two()
    say(here, extracted("l1"), happens("l1", "LearningPinned", Payload(), "pin"))
    say(there, extracted("x"))
    tell(here, there)
    say(there, happens("l1", "EventsUndone", Undone(undone_events=(3,)), "undo", source="user_review"))
    tell(there, here)
    assert not known(here).pinned
    [undoing] = [event.payload for event in here.events.of_learning("l1") if isinstance(event.payload, Undone)]
    assert undoing.undone_events == (2,)


def test_what_a_device_writes_comes_after_what_it_has_heard_though_its_clock_is_behind() -> None:
    here, there = two()
    say(here, extracted("l1"), now=later(NOW, 300))
    tell(here, there)
    say(there, happens("l1", "LearningPinned", Payload(), "pin"))
    times = [event.transaction_time for event in there.events.of_learning("l1")]
    assert times == [later(NOW, 300), later(NOW, 300.001)]


@pytest.mark.parametrize("sent", [*permutations(range(4))], ids=str)
def test_what_a_relation_rests_on_and_its_end_do_not_hang_on_what_is_heard_first(sent: tuple[int, ...]) -> None:
    """Of four devices the last to speak says its end, and the last that gives evidence what it rests on."""
    said: list[tuple[EventType, tuple[str, ...], str | None]] = [
        ("EdgeProposed", ("r1",), None),
        ("EdgeAccepted", ("r2", "r3"), later(NOW, 50)),
        ("EdgeRejected", (), None),
        ("EdgeAccepted", (), later(NOW, 90)),
    ]
    writers = [open_stores(":memory:") for _ in said]
    for second, (stores, (kind, evidence, until)) in enumerate(zip(writers, said, strict=True)):
        edge = Edge(target="l2", relation="relates_to", evidence=evidence)
        say(stores, happens("l1", kind, edge, f"edge {second}", valid_until=until), now=later(NOW, second))
    there = open_stores(":memory:")
    say(there, extracted("l1"), extracted("l2"))
    for number in sent:
        tell(writers[number], there, later(NOW, 10))
    [(_, row)] = there.memories.rows_of("edges")
    assert row[5:-1] == ("active", NOW, NOW, later(NOW, 90), '["r2","r3"]')
    assert compare_with_replay(there.events, there.memories, NOW).differences == []


def test_a_clock_far_ahead_does_not_become_everybodys() -> None:
    here, there = two()
    say(here, extracted("l1"), now=LATE)
    assert tell(here, there).waiting == 1
    say(there, extracted("x"))
    assert there.events.as_of(NOW) == 1
    assert absorb(there, [], LATE).events == [2]  # its time has come


def test_as_of_is_when_it_came_here_and_not_when_it_was_written() -> None:
    here, there = two()
    say(here, extracted("l1"), now=NOW)
    say(there, extracted("x"), now=later(NOW, 10))
    tell(here, there, later(NOW, 100))
    assert there.events.as_of(later(NOW, 50)) == 1
    assert known(there).created_at == NOW
    assert [memory.learning_id for memory in there.memories.listing(None, as_of=1)] == ["x"]


def test_an_erasure_travels_and_no_late_device_brings_the_words_back() -> None:
    here, there = two()
    third = open_stores(":memory:")
    say(here, extracted("l1", "The gate code is three zebras."))
    for stores in (there, third):
        tell(here, stores)
    say(third, happens("l1", "LearningReinforced", Reinforced(reinforcement_delta=0.1, concepts=("zebra",)), "again"))
    here.events.erase([1])
    say(here, happens("l1", "LearningErased", Erased(reason="asked for", erased_events=(1,)), "gone"))
    assert tell(here, there).erased == ["l1"]
    assert there.erasures.list_unfinished()
    tell(third, there)
    there.erasures.finish(NOW)
    assert verify(here).ok and verify(there).ok
    assert not any("zebra" in row.payload_json for stores in (here, there) for row in stores.events.each_row())
    assert known(there).content == ""
    assert compare_with_replay(there.events, there.memories, NOW).differences == []


@pytest.mark.parametrize(
    "changed", [{"project_id": "q"}, {"stream_id": "l2"}, {"device": "f" * 32}, {"source": "user"}], ids=str
)
def test_an_event_that_was_changed_on_its_way_is_refused(changed: dict[str, str]) -> None:
    here, there = two()
    say(here, extracted("l1"))
    [event] = here.devices.list_written()
    with pytest.raises(BadEvent, match="does not fit its hash"):
        absorb(there, [replace(event, **changed)], NOW)
    with pytest.raises(BadEvent, match="the payload of event 1"):
        absorb(there, [replace(event, payload_json=event.payload_json.replace("pnpm", "yarn"))], NOW)
    assert there.events.count() == 0


def copied(stores: Stores, path: Path) -> Stores:
    """The same database once more, as a copied file."""
    assert isinstance(stores.db, Sqlite)
    stores.db.connection.execute(f"VACUUM INTO '{path}'").fetchall()
    return open_stores(str(path))


def test_a_copy_that_goes_on_writing_as_the_same_device_is_found_out(tmp_path: Path) -> None:
    here, there = two()
    say(here, extracted("l1"))
    other = copied(here, tmp_path / "copy.db")
    say(here, extracted("l2"))
    say(other, extracted("l3"))
    tell(here, there)
    with pytest.raises(BadEvent, match="two databases write as device") as refused:
        absorb(there, list(other.devices.list_written()), NOW)
    assert refused.value.hint
    other.close()


@pytest.mark.parametrize("renewed", [True, False], ids=["by the command", "when it hears what it wrote"])
def test_a_database_put_back_to_an_earlier_state_goes_on_under_a_new_name(tmp_path: Path, renewed: bool) -> None:
    here, there = two()
    say(here, extracted("l1"))
    other = copied(here, tmp_path / "copy.db")
    say(here, extracted("l2"))
    tell(here, there)
    if renewed:
        other.devices.renew(NOW)
    else:
        tell(there, other)
    assert other.events.own_device() != here.events.own_device()
    say(other, extracted("l3"))
    tell(other, there)
    tell(there, other)
    assert plain(other) == plain(there) and len(plain(other)) == 3
    assert verify(other).ok and verify(there).ok
    other.close()


def test_copies_that_were_made_before_there_were_devices_fit_together(tmp_path: Path) -> None:
    here, there = open_stores(str(put(tmp_path / "a"))), open_stores(str(put(tmp_path / "b")))
    for stores, name in ((here, "l1"), (there, "l2")):
        catch_up(stores, NOW)
        say(stores, extracted(name), now=LATE)
    tell(here, there, LATE)
    tell(there, here, LATE)
    assert plain(here) == plain(there) and {"l1", "l2"} <= plain(here).keys()
    assert here.events.count() == there.events.count()
    for stores in (here, there):
        assert (
            verify(stores).problems == [] and compare_with_replay(stores.events, stores.memories, NOW).differences == []
        )
        stores.close()


def test_logs_of_the_time_before_are_exchanged_too(tmp_path: Path) -> None:
    old, there = open_stores(str(put(tmp_path))), open_stores(":memory:")
    say(there, extracted("x"))
    catch_up(old, NOW)
    events = list(old.devices.list_written())
    random.Random(1).shuffle(events)
    assert len(absorb(there, events, LATE).events) == len(events)
    assert verify(there).problems == [] and compare_with_replay(there.events, there.memories, NOW).differences == []
    mine, theirs = plain(old), plain(there)
    assert {name: theirs[name] for name in mine} == mine
    decided = [[row[:-1] for _, row in stores.memories.rows_of("reviews")] for stores in (old, there)]
    assert decided[0] == decided[1] != []
    old.close()


def test_an_event_that_belongs_to_no_memory_needs_no_learning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(events_module.PAYLOADS, "ProjectNoted", Payload)
    monkeypatch.setitem(events_module.STREAM_OF, "ProjectNoted", "project")
    monkeypatch.setitem(events_module._decoders, "ProjectNoted", events_module._decoders["LearningPinned"])
    here, there = two()
    kind: Any = "ProjectNoted"
    noted = replace(extracted(), learning_id="", stream="project", stream_id="p", event_type=kind, payload=Payload())
    say(here, extracted("l1"), replace(noted, idempotency_key="noted"))
    tell(here, there)
    for stores in (here, there):
        [event] = [event for event in stores.events.read(0, 10) if event.stream == "project"]
        assert (event.learning_id, event.stream_id) == ("", "p")
        assert stores.memories.checkpoint("memories") == 2
        assert verify(stores).ok and compare_with_replay(stores.events, stores.memories, NOW).differences == []
    with pytest.raises(BadEvent, match="at `stream_id`"):
        here.events.append([replace(noted, stream_id="", idempotency_key="k")], NOW)
