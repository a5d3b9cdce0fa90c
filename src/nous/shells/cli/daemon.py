"""Commands about the daemon: up, down, restart, logs."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator

import click

from nous.config import Settings, load_settings
from nous.errors import NotFound
from nous.shells.cli.common import CommandScope, common, emit
from nous.shells.daemon import control


@click.command()
@click.option("--foreground", is_flag=True, help="Stay in this terminal instead of going to the background.")
@common
def up(scope: CommandScope, foreground: bool) -> None:
    """Start the daemon: it watches, learns and answers hooks."""
    settings = load_settings(os.environ)
    if foreground:
        from nous.shells.daemon import engine

        engine.serve(settings)
        return
    _say_running(scope, settings, control.start(settings, dict(os.environ)))


def _say_running(scope: CommandScope, settings: Settings, pid: int) -> None:
    url = (control.health(settings.socket_path) or {}).get("http")
    panel = f"; the panel is at {url}/panel/ (`nous panel` opens it)" if url else ""
    emit(scope, {"running": True, "pid": pid, "http": url}, lambda: iter([f"the daemon runs (process {pid}){panel}"]))


@click.command()
@common
def down(scope: CommandScope) -> None:
    """Stop the daemon."""
    stopped = control.stop(load_settings(os.environ))
    text = "the daemon stopped" if stopped else "no daemon was running"
    emit(scope, {"running": False, "stopped": stopped}, lambda: iter([text]))


@click.command()
@common
def restart(scope: CommandScope) -> None:
    """Stop the daemon and start it again."""
    settings = load_settings(os.environ)
    control.stop(settings)
    _say_running(scope, settings, control.start(settings, dict(os.environ)))


@click.command()
@click.option("--lines", "count", type=click.IntRange(1), default=50, show_default=True, help="How many of each.")
@common
def logs(scope: CommandScope, count: int) -> None:
    """Show the end of the daemon's log and of the hooks' error log."""
    settings = load_settings(os.environ)
    found = {name: list(_tail(settings, name, count)) for name in ("daemon.log", "hook.log")}
    if not any(found.values()):
        raise NotFound("there are no logs yet")
    emit(scope, found, lambda: (f"{name}: {line}" for name, lines in found.items() for line in lines))


def _tail(settings: Settings, name: str, count: int) -> Iterator[str]:
    path = os.path.join(settings.data_dir, name)
    if os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            yield from (line.rstrip("\n") for line in deque(file, count))
