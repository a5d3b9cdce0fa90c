"""What each role is told: which types of memory, and how many of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from nous.kernel.hooks.packing import Entry, estimate_tokens
from nous.kernel.memory.memory import Memory

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


def within(entries: Sequence[Entry], budget: int) -> list[Entry]:
    """As many entries, in order, as a budget of tokens allows."""
    chosen: list[Entry] = []
    for entry in entries:
        if estimate_tokens(entry.line) <= budget:
            budget -= estimate_tokens(entry.line)
            chosen.append(entry)
    return chosen
