"""The command about projects: which there are, other names of one, two that are one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click

from nous.app import Nous
from nous.errors import NotFound
from nous.features import operation
from nous.kernel.asking import Present
from nous.shells.cli.common import CommandScope, common, emit, many, open_memory


@click.command()
@click.argument("action", type=click.Choice(["list", "alias", "merge"]), default="list")
@click.argument("names", nargs=-1, metavar="[FROM INTO]")
@common
def project(scope: CommandScope, action: str, names: tuple[str, ...]) -> None:
    """List projects; `alias NAME PROJECT` renames one, `merge FROM INTO` merges two.

    NAME, FROM, INTO and PROJECT are ids as `nous admin project list` shows them, or directories.
    """
    if action != "list" and len(names) != 2:
        raise click.UsageError(f"`nous admin project {action}` takes two names")
    with open_memory() as nous:
        if action == "list":
            rows = operation("projects.list").call(nous, Present())["items"]
            emit(scope, {"projects": rows}, lambda: _list_lines(rows))
        else:
            _rename(nous, scope, action, names[0], names[1])


def _rename(nous: Nous, scope: CommandScope, action: str, name: str, into: str) -> None:
    target = nous.project(into).id
    if nous.stores.projects.get(target) is None:
        raise NotFound(f"there is no project {target!r}", hint="`nous admin project list` names them")
    source = nous.project(name).id if action == "merge" else _name(name)
    moved = nous.merge(source, target) if action == "merge" else nous.alias(source, target)
    data = {"alias": source, "project_id": target, "moved": moved}
    text = f"{source} is {target} from now on"
    emit(scope, data, lambda: iter([text + (f"; {many(moved, 'memory', 'memories')} moved" if moved else "")]))


def _name(given: str) -> str:
    """A name as it is; of a directory, what it would be called by itself."""
    from nous.identity import locate

    return locate(given).id if os.path.isdir(given) else given


def _list_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        also = f"  (also {', '.join(row['aliases'])})" if row["aliases"] else ""
        where = f"  {row['root']}" if row["root"] not in ("", row["project_id"]) else ""
        yield f"{row['last_seen'] or 'never':<10.10}  {row['memories']:>5} memories  {row['project_id']}{where}{also}"
    if not rows:
        yield "no projects yet"
