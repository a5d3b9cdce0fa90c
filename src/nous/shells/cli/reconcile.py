"""`nous admin reconcile`: find memories that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from nous.shells.cli.common import CommandScope, common, emit, opened


@click.command()
@click.option("--anew", is_flag=True, help="Look at every memory again, not only at changed ones.")
@click.option("--seconds", type=click.FloatRange(min=0), help="Stop after this many seconds; the next run continues.")
@common
def reconcile(scope: CommandScope, anew: bool, seconds: float | None) -> None:
    """Find memories that contradict each other."""
    with opened() as nous:
        found = nous.reconcile(seconds=seconds, anew=anew)
    emit(scope, found, lambda: _lines(found))


def _lines(found: dict[str, Any]) -> Iterator[str]:
    yield "{memories} memories looked at, {pairs} pairs compared".format(**found)
    yield "{contradicted} contradict each other, {superseded} gave way, {flagged} need a look".format(**found)
    if not found["is_done"]:
        yield "not everything was looked at; the next run goes on from here"
