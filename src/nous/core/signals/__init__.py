"""The signals: what happens in a session, seen without a model. Each is one pure function over `core/session.py`.

A signal's value is 0.5 × what it tells + 0.3 × how much it matters across sessions + 0.2 × how seldom it is wrong, and
below 0.4 it is dropped. `score` is the first of these, `right` the share of sampled firings on real projects that was
right (`docs/experiments/0101`). Only what outcomes prove becomes a memory; everything else is a fact that a reading is
told and that metrics and prefetch lists are made of, and no sentence is made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from nous.core.session import Story
from nous.core.sighting import Sighting
from nous.core.signals import effort, errors, files, findings, searches, words
from nous.core.signals.seen import MOST

LEAST = 0.4  # value below which a sighting is not worth a memory
Detect = Callable[[Story], Iterator[Sighting]]


class Signal(NamedTuple):
    """One signal: how it is seen, how much it tells, what it becomes, in how many sessions it must be seen."""

    name: str
    detect: Detect
    score: float
    becomes: str
    sessions: int
    right: float

    @property
    def is_proved(self) -> bool:
        """Whether sightings become memories: a command passed, and four in five of the memories were right."""
        return self.name in PROVED

    def value(self, sessions: int) -> float:
        """What a sighting is worth that was made in so many sessions."""
        relevance = min(1.0, sessions / (self.sessions + 2))
        return round(0.5 * self.score + 0.3 * relevance + 0.2 * self.right, 3)


SIGNALS: tuple[Signal, ...] = (
    Signal("file_access", files.file_access, 0.72, "prefetch_pattern", 3, 0.06),
    Signal("co_access", files.co_access, 0.91, "causal_dependency", 3, 0.1),
    Signal("error_retry", errors.error_retry, 0.85, "error_pattern", 2, 0.67),
    Signal("backtrack", files.backtrack, 0.68, "gotcha", 2, 0.3),
    Signal("read_abandon", files.read_abandon, 0.79, "gotcha", 3, 0.15),
    Signal("repeated_grep", searches.repeated_grep, 0.76, "module_insight", 2, 0.44),
    Signal("tool_sequence", findings.tool_sequence, 0.73, "workflow_recipe", 3, 0.45),
    Signal("time_anomaly", effort.time_anomaly, 0.48, "context_cost", 3, 0.5),
    Signal("self_correction", words.self_correction, 0.88, "gotcha", 1, 0.2),
    Signal("external_reference", searches.external_reference, 0.61, "module_insight", 3, 0.5),
    Signal("glob_ignore", files.glob_ignore, 0.64, "gotcha", 2, 0.44),
    Signal("import_chase", files.import_chase, 0.52, "causal_dependency", 4, 0.0),
    Signal("test_order", effort.test_order, 0.74, "task_calibration", 3, 0.8),
    Signal("config_touch", files.config_touch, 0.66, "causal_dependency", 2, 0.38),
    Signal("step_overrun", effort.step_overrun, 0.71, "task_calibration", 3, 0.4),
    Signal("parallel_conflict", errors.parallel_conflict, 0.82, "gotcha", 1, 0.5),
    Signal("token_spike", effort.token_spike, 0.63, "context_cost", 3, 0.56),
)
# What agents find out (C11): the same machinery, beside the seventeen.
FINDINGS: tuple[Signal, ...] = (
    Signal("command_works", findings.command_works, 0.8, "procedure", 2, 0.6),
    Signal("command_told", findings.command_told, 0.6, "procedure", 2, 0.6),
    Signal("other_command", findings.other_command, 0.9, "procedure", 2, 0.82),
    Signal("interpreter", findings.interpreter, 0.9, "procedure", 2, 0.89),
)
# Of the memories that these gave on 23 real projects 27 of 28 were right; of the others' sightings 50 to 67 % at best.
PROVED = frozenset({"command_works", "other_command", "interpreter", "test_order"})
NAMED = {signal.name: signal for signal in (*SIGNALS, *FINDINGS)}


def sightings(story: Story) -> list[Sighting]:
    """What every signal sees in a session, each thing once, no more than a few of a kind."""
    found: list[Sighting] = []
    for signal in NAMED.values():
        mine: dict[str, Sighting] = {}
        for one in signal.detect(story):
            mine.setdefault(one.subject, one)
            if len(mine) >= MOST:
                break
        found += mine.values()
    return found
