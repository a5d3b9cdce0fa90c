"""`nous trust`: how far the memories of a project are trusted."""

from __future__ import annotations

import click
import msgspec

from nous import app
from nous.core.trust import LEVELS, Level
from nous.shells.cli.common import CommandScope, common, emit, opened


@click.command()
@click.argument("level", type=click.IntRange(1, 4), required=False)
@common
def trust(scope: CommandScope, level: Level | None) -> None:
    """Show how far this project's memories are trusted to be shown unasked, or choose LEVEL.

    1 is cautious, 2 standard, 3 confident, 4 autonomous. A level is offered when sessions and corrections speak for it;
    it changes only when you choose it. `nous undo` takes the choice back.
    """
    if scope.all_projects:
        raise click.UsageError("a trust level belongs to one project")
    with opened() as nous:
        event_id = nous.set_trust(level, project=scope.project) if level else None
        found = nous.trust(project=scope.project)
    data = msgspec.to_builtins(found) | {"offer": found.offer._asdict() if found.offer else None}
    said = [f"{LEVELS[found.level].name} from now on; `nous undo {event_id}` takes it back"] if event_id else []
    emit(scope, data | {"event_id": event_id}, lambda: iter([*app.trust.lines(found), *said]))
