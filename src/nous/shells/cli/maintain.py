"""The command that tends memories as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from nous.shells.cli.common import CommandScope, common, emit, many, open_memory, say

if TYPE_CHECKING:
    from nous.features.service.maintain import MaintenanceReport


@click.command()
@click.option("--seconds", type=click.FloatRange(min=0), help="Stop after this many seconds; the next run continues.")
@common
def maintain(scope: CommandScope, seconds: float | None) -> None:
    """Run the nightly maintenance now: embed, reconcile, archive, prune, check the log."""
    with open_memory() as nous:
        say("running the nightly maintenance: nothing is erased, and `nous debug log` shows what changed", err=True)
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
    yield f"{many(report.events, 'event', 'events')} written in {report.seconds:.1f} s"
