"""`nous debug sql`: questions in SQL to a few views that can only be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from nous.shells.cli.common import CommandScope, common, emit, open_memory

WIDEST = 80


@click.command()
@click.argument("question", metavar="SELECT", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=200, show_default=True, help="At most this many rows.")
@common
def sql(scope: CommandScope, question: tuple[str, ...], limit: int) -> None:
    """Run a read-only SQL query on memories, history, events, relations, sessions and receipts."""
    with open_memory() as nous:
        columns, rows = nous.sql(
            " ".join(question), project=scope.project, all_projects=scope.all_projects, limit=limit
        )
    data = {"columns": columns, "rows": rows}
    emit(scope, data, lambda: _table(columns, rows))


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    if not rows:
        yield "no rows"
        return
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [min(WIDEST, max(len(row[at]) for row in [list(columns), *cells])) for at in range(len(columns))]
    for row in [list(columns), *cells]:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _cell(value: Any) -> str:
    return "" if value is None else str(value)
