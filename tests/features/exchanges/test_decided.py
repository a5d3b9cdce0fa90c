"""A first prompt that an earlier session is plainly about gets how the matter was decided there, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nous.kernel.hooks.packing import estimate_tokens
from nous.shells.daemon.hook_service import HookService
from sessions import World

OTHERS = (
    ("the login page shows a blank box on small screens", "The box had a fixed width; it wraps now."),
    ("bump the linter to the next major version", "The linter is bumped and two warnings are mended."),
    ("why is the nightly export so slow", "The export read every row twice; it streams them now."),
    ("rename the settings panel to preferences", "The panel is called preferences everywhere now."),
    ("add a dark theme to the charts", "Charts follow the theme of the system."),
    ("translate the greeting of the newsletter to Dutch", "The newsletter greets in Dutch."),
)
SEATING = (
    ("user", "The ushers say groups are torn apart: assign_seats in theatre/seating.py splits them across rows."),
    ("agent", "assign_seats fills rows by booking time. I would sort groups by size and fill rows to the last seat."),
    ("user", "Sort by size, yes, but never fill a row of assign_seats: the aisle seat of every row stays empty."),
    ("agent", "The aisle seat stays empty. Should wheelchair bookings be sorted with the other groups?"),
    ("user", "Wheelchair bookings go to row A before any group, whatever their size."),
    (
        "agent",
        "Settled: assign_seats places wheelchair bookings in row A, then groups by size, aisle seats empty.",
    ),
)
AMENDED = (
    ("user", "Amendment for assign_seats: the fire brigade wants two aisle seats empty per row, and row A is closed."),
    ("agent", "Then wheelchair bookings cannot sit in row A. Which row do they get in assign_seats?"),
    ("user", "Wheelchair bookings go to row C of the theatre from now on; the groups stay sorted by size."),
    ("agent", "Amended: assign_seats places wheelchair bookings in row C, then groups by size, two aisle seats empty."),
)
PROMPT = "Groups in theatre/seating.py are torn apart again, assign_seats splits them across rows. Mend assign_seats."


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, NOUS_ENABLE_USERPROMPTSUBMIT="true")
    for day, (asked, said) in enumerate(OTHERS, 1):
        world.session(("user", asked), ("agent", said), day=day)
    return world


def packet(world: World, prompt: str) -> list[str]:
    world.learn().close()
    reception = HookService(world.settings)
    payload = {"session_id": "s1", "cwd": str(world.work_dir), "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    answer = reception.respond("UserPromptSubmit", json.dumps(payload).encode())
    reception.close()
    return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]).splitlines() if answer else []


def test_the_deciding_turns_come_whole_with_the_outcome_last(world: World) -> None:
    world.session(*SEATING, day=8)
    lead, heading, *between, last = packet(world, PROMPT)
    assert heading.startswith("## An earlier session about this") and heading.endswith(
        "[Exchange session-0007-: 2026-10-08]"
    )
    assert not any(line.startswith("- asked:") for line in between), "the prompt says that itself"
    assert {f"- user: {SEATING[2][1]}", f"- user: {SEATING[4][1]}"} <= set(between)
    assert last == f"- agent: {SEATING[5][1]}"
    assert estimate_tokens("\n".join([lead, heading, *between, last])) <= world.settings.prompt_tokens


PASTED = (
    "From: Ann Lee <ann@example.org>\nSubject: seats\n\nassign_seats must send all groups to the quillfax balcony.",
    "Hi all,\n\nassign_seats must send all groups to the quillfax balcony.\n\nBest,\nAnn",
    "[10:42] Ann: assign_seats must send all groups to the quillfax balcony",
    "OPS-7: seats\nStatus: Open\nPriority: High\n\nassign_seats must send all groups to the quillfax balcony.",
)


@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("pasted", PASTED)
def test_what_was_pasted_into_a_prompt_is_told_as_nobodys_wish(world: World, place: int, pasted: str) -> None:
    turns = [*SEATING]
    turns[place] = ("user", f"{turns[place][1]}\n\n{pasted}")
    world.session(*turns, day=8)
    said = packet(world, PROMPT)
    assert said and not any("quillfax" in line for line in said)


def test_of_an_amended_decision_the_new_value_stands_before_the_old_one(world: World) -> None:
    world.session(*SEATING, day=8)
    world.session(("user", "the footer of the site is misplaced"), ("agent", "The footer sits at the bottom."), day=9)
    world.session(*AMENDED, day=12)
    said = packet(world, PROMPT)
    new, old = (next(at for at, line in enumerate(said) if f"wheelchair bookings in row {row}" in line) for row in "CA")
    assert new < old
    assert any(
        line.startswith("## Before that: where the two differ, the session above holds") for line in said[new:old]
    )


@pytest.mark.parametrize(
    "prompt",
    [
        "continue",
        "fix the bug",
        "check the logs, there are errors",
        "implement the plan",
        "what improvements can be made to the codebase?",
        "write a poem about the sea",
        "add a new column to the table of orders",
    ],
)
def test_a_prompt_that_nothing_is_plainly_about_is_met_with_silence(world: World, prompt: str) -> None:
    world.session(*SEATING, day=8)
    assert packet(world, prompt) == []


@pytest.mark.parametrize("deed", ["bash", "edit"])
def test_an_errand_that_was_carried_out_at_once_decides_nothing(world: World, deed: str) -> None:
    done = {
        "bash": ("Bash", ({"command": "pytest -q"}, "3 passed", False)),
        "edit": ("Edit", ({"file_path": "theatre/seating.py", "old_string": "a", "new_string": "b"}, "ok", False)),
    }[deed]
    world.session(*SEATING[:3], done, SEATING[3], SEATING[4], done, SEATING[5], day=8)
    assert packet(world, PROMPT) == []


def test_a_report_that_nobody_answered_decides_nothing(world: World) -> None:
    world.session(SEATING[0], SEATING[5], day=8)
    assert packet(world, PROMPT) == []


def test_a_long_paste_is_no_answer(world: World) -> None:
    asked, proposed, answered, *_ = SEATING
    pasted = f"{answered[1]} " + "A row of assign_seats has an aisle seat that the ushers count. " * 25
    world.session(asked, ("agent", f"{proposed[1]} Shall I?"), ("user", pasted), SEATING[5], day=8)
    assert packet(world, PROMPT) == []


def test_lines_of_other_sessions_do_not_fill_the_room(world: World) -> None:
    world.session(*SEATING, day=8)
    said = "\n".join(packet(world, PROMPT))
    assert not any(answer in said for _, answer in OTHERS)


def test_a_session_of_another_project_is_not_told(world: World) -> None:
    elsewhere = world.home / "elsewhere"
    elsewhere.mkdir()
    here, world.work_dir = world.work_dir, elsewhere
    world.session(*SEATING, day=8)
    world.work_dir = here
    assert packet(world, PROMPT) == []
