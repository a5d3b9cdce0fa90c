"""Commands that tend memories as a whole: maintain, and feedback on single ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, get_args

import click

from nous.core.outcome import OutcomeSignal
from nous.shells.cli.common import MEMORY_ID, CommandScope, common, emit, memory_fields, memory_line, opened, say

if TYPE_CHECKING:
    from nous.tend.maintain import MaintenanceReport

SIGNALS: tuple[OutcomeSignal, ...] = get_args(OutcomeSignal)


@click.command()
@click.option("--seconds", type=click.FloatRange(min=0), help="Stop after this many seconds; the next run goes on.")
@common
def maintain(scope: CommandScope, seconds: float | None) -> None:
    """Tend the memories: link, reconcile, learn from outcomes, archive, prune, refresh packets, check the log."""
    with opened() as nous:
        say("tending every memory: nothing is erased, and `nous log` shows what changed", err=True)
        report = nous.maintain(seconds=seconds)
    data = {
        "steps": [done._asdict() for done in report.steps],
        "events": report.events,
        "seconds": round(report.seconds, 3),
    }
    emit(scope, data, lambda: _lines(report))


def _lines(report: MaintenanceReport) -> Iterator[str]:
    for done in report.steps:
        yield f"{done.step:<11} {done.state:<12} {done.seconds:6.2f} s  {done.said}".rstrip()
    yield f"{report.events} events in {report.seconds:.1f} s"


@click.command()
@click.argument("memory_id", metavar="ID", type=MEMORY_ID)
@click.argument("signal", type=click.Choice(SIGNALS))
@click.option("--session", help="The session it is about; once per session and memory.")
@common
def feedback(scope: CommandScope, memory_id: int, signal: OutcomeSignal, session: str | None) -> None:
    """Say whether a memory was useful, had to be corrected, or was ignored."""
    with opened() as nous:
        counted = nous.feedback(memory_id, signal, session=session)
        memory = nous.get(memory_id)
    note = "" if counted else " (this session had said so before)"
    emit(scope, memory_fields(memory) | {"counted": counted}, lambda: iter([f"{signal}: {memory_line(memory)}{note}"]))
