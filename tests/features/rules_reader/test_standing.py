"""Where a session stands in its midst."""

from __future__ import annotations

from typing import Any

from factories import NOW
from nous.features.rules_reader.state import standing
from nous.kernel.capture.transcript import Turn


def turn(number: int, kind: Any, text: str = "", **fields: Any) -> Turn:
    return Turn(uuid=f"u{number}", kind=kind, at=NOW, session_id="s", text=text, cwd="/w", **fields)


def call(number: int, tool: str, output: str, failed: bool = False, **given: Any) -> list[Turn]:
    """A tool call and its result."""
    return [
        turn(number, "tool_call", tool=tool, tool_id=f"t{number}", input=given),
        turn(number + 1, "tool_result", output, tool=tool, tool_id=f"t{number}", failed=failed),
    ]


ASKED = turn(0, "prompt", "Add a retry with three tries to the mailer.")


def test_goal_files_open_items_and_failures_are_told() -> None:
    todos = [{"content": "Write it", "status": "completed"}, {"content": "Test the timeout", "status": "pending"}]
    turns = [
        ASKED,
        *call(1, "Write", "ok", file_path="/w/retry.py", content="TRIES = 3"),
        *call(3, "TodoWrite", "ok", todos=todos),
        *call(5, "Bash", "Exit code 1\nE   assert 2 == 3\n", failed=True, command="pytest tests/test_retry.py"),
    ]
    assert standing(turns) == (
        "Goal: Add a retry with three tries to the mailer",
        "Files changed: retry.py",
        "To do: open: Test the timeout; done: Write it",
        "Failed last: `pytest tests/test_retry.py` (E   assert 2 == 3)",
    )


def test_a_command_that_succeeded_later_did_not_fail() -> None:
    again: dict[str, Any] = {"command": "pytest"}
    turns = [ASKED, *call(1, "Bash", "Exit code 1\nno", failed=True, **again), *call(3, "Bash", "3 passed", **again)]
    assert standing(turns) == ("Goal: Add a retry with three tries to the mailer",)


def test_a_session_that_did_nothing_stands_nowhere() -> None:
    assert standing([]) == ()
