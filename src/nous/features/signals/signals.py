"""The signals: what happens in a session, seen without a model. Each is one pure function over
`kernel/capture/session.py`.

A signal's value is 0.5 × what it tells + 0.3 × how much it matters across sessions + 0.2 × how seldom it is wrong, and
below 0.4 it is dropped. `score` is the first of these, `right` the share of sampled firings on real projects that was
right (`docs/experiments/0101`). Only what outcomes prove becomes a memory; everything else is a fact for a reading, and
no sentence is made of it. The others of the seventeen are gone (0208, 0212): they were wrong, or told what the rules
reader tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from nous.features.signals import errors, findings
from nous.features.signals.seen import MOST
from nous.kernel.capture.session import Story
from nous.kernel.log.sighting import Sighting

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
    Signal("error_retry", errors.error_retry, 0.85, "error_pattern", 2, 0.67),
    # What agents find out (C11).
    Signal("other_command", findings.other_command, 0.9, "procedure", 2, 0.82),
    Signal("interpreter", findings.interpreter, 0.9, "procedure", 2, 0.89),
)
# Of the memories that these gave on 23 real projects 27 of 28 were right.
PROVED = frozenset({"other_command", "interpreter"})
NAMED = {signal.name: signal for signal in SIGNALS}


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
