"""Commands about memories that take more than their operation: whom to remember for, and what to forget."""

from __future__ import annotations

from typing import Any

import click

from nous.app import Nous
from nous.errors import NotFound
from nous.features import operation
from nous.features.memories.operations import Reasoned
from nous.kernel.sharing import ORGANISATION
from nous.shells.cli.common import MEMORY_ID, CommandScope, common, emit, memory_line, open_memory
from nous.shells.cli.rendering import command_of


def _for_whom(nous: Nous, scope: CommandScope, values: dict[str, Any]) -> dict[str, Any]:
    team, organisation, everywhere = (values.pop(name) for name in ("team", "organisation", "everywhere"))
    if everywhere + bool(team) + organisation > 1:
        raise click.UsageError("say one of --global, --team and --organisation")
    where = ORGANISATION if organisation else nous.team(team) if team else scope.project
    return values | {"project": where, "scope": "global" if everywhere else "project"}


remember = command_of(
    operation("memories.remember"),
    [
        click.Option(["--global", "everywhere"], is_flag=True, help="True in every project."),
        click.Option(["--team"], metavar="NAME", help="Share it with this team, in all its projects."),
        click.Option(["--organisation"], is_flag=True, help="Share it with everybody on the hub, in every project."),
    ],
    _for_whom,
)


@click.command()
@click.argument("ids", metavar="[ID]...", type=MEMORY_ID, nargs=-1)
@click.option("--query", help="Forget the best match for this query, after asking.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def forget(scope: CommandScope, ids: tuple[int, ...], query: str | None, yes: bool) -> None:
    """Stop using memories. Their history stays; `nous admin purge` erases."""
    if not ids and not query:
        raise click.UsageError("say which: an ID or --query")
    with open_memory() as nous:
        chosen = ids or _matching(nous, scope, query or "")
        lines = [memory_line(nous.get(number)) for number in chosen]
        if query and not yes and not scope.as_json:
            click.confirm(f"forget {memory_line(nous.get(chosen[0]))}?", abort=True)
        told = [operation("memories.forget").call(nous, Reasoned(str(number))).told for number in chosen]
    said = ["already forgotten:" if one else "forgot" for one in told]
    forgotten = [number for number, one in zip(chosen, told, strict=True) if not one]
    emit(scope, {"forgotten": forgotten}, lambda: map(" ".join, zip(said, lines, strict=True)))


def _matching(nous: Nous, scope: CommandScope, query: str) -> tuple[int, ...]:
    hits = nous.recall(query, limit=1, project=scope.project, all_projects=scope.all_projects, records="memories")
    if not hits:
        raise NotFound(f"nothing matches {query!r}")
    return tuple(hit.memory.id for hit in hits if hit.memory)
