"""`nous calibrate`: how far our ranking agrees with what the chosen model would show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
import msgspec

from nous.core.agreement import BEST, TUNED, Agreement
from nous.shells.cli.common import CommandScope, common, emit, opened


@click.command()
@common
def calibrate(scope: CommandScope) -> None:
    """Let the chosen model pick the ten memories that the work at hand needs most, and compare them with ours.

    It is asked once per project, within the day's budget. Nothing is changed: the figures tell whether `[weights]`
    are right.
    """
    with opened() as nous:
        found = nous.calibrate(project=scope.project, all_projects=scope.all_projects)
        weights = msgspec.to_builtins(nous.settings.weights)
    data = {"projects": [msgspec.to_builtins(one) for one in found], "weights": weights}
    emit(scope, data, lambda: _lines(found))


def _lines(found: Sequence[Agreement]) -> Iterator[str]:
    for one in found:
        yield f"{one.project_id}: {one.model} chose among {one.shown} of {one.memories} memories"
        order = "-" if one.correlation is None else f"{one.correlation:+.2f}"
        yield f"  in common with our best {BEST}: {one.overlap:.0%}, rank correlation {order}"
        yield f"  it chose {_numbers(one.chosen)}"
        yield f"  we would {_numbers(one.ours)}"
        yield f"  {_verdict(one)}"


def _numbers(ids: Sequence[int]) -> str:
    return " ".join(f"#{number}" for number in ids) or "nothing"


def _verdict(one: Agreement) -> str:
    if not one.is_telling:
        return "too few memories to tell whether the scorer is tuned"
    if one.is_tuned:
        return f"more than {TUNED:.0%}: the scorer counts as tuned"
    return f"not more than {TUNED:.0%}: the scorer does not count as tuned; `[weights]` in the settings change it"
