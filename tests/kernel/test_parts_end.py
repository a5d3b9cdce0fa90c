"""A part of a memory ends and the rest goes on: through learning, late arrivals, undo and replay."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from factories import NOW, extracted, joined
from nous.app import Nous
from nous.config import load_settings
from nous.features.erasure.purge import Selection, purge
from nous.kernel.learn.introduce import Origin
from nous.kernel.learn.learn import take_up
from nous.kernel.log.extraction import Learning
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores

LEFT = "Discounts and refunds are given by the manager of the shop."
TWO = f"The price changes only when adding a custom amount. {LEFT}"
AWAY = "Let's remove the possibility to add custom amounts altogether."
EARLY, LATE = "2026-10-01T10:00:00.000Z", "2026-10-20T10:00:00.000Z"


def learn(stores: Stores, content: str, at: str, session: str, **fields: object) -> int:
    learning = Learning(content=content, type="requirement", evidence=(f"r-{session}",), **fields)  # type: ignore[arg-type]
    origin = Origin("p", session, "fs_watch", at, "rules-4", True)
    with stores.db.transaction():
        _, number = take_up(stores, learning, origin, f"k-{session}", NOW)
    return number


def active(stores: Stores) -> list[Memory]:
    return sorted(stores.memories.listing(None), key=lambda memory: memory.id)


def test_the_rest_goes_on_with_its_evidence_and_date(stores: Stores) -> None:
    old = learn(stores, TWO, EARLY, "s1", confidence=0.8)
    new = learn(stores, AWAY, LATE, "s2")
    said, left = active(stores)
    assert (said.id, said.content) == (new, AWAY)
    assert left.content == LEFT
    assert (left.evidence, left.session_id, left.valid_from) == (("r-s1",), "s1", EARLY)
    assert 0.4 <= left.confidence < 0.8
    whole = stores.memories.get(old)
    assert whole is not None and whole.status == "superseded" and whole.superseded_by == left.learning_id
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []


def test_a_single_sentence_ends_as_a_whole(stores: Stores) -> None:
    learn(stores, "The price changes only when adding a custom amount.", EARLY, "s1")
    learn(stores, AWAY, LATE, "s2")
    assert [memory.content for memory in active(stores)] == [AWAY]


def test_what_arrives_late_has_only_what_still_holds(stores: Stores) -> None:
    learn(stores, AWAY, LATE, "s2")
    learn(stores, TWO, EARLY, "s1")
    assert {memory.content for memory in active(stores)} == {AWAY, LEFT}


def test_a_hint_is_kept_when_it_ends_a_part(stores: Stores) -> None:
    learn(stores, TWO, EARLY, "s1")
    assert learn(stores, AWAY, LATE, "s2", is_tentative=True)
    assert len(active(stores)) == 2


@pytest.mark.parametrize("event", ["LearningPinned", "LearningConfirmed"])
def test_what_a_person_decided_about_is_not_taken_apart(nous: Nous, event: str) -> None:
    old = learn(nous.stores, TWO, EARLY, "s1")
    (nous.pin if event == "LearningPinned" else nous.confirm)(old)
    learn(nous.stores, AWAY, LATE, "s2")
    assert TWO in {memory.content for memory in active(nous.stores)}


@pytest.fixture
def nous(tmp_path: Path) -> Nous:
    (tmp_path / "data").mkdir()
    environ = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path), "NOUS_DATA_DIR": str(tmp_path / "data")}
    return Nous.open(settings=load_settings(environ))


def test_one_undo_takes_back_the_end_of_a_part(nous: Nous) -> None:
    learn(nous.stores, TWO, EARLY, "s1")
    new = learn(nous.stores, AWAY, LATE, "s2")
    nous.undo([new])
    assert [memory.content for memory in active(nous.stores)] == [TWO]


@pytest.mark.parametrize("which", ["whole", "rest"])
def test_a_purge_of_one_reaches_the_other(nous: Nous, tmp_path: Path, which: str) -> None:
    old = learn(nous.stores, TWO, EARLY, "s1")
    learn(nous.stores, AWAY, LATE, "s2")
    left = next(memory.id for memory in active(nous.stores) if memory.content == LEFT)
    data = tmp_path / "data"
    chosen = Selection(ids=(old if which == "whole" else left,))
    purge(nous.stores, chosen, catch_up, str(data / "checkpoints"), str(data), "asked for", NOW)
    nous.close()
    held = b"".join(path.read_bytes() for path in data.rglob("*") if path.is_file())
    assert b"refunds are given by the manager" not in held
    assert b"possibility to add custom amounts" in held


def test_the_other_parts_of_a_joined_memory_come_back(nous: Nous) -> None:
    parts = ("The dev server of the shop runs on port 4000", "The dev server of the shop logs every request to a file")
    events = [
        replace(
            extracted(f"l{at}", text, key=f"k{at}", evidence=("r1",)),
            session_id="s1",
            project_id="p",
            source="fs_watch",
        )
        for at, text in enumerate(parts)
    ]
    with nous.stores.db.transaction():
        nous.stores.events.append(events, EARLY)
        catch_up(nous.stores, EARLY)
    whole = joined(nous.stores, *nous.stores.memories.by_id([1, 2]), at=EARLY)
    learning = Learning(
        content="Port 4000 is gone, use 4600.", type="fact", evidence=("r2",), replaces="port 4000",
        temporal_confidence="high",
    )  # fmt: skip
    with nous.stores.db.transaction():
        take_up(
            nous.stores, learning, Origin("p", "s2", "fs_watch", "2027-01-01T00:00:00.000Z", "rules-4", True), "k9", NOW
        )
    after = nous.stores.memories.get(whole)
    assert after is not None and after.status == "superseded"
    contents = {memory.content for memory in active(nous.stores)}
    assert any("logs every request" in content and "4000" not in content for content in contents), contents
    assert compare_with_replay(nous.stores.events, nous.stores.memories, NOW).differences == []
