"""The signals: what happens in a session, seen without a model. Each is one pure function over
`kernel/capture/session.py`.

Only what outcomes prove becomes a memory; everything else is a fact for a reading, and no sentence is made of it. The
others of the seventeen are gone (0208, 0212): they were wrong (`docs/experiments/0101`), or told what the rules reader
tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from nous.features.signals import errors, findings
from nous.features.signals.seen import MOST
from nous.kernel.capture.session import Story
from nous.kernel.log.sighting import Sighting

Detect = Callable[[Story], Iterator[Sighting]]


class Signal(NamedTuple):
    """One signal: how it is seen, what it becomes, in how many sessions it must be seen."""

    name: str
    detect: Detect
    becomes: str
    sessions: int = 2

    @property
    def is_proved(self) -> bool:
        """Whether sightings become memories: a command passed, and four in five of the memories were right."""
        return self.name in PROVED


SIGNALS: tuple[Signal, ...] = (
    Signal("error_retry", errors.error_retry, "error_pattern"),
    # What agents find out (C11).
    Signal("other_command", findings.other_command, "procedure"),
    Signal("interpreter", findings.interpreter, "procedure"),
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
