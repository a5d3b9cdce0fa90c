"""`nous receipts`: what was put in front of the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from nous.shells.cli.common import Scope, common, emit, opened


@click.command()
@click.option("--session", "session_id", help="Only this session.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@common
def receipts(scope: Scope, session_id: str | None, limit: int) -> None:
    """Show what hooks injected, whether the transcript shows it, and what the model cited."""
    with opened() as nous:
        anywhere = scope.all_projects or session_id is not None
        project = None if anywhere else nous.project(scope.project).id
        found = nous.stores.injections.recent(session_id, project, limit)
    emit(scope, {"receipts": found}, lambda: _lines(found))


def _lines(found: list[dict[str, Any]]) -> Iterator[str]:
    if not found:
        yield "nothing was injected yet"
    for row in found:
        seen = "seen in the transcript" if row["acknowledged_at"] else "not seen yet"
        numbers = " ".join(f"#{one['memory_id']}{'*' if one['referenced_at'] else ''}" for one in row["memories"])
        said = f"{row['hook']}:{row['trigger']} {row['characters']} characters"
        yield f"{row['created_at'][:19]} {said}, {seen}: {numbers}"
