"""Figures about knowledge, and whether it helps: each from counts that a reader can check, with its doubt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factories import NOW, Home, extracted, seen
from nous.core.events import Reinforced, SeenError, Superseded, Writer, make_event
from nous.core.figures import Figure
from nous.core.moments import later
from nous.hookstore import HookStore
from nous.remember.projection import catch_up
from nous.stores import Stores
from nous.stores.sqlite import Sqlite
from nous.tend.experiment import compare
from nous.tend.metrics import metrics


def figures(stores: Stores, project: str | None = "p") -> dict[str, Figure]:
    return {one.name: one for one in metrics(stores, project, NOW)}


def sessions(stores: Stores, count: int) -> None:
    assert isinstance(stores.db, Sqlite)
    for number in range(count):
        row = (f"s{number}", f"2026-11-0{1 + number % 9}T10:00:00.000Z")
        stores.db.connection.execute(
            "INSERT INTO sessions (session_id, project_id, transcript_path, client, client_version, cwd, branch,"
            " first_at, last_at, prompts, turns) VALUES (?1, 'p', ?1, 'c', '', '', '', ?2, ?2, 1, 1)", row)  # fmt: skip


def again(learning: str, session: str) -> Any:
    said = Reinforced(reinforcement_delta=0.1, evidence=(f"u-{session}",))
    return make_event(
        "LearningReinforced", learning, said, f"{learning}:{session}", project_id="p", by=Writer(session, "x")
    )


def test_nothing_known_gives_no_numbers_and_no_error(stores: Stores) -> None:
    assert {one.value for one in metrics(stores, "p", NOW)} == {None}
    assert {one.value for one in metrics(stores, None, NOW)} == {None}


def test_the_figures_are_what_was_counted(stores: Stores) -> None:
    sessions(stores, 10)
    ended = make_event(
        "LearningSuperseded", "l2", Superseded(superseded_by="l1"), "e", project_id="p", by=Writer("s", "x")
    )
    told = [
        extracted("l1", "Ask first.", files=("api/auth/login.py",)),
        extracted("l2", "Old."),
        extracted("l3", "Other."),
    ]
    stores.events.append([*told, *(again("l1", f"s{n}") for n in range(3)), ended], NOW)
    catch_up(stores, NOW)
    found = figures(stores)
    assert found["recurrence rate"].value == round(100 * 0.3 / 2, 2), "0.3 for one of two active memories"
    assert found["recurrence rate"].series[0][0].startswith("#1 Ask first")
    assert found["correction density"].value == 0.5
    assert found["hotspots"].series[0] == ("api/auth", 3.0)
    assert found["learning velocity"].value == 0.3
    assert found["knowledge decay"].value == 0.0
    assert all(one.how for one in found.values())


def test_errors_that_came_back_say_what_ended_them(stores: Stores) -> None:
    for day in (1, 2):
        seen(stores, f"s{day}", errors=(SeenError("f1", "Bash", "No module named x", 1, "`uv sync`"),))
    found = figures(stores)["errors that came back"]
    assert found.series == (("No module named x (`uv sync`)", 2.0),)


# -- does it help? --------------------------------------------------------------------------------------------------


def test_too_few_sessions_say_nothing(stores: Stores) -> None:
    assert compare(stores, None).said == "0 sessions with, 0 without: too early to say."
    stores.mining.start(50, NOW)
    assert isinstance(stores.db, Sqlite)
    hook = HookStore(stores.db.connection)
    parts = [hook.held_out(f"s{number}", "p", NOW) for number in range(8)]
    for number in range(8):
        seen(stores, f"s{number}", corrections=number % 2)
    found = compare(stores, "p")
    assert (found.told, found.untold) == (parts.count(False), parts.count(True))
    assert found.said.endswith("too early to say.")


def test_enough_sessions_give_an_answer_with_its_doubt(stores: Stores) -> None:
    stores.mining.start(50, NOW)
    assert isinstance(stores.db, Sqlite)
    hook = HookStore(stores.db.connection)
    for number in range(60):
        held = hook.held_out(f"s{number}", "p", NOW)
        seen(stores, f"s{number}", corrections=(3 if held else 0) + number % 2, calls=20)
    found = compare(stores, "p")
    assert min(found.told, found.untold) >= 10
    assert "fewer with it: corrections per prompt" in found.said
    assert not next(one for one in found.measures if one.name == "calls per prompt").is_clear


@pytest.mark.parametrize("percent", [1, 5, 50])
def test_the_share_that_is_held_out_is_about_what_was_asked(stores: Stores, percent: int) -> None:
    stores.mining.start(percent, NOW)
    assert isinstance(stores.db, Sqlite)
    hook = HookStore(stores.db.connection)
    held = sum(hook.held_out(f"session-{number}", "p", NOW) for number in range(1000))
    assert percent * 10 * 0.4 <= held <= percent * 10 * 1.7
    stores.mining.end(later(NOW, 1))
    assert not any(hook.held_out(f"session-{number}", "p", NOW) for number in range(100))


def test_the_commands(tmp_path: Path) -> None:
    home = Home(tmp_path)
    shown = home.nous("metrics", "--all-projects")
    assert shown.returncode == 0 and "recurrence rate" in shown.stdout and "sessions so far" in shown.stdout
    on = json.loads(home.nous("experiment", "on", "--percent", "10", "--json").stdout)
    assert on["on"] and on["percent"] == 10 and on["said"].endswith("too early to say.")
    assert "no experiment runs" in home.nous("experiment", "off").stdout
    assert home.nous("experiment", "maybe").returncode == 2
    assert home.nous("experiment", "on", "--percent", "90").returncode == 2
