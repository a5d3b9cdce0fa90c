"""The command that lets the system start the daemon at login."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from nous.shells.cli.common import CommandScope, common, emit
from nous.shells.daemon import service as system


@click.command()
@click.argument("action", type=click.Choice(["install", "uninstall", "status"]))
@click.option("--no-start", is_flag=True, help="Only write or remove the files; do not start or stop anything.")
@click.option("--separate", is_flag=True, help="A service each for `nous serve`, `nous worker` and `nous watch`.")
@common
def service(scope: CommandScope, action: str, no_start: bool, separate: bool) -> None:
    """Start the daemon at login: a systemd user unit on Linux, a launchd agent on macOS."""
    if action == "install":
        found = system.install(os.environ, tell=not no_start, separate=separate)
    elif action == "uninstall":
        found = system.uninstall(os.environ, tell=not no_start)
    else:
        found = system.status(os.environ)
    emit(scope, found[0]._asdict() | {"services": [one._asdict() for one in found]}, lambda: _lines(found))


def _lines(found: list[system.Service]) -> Iterator[str]:
    for one in found:
        yield f"{one.path}: {'installed' if one.installed else 'not installed'}"
        if one.said:
            yield one.said
