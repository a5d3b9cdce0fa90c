"""`nous metrics` and `nous experiment`: how knowledge fares, and whether it helps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from nous.core.figures import PERCENT, Figure, Helped
from nous.shells.cli.common import CommandScope, common, emit, opened

BAR = 24


@click.command()
@common
def metrics(scope: CommandScope) -> None:
    """Show how knowledge comes, comes back, is corrected and fades; each figure says how it is made."""
    with opened() as nous:
        project = None if scope.all_projects else nous.project(scope.project).id
        found = nous.metrics(project)
    emit(scope, {"figures": [_fields(one) for one in found]}, lambda: _lines(found))


def _fields(one: Figure) -> dict[str, Any]:
    return one._asdict() | {"series": [{"name": name, "value": value} for name, value in one.series]}


def _lines(found: Sequence[Figure]) -> Iterator[str]:
    for one in found:
        value = "-" if one.value is None else f"{one.value:g} {one.unit}".strip()
        yield f"{one.name:<24} {value}" + (f"   ({one.note})" if one.note else "")
        yield f"    {one.how}"
        most = max((value for _, value in one.series), default=0.0)
        for name, amount in one.series:
            yield f"    {'█' * max(1, round(BAR * amount / most)) if most else '':<{BAR}} {amount:g}  {name}"


@click.command()
@click.argument("what", type=click.Choice(["on", "off", "status"]), default="status")
@click.option(
    "--percent",
    type=click.IntRange(1, 50),
    default=PERCENT,
    show_default=True,
    help="How many of 100 sessions are told nothing.",
)
@common
def experiment(scope: CommandScope, what: str, percent: int) -> None:
    """See whether Nous helps you: tell some sessions nothing, and compare how they went."""
    with opened() as nous:
        if what == "on":
            nous.stores.mining.start(percent, nous.clock())
        elif what == "off":
            nous.stores.mining.end(nous.clock())
        running = nous.stores.mining.experiment()
        project = None if scope.all_projects or not scope.project else nous.project(scope.project).id
        found = nous.experiment(project)
    is_on = bool(running and not running["ended_at"])
    share = running["percent"] if running else 0
    data = {
        "on": is_on,
        "percent": share if is_on else 0,
        **found._asdict(),
        "measures": [one._asdict() for one in found.measures],
    }
    emit(scope, data, lambda: _answer_lines(is_on, share, found))


def _answer_lines(is_on: bool, percent: int, found: Helped) -> Iterator[str]:
    yield (
        f"{percent} of 100 sessions are told nothing, and are observed like the others"
        if is_on
        else "no experiment runs; every session is told what is known"
    )
    yield found.said
    yield f"compared by: {found.basis}"
    for one in found.measures:
        mark = "clear" if one.is_clear else "may be chance"
        yield f"    {one.name:<26} {one.told:g} with, {one.untold:g} without (±{one.doubt:g}, {mark})"
