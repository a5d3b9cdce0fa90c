"""`nous brief`: what a planner, a coder or a checker should know before it begins."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points

import click

from nous.core.briefs import ROLES, Role
from nous.core.methodologies import GROUP, METHODOLOGIES, Methodology
from nous.core.phases import Phase
from nous.errors import Misuse
from nous.shells.cli.common import CommandScope, common, emit, opened


@click.command()
@click.argument("role", type=click.Choice(ROLES))
@click.argument("task", required=False, default="")
@click.option("--tokens", type=click.IntRange(1, 20_000), default=1500, show_default=True, help="How long it may be.")
@click.option(
    "--methodology", default="native", show_default=True, help="How you work: native, bmad, tdd, or an installed one."
)
@click.option("--stage", help="The phase you are in: planning, red, dev …")
@common
def brief(scope: CommandScope, role: Role, task: str, tokens: int, methodology: str, stage: str | None) -> None:
    """Tell a planner, a coder or a checker what earlier sessions found out, and the files to open first."""
    phase = _phase(methodology, stage)
    with opened() as nous:
        found = nous.brief(role, task, tokens=tokens, phase=phase, project=scope.project)
    data = {
        "role": found.role,
        "phase": found.phase,
        "memories": [{"id": one.id, "type": one.type, "line": one.line} for one in found.entries],
        "files": [one._asdict() for one in found.files],
        "calibration": found.calibration._asdict() if found.calibration else None,
        "text": found.text(),
    }
    emit(scope, data, lambda: _lines(found.text()))


def _lines(text: str) -> Iterator[str]:
    yield text or "nothing to tell yet"


def _phase(methodology: str, stage: str | None) -> Phase | None:
    known = {one.id: one for one in (*METHODOLOGIES, *_installed())}
    if methodology not in known:
        raise Misuse(f"there is no methodology {methodology!r}", hint="one of " + ", ".join(known))
    return known[methodology].phase_of(stage) if stage else None


def _installed() -> Iterator[Methodology]:
    """Methodologies that other packages bring; one that is none is left out."""
    for point in entry_points(group=GROUP):
        made = point.load()
        if isinstance(made, Methodology):
            yield made
