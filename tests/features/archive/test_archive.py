"""What faded leaves by itself and comes back when it is asked for; what somebody put away stays away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from factories import NOW, extracted
from nous.app import Nous
from nous.config import load_settings
from nous.features.archive.archive import archive, find_faded
from nous.kernel.log.events import Edge
from nous.kernel.memory.decay import DAY, HUB
from nous.kernel.memory.graph import HALF_CENTRAL
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import open_stores
from nous.moments import later

PLACE = "/shop"


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> str:
        return self.now

    def days(self, count: float) -> None:
        self.now = later(self.now, count * DAY)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def nous(tmp_path: Path, clock: Clock) -> Iterator[Nous]:
    settings = load_settings({"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)})
    with Nous(open_stores(str(tmp_path / "cortex.db")), settings, clock) as opened:
        yield opened


def archive_faded(nous: Nous) -> int:
    done = archive(nous.stores.events, find_faded(nous.stores, nous.clock()), nous.clock())
    catch_up(nous.stores, nous.clock())
    return done


def test_what_faded_is_archived_once_and_comes_back_when_somebody_asks(nous: Nous, clock: Clock) -> None:
    number = nous.remember("The importer is half done", type="progress", project=PLACE)
    rule = nous.remember("Never push on Fridays", type="decision", project=PLACE)
    clock.days(20)
    assert archive_faded(nous) == 0
    clock.days(20)
    assert (archive_faded(nous), archive_faded(nous)) == (1, 0)
    assert [memory.id for memory in nous.list(project=PLACE)] == [rule]
    assert nous.get(number).status == "active"
    nous.refresh()
    assert (archive_faded(nous), nous.stores.accesses.of([number])[number].accesses) == (0, 1)
    assert compare_with_replay(nous.stores.events, nous.stores.memories, clock.now).differences == []


def test_a_question_that_only_faded_memories_answer_brings_them_back(nous: Nous, clock: Clock) -> None:
    number = nous.remember("The importer is half done", type="progress", project=PLACE)
    clock.days(60)
    archive_faded(nous)
    [hit] = nous.recall("how far is the importer?", project=PLACE)
    assert hit.memory is not None
    assert (hit.id, hit.memory.status) == (number, "active")


def test_of_many_hits_only_the_best_counts_as_asked_for(nous: Nous) -> None:
    told = [nous.remember(f"The importer reads {what}", project=PLACE) for what in ("orders", "stock", "returns")]
    hits = nous.recall("importer stock", project=PLACE)
    assert len(hits) == len(told) and hits[0].id == told[1]
    nous.refresh()
    assert set(nous.stores.accesses.of(told)) == {told[1]}


def test_what_somebody_forgot_stays_forgotten(nous: Nous) -> None:
    number = nous.remember("The importer is half done", project=PLACE)
    nous.forget(number)
    assert nous.recall("importer", project=PLACE) == []
    assert nous.get(number).status == "archived"


def test_what_changed_lately_is_given_time(nous: Nous, clock: Clock) -> None:
    number = nous.remember("The importer is half done", type="progress", project=PLACE)
    clock.days(40)
    nous.dispute(number)
    assert find_faded(nous.stores, clock.now) == []
    clock.days(15)
    assert [memory.id for memory in find_faded(nous.stores, clock.now)] == [number]


def test_pinned_confirmed_and_central_memories_are_never_archived(nous: Nous, clock: Clock) -> None:
    numbers = [nous.remember(f"Step {word} is done", type="progress", project=PLACE) for word in ("one", "two", "six")]
    nous.pin(numbers[0])
    nous.confirm(numbers[1])
    clock.days(400)
    assert [memory.id for memory in find_faded(nous.stores, clock.now)] == numbers[2:]
    hang_on(nous, numbers[2])
    assert find_faded(nous.stores, clock.now) == []


def hang_on(nous: Nous, number: int) -> None:
    """Enough relations lead to a memory to make it a hub."""
    hub = nous.get(number)
    edge = Edge(target=hub.learning_id, relation="depends_on")
    for at in range(HALF_CENTRAL + 1):
        made = extracted(f"leaf-{at}", f"Leaf {at} needs it", project_id=hub.project_id)
        tie = replace(made, event_type="EdgeAccepted", payload=edge, idempotency_key=f"tie-{at}")
        nous.stores.events.append([made, tie], nous.clock())
    catch_up(nous.stores, nous.clock())


def test_what_many_others_hang_on_fades_half_as_fast_everywhere(nous: Nous, clock: Clock) -> None:
    number = nous.remember("The importer is half done", type="progress", project=PLACE)
    alone = nous.explain(number).fading
    hang_on(nous, number)
    hub = nous.explain(number).fading
    assert alone.half_life and hub.half_life == 2 * alone.half_life
    assert "others hang on it" in " ".join(hub.reasons)
    assert nous.stores.uses([nous.get(number)])[number].centrality > HUB
