"""What a piece of work needs in each of its phases: some types of memory more, some less."""

from __future__ import annotations

from typing import Literal, get_args

Phase = Literal["define", "implement", "validate", "refine", "explore", "reflect"]
PHASES: tuple[Phase, ...] = get_args(Phase)
LEAST, MOST = 0.8, 1.4

# type -> how much it matters in a phase; 1 where nothing is said
PHASE_WEIGHTS: dict[Phase, dict[str, float]] = {
    "define": {
        "workflow_recipe": 1.4,
        "dead_end": 1.2,
        "requirement": 1.2,
        "decision": 1.1,
        "task_calibration": 1.1,
        "gotcha": 0.8,
        "error_pattern": 0.8,
    },
    "implement": {
        "gotcha": 1.4,
        "error_pattern": 1.3,
        "causal_dependency": 1.2,
        "dead_end": 1.2,
        "pattern": 1.1,
        "prefetch_pattern": 1.1,
    },
    "validate": {"error_pattern": 1.4, "e2e_observation": 1.4, "requirement": 1.2, "work_unit_outcome": 1.1},
    "refine": {"error_pattern": 1.3, "gotcha": 1.2, "dead_end": 1.2},
    "explore": {"module_insight": 1.4, "decision": 1.2, "pattern": 1.1},
    "reflect": {"work_unit_outcome": 1.4, "task_calibration": 1.3, "dead_end": 1.1},
}


def fit(phase: Phase | None, type_: str) -> float:
    """How well a type fits a phase, -0.5 to 1: 0 where it matters as ever, and when nobody said which phase it is."""
    if phase is None:
        return 0.0
    return (PHASE_WEIGHTS[phase].get(type_, 1.0) - 1.0) / (MOST - 1.0)
