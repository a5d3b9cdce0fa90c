"""From an observation to a remark in a packet and to what came of it: each step once, in the log, within its limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factories import NOW, extracted
from nous.core.events import InterventionNoted, SessionObserved, Writer, make_event
from nous.core.moments import later
from nous.hookstore import HookStore
from nous.remember.projection import catch_up, compare_with_replay
from nous.shells.answers import HookContext, answer
from nous.stores import Stores
from nous.stores.interventions import Intervention
from nous.stores.sqlite import Sqlite
from nous.tend.history import entries
from nous.tend.interventions import Intervened, Reduction, intervene
from nous.tend.observers import OBSERVERS


def seen(stores: Stores, session: str, project: str = "p", at: str = NOW, **fields: Any) -> None:
    """A session as it was observed."""
    said = SessionObserved(kind="build", started_at=at, ended_at=at, **({"prompts": 4, "calls": 9} | fields))
    told = make_event(
        "SessionObserved", f"o-{session}", said, f"o:{session}", project_id=project, by=Writer(session, "observer")
    )
    stores.events.append([told], at)
    catch_up(stores, at)


def states(stores: Stores) -> list[str]:
    events = [one for batch in stores.events.replay() for one in batch]
    return [one.payload.state for one in events if isinstance(one.payload, InterventionNoted)]


def start(stores: Stores, session: str, place: Path, now: str = NOW) -> str:
    """What a session's start is told."""
    assert isinstance(stores.db, Sqlite)
    body = json.dumps(
        {"session_id": session, "cwd": str(place), "hook_event_name": "SessionStart", "source": "startup"}
    )
    said = answer("SessionStart", body.encode(), HookContext(HookStore(stores.db.connection), now))
    return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""


def project_of(place: Path) -> str:
    from nous.identity import identify

    return identify(str(place)).id


def test_a_corrected_session_is_told_to_the_next_one_and_its_outcome_is_noted(stores: Stores, tmp_path: Path) -> None:
    project = project_of(tmp_path)
    seen(stores, "s1", project, corrections=4)
    assert intervene(stores, [project], Reduction(), NOW) == Intervened(raised=1)
    told = start(stores, "s2", tmp_path)
    assert "corrected or stopped the agent 4 times in 4 prompts" in told
    assert len(told.splitlines()[-1]) <= 402
    assert start(stores, "s2", tmp_path) == "", "the same session is not told twice"
    assert start(stores, "s3", tmp_path) == "", "and nobody within the cooldown"
    assert intervene(stores, [project], Reduction(), later(NOW, 60)).delivered == 1
    seen(stores, "s2", project, at=later(NOW, 600))
    assert intervene(stores, [project], Reduction(), later(NOW, 1200)).settled == 1
    assert states(stores) == ["raised", "delivered", "settled"]
    said = [entry.said for entry in entries(stores, project, None, 50)]
    assert any(one.startswith("raised by frustration: In the last session") for one in said)
    assert "settled in session s2: no correction" in said
    catch_up(stores, NOW)
    assert compare_with_replay(stores, NOW).differences == []


def test_what_is_not_sure_enough_is_kept_as_a_candidate_and_never_said(stores: Stores, tmp_path: Path) -> None:
    project = project_of(tmp_path)
    seen(stores, "s1", project, corrections=4)
    assert intervene(stores, [project], Reduction(confidence=0.99), NOW).raised == 0
    assert [one.state for one in stores.interventions.candidates("suppressed")] == ["suppressed"]
    assert start(stores, "s2", tmp_path) == ""


def test_the_same_concern_is_raised_once_in_its_cooldown(stores: Stores) -> None:
    seen(stores, "s1", corrections=4)
    assert intervene(stores, ["p"], Reduction(), NOW).raised == 1
    assert intervene(stores, ["p"], Reduction(), later(NOW, 3600)).raised == 0


def test_a_remark_expires(stores: Stores, tmp_path: Path) -> None:
    project = project_of(tmp_path)
    seen(stores, "s1", project, corrections=4)
    intervene(stores, [project], Reduction(project_seconds=3600), NOW)
    assert start(stores, "s2", tmp_path, later(NOW, 3601)) == ""
    assert start(stores, "s2", tmp_path, later(NOW, 3599)) != ""


def test_no_more_than_two_of_four_hundred_characters(stores: Stores, tmp_path: Path) -> None:
    for number in range(5):
        stores.interventions.activate(
            Intervention(intervention_id=f"i{number}", scope="global", payload_text="x" * 900, priority=number,
                         expires_at=later(NOW, 60), dedupe_key=f"k{number}"), NOW)  # fmt: skip
    lines = [line for line in start(stores, "s1", tmp_path).splitlines() if line.startswith("- x")]
    assert [len(line) for line in lines] == [402, 402]


@pytest.mark.parametrize(
    ("said", "kind", "is_raised"),
    [
        ("Ask before you change the schema.", "requirement", True),
        ("The schema has nine tables.", "fact", False),
        ("In the last chat we moved the pages to the api. " * 5, "requirement", False),  # it opens sessions
    ],
)
def test_a_rule_that_is_said_in_three_sessions_is_a_concern(
    stores: Stores, said: str, kind: str, is_raised: bool
) -> None:
    from nous.core.events import Reinforced

    rule = extracted("l1", said, type=kind, evidence=("u1",), temporal_confidence="high")
    again = [
        make_event("LearningReinforced", "l1", Reinforced(reinforcement_delta=0.1, evidence=(f"u{n}",)), f"r{n}",
                   project_id="p", by=Writer(f"s{n}", "observer"))
        for n in (2, 3)
    ]  # fmt: skip
    stores.events.append([rule, *again], NOW)
    catch_up(stores, NOW)
    assert intervene(stores, ["p"], Reduction(), NOW).raised == is_raised
    told = [one.payload_text for one in stores.interventions.active("s9", "p", NOW)]
    assert len(told) == is_raised
    assert all("said this in 3 sessions" in text and "[Memory #1]" in text for text in told)


@pytest.mark.parametrize("observer", OBSERVERS, ids=lambda one: one.name)
def test_an_observer_of_nothing_says_nothing(stores: Stores, observer: Any) -> None:
    assert list(observer.look(stores, "p", NOW)) == []


def test_another_projects_concern_is_not_told_here(stores: Stores, tmp_path: Path) -> None:
    seen(stores, "s1", "somewhere-else", corrections=4)
    intervene(stores, ["somewhere-else"], Reduction(), NOW)
    assert start(stores, "s2", tmp_path) == ""
