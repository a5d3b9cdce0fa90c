"""Commands about teams: which projects a team of this hub has. Who is in a team, a token says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from nous.app import Nous
from nous.errors import Misuse
from nous.kernel.sharing import ORGANISATION, TEAM
from nous.shells.cli.common import CommandScope, common, emit, open_memory


@click.group()
def team() -> None:
    """Manage the hub's teams and their projects."""


@team.command()
@click.argument("name")
@click.argument("projects", nargs=-1, required=True)
@common
def add(scope: CommandScope, name: str, projects: tuple[str, ...]) -> None:
    """Add projects to the team NAME, creating it if needed."""
    circle = _circle(name)
    with open_memory() as nous:
        nous.stores.circles.add(circle, [nous.project(one).id for one in projects])
        _say(scope, nous)


@team.command()
@click.argument("name")
@click.argument("projects", nargs=-1)
@common
def remove(scope: CommandScope, name: str, projects: tuple[str, ...]) -> None:
    """Remove projects from the team NAME, or the whole team. Members keep what they have."""
    with open_memory() as nous:
        circle = nous.team(name)
        gone: list[str | None] = [nous.project(one).id for one in projects]
        for one in gone or [None]:
            nous.stores.circles.remove(circle, one)
        _say(scope, nous)


@team.command("list")
@common
def list_(scope: CommandScope) -> None:
    """List teams and their projects."""
    with open_memory(readonly=True) as nous:
        _say(scope, nous)


def _circle(name: str) -> str:
    plain = name.removeprefix(TEAM).strip()
    if not plain or len(plain) > 100 or plain in ("*", ORGANISATION) or any(mark in plain for mark in " ,:/"):
        raise Misuse(f"{name!r} is no name for a team", hint="one word, without spaces, commas, colons and slashes")
    return TEAM + plain


def _say(scope: CommandScope, nous: Nous) -> None:
    written = nous.stores.circles.list_writable()
    found: list[dict[str, Any]] = [
        {"name": circle.removeprefix(TEAM), "projects": sorted(members), "writes": circle in written}
        for circle, members in sorted(nous.stores.circles.list_known().items())
    ]
    emit(scope, {"teams": found}, lambda: _lines(found))


def _lines(found: list[dict[str, Any]]) -> Iterator[str]:
    for one in found:
        where = "every project" if one["projects"] == ["*"] else ", ".join(one["projects"])
        yield f"{one['name']:<20}  {where}" + ("" if one["writes"] else "  (read only here)")
    if not found:
        yield "no teams: everyone on this hub sees everything that is shared"
