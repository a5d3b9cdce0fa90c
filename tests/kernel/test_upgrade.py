"""After an upgrade: what today's rules would not keep is retired once, in steps, and one undo brings it back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from flows.test_migration import put
from kernel.test_capture import lines, record
from kernel.test_learn import Clock
from nous.features.rules_reader.extractor import RuleReader
from nous.kernel.capture.intake import take_in
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn import learn
from nous.kernel.learn.learn import learn_all
from nous.kernel.learn.upgrade import UpgradeState, retire_old, upgrade_report, upgrade_state
from nous.kernel.log import undo
from nous.kernel.log.events import Archived, Event, Payload, RulesApplied
from nous.kernel.log.extraction import Learning, Rejection, family
from nous.kernel.log.history import story
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores, open_stores

RULE = "We use pnpm, not npm."
PORT = "The dev server runs on port 4000."


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Reading:
    """An extractor that reads what a test says, each text from one record of the session."""

    def __init__(self, version: str, *said: tuple[int, str], **fields: Any):
        self.version = version
        self.said = said
        self.fields = fields

    def read(self, session_id: str, project_id: str, turns: Sequence[Turn]) -> list[Learning | Rejection]:
        made = {"type": "preference", "valid_from": "2026-11-09T10:00:00.000Z"} | self.fields
        return [Learning(content=text, evidence=(turns[at].uuid,), **made) for at, text in self.said]


def session(stores: Stores, folder: Path, clock: Clock, *words: str, version: str = "rules-0", **fields: Any) -> None:
    """A session, learned by an older version of the rules."""
    file = folder / f"{len(list(folder.iterdir()))}.jsonl"
    file.write_bytes(lines(*(record(word, sessionId=file.stem, **fields) for word in words)))
    take_in(stores, str(file), "fs_watch", clock)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(learn, "EXTRACTOR_VERSION", version)
        learn_all(stores, "w", clock)


def memories(stores: Stores) -> dict[str, Memory]:
    return {memory.content: memory for memory in stores.memories.listing(None, status=None)}


def mark(stores: Stores, memory: Memory, kind: Any, clock: Clock) -> None:
    event = Event(
        learning_id=memory.learning_id,
        event_type=kind,
        idempotency_key=f"test:{kind}",
        payload=Archived(reason="forgotten by the user") if kind == "LearningArchived" else Payload(),
        session_id="t",
        project_id=memory.project_id,
        source="user_review",
    )
    stores.events.append([event], clock())
    catch_up(stores, clock())


NEVER = Reading("rules-9")  # an extractor that finds nothing


def upgrade(stores: Stores, reader: Any, clock: Clock, **given: Any) -> UpgradeState:
    state = retire_old(stores, clock, reader, **given)
    assert compare_with_replay(stores.events, stores.memories, clock()).differences == []
    return state


def statuses(stores: Stores) -> dict[str, str]:
    return {memory.content: memory.status for memory in memories(stores).values()}


def one(stores: Stores) -> Memory:
    [memory] = memories(stores).values()
    return memory


def test_what_is_no_longer_found_is_retired_and_one_undo_brings_all_of_it_back(
    stores: Stores, tmp_path: Path, clock: Clock
) -> None:
    session(stores, tmp_path, clock, RULE)
    session(stores, tmp_path, clock, PORT)
    before = statuses(stores)
    state = upgrade(stores, NEVER, clock)
    assert (state.sessions, state.retired, state.is_done) == (2, 2, True)
    assert set(statuses(stores).values()) == {"archived"}
    [cause] = [one for page in stores.events.replay(0) for one in page if isinstance(one.payload, RulesApplied)]
    undo.undo(stores.events, undo.plan_undo(stores.events, [cause.event_id]), "t", "", clock())
    catch_up(stores, clock())
    assert statuses(stores) == before
    assert upgrade(stores, NEVER, clock) == state and statuses(stores) == before, "it happens once"


def test_what_is_still_found_stays_and_nothing_is_added(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE)
    said = (0, one(stores).content)
    state = upgrade(stores, Reading("rules-9", said, (0, "Deploys go through the release branch only.")), clock)
    assert (state.retired, state.reworded, set(statuses(stores).values())) == (0, 0, {"active"})
    assert len(statuses(stores)) == 1


def test_another_wording_takes_the_place_of_the_old_one(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE)
    old, new = one(stores).content, "Packages are managed by pnpm here; npm is not used because of its lock file."
    assert upgrade(stores, Reading("rules-9", (0, new)), clock).reworded == 1
    assert statuses(stores) == {old: "superseded", new: "active"}
    told = story(stores.events, stores.memories, memories(stores)[new].id)
    assert [(one.depth, one.event.event_type) for one in told] == [
        (0, "RulesApplied"),
        (1, "LearningExtracted"),
        (2, "LearningSuperseded"),
    ]
    [cause] = [one for page in stores.events.replay(0) for one in page if isinstance(one.payload, RulesApplied)]
    undo.undo(stores.events, undo.plan_undo(stores.events, [cause.event_id]), "t", "", clock())
    catch_up(stores, clock())
    assert statuses(stores)[old] == "active"


def test_what_was_told_to_every_project_goes_back_to_its_own(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, "In all my projects: we use pnpm, not npm.")
    old = one(stores)
    assert old.scope == "global"
    assert upgrade(stores, Reading("rules-9", (0, old.content), scope="project"), clock).reworded == 1
    standing = {memory.scope: memory.status for memory in stores.memories.listing(None, status=None)}
    assert standing == {"global": "superseded", "project": "active"}


def test_families_of_extractors() -> None:
    assert (family("rules-1"), family("extract@1a2b/claude:haiku")) == ("rules", "extract")


@pytest.mark.parametrize("kind", ["LearningPinned", "LearningConfirmed", "LearningDisputed"])
def test_what_a_person_decided_about_stays(stores: Stores, tmp_path: Path, clock: Clock, kind: str) -> None:
    session(stores, tmp_path, clock, RULE)
    mark(stores, one(stores), kind, clock)
    before = statuses(stores)
    assert upgrade(stores, NEVER, clock).retired == 0 and statuses(stores) == before


def test_what_another_reader_kept_stays(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE, version="read@1234/claude:haiku")
    assert upgrade(stores, NEVER, clock).retired == 0 and one(stores).status == "active"


def test_what_another_session_still_says_stays(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    session(stores, tmp_path, clock, RULE)
    session(stores, tmp_path, clock, RULE)
    memory = one(stores)

    class OnlyTheSecond(Reading):
        def read(self, session_id: str, project_id: str, turns: Any) -> Any:
            return super().read(session_id, project_id, turns) if session_id == "1" else []

    reader = OnlyTheSecond("rules-9", (0, memory.content))
    assert upgrade(stores, reader, clock).retired == 0 and one(stores).status == "active"


def test_it_stops_when_its_time_is_over_and_goes_on_from_there(stores: Stores, tmp_path: Path, clock: Clock) -> None:
    for rule in ("Always run make check before you push.", "Never commit to main.", "Use pnpm, not npm."):
        session(stores, tmp_path, clock, rule)
    ticks = iter(range(0, 1000, 10))
    states = [retire_old(stores, clock, NEVER, seconds=5.0, timer=lambda: float(next(ticks))) for _ in range(4)]
    assert [state.sessions for state in states] == [1, 2, 3, 3]
    assert [state.is_done for state in states] == [False, False, False, True]
    assert states[-1].retired == 3 and upgrade_state(stores.outcomes, "rules-9") == states[-1]


def test_a_fresh_memory_has_nothing_to_retire(stores: Stores, clock: Clock) -> None:
    assert retire_old(stores, clock, RuleReader()).is_done and upgrade_report(stores.events, stores.outcomes) is None


def test_a_database_of_an_early_version_is_gone_through_with_the_rules_of_today(tmp_path: Path, clock: Clock) -> None:
    stores = open_stores(str(put(tmp_path)))
    try:
        before = statuses(stores)
        state = retire_old(stores, clock, RuleReader(), seconds=1e9)
        assert state.is_done and state.version == RuleReader.version and state.sessions > 0
        assert compare_with_replay(stores.events, stores.memories, clock()).differences == []
        retired = [
            said for said, status in statuses(stores).items() if (before.get(said), status) == ("active", "archived")
        ]
        assert len(retired) == state.retired
        report = upgrade_report(stores.events, stores.outcomes)
        assert (report is None) is (not state.projects)
    finally:
        stores.close()
