"""Signals of how much work something takes."""

from __future__ import annotations

from collections.abc import Iterator

from nous.core.session import Story
from nous.core.sighting import Sighting
from nous.core.signals.seen import calls, command_of, short

PLANNED = 3  # steps of a plan that is one
OVERRUN = 4.0  # calls per planned step
SPIKE = 20_000  # tokens that one result adds
_CHECKS = (
    ("tests", ("test", "tests", "pytest", "jest", "vitest", "rspec")),
    ("style", ("lint", "ruff", "eslint", "clippy", "biome", "format", "fmt")),
    ("types", ("tsc", "typecheck", "mypy", "pyright", "compile", "check")),
)
_PAIRS = ({"tests", "style"}, {"tests", "types"}, {"style", "types"})


def test_order(story: Story) -> Iterator[Sighting]:
    """Two different checks that pass one after the other."""
    checks = [run for run in story.runs if not run.failed and _check(command_of(story.turns[run.at]))]
    names = [command_of(story.turns[run.at]) for run in checks]
    for first, then, run in zip(names, names[1:], checks[1:], strict=False):
        if are_checks(first, then):
            yield Sighting(
                "test_order", f"{first}\n{then}", short(f"`{first}`, then `{then}`"), (story.turns[run.done].uuid,)
            )


def are_checks(first: str, then: str) -> bool:
    """Whether two commands check different things about a project."""
    return {_check(first), _check(then)} in _PAIRS and "=" not in first + then


def _check(command: str) -> str:
    """What a command checks: tests, style or types; nothing for one that names single files."""
    words = command.lower().replace(":", " ").split()
    if len(words) > 4 or "/" in command or "." in command:
        return ""
    return next((kind for kind, names in _CHECKS for word in words if word in names), "")


def step_overrun(story: Story) -> Iterator[Sighting]:
    """A plan whose steps took many more calls than planned."""
    plans = [
        call
        for call in calls(story)
        if call.turn.tool == "TodoWrite" and isinstance(call.turn.input.get("todos"), list)
    ]
    if not plans:
        return
    planned = max(len(call.turn.input["todos"]) for call in plans)
    done = sum(call.turn.tool != "TodoWrite" for call in calls(story))
    if planned >= PLANNED and done >= OVERRUN * planned:
        yield Sighting("step_overrun", "plan", f"{planned} steps planned, {done} calls made", (plans[0].turn.uuid,))


def token_spike(story: Story) -> Iterator[Sighting]:
    """A read after which the context is much larger."""
    before = 0
    last = None
    for turn in story.turns:
        if turn.kind == "tool_call" and turn.tool == "Read":
            last = turn
        if turn.usage is None or turn.agent_id:
            continue
        now = turn.usage.input + turn.usage.cache_read + turn.usage.cache_write
        if before and last is not None and now - before >= SPIKE and isinstance(last.input.get("file_path"), str):
            path = str(last.input["file_path"]).removeprefix(last.cwd.rstrip("/") + "/")
            yield Sighting("token_spike", path, f"{path} adds {now - before} tokens", (last.uuid,))
            last = None
        before = now or before
