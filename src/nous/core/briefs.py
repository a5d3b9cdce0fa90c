"""What each role is told: which types of memory, how many of each, and files that sessions needed before."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from nous.core.memory import Memory
from nous.core.packing import Entry, estimate_tokens

Role = Literal["planner", "coder", "qa"]
ROLES: tuple[Role, ...] = get_args(Role)
# How many memories of each type a role is told at most, newest first.
TOLD: dict[Role, dict[str, int]] = {
    "planner": {
        "task_calibration": 5, "dead_end": 8, "causal_dependency": 10, "work_unit_outcome": 5, "workflow_recipe": 2,
    },
    "coder": {"gotcha": 8, "error_pattern": 8, "causal_dependency": 5, "pattern": 5, "procedure": 5, "dead_end": 4},
    "qa": {"e2e_observation": 8, "error_pattern": 8, "requirement": 10},
}  # fmt: skip
ALWAYS, OFTEN = 0.8, 0.5  # shares of past sessions that opened a file
MOST_FILES = 12
LARGEST = 2.0  # what a plan may be stretched by
FEWEST = 3  # plans that a factor can be told from


class FileUse(NamedTuple):
    """A file, and the share of past sessions of its module that opened it."""

    path: str
    share: float


class Calibration(NamedTuple):
    """How much more than planned past work took: calls per planned step, over so many plans."""

    factor: float
    planned: float
    actual: float
    samples: int

    def steps(self, base: int) -> int:
        """A limit of steps, stretched by what past work took, within bounds."""
        return math.ceil(base * min(max(1.0, self.factor), LARGEST))


def of_role(role: Role, memories: Iterable[Memory]) -> list[Memory]:
    """The memories that a role is told, by type, newest first, no more of a type than it needs."""
    wanted = TOLD[role]
    found: list[Memory] = []
    for type_, most in wanted.items():
        mine = [one for one in memories if one.type == type_ and _may_be_told(one)]
        mine.sort(key=lambda one: (one.valid_from or one.created_at, one.id), reverse=True)
        found += mine[:most]
    return found


def _may_be_told(memory: Memory) -> bool:
    return memory.status == "active" and not memory.tainted and not memory.disputed


def prefetched(uses: Sequence[FileUse]) -> list[FileUse]:
    """The files that a session should open first: those of most sessions, then those of half of them."""
    first = [one for one in uses if one.share > ALWAYS]
    second = [one for one in uses if OFTEN < one.share <= ALWAYS]
    return (first + second)[:MOST_FILES]


def calibrated(plans: Sequence[tuple[int, int]], usual: float) -> Calibration | None:
    """How much longer plans take than usual: calls per planned step against a usual number; None from too few plans."""
    sound = [(planned, actual) for planned, actual in plans if planned > 0]
    if len(sound) < FEWEST:
        return None
    planned = sum(one for one, _ in sound) / len(sound)
    actual = sum(other for _, other in sound) / len(sound)
    return Calibration(round(actual / planned / usual, 2), round(planned, 1), round(actual, 1), len(sound))


def within(entries: Sequence[Entry], budget: int) -> list[Entry]:
    """As many entries, in order, as a budget of tokens allows."""
    chosen: list[Entry] = []
    for entry in entries:
        if estimate_tokens(entry.line) <= budget:
            budget -= estimate_tokens(entry.line)
            chosen.append(entry)
    return chosen
