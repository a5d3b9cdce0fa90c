"""`nous debug near-misses`: what was nearly the same as something known, and what was decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import click

from nous.kernel.learn.relearn import Retold
from nous.shells.cli.common import CommandScope, common, emit, open_memory


@click.command("near-misses")
@click.option("--decision", type=click.Choice(get_args(Retold)), help="Only near misses with this outcome.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many, newest first.")
@common
def near_misses(scope: CommandScope, decision: Retold | None, limit: int) -> None:
    """Show what came close to being the same memory, and what had to be said again although it was known."""
    with open_memory() as nous:
        project = None if scope.all_projects else nous.project(scope.project).id
        found = nous.stores.near_misses.recent(project, decision, limit)
    emit(scope, {"near_misses": found}, lambda: _lines(found))


def _lines(found: list[dict[str, Any]]) -> Iterator[str]:
    if not found:
        yield "nothing came close"
    for row in found:
        yield f"{row['created_at'][:19].replace('T', ' ')}  {row['decision']:<6}  {_scores(row)}"
        yield f"    #{row['memory_id']:<5} {row['known']}"
        number = f"#{row['other_id']}" if row["other_id"] else "again"
        yield f"    {number:<6} {row['said']}"


def _scores(row: dict[str, Any]) -> str:
    told = [f"words {row['jaccard']:.2f}"]
    if row["cosine"] is not None:
        told.append(f"weighted {row['cosine']:.2f}")
    if row["label"]:
        told.append(f"judge: {row['label']} {row['confidence']:.2f}")
    return ", ".join(told)
