"""The command that makes one of many: memories that say one thing, or parts of one thing, become one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from nous.core.consolidation import Made
from nous.shells.cli.common import CommandScope, common, emit, opened


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would become one, and change nothing.")
@common
def consolidate(scope: CommandScope, dry_run: bool) -> None:
    """Make one of memories that say one thing: near-duplicates, and fragments of what was said at one time.

    Each group keeps its members' own words and all of their evidence. `nous undo EVENT` takes one group back,
    `nous undo` all of them; a copy of the database is made before.
    """
    with opened() as nous:
        made = nous.consolidate(project=scope.project, all_projects=scope.all_projects, dry_run=dry_run)
    emit(scope, {"dry_run": dry_run, "groups": [_fields(one) for one in made]}, lambda: _lines(made, dry_run))


def _fields(made: Made) -> dict[str, Any]:
    group = made.group
    return {
        "event_id": made.event_id or None,
        "project_id": made.project_id,
        "content": group.content,
        "nearness": round(group.nearness, 3),
        "members": [{"id": one.id, "content": one.content} for one in group.members],
    }


def _lines(made: Sequence[Made], dry_run: bool) -> Iterator[str]:
    if not made:
        yield "nothing says the same"
    for one in made:
        yield f"#{one.event_id}  {one.group.content}" if one.event_id else one.group.content
        for member in one.group.members:
            yield f"    from #{member.id}  {member.content}"
    members = sum(len(one.group.members) for one in made)
    if made and dry_run:
        yield f"{members} memories would become {len(made)}"
    elif made:
        undo = f"`nous undo {made[-1].event_id}` takes the last group back, `nous undo` all of them"
        yield f"{members} memories became {len(made)}; {undo}"
