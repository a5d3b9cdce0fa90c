"""The command that lets the system start the daemon at login."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from nous.shells.cli.common import CommandScope, common, emit
from nous.shells.daemon import service as system


@click.command()
@click.argument("action", type=click.Choice(["install", "uninstall", "status"]))
@click.option("--no-start", is_flag=True, help="Only write or remove the file; do not start or stop anything.")
@common
def service(scope: CommandScope, action: str, no_start: bool) -> None:
    """Start the daemon at login: a systemd user unit on Linux, a launchd agent on macOS."""
    if action == "status":
        found = system.status(os.environ)
    else:
        found = (system.install if action == "install" else system.uninstall)(os.environ, tell=not no_start)
    emit(scope, found._asdict(), lambda: _lines(found))


def _lines(found: system.Service) -> Iterator[str]:
    yield f"{found.path}: {'installed' if found.installed else 'not installed'}"
    if found.said:
        yield found.said
