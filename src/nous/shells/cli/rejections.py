"""`nous debug rejections`: what extractors found and the contract refused, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from nous.shells.cli.common import CommandScope, common, emit, open_memory


@click.command()
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many, newest first.")
@common
def rejections(scope: CommandScope, limit: int) -> None:
    """Show what was found in transcripts but not kept, and why."""
    with open_memory() as nous:
        project = None if scope.all_projects else nous.project(scope.project).id
        data = {
            "reasons": nous.stores.rejections.reasons(project),
            "rejections": nous.stores.rejections.recent(project, limit),
        }
    emit(scope, data, lambda: _lines(data))


def _lines(data: dict[str, Any]) -> Iterator[str]:
    if not data["rejections"]:
        yield "nothing was refused"
    for reason, times in data["reasons"].items():
        yield f"{times:>5}  {reason}"
    for row in data["rejections"]:
        yield f"{row['created_at'][:19].replace('T', ' ')}  {row['extractor']}: {row['reason']}"
        yield f"    {row['excerpt'] or '(nothing to show)'}"
