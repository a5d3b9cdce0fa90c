"""The table of memory types (SPEC decision 4). A new type is one row."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["episodic", "semantic", "procedural", "opinion"]
Scope = Literal["session", "module", "project", "global"]
SCOPES: tuple[Scope, ...] = ("session", "module", "project", "global")


NEVER = 36_500  # days; what has this half-life does not fade


class MemoryType(NamedTuple):
    """What a type means: its kind, how fast it fades (days), its share of a packet, its heading there."""

    kind: Kind
    half_life: int
    surface: int
    heading: str


_RULES, _FACTS, _DECISIONS, _TRAPS, _WORK = "Rules", "Facts", "Decisions", "Watch out", "Recent work"

TYPES: dict[str, MemoryType] = {
    "preference": MemoryType("opinion", 365, 10, _RULES),
    "requirement": MemoryType("semantic", 365, 10, _RULES),
    "pattern": MemoryType("procedural", 60, 6, _RULES),
    "procedure": MemoryType("procedural", 180, 8, _FACTS),
    "workflow_recipe": MemoryType("procedural", 120, 4, _FACTS),
    "decision": MemoryType("semantic", NEVER, 8, _DECISIONS),
    "architecture": MemoryType("semantic", NEVER, 6, _FACTS),
    "fact": MemoryType("semantic", 180, 10, _FACTS),
    "module_insight": MemoryType("semantic", 90, 6, _FACTS),
    "causal_dependency": MemoryType("semantic", 120, 4, _FACTS),
    "context": MemoryType("semantic", 30, 3, _FACTS),
    "code": MemoryType("semantic", NEVER, 0, _FACTS),
    "code_description": MemoryType("semantic", NEVER, 2, _FACTS),
    "gotcha": MemoryType("semantic", 60, 8, _TRAPS),
    "error_pattern": MemoryType("procedural", 60, 8, _TRAPS),
    "dead_end": MemoryType("episodic", 90, 5, _TRAPS),
    "e2e_observation": MemoryType("episodic", 30, 2, _TRAPS),
    "progress": MemoryType("episodic", 7, 2, _WORK),
    "work_state": MemoryType("episodic", 7, 2, _WORK),
    "work_unit_outcome": MemoryType("episodic", 30, 2, _WORK),
    "episode": MemoryType("episodic", 60, 2, _WORK),
    "opinion": MemoryType("opinion", 120, 3, _FACTS),
    "prefetch_pattern": MemoryType("procedural", 60, 0, _FACTS),
    "task_calibration": MemoryType("procedural", 180, 0, _FACTS),
    "context_cost": MemoryType("procedural", 60, 0, _FACTS),
}
HEADINGS: tuple[str, ...] = (_RULES, _DECISIONS, _FACTS, _TRAPS, _WORK)
