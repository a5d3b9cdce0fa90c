"""What each role is told: which types of memory, how many of each, and files that sessions needed before."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from nous.core.memory import Memory
from nous.core.packing import Entry, estimate_tokens

Role = Literal["planner", "coder", "qa"]
ROLES: tuple[Role, ...] = get_args(Role)
# How many memories of each type a role is told at most: decisions and traps, commands and places, errors and checks.
TOLD: dict[Role, dict[str, int]] = {
    "planner": {"decision": 8, "requirement": 6, "dead_end": 5, "gotcha": 5, "architecture": 4, "work_unit_outcome": 2},
    "coder": {"procedure": 6, "gotcha": 6, "architecture": 5, "error_pattern": 4, "module_insight": 4, "pattern": 4},
    "qa": {"error_pattern": 8, "gotcha": 5, "procedure": 5, "requirement": 5, "e2e_observation": 4, "dead_end": 2},
}
NAMES: dict[Role, str] = {"planner": "planner", "coder": "coder", "qa": "tester"}
NEED: dict[Role, str] = {
    "planner": "decisions and traps", "coder": "commands and places", "qa": "errors and checks",
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
    """The memories of a role's types, in their order, no more of a type than it needs."""
    room = dict(TOLD[role])
    found: list[Memory] = []
    for memory in memories:
        if room.get(memory.type, 0) > 0 and _may_be_told(memory):
            room[memory.type] -= 1
            found.append(memory)
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
