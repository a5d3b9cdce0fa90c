"""What checks a project has, and in which order they pass."""

from __future__ import annotations

from collections.abc import Iterator

from nous.core.session import Story
from nous.core.sighting import Sighting
from nous.core.signals.seen import command_of, short

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
