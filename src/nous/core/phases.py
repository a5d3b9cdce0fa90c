"""The phases of work: how they are told from what a session does, and what each of them needs from memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from nous.core.session import Story
    from nous.core.transcript import Turn

Phase = Literal["define", "implement", "validate", "refine", "explore", "reflect"]
PHASES: tuple[Phase, ...] = get_args(Phase)
LEAST, MOST = 0.8, 1.4
STEADY = 3  # signs in a row that a phase needs before it takes over from another

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

# type -> the share of a packet that it may take in a phase before others had theirs; "" is for all other types
PHASE_SHARES: dict[Phase, dict[str, float]] = {
    "define": {
        "workflow_recipe": 0.3,
        "requirement": 0.2,
        "decision": 0.2,
        "dead_end": 0.15,
        "task_calibration": 0.1,
        "": 0.05,
    },
    "implement": {
        "gotcha": 0.3,
        "error_pattern": 0.25,
        "causal_dependency": 0.15,
        "pattern": 0.15,
        "dead_end": 0.1,
        "": 0.05,
    },
    "validate": {
        "error_pattern": 0.3,
        "requirement": 0.25,
        "e2e_observation": 0.25,
        "work_unit_outcome": 0.15,
        "": 0.05,
    },
    "refine": {"error_pattern": 0.35, "gotcha": 0.25, "dead_end": 0.2, "pattern": 0.15, "": 0.05},
    "explore": {"module_insight": 0.4, "decision": 0.25, "pattern": 0.2, "causal_dependency": 0.15, "": 0.0},
    "reflect": {"work_unit_outcome": 0.4, "task_calibration": 0.35, "dead_end": 0.15, "": 0.1},
}


def fit(phase: Phase | None, type_: str) -> float:
    """How well a type fits a phase, -0.5 to 1: 0 where it matters as ever, and when nobody said which phase it is."""
    if phase is None:
        return 0.0
    return (PHASE_WEIGHTS[phase].get(type_, 1.0) - 1.0) / (MOST - 1.0)


def share_of(phase: Phase, type_: str) -> float:
    """The share of a packet that a type may take first in a phase."""
    shares = PHASE_SHARES[phase]
    return shares.get(type_, shares[""])


_READS = frozenset({"Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "Task", "Agent"})
_EDITS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_CHECK = re.compile(
    r"\b(?:test|tests|pytest|jest|vitest|lint|ruff|eslint|mypy|tsc|typecheck|clippy|rspec|check|playwright)\b", re.I
)
_CLOSE = re.compile(r"\bgit (?:commit|push|tag)\b|\bgh pr create\b")
_PLAN = re.compile(
    r"\b(?:plan|spec|design|proposal|options?|approach|before (?:implementing|you start)|don't (?:code|implement))\b",
    re.I,
)


def phases_of(story: Story) -> list[Phase]:
    """The phase of a session after each of its calls and prompts: a new one takes over when it holds for a while."""
    now: Phase = "explore"
    waiting: Phase | None = None
    held = 0
    has_failed = False
    found: list[Phase] = []
    for turn in story.turns:
        if turn.kind == "tool_result":
            has_failed = turn.failed if turn.failed else has_failed
        sign = _sign(turn, has_failed)
        if sign is None:
            continue
        if sign == "validate" or sign == "reflect":
            has_failed = False
        held = held + 1 if sign == waiting else 1
        waiting = sign
        if sign != now and (held >= STEADY or not found or sign == "reflect"):
            now = sign
        found.append(now)
    return found


def phase_of(story: Story) -> Phase | None:
    """The phase in which a session is now; None when it has done nothing yet."""
    found = phases_of(story)
    return found[-1] if found else None


def _sign(turn: Turn, has_failed: bool) -> Phase | None:
    """What one turn says about the phase, if it says anything."""
    if turn.kind == "prompt" and not turn.agent_id:
        return "define" if _PLAN.search(turn.text[:600]) else None
    if turn.kind != "tool_call":
        return None
    if turn.tool in ("ExitPlanMode", "EnterPlanMode", "AskUserQuestion"):
        return "define"
    if turn.tool in _EDITS:
        return "refine" if has_failed else "implement"
    if turn.tool in _READS:
        return "explore"
    command = turn.input.get("command")
    if turn.tool == "Bash" and isinstance(command, str):
        return "reflect" if _CLOSE.search(command) else "validate" if _CHECK.search(command) else None
    return None
