"""After an upgrade: what today's rules would not keep is retired once, in steps, and one undo brings it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.test_migration import put
from kernel.test_learn import Clock
from kernel.test_reextract import PORT, RULE, Reading, clock, mark, memories, session
from nous.kernel.learn.reextract import RuleReader
from nous.kernel.learn.upgrade import UpgradeState, retire_old, upgrade_report, upgrade_state
from nous.kernel.log import undo
from nous.kernel.log.events import RulesApplied
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores, open_stores

__all__ = ["clock"]
NEVER = Reading("rules-9")  # an extractor that finds nothing


def upgrade(stores: Stores, reader: Any, clock: Clock, **given: Any) -> UpgradeState:
    state = retire_old(stores, clock, reader=reader, **given)
    assert compare_with_replay(stores, clock()).differences == []
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
    [cause] = [one for page in stores.events.replay(0) for one in page if isinstance(one.payload, RulesApplied)]
    undo.undo(stores.events, undo.plan_undo(stores.events, [cause.event_id]), "t", "", clock())
    catch_up(stores, clock())
    assert statuses(stores)[old] == "active"


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
    states = [retire_old(stores, clock, reader=NEVER, seconds=5.0, timer=lambda: float(next(ticks))) for _ in range(4)]
    assert [state.sessions for state in states] == [1, 2, 3, 3]
    assert [state.is_done for state in states] == [False, False, False, True]
    assert states[-1].retired == 3 and upgrade_state(stores.outcomes, "rules-9") == states[-1]


def test_a_fresh_memory_has_nothing_to_retire(stores: Stores, clock: Clock) -> None:
    assert retire_old(stores, clock).is_done and upgrade_report(stores.events, stores.outcomes) is None


def test_a_database_of_an_early_version_is_gone_through_with_the_rules_of_today(tmp_path: Path, clock: Clock) -> None:
    stores = open_stores(str(put(tmp_path)))
    try:
        before = statuses(stores)
        state = retire_old(stores, clock, seconds=1e9)
        assert state.is_done and state.version == RuleReader.version and state.sessions > 0
        assert compare_with_replay(stores, clock()).differences == []
        retired = [
            said for said, status in statuses(stores).items() if (before.get(said), status) == ("active", "archived")
        ]
        assert len(retired) == state.retired
        report = upgrade_report(stores.events, stores.outcomes)
        assert (report is None) is (not state.projects)
    finally:
        stores.close()
