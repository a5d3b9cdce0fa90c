"""Ways to work: which phase each of their stages is, and what one role hands over to the next.

Other packages add theirs through the entry point group `nous.methodologies`: an object with these fields.
"""

from __future__ import annotations

from typing import NamedTuple

from nous.core.phases import Phase

GROUP = "nous.methodologies"


class Relay(NamedTuple):
    """What goes from one role to the next: everything, or only memories of some types."""

    giver: str
    taker: str
    types: tuple[str, ...] = ()


class Methodology(NamedTuple):
    """A way to work: its stages by phase, and its relays."""

    id: str
    display_name: str
    stages: dict[str, Phase]
    relays: tuple[Relay, ...] = ()

    def phase_of(self, stage: str) -> Phase:
        """The phase that a stage is; what nobody knows is exploring."""
        return self.stages.get(stage.lower(), "explore")


_RELAYS = (
    Relay("planner", "coder"),
    Relay("coder", "qa"),
    Relay("qa", "fixer", ("error_pattern", "requirement")),
)
NATIVE = Methodology(
    "native",
    "Native",
    {
        "planning": "define", "spec": "define", "coding": "implement", "qa_review": "validate", "qa_fix": "refine",
        "debugging": "refine", "insights": "explore",
    },
    _RELAYS,
)  # fmt: skip
BMAD = Methodology(
    "bmad",
    "BMAD",
    {
        "analyst": "explore", "pm": "define", "architect": "define", "story": "define", "dev": "implement",
        "qa": "validate", "retro": "reflect",
    },
    _RELAYS,
)  # fmt: skip
TDD = Methodology(
    "tdd",
    "Test-driven development",
    {"red": "define", "green": "implement", "verify": "validate", "refactor": "refine"},
    _RELAYS,
)
METHODOLOGIES: tuple[Methodology, ...] = (NATIVE, BMAD, TDD)
