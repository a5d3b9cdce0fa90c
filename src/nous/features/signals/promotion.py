"""From what signals saw in several sessions to a learning, or to nothing.

What failed, what was seen too seldom and what may be a stranger's is no memory; what is known already grows surer; the
rest is put into words by one template for each signal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from nous.features.signals.errors import wrapper_of
from nous.features.signals.signals import NAMED, Signal
from nous.kernel.learn.story import with_description
from nous.kernel.log.extraction import Learning
from nous.kernel.log.sighting import QUORUM

SURE = 0.72  # from the first further session on
LEAST_SURE = 0.48  # a start shows it after one more sign: another session, or a person
MOST_WORDS = 390
MOST_TOLD = 3  # commands that one memory names


class Recurring(NamedTuple):
    """One thing that a signal saw: in how many sessions, and what shows it.

    `others` is what other sessions said of it; `agents` how many subagents of the last one saw it, each by itself.
    """

    signal: str
    subject: str
    said: str
    sessions: int
    evidence: tuple[str, ...]
    others: tuple[str, ...] = ()
    first_at: str = ""
    last_at: str = ""
    agents: int = 0

    @property
    def signs(self) -> int:
        """The sessions that saw it; when enough agents of one did, as many as a signal needs."""
        needed = NAMED[self.signal].sessions if self.agents >= QUORUM and self.signal in NAMED else 0
        return max(self.sessions, needed)


def promotable(seen: Recurring) -> Signal | None:
    """The signal by which something deserves a memory; None when it was seen too seldom."""
    signal = NAMED.get(seen.signal)
    if signal is None or not signal.is_proved:
        return None
    return signal if seen.signs >= signal.sessions else None


def learning_of(seen: Recurring) -> Learning | None:
    """The learning that a recurring sighting becomes; None when it is not promoted."""
    signal = promotable(seen)
    if signal is None:
        return None
    sure = SURE if seen.signs > signal.sessions else LEAST_SURE
    return with_description(
        Learning(
            content=word_sighting(seen)[:MOST_WORDS],
            type=signal.becomes,
            evidence=seen.evidence,
            confidence=sure,
            valid_from=seen.first_at or None,
            reasons=(
                f"signal {signal.name}",
                f"seen in {seen.sessions} sessions" if seen.signs == seen.sessions else f"seen by {seen.agents} agents",
            ),
        )
    )


def word_sighting(seen: Recurring) -> str:
    """A sighting in words that stand alone."""
    return " ".join(WORDING[seen.signal](seen).split())


def _other_command(seen: Recurring) -> str:
    wrong, right, *more = seen.said.split("\n")
    if not (more and (wrapper := wrapper_of(wrong.strip("`"), right.strip("`")))):
        return f"{wrong} fails in this project; {right} works."
    told = [one.split("\n") for one in dict.fromkeys((seen.said, *seen.others))]
    plain = sorted({one[1] for one in told if wrapper_of(one[0].strip("`"), one[1].strip("`")) == wrapper})[:MOST_TOLD]
    works = sorted({name for one in told for name in (one[3].split() if len(one) > 3 else ())})[:MOST_TOLD]
    program = right.strip("`").split()[0]
    return (
        f"The wrapper `{wrapper}` always fails for `{program}` ({more[0]}): run plain {' and '.join(plain)} instead."
        + (f" `{wrapper}` works for {', '.join(works)}." if works else "")
    )


def _interpreter(seen: Recurring) -> str:
    said = {seen.said, *seen.others}
    portable = {one for one in said if not one.strip("`").startswith(("/", "~"))}
    told = sorted(portable or said, key=lambda one: (len(one), one))[:2]
    return f"Python runs from the environment `{_home(told[0])}` in this project: {' and '.join(told)}."


def _home(command: str) -> str:
    """The folder of an environment, from a command that uses it."""
    word = next((one for one in command.strip("`").split() if "/bin/" in one or "/Scripts/" in one), command)
    return re.split(r"/(?:bin|Scripts)/", word)[0]


WORDING: dict[str, Callable[[Recurring], str]] = {
    "other_command": _other_command,
    "interpreter": _interpreter,
}
_FAILS = re.compile(r"`([^`\n]+)` (?:always )?fails\b|\b(?:do not|don'?t|never) (?:run|use|call) `([^`\n]+)`", re.I)
_QUOTED = re.compile(r"`([^`\n]+)`")


def failing_commands(text: str) -> set[str]:
    """The commands that a text says fail, or forbids."""
    return {one or other for one, other in _FAILS.findall(text)}


def working_commands(text: str) -> set[str]:
    """The commands that a promoted memory says work."""
    return set(_QUOTED.findall(text)) - failing_commands(text)
