"""How far a project's memories are trusted to be shown unasked: four levels, and what it takes to go up or down.

A level is a filter at reading. It lets through more or less of what is merely doubtful; what is tainted, disputed or
superseded stays out at every level.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from nous.core.moments import days_between

Level = Literal[1, 2, 3, 4]


class TrustLevel(NamedTuple):
    """What a level asks of a memory before it is shown unasked.

    `least` is a confidence that it takes unless a person stands for the memory, `wide_signs` how many signs a rule and
    what holds everywhere need at a session's start, and `enough` a confidence that needs no sign there.
    """

    name: str
    means: str
    least: float = 0.0
    wide_signs: int = 2
    enough: float | None = None


STANDARD: Level = 2
LEVELS: dict[Level, TrustLevel] = {
    1: TrustLevel(
        "cautious", "only what is at least 0.62 sure or what you confirmed is shown; you are asked", least=0.62
    ),
    2: TrustLevel("standard", "what was said once as something that lasts is shown, a rule needs two signs"),
    3: TrustLevel("confident", "one sign is enough for a rule and for what holds everywhere, too", wide_signs=1),
    4: TrustLevel("autonomous", "a session's start also shows what is only 0.45 sure", wide_signs=1, enough=0.45),
}
USUAL = LEVELS[STANDARD]

LOWER_SESSIONS, LOWER_CONFIRMED = 3, 0.5  # from 1 to 2
UPPER_SESSIONS, UPPER_WRONG = 10, 0.05  # from 2 to 3
MANY_WRONG = 3  # memories flagged wrong in one session before a lower level is offered
SITTING_DAYS = 2 / 24  # every command is a session of its own: what was flagged within two hours counts as one
OFFER_DAYS = 14.0
# Asked for or cited this often without an objection: it counts a little more, and nobody is asked about it any more.
USED, USED_OFTEN = 5, 10
GAINED = 0.05


class Flag(NamedTuple):
    """A memory that the user called wrong: which, in which session, when."""

    learning_id: str
    session_id: str
    at: str


class TrustRecord(NamedTuple):
    """What speaks for or against a project's memories, counted since its level was set."""

    sessions: int
    memories: int
    confirmed: int
    flags: Sequence[Flag] = ()

    @property
    def wrong(self) -> float:
        """How many of the memories were flagged wrong, 0 to 1."""
        return len(self.flags) / self.memories if self.memories else 0.0


def missing(level: Level, seen: TrustRecord) -> list[str]:
    """What is still missing before the next level is offered; from 3 on nothing is offered, 4 is the user's choice."""
    if level == 1:
        return [*_sessions(LOWER_SESSIONS - seen.sessions), *_unconfirmed(seen)]
    if level == 2:
        too_many = seen.wrong >= UPPER_WRONG
        share = f"{seen.wrong:.0%} of the memories were called wrong, it takes less than {UPPER_WRONG:.0%}"
        return [*_sessions(UPPER_SESSIONS - seen.sessions), *([share] if too_many else [])]
    return []


def _sessions(left: int) -> list[str]:
    return [f"{left} more session" + ("s" if left > 1 else "")] if left > 0 else []


def _unconfirmed(seen: TrustRecord) -> list[str]:
    """Nobody confirms everything: of what a person judged, half has to be right."""
    judged = seen.confirmed + len(seen.flags)
    if judged and seen.confirmed >= LOWER_CONFIRMED * judged:
        return []
    return [f"{seen.confirmed} of {judged} judged memories were confirmed, it takes half"]


class Offer(NamedTuple):
    """A level that is offered, never forced, and why."""

    level: Level
    why: str


def offer(level: Level, seen: TrustRecord, now: str) -> Offer | None:
    """A lower level after many wrong memories in one session; else the next one when nothing is missing for it."""
    if level > 1 and (number := _wrong_at_once([flag for flag in seen.flags if _is_fresh(flag, now)])):
        return Offer(_step(level, -1), f"{number} memories were called wrong in one session")
    if level < 3 and not missing(level, seen):
        return Offer(_step(level, 1), f"{seen.sessions} sessions, {seen.wrong:.0%} of the memories called wrong")
    return None


def _is_fresh(flag: Flag, now: str) -> bool:
    return days_between(flag.at, now) <= OFFER_DAYS


def _wrong_at_once(flags: Sequence[Flag]) -> int:
    """The most memories that were called wrong in one session or one sitting; 0 when they are few."""
    ordered = sorted(flags, key=lambda flag: flag.at)
    sittings = [
        sum(days_between(first.at, other.at) <= SITTING_DAYS for other in ordered[at:])
        for at, first in enumerate(ordered)
    ]
    most = max([*sittings, *Counter(flag.session_id for flag in ordered).values()], default=0)
    return most if most >= MANY_WRONG else 0


def _step(level: Level, by: int) -> Level:
    return next(one for one in LEVELS if one == level + by)
