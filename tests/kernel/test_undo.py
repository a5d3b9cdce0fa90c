"""Taking back what was decided: everything is as it was, nothing is lost, and the undoing can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from factories import NOW, extracted, sized
from nous.app import Nous
from nous.config import load_settings
from nous.errors import NotFound, NousError
from nous.kernel.log.events import Contradicted, Event, Payload
from nous.kernel.log.integrity import verify
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores, open_stores
from nous.moments import later

PLACE = "/shop"


@pytest.fixture
def nous(tmp_path: Path) -> Iterator[Nous]:
    """A memory in which every look at the clock is a minute later."""
    settings = load_settings({"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)})
    moments = (later(NOW, 60 * number) for number in range(10_000))
    with Nous(open_stores(str(tmp_path / "cortex.db")), settings, lambda: next(moments)) as opened:
        yield opened


def seen(nous: Nous) -> list[tuple[int, str]]:
    return [(memory.id, memory.content) for memory in nous.list(project=PLACE)]


def unchanged(memory: Memory) -> dict[str, object]:
    """A memory but for the number of the event that last had a say."""
    return {name: getattr(memory, name) for name in Memory.__struct_fields__ if name != "version"}


def test_undo_takes_back_the_last_decision_and_then_the_one_before(nous: Nous) -> None:
    number = nous.remember("Deploys go through make ship", project=PLACE)
    first = nous.get(number)
    nous.pin(number)
    pinned = nous.get(number)
    nous.forget(number)
    nous.undo(project=PLACE)
    assert unchanged(nous.get(number)) == unchanged(pinned)
    nous.undo(project=PLACE)
    assert unchanged(nous.get(number)) == unchanged(first)
    nous.undo(project=PLACE)
    assert seen(nous) == []
    with pytest.raises(NotFound, match="no decision to undo"):
        nous.undo(project=PLACE)
    assert compare_with_replay(nous.stores.events, nous.stores.memories, NOW).differences == []
    assert verify(nous.stores).ok


def test_a_correction_is_undone_as_a_whole_and_comes_back_as_a_whole(nous: Nous) -> None:
    old = nous.remember("The API listens on port 4000", project=PLACE)
    new = nous.correct(old, "The API listens on port 4100")
    assert seen(nous) == [(new, "The API listens on port 4100")]
    done = nous.undo(project=PLACE)
    assert {event.event_type for event in done.undone} == {"LearningExtracted", "LearningSuperseded"}
    assert seen(nous) == [(old, "The API listens on port 4000")]
    assert nous.get(old).superseded_by is None
    nous.undo(done.undone_by[1:])
    assert seen(nous) == [(new, "The API listens on port 4100")]
    assert nous.get(old).status == "superseded"
    assert compare_with_replay(nous.stores.events, nous.stores.memories, NOW).differences == []


def test_what_was_undone_is_not_found_any_more_but_still_as_of_then(nous: Nous) -> None:
    number = nous.remember("Invoices are numbered by year", project=PLACE)
    then = nous.clock()
    nous.undo(project=PLACE)
    assert nous.recall("how are invoices numbered?", project=PLACE) == []
    [hit] = nous.recall("how are invoices numbered?", project=PLACE, as_of=then)
    assert hit.id == number
    with pytest.raises(NotFound):
        nous.get(number)
    again = nous.remember("Invoices are numbered by year", project=PLACE)
    assert seen(nous) == [(again, "Invoices are numbered by year")] and again != number


def test_undoing_one_side_of_a_contradiction_undoes_the_other(nous: Nous) -> None:
    stores = nous.stores
    stores.events.append([extracted("a", "We merge to main"), extracted("b", "We merge to develop")], NOW)
    for mine, other in (("a", "b"), ("b", "a")):
        said = Contradicted(contradicted_with=other, contradiction_multiplier=0.7)
        stores.events.append([happens(mine, "LearningContradicted", said)], NOW)
    catch_up(stores, NOW)
    nous.undo([3])
    assert [memory.strength for memory in stores.memories.by_id([1, 2])] == [0.5, 0.5]
    assert stores.graph.of("a") == []


@pytest.mark.parametrize(
    ("event", "problem"), [(99, "there is no event 99"), (2, "event 2 cannot be undone: it is undone already")]
)
def test_what_cannot_be_undone_is_said(nous: Nous, event: int, problem: str) -> None:
    number = nous.remember("Deploys go through make ship", project=PLACE)
    nous.pin(number)
    nous.undo(project=PLACE)
    before = nous.stores.events.last_id()
    with pytest.raises(NousError, match=problem):
        nous.undo([event])
    assert nous.stores.events.last_id() == before


def happens(learning: str, kind: str, payload: Payload) -> Event:
    made = extracted(learning, key=f"{kind}:{learning}")
    return Event(
        learning_id=learning,
        event_type=kind,  # type: ignore[arg-type]
        idempotency_key=made.idempotency_key,
        payload=payload,
        session_id="s",
        project_id="p",
        source="user_review",
    )


def test_decisions_made_in_one_breath_are_undone_one_by_one(stores: Stores, tmp_path: Path) -> None:
    """A program decides many times in a millisecond; each is still a decision of its own."""
    settings = load_settings({"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)})
    nous = Nous(stores, settings)
    number = nous.remember("Deploys go through make ship", project=PLACE)
    for turn in range(sized(20, 200)):
        nous.pin(number)
        nous.unpin(number)
        nous.confirm(number) if turn % 2 else nous.dispute(number)
    decided = [event.event_id for event in stores.events.by_hand(2**62, 1000)]
    for expected in decided:
        assert [event.event_id for event in nous.undo(project=PLACE).undone] == [expected]


def test_what_is_decided_inside_a_decision_is_part_of_it(stores: Stores, tmp_path: Path) -> None:
    nous = Nous(stores, load_settings({"NOUS_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)}))
    first, second = (nous.remember(text, project=PLACE) for text in ("Deploys go by ship", "Tests run in docker"))
    with nous.decision():
        nous.pin(first)
        with nous.decision():
            nous.pin(second)
        nous.confirm(first)
    assert len(nous.undo(project=PLACE).undone) == 3
    assert not nous.get(first).pinned and not nous.get(second).pinned and not nous.get(first).confirmed
