"""The chosen judge is asked wherever something is learned, and never while anybody else is kept from writing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from factories import NOW
from features.model_reader.test_model_reader import session
from nous.core.events import Archived, Writer, make_event
from nous.core.extraction import Learning
from nous.errors import ConfigError
from nous.remember.by_hand import Note, keep, opinions_on
from nous.remember.imports import Destination, import_file
from nous.remember.introduce import Origin
from nous.remember.learn import WorkerOptions, opinions, take_up
from nous.remember.projection import catch_up
from nous.remember.reextract import reextract
from nous.stores import Stores
from remember.test_learn import Clock
from remember.test_near_misses import FULL, SNAPSHOTS, Chosen
from remember.test_reextract import Reading

Way = Callable[[Stores, Path, Chosen], None]


def known(stores: Stores, content: str = FULL, project: str = "p") -> int:
    """A memory that somebody told by hand."""
    return keep(stores, [Note(text=content, type="fact")], project, "s0", NOW)[0]


def contents(stores: Stores) -> list[str]:
    return [memory.content for memory in stores.memories.listing(None)]


def by_hand(stores: Stores, folder: Path, chosen: Chosen) -> None:
    known(stores)
    notes = [Note(text=SNAPSHOTS, type="fact")]
    keep(stores, notes, "p", "s1", NOW, opinions_on(stores, notes, "p", "s1", lambda: chosen))


def by_import(stores: Stores, folder: Path, chosen: Chosen) -> None:
    known(stores)
    file = folder / "notes.md"
    file.write_text(f"# Facts\n\n- {SNAPSHOTS}\n")
    options = WorkerOptions(judge=lambda: chosen)
    import_file(stores, str(file), Destination("p"), lambda: NOW, options=options)


def by_rereading(stores: Stores, folder: Path, chosen: Chosen) -> None:
    clock = Clock()
    session(stores, folder, clock, "What happens to the snapshots?", timestamp="2026-11-08T10:00:00.000Z")
    [row] = stores.transcripts.sessions(None, 9)
    known(stores, project=row["project_id"])
    reextract(stores, Reading("rules-9", (0, SNAPSHOTS), type="fact"), clock, chosen=lambda: chosen)


@pytest.mark.parametrize("way", [by_hand, by_import, by_rereading], ids=lambda way: way.__name__)
def test_what_the_chosen_judge_calls_the_same_is_one(stores: Stores, tmp_path: Path, way: Way) -> None:
    chosen = Chosen(stores)
    way(stores, tmp_path, chosen)
    assert contents(stores) == [FULL]
    assert chosen.was_writing and not any(chosen.was_writing)


def test_without_a_chosen_judge_both_stay(stores: Stores) -> None:
    known(stores)
    known(stores, SNAPSHOTS)
    assert sorted(contents(stores)) == sorted([FULL, SNAPSHOTS])


def learning() -> Learning:
    return Learning(content=SNAPSHOTS, type="fact", evidence=("r1",))


ORIGIN = Origin("p", "s1", "fs_watch", "2026-11-20T00:00:00.000Z", "rules-4")


def test_what_ended_after_the_judge_was_asked_is_not_strengthened(stores: Stores) -> None:
    number = known(stores)
    third = opinions(stores, [(learning(), "p")], lambda: Chosen(stores))
    memory = stores.memories.get(number)
    assert memory is not None
    by = Writer("s2", "user_review")
    gone = make_event(
        "LearningArchived", memory.learning_id, Archived(reason="forgotten"), "gone", project_id="p", by=by, at=NOW
    )
    with stores.db.transaction():
        stores.events.append([gone], NOW)
        catch_up(stores, NOW)
    with stores.db.transaction():
        outcome, _ = take_up(stores, learning(), ORIGIN, "k1", NOW, third=third)
    assert outcome.learned == 1
    assert contents(stores) == [SNAPSHOTS]


def test_of_what_was_learned_after_the_judge_was_asked_the_built_in_one_speaks(stores: Stores) -> None:
    third = opinions(stores, [(learning(), "p")], lambda: Chosen(stores))
    known(stores)
    with stores.db.transaction():
        outcome, _ = take_up(stores, learning(), ORIGIN, "k1", NOW, third=third)
    assert outcome.learned == 1


def test_a_judge_that_does_not_answer_stops_nobody(stores: Stores) -> None:
    def gone() -> None:
        raise ConfigError("no such folder")

    known(stores)
    notes = [Note(text=SNAPSHOTS, type="fact")]
    keep(stores, notes, "p", "s1", NOW, opinions_on(stores, notes, "p", "s1", gone))
    assert len(contents(stores)) == 2
