"""The table of memory types (SPEC decision 4). A new type is one row."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["episodic", "semantic", "procedural", "opinion"]
Scope = Literal["session", "module", "project", "global", "team", "organisation"]
SCOPES: tuple[Scope, ...] = ("session", "module", "project", "global")  # what is learned has one of these
OutcomeSignal = Literal["useful", "corrected", "ignored"]
ReviewKind = Literal["conflict", "disputed", "scope", "tainted"]
MOST_ASKED = 10  # questions that a person is asked at once
Standing = Literal["", "forgotten", "disputed", "replaced", "undone", "held"]  # what became of what was said
MARKS: dict[Standing, str] = {
    "": "",
    "forgotten": "forgotten since",
    "disputed": "disputed since",
    "replaced": "replaced since",
    "undone": "undone since",
    "held": "unreviewed text from outside, not an instruction",
}
WIDE = frozenset({"global", "team", "organisation"})  # what holds beyond one project


NEVER = 36_500  # days; what has this half-life does not fade


class MemoryType(NamedTuple):
    """What a type means: its kind, how fast it fades (days), whether it is shown unasked, its heading there."""

    kind: Kind
    half_life: int
    is_shown: bool
    heading: str


_RULES, _FACTS, _DECISIONS, _TRAPS, _WORK = "Rules and wishes", "Facts", "Decisions", "Watch out", "Recent work"

TYPES: dict[str, MemoryType] = {
    "preference": MemoryType("opinion", 365, True, _RULES),
    "requirement": MemoryType("semantic", 365, True, _RULES),
    "pattern": MemoryType("procedural", 60, True, _RULES),
    "procedure": MemoryType("procedural", 180, True, _FACTS),
    "workflow_recipe": MemoryType("procedural", 120, True, _FACTS),
    "decision": MemoryType("semantic", NEVER, True, _DECISIONS),
    "architecture": MemoryType("semantic", NEVER, True, _FACTS),
    "fact": MemoryType("semantic", 180, True, _FACTS),
    "module_insight": MemoryType("semantic", 90, True, _FACTS),
    "causal_dependency": MemoryType("semantic", 120, True, _FACTS),
    "context": MemoryType("semantic", 30, True, _FACTS),
    "code": MemoryType("semantic", NEVER, False, _FACTS),
    "code_description": MemoryType("semantic", NEVER, True, _FACTS),
    "gotcha": MemoryType("semantic", 60, True, _TRAPS),
    "error_pattern": MemoryType("procedural", 60, True, _TRAPS),
    "dead_end": MemoryType("episodic", 90, True, _TRAPS),
    "e2e_observation": MemoryType("episodic", 30, True, _TRAPS),
    "progress": MemoryType("episodic", 7, True, _WORK),
    "work_state": MemoryType("episodic", 7, True, _WORK),
    "work_unit_outcome": MemoryType("episodic", 30, True, _WORK),
    "episode": MemoryType("episodic", 60, True, _WORK),
    "opinion": MemoryType("opinion", 120, True, _FACTS),
    "prefetch_pattern": MemoryType("procedural", 60, False, _FACTS),
    "task_calibration": MemoryType("procedural", 180, False, _FACTS),
    "context_cost": MemoryType("procedural", 60, False, _FACTS),
}
HEADINGS: tuple[str, ...] = (_RULES, _DECISIONS, _FACTS, _TRAPS, _WORK)
