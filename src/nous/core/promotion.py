"""From what signals saw in several sessions to a learning, or to nothing.

In this order: what failed is dropped, then what was seen too seldom, what is known already grows surer, what came from
outside waits for a person, what is worth too little is dropped, and the rest is put into words by one template for each
signal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from nous.core.extraction import Learning
from nous.core.extractor.deeds import purpose
from nous.core.extractor.story import described
from nous.core.sighting import QUORUM
from nous.core.signals import LEAST, NAMED, PROPOSING, Signal
from nous.core.signals.errors import wrapper_of

NOVEL = 0.88  # cosine from which a known memory says the same
TRUST = 0.85  # what an observer infers counts beside what somebody says
OUTSIDE = 0.7  # what is left of a confidence after text from outside
TOGETHER = 0.6  # the share of the sessions that change one of two files in which both change
BEGIN = 0.5  # the share of recent sessions that begin with a file
MOST_WORDS = 390
MOST_TOLD = 3  # commands that one memory names
# How many memories a session may give, by what sort of session it was.
CAPS = {"build": 20, "review": 8, "insights": 5, "spec": 3, "terminal": 3, "headless": 0}
CAP = 3
OTHERWISE = {"test_order": "procedure"}  # what V5 calls a calibration is read as the way to check here


class Recurring(NamedTuple):
    """One thing that a signal saw: in how many sessions, of how many that could have shown it, and what shows it.

    `others` is what other sessions said of it; `agents` how many subagents of the last one saw it, each by itself.
    """

    signal: str
    subject: str
    said: str
    sessions: int
    of: int
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
    """The signal by which something deserves a memory; None when it was seen too seldom or is worth too little."""
    signal = NAMED.get(seen.signal)
    if (
        signal is None
        or not (signal.is_on or signal.name in PROPOSING)
        or seen.signs < signal.sessions
        or signal.value(seen.signs) < LEAST
    ):
        return None
    share = seen.sessions / max(1, seen.of)
    if seen.signal == "co_access" and share < TOGETHER:
        return None
    return None if seen.signal == "file_access" and share < BEGIN else signal


def learning_of(seen: Recurring, *, tainted: bool = False) -> Learning | None:
    """The learning that a recurring sighting becomes; None when it is not promoted."""
    signal = promotable(seen)
    if signal is None:
        return None
    sure = min(0.9, TRUST * signal.value(seen.signs))
    if seen.signs == signal.sessions:
        sure = min(sure, 0.48)  # a start shows it after one more sign: another session, or a person
    content, kind = worded(seen)
    return described(
        Learning(
            content=content[:MOST_WORDS],
            type=kind or signal.becomes,
            evidence=seen.evidence,
            confidence=round(sure * (OUTSIDE if tainted else 1.0), 3),
            valid_from=seen.first_at or None,
            tainted=tainted or signal.name == "external_reference",
            reasons=(
                f"signal {signal.name}",
                f"seen in {seen.sessions} sessions" if seen.signs == seen.sessions else f"seen by {seen.agents} agents",
                f"value {signal.value(seen.signs)}",
            ),
        )
    )


_TYPES = re.compile(r"\btype-?checks?\b|\btsc\b|\bmypy\b|\bpyright\b")
TASKS = {
    "test": "Run the tests with {}.",
    "lint": "Check the style with {}.",
    "types": "Check the types with {}.",
    "format": "Format the code with {}.",
    "build": "Build the project with {}.",
    "run": "Start the project with {}.",
    "deploy": "Deploy with {}.",
    "migrate": "Migrate the database with {}.",
}


def worded(seen: Recurring) -> tuple[str, str]:
    """A sighting in words that stand alone, and its type where the words decide it."""
    return " ".join(WORDING.get(seen.signal, _as_said)(seen).split()), OTHERWISE.get(seen.signal, "")


def _as_said(seen: Recurring) -> str:
    return seen.said if seen.said.endswith(".") else f"{seen.said}."


def often_said(seen: Recurring) -> str:
    """What most sessions say of it, the shortest of these."""
    times = Counter(seen.others or (seen.said,))
    return min(times, key=lambda one: (-times[one], len(one), one))


def _command(seen: Recurring) -> str:
    kind = "types" if _TYPES.search(seen.subject) else purpose(seen.subject) or ""
    times, often = Counter(seen.others or (seen.said,)), often_said(seen)
    told = often if len(times) == 1 or times[often] > 1 else f"`{seen.subject}`"
    folder = next((one.partition(" && ")[0] for one in times if one.startswith("`cd ")), "")
    if folder and not told.startswith("`cd "):
        told = f"{folder} && {told.strip('`')}`"
    return TASKS.get(kind, "{} works in this project.").format(told)


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
    told = sorted({seen.said, *seen.others}, key=lambda one: (len(one), one))[:2]
    return f"Python runs from the environment `{_home(told[0])}` in this project: {' and '.join(told)}."


def _home(command: str) -> str:
    """The folder of an environment, from a command that uses it."""
    word = next((one for one in command.strip("`").split() if "/bin/" in one or "/Scripts/" in one), command)
    return re.split(r"/(?:bin|Scripts)/", word)[0]


def _pair(seen: Recurring) -> str:
    one, _, other = seen.subject.partition("\n")
    return f"When `{one}` changes, `{other}` usually changes too."


WORDING: dict[str, Callable[[Recurring], str]] = {
    "file_access": lambda seen: f"Work here usually begins with reading `{seen.subject}`.",
    "co_access": _pair,
    "error_retry": lambda seen: f"{seen.said.rstrip('.')}.",
    "backtrack": lambda seen: (
        f"Edits of `{seen.subject}` were taken back in {seen.sessions} sessions: look twice before changing it."
    ),
    "read_abandon": lambda seen: f"`{seen.subject}` is often read and then not needed.",
    "repeated_grep": lambda seen: f"`{seen.subject}` is searched for again and again: note where it is defined.",
    "tool_sequence": lambda seen: f"Usual steps here: {often_said(seen)}.",
    "time_anomaly": lambda seen: f"{seen.said.split(' took')[0]} takes long in this project.",
    "external_reference": lambda seen: f"Sessions look up {seen.subject}.",
    "glob_ignore": lambda seen: f"The pattern `{seen.subject}` lists many files of which few matter.",
    "import_chase": lambda seen: (
        f"Reading goes from `{seen.subject.split(chr(10))[0]}` on to `{seen.subject.split(chr(10))[-1]}`."
    ),
    "test_order": lambda seen: f"The checks of this project run as {seen.said}.",
    "config_touch": lambda seen: f"`{seen.subject}` usually changes together with code.",
    "step_overrun": lambda seen: f"Plans take more here than they say: {seen.said}.",
    "parallel_conflict": lambda seen: (
        f"`{seen.subject}` is changed by several agents at once: read it again right before editing."
    ),
    "token_spike": lambda seen: f"Reading `{seen.subject}` whole fills much of the context: read parts of it.",
    "command_works": _command,
    "command_told": _command,
    "other_command": _other_command,
    "interpreter": _interpreter,
}


def cap_of(kind: str) -> int:
    """How many memories a session of a sort may give."""
    return CAPS.get(kind, CAP)
