# ruff: noqa: E501  a case is one line and reads best unbroken
"""What each signal sees in a session, and what it does not take for it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from nous.features.signals.errors import command_variant
from nous.features.signals.findings import other_command
from nous.features.signals.scratchpad import observe_session
from nous.features.signals.signals import NAMED, SIGNALS, sightings
from nous.kernel.capture.session import Story
from nous.kernel.capture.transcript import Turn

AT = "2026-11-01T10:00:00.000Z"


class Script:
    """A session written call by call."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.number = count(1)

    def add(self, kind: str, **fields: Any) -> Script:
        base = {"uuid": f"u{next(self.number)}", "at": AT, "session_id": "s", "cwd": "/w"}
        self.turns.append(Turn(kind=kind, **(base | fields)))  # type: ignore[arg-type]
        return self

    def call(
        self, tool: str, result: str = "ok", failed: bool = False, files: list[str] | None = None, **given: Any
    ) -> Script:
        name = f"t{next(self.number)}"
        after = given.pop("after", AT)
        self.add("tool_call", tool=tool, tool_id=name, input=given)
        return self.add(
            "tool_result", tool_id=name, text=result, failed=failed, at=after, input={"files": files} if files else {}
        )

    def run(self, command: str, result: str = "ok", failed: bool = False, **more: Any) -> Script:
        return self.call("Bash", result, failed, command=command, **more)

    def read(self, path: str, result: str = "text") -> Script:
        return self.call("Read", result, file_path=f"/w/{path}")

    def edit(self, path: str, old: str = "a", new: str = "b") -> Script:
        return self.call("Edit", file_path=f"/w/{path}", old_string=old, new_string=new)

    def say(self, text: str) -> Script:
        return self.add("reply", text=text)

    def seen(self, signal: str) -> list[str]:
        return [one.subject for one in sightings(Story(self.turns)) if one.signal == signal]


def s() -> Script:
    return Script()


NO_MODULE = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'psycopg'"
FIRES: dict[str, Callable[[], Script]] = {
    "error_retry": lambda: s().run("python -m app", NO_MODULE, True).run(".venv/bin/python -m app"),
    "other_command": lambda: s().run("rtk bun run test", "error: unrecognized subcommand 'bun'", True).run("bun run test"),
    "interpreter": lambda: s().run("cd /w && .venv/bin/python -m pytest -q"),
}  # fmt: skip
QUIET: dict[str, Callable[[], Script]] = {
    "error_retry": lambda: s().run("ls x", "ls: cannot access 'x': No such file", True).run("ls y"),
    "other_command": lambda: s().run("bun run lint", "error: lint", True).edit("a.ts").run("bun run lint --fix"),
    "interpreter": lambda: s().say("Turn it on with `source .venv/bin/activate`, as the guide says."),
}  # fmt: skip


def test_only_what_outcomes_prove_becomes_a_memory() -> None:
    assert len(SIGNALS) == 3
    assert not NAMED["error_retry"].is_proved and NAMED["other_command"].is_proved


@pytest.mark.parametrize("name", sorted(NAMED))
def test_a_signal_fires_on_its_case_and_stays_quiet_on_the_neighbour(name: str) -> None:
    assert FIRES[name]().seen(name), name
    assert not QUIET[name]().seen(name), name


@pytest.mark.parametrize(
    ("failed", "works", "expected"),
    [
        ("rtk bun run test", "bun run test", True),
        ("python manage.py check", "source env/bin/activate && python manage.py check", True),
        ("rtk bun run lint", "bun run test", False),
        ("make test", "make test", False),
        ("git status", "docker ps", False),
    ],
)
def test_another_way_to_do_the_same(failed: str, works: str, expected: bool) -> None:
    assert command_variant(failed, works) is expected


def test_a_session_of_hundreds_of_agents_and_jumping_clocks_stays_bounded() -> None:
    script = s()
    for number in range(400):
        moment = f"20{10 + number % 80}-01-01T00:00:00.000Z"
        script.call("Read", file_path=f"/w/f{number}.py", after=moment)
        script.turns[-2] = Turn(uuid=f"a{number}", kind="tool_call", at="", session_id="s", cwd="/w", agent_id=f"agent{number}",
                                tool="Edit", tool_id=script.turns[-2].tool_id, input={"file_path": f"/w/g{number}.py"})  # fmt: skip
    seen = observe_session(script.turns)
    assert len(seen.sightings) <= 120 and seen.started_at <= seen.ended_at


def test_a_check_that_found_something_was_not_run_the_wrong_way() -> None:
    found = (
        s()
        .run("bun run lint", 'Found 3 errors.\nerror: script "lint" exited with code 1', True)
        .run("bun run lint:fix")
    )
    assert not found.seen("other_command") and not found.seen("error_retry")


def test_a_wrapper_that_fails_says_why_and_for_what_it_works() -> None:
    script = s().run("rtk git status").run("rtk bun run test", "error: unrecognized subcommand 'bun'", True)
    [seen] = other_command(Story(script.run("bun run test").turns))
    assert (seen.subject, seen.said.split("\n")[2:]) == ("rtk", ["unrecognized subcommand 'bun'", "git"])


@pytest.mark.parametrize("after", ["2019-01-01T00:00:00.000Z", "2038-01-01T00:00:00.000Z", ""])
def test_clocks_that_jump_break_nothing(after: str) -> None:
    script = Script()
    for command in ("make a", "make b", "make c", "make d", "make e"):
        script.run(command, after=after)
    found = observe_session(script.turns)
    assert found.started_at <= found.ended_at
