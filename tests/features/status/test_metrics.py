"""Figures about knowledge: each from counts that a reader can check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from factories import NOW, Home, extracted, seen
from nous.features.status.figures import Figure
from nous.features.status.metrics import metrics
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.log.events import Reinforced, SeenError, Superseded, Writer, make_event
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores


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


def test_the_commands(tmp_path: Path) -> None:
    home = Home(tmp_path)
    shown = home.nous("metrics", "--all-projects")
    assert shown.returncode == 0 and "recurrence rate" in shown.stdout and "sessions so far" in shown.stdout
