"""`nous brief`: what a planner, a coder or a checker should know before it begins."""

from __future__ import annotations

from collections.abc import Iterator

import click

from nous.core.briefs import ROLES, Role
from nous.shells.cli.common import CommandScope, common, emit, opened


@click.command()
@click.argument("role", type=click.Choice(ROLES))
@click.argument("task", required=False, default="")
@click.option("--tokens", type=click.IntRange(1, 20_000), default=1500, show_default=True, help="How long it may be.")
@common
def brief(scope: CommandScope, role: Role, task: str, tokens: int) -> None:
    """Tell a planner, a coder or a checker what earlier sessions found out, and the files to open first."""
    with opened() as nous:
        found = nous.brief(role, task, tokens=tokens, project=scope.project)
    data = {
        "role": found.role,
        "memories": [{"id": one.id, "type": one.type, "line": one.line} for one in found.entries],
        "files": [one._asdict() for one in found.files],
        "calibration": found.calibration._asdict() if found.calibration else None,
        "text": found.text(),
    }
    emit(scope, data, lambda: _lines(found.text()))


def _lines(text: str) -> Iterator[str]:
    yield text or "nothing to tell yet"
