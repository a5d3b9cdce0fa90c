"""The command that lets the system start the daemon at login."""

from __future__ import annotations

import os

import click

from nous.config import load_settings
from nous.shells import service as system
from nous.shells.cli.common import Scope, common, emit


@click.command()
@click.argument("action", type=click.Choice(["install", "uninstall", "status"]))
@click.option("--no-start", is_flag=True, help="Only write or remove the file; do not tell the system.")
@common
def service(scope: Scope, action: str, no_start: bool) -> None:
    """Start the daemon at login: a systemd user unit on Linux, a launchd agent on macOS."""
    settings = load_settings(os.environ)
    if action == "install":
        found = system.install(settings, os.environ, tell=not no_start)
    elif action == "uninstall":
        found = system.uninstall(os.environ, tell=not no_start)
    else:
        found = system.status(os.environ)
    data = found._asdict()
    text = f"{found.path}: {'installed' if found.installed else 'not installed'}"
    emit(scope, data, lambda: iter([text, *([found.said] if found.said else [])]))
