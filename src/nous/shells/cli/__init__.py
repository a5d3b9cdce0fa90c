"""The command line. Commands are loaded when they are called, so that the others cost nothing."""

from __future__ import annotations

import importlib
import os
import sys

import click

from nous import __version__
from nous.errors import NousError

COMMANDS: dict[str, str] = {
    "backfill": "capture:backfill",
    "backup": "operations:backup",
    "bench": "bench:bench",
    "confirm": "memories:confirm",
    "consider": "cost:consider",
    "correct": "memories:correct",
    "cost": "cost:cost",
    "diff": "log:diff",
    "dispute": "memories:dispute",
    "doctor": "health:doctor",
    "down": "daemon:down",
    "explain": "explain:explain",
    "feedback": "maintain:feedback",
    "forget": "memories:forget",
    "get": "memories:get",
    "hook": "hook:hook",
    "import": "imports:import_",
    "ingest": "capture:ingest",
    "init": "setup:init",
    "list": "memories:list_",
    "log": "log:log",
    "logs": "daemon:logs",
    "maintain": "maintain:maintain",
    "mcp": "mcp:mcp",
    "near-misses": "near_misses:near_misses",
    "pin": "memories:pin",
    "plugin": "plugin:plugin",
    "project": "projects:project",
    "purge": "operations:purge",
    "queue": "capture:queue",
    "recall": "memories:recall",
    "receipts": "receipts:receipts",
    "reconcile": "reconcile:reconcile",
    "reextract": "reextract:reextract",
    "rejections": "rejections:rejections",
    "review": "review:review",
    "remember": "memories:remember",
    "replay": "operations:replay",
    "restart": "daemon:restart",
    "service": "service:service",
    "session": "sessions:session",
    "restore-backup": "operations:restore_backup",
    "scan": "scan:scan",
    "status": "health:status",
    "traverse": "explain:traverse",
    "surface": "surface:surface",
    "undo": "log:undo",
    "uninstall": "setup:uninstall",
    "up": "daemon:up",
    "verify": "operations:verify",
    "weak": "memories:weak",
    "why-not": "explain:why_not",
}


class Lazy(click.Group):
    """A group whose commands live in modules of their own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, name = place.split(":")
        command: click.Command = getattr(importlib.import_module(f"nous.shells.cli.{module}"), name)
        return command


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="nous")
def nous() -> None:
    """Long-term memory for coding agents."""


def main() -> int:
    """Run a command; 0 done, 1 failed, 2 misused. Errors are one sentence, sometimes with a hint."""
    try:
        status = nous(standalone_mode=False, prog_name="nous")
    except click.Abort:
        click.echo("stopped", err=True)
        return 1
    except click.ClickException as misuse:
        misuse.show()
        return 2
    except NousError as problem:
        click.echo(f"error: {problem}", err=True)
        if problem.hint:
            click.echo(f"hint: {problem.hint}", err=True)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status if isinstance(status, int) else 0
