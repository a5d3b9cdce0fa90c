"""Maintenance: a list of steps, each done only if there is something to do, within the time that is given."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from nous.moments import days_between

if TYPE_CHECKING:
    from nous.kernel.stores import Events, Outcomes


class Step(NamedTuple):
    """One step: what it does within some seconds, and whether it is done; `daily`: also when only time has passed."""

    name: str
    run: Callable[[float | None], tuple[str, bool]]
    daily: bool = False
    always: bool = False


class StepReport(NamedTuple):
    """What became of one step."""

    step: str
    state: Literal["done", "nothing new", "unfinished", "no time left"]
    said: str
    seconds: float


class MaintenanceReport(NamedTuple):
    """What maintenance did, and how many events it wrote."""

    steps: list[StepReport]
    events: int
    seconds: float

    def line(self) -> str:
        """One line for the log."""
        told = "; ".join(
            f"{done.step}: {done.said or done.state}" for done in self.steps if done.state != "nothing new"
        )
        return f"maintenance wrote {self.events} events in {self.seconds:.1f} s: {told or 'nothing new'}"


def maintain(
    log: Events, outcomes: Outcomes, steps: Sequence[Step], clock: Callable[[], str], seconds: float | None
) -> MaintenanceReport:
    """Do what is due, one step after another. A step that is cut short goes on where it stopped the next time."""
    begun = time.monotonic()
    first = log.last_id()
    done: list[StepReport] = []
    for step in steps:
        left = None if seconds is None else seconds - (time.monotonic() - begun)
        done.append(_do(log, outcomes, step, clock, left))
    return MaintenanceReport(done, log.last_id() - first, time.monotonic() - begun)


def _do(log: Events, outcomes: Outcomes, step: Step, clock: Callable[[], str], left: float | None) -> StepReport:
    if not _is_due(log, outcomes, step, clock()):
        return StepReport(step.name, "nothing new", "", 0.0)
    if left is not None and left <= 0:
        return StepReport(step.name, "no time left", "", 0.0)
    begun = time.monotonic()
    said, is_done = step.run(left)
    if is_done:
        outcomes.set_step(step.name, log.last_id(), clock(), said)
    return StepReport(step.name, "done" if is_done else "unfinished", said, time.monotonic() - begun)


def _is_due(log: Events, outcomes: Outcomes, step: Step, now: str) -> bool:
    """Whether events came since a step was last done, or a day has passed for one that looks at the time."""
    last = outcomes.step(step.name)
    if last is None or step.always or log.last_id() > last["last_event_id"]:
        return True
    return step.daily and days_between(last["finished_at"], now) >= 1


def disk(db_path: str, data_dir: str) -> str:
    """What the database and everything beside it take, in one line."""
    beside = sum(
        os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(data_dir) for name in names
    )
    size = os.path.getsize(db_path) if os.path.exists(db_path) else 0
    return f"database {size / 1e6:.1f} MB, all {beside / 1e6:.1f} MB"
