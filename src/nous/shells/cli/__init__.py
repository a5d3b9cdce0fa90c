"""The command line. Commands are loaded when they are called, so that the others cost nothing."""

from __future__ import annotations

import errno
import importlib
import logging
import os
import sys
from collections.abc import Mapping

import click

from nous import __version__
from nous.core.packing import clean
from nous.errors import BadEvent, Misuse, NousError

# What `nous --help` says of each command, by what it is for; the commands themselves are loaded when they are called.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Start here": {
        "init": ("setup:init", "Set everything up: plugin, hooks, history, daemon."),
        "status": ("health:status", "Show what Nous knows and whether everything runs."),
        "preview": ("preview:preview", "Show what the next session will be shown, and why."),
        "panel": ("web:panel", "Open the panel in your browser."),
        "doctor": ("health:doctor", "Look for what is wrong, and say how to mend it."),
    },
    "Ask and teach": {
        "recall": ("memories:recall", "Find memories and exchanges that answer a question."),
        "ask": ("memories:ask", "Answer a question from memory, with citations."),
        "remember": ("memories:remember", "Keep something for later sessions."),
        "list": ("memories:list_", "List memories, newest first."),
        "get": ("memories:get", "Show one memory and the words it was learned from."),
        "correct": ("memories:correct", "Replace what a memory says."),
        "confirm": ("memories:confirm", "Say that a memory is true."),
        "pin": ("memories:pin", "Always show a memory."),
        "forget": ("memories:forget", "Take memories out of use."),
        "explain": ("explain:explain", "Say where a memory comes from and what became of it."),
        "session": ("sessions:session", "List sessions, or show what was said in one."),
    },
    "Decide": {
        "review": ("review:review", "Decide what only you can decide."),
        "undo": ("log:undo", "Take back what was last decided in this project."),
        "brief": ("briefs:brief", "List what sessions begin with, and change it."),
    },
    "Learn": {
        "backfill": ("capture:backfill", "Learn from the transcripts that are on disk."),
        "read": ("reading:read", "Let the chosen model read kept sessions."),
        "tidy": ("reading:tidy", "Let the chosen model put a project's memories in order."),
    },
    "Run": {
        "up": ("daemon:up", "Start the daemon."),
        "down": ("daemon:down", "Stop the daemon."),
        "config": ("config:config", "Show and change settings."),
    },
}
# Operations, as `nous admin NAME`, and looks inside, as `nous debug NAME`.
ADMIN: dict[str, tuple[str, str]] = {
    "uninstall": ("setup:uninstall", "Take out everything that Nous installed."),
    "import": ("imports:import_", "Take over what another tool remembers."),
    "restart": ("daemon:restart", "Stop the daemon and start it again."),
    "logs": ("daemon:logs", "Show the daemon's log."),
    "sync": ("sync:sync", "Keep devices up to date through a folder or a hub."),
    "export": ("exports:export", "Write memories to a file that can be imported."),
    "backup": ("operations:backup", "Copy the database while it is in use."),
    "restore-backup": ("operations:restore_backup", "Put a copy in the place of the database."),
    "verify": ("operations:verify", "Check that nobody changed the log."),
    "replay": ("operations:replay", "Make the read models anew from the log."),
    "archive": ("tiers:archive", "Move what old events say into compressed files."),
    "restore": ("tiers:restore", "Bring an archive back into the log."),
    "purge": ("operations:purge", "Erase memories and what was said, for good."),
    "scan": ("scan:scan", "Look for secrets that are already stored."),
    "maintain": ("maintain:maintain", "Tend the memories as a whole."),
    "reconcile": ("reconcile:reconcile", "Find memories that contradict each other."),
    "reextract": ("reextract:reextract", "Read kept sessions again with a newer extractor."),
    "relearn": ("reextract:relearn", "Read everything again, and drop what the old reader made."),
    "queue": ("capture:queue", "Show what waits to be learned."),
    "cost": ("cost:cost", "Show what the chosen model has cost."),
    "project": ("projects:project", "List projects, rename one, or make two one."),
    "plugin": ("plugin:plugin", "The plugin in your Claude Code."),
    "surface": ("surface:surface", "Keep the brief as a rules file in a project."),
    "service": ("service:service", "Let the system start the daemon when you log in."),
    "serve": ("web:serve", "Serve the panel and the API without a daemon."),
    "watch": ("web:watch", "Take in transcripts, as a process of its own."),
    "worker": ("web:worker", "Learn what was taken in, as a process of its own."),
    "hub": ("web:hub", "Serve a hub for a team, or for your own devices."),
    "token": ("tokens:token", "Say who else may ask this server."),
    "team": ("teams:team", "Teams of this hub, and their projects."),
    "migrate-to": ("moving:migrate_to", "Move the memory to another database."),
    "index": ("code:index", "Read the code of a work tree."),
    "index-code": ("code:index_code", "Keep a file as code and a description."),
    "experiment": ("mining:experiment", "See whether Nous helps you."),
    "ingest": ("capture:ingest", "Learn from a work summary or a text."),
}
DEBUG: dict[str, tuple[str, str]] = {
    "why-not": ("explain:why_not", "Say why a question does not bring a memory up."),
    "traverse": ("explain:traverse", "Show the memories around one."),
    "log": ("log:log", "Show what happened."),
    "diff": ("log:diff", "Show what changed between two moments."),
    "sql": ("sql:sql", "Ask in SQL, reading only."),
    "timeline": ("sessions:timeline", "Show what was done, oldest first."),
    "receipts": ("receipts:receipts", "Show what was put in front of the model."),
    "near-misses": ("near_misses:near_misses", "Show what was said again although it was known."),
    "metrics": ("mining:metrics", "Show how knowledge comes, comes back and fades."),
    "rejections": ("rejections:rejections", "Show what was found and not kept."),
    "weak": ("memories:weak", "List the memories that have faded most."),
    "onboard": ("memories:onboard", "Show what to know first in a project."),
    "entity": ("entities:entity", "Show what is known of a named thing, or decide about names."),
    "dossier": ("dossiers:dossier", "Put what is known of something on one page."),
    "impact": ("code:impact", "Show what hangs on a file or a symbol."),
    "symbols": ("code:symbols", "List what the code defines."),
    "map": ("code:map_", "Show modules with what is known about them."),
    "dispute": ("memories:dispute", "Say that a memory may be wrong."),
    "feedback": ("maintain:feedback", "Say what came of a memory."),
    "bench": ("bench:bench", "Measure hooks, recall, ingest and replay on this machine."),
}
# What a client, a container or a script calls, or an old name: help and completion do not offer it.
PARTS: dict[str, tuple[str, str]] = {
    "hook": ("hook:hook", "Answer a hook of the client."),
    "mcp": ("mcp:mcp", "Serve the tools for a model."),
    "uninstall": ADMIN["uninstall"],  # what `init` tells people to type
    "serve": ADMIN["serve"],
    "watch": ADMIN["watch"],
    "worker": ADMIN["worker"],
    "consider": ("reading:consider", "The old name of `read`."),
}
LISTED = {name: place for group in GROUPS.values() for name, (place, _) in group.items()}
INSIDE = {"admin": ADMIN, "debug": DEBUG}
MOVED = {name: group for group, rows in INSIDE.items() for name in rows if name not in PARTS}
COMMANDS = LISTED | {name: place for rows in (PARTS, ADMIN, DEBUG) for name, (place, _) in rows.items()}
INSIDE_HELP = {
    "admin": "Operations: backups, sync, code index, servers, teams, projects.",
    "debug": "Look inside: the log, receipts, links, figures, why a memory was not found.",
}


def load(name: str) -> click.Command:
    """The command of a name, from the module that it lives in."""
    module, function = COMMANDS[name].split(":")
    command: click.Command = getattr(importlib.import_module(f"nous.shells.cli.{module}"), function)
    return command


class Inside(click.Group):
    """`nous admin` or `nous debug`: commands that few people need."""

    def __init__(self, name: str, rows: Mapping[str, tuple[str, str]], text: str):
        super().__init__(name, help=text)
        self.rows = rows

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load(cmd_name) if cmd_name in self.rows else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.rows.items()], col_max=16)


READ_BADLY = "`nous verify` says whether the log is damaged; `nous restore-backup FILE` brings back a copy"


class Lazy(click.Group):
    """A group whose commands live in modules of their own, so that help and each command load nothing of the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*LISTED, *INSIDE]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, by its old name too."""
        if cmd_name in INSIDE:
            return Inside(cmd_name, INSIDE[cmd_name], INSIDE_HELP[cmd_name])
        return load(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, text) for name, (_, text) in commands.items()], col_max=16)
        with formatter.section("More"):
            formatter.write_dl(list(INSIDE_HELP.items()), col_max=16)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and name not in COMMANDS and name not in INSIDE and not name.startswith("-"):
            from difflib import get_close_matches  # only who misspells a command needs it

            near = get_close_matches(name, COMMANDS, 1)
            hint = f"did you mean `nous {full_name(near[0])}`?" if near else "`nous --help` lists the commands"
            raise click.UsageError(f"there is no command {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)


def full_name(name: str) -> str:
    """How a command is called today: `verify` is `admin verify`."""
    return f"{MOVED[name]} {name}" if name in MOVED else name


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
        _failed(str(problem), problem.hint or (READ_BADLY if isinstance(problem, BadEvent) else None))
        return 2 if isinstance(problem, Misuse) else 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as problem:
        return _failed(_system_said(problem))
    except UnicodeEncodeError as problem:  # bytes of an argument that are no UTF-8 come as lone surrogates
        said = problem.object[:200].encode("ascii", errors="backslashreplace").decode()
        if not any("\ud800" <= letter <= "\udfff" for letter in problem.object):
            return _failed(f"{problem.encoding} cannot show this: {said}", "set PYTHONIOENCODING=utf-8")
        _failed(f"this is not UTF-8, and can be neither stored nor looked for: {said}")
        return 2
    except OverflowError:
        _failed("a number that was given is too large")
        return 2
    except Exception as problem:  # a damaged database, or a mistake of ours
        if _is_unreadable(problem):
            return _damaged(problem)
        logging.getLogger("nous").debug("unexpected", exc_info=problem)
        said = " ".join(str(problem).split())[:300]
        hint = "`nous doctor` looks for what is wrong; if it finds nothing, please report this sentence"
        return _failed(f"unexpected {type(problem).__name__}: {said}", hint)
    _name_new_place(sys.argv[1:])
    return status if isinstance(status, int) else 0


def _is_unreadable(problem: Exception) -> bool:
    """Whether a stored value could not be read: of another form than we write it, or no longer packed as it was."""
    kinds = [f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(problem).__mro__]
    return bool({"msgspec.DecodeError", "zstandard.ZstdError", "zlib.error", "builtins.UnicodeDecodeError"} & {*kinds})


def _damaged(problem: Exception) -> int:
    """Say that the memory is damaged, and what to do."""
    from nous.config import load_settings, shown

    settings = load_settings(os.environ)
    said = " ".join(str(problem).split())[:200]
    copies = os.path.join(settings.data_dir, "checkpoints")
    return _failed(
        f"{shown(settings.db_path)} is damaged: something in it cannot be read any more ({said})",
        f"`nous verify` says where; `nous restore-backup FILE` brings back a copy, some are in {copies}",
    )


def _name_new_place(words: list[str]) -> None:
    """Say the new name of a command that was called by its old one, after it did its work."""
    name = next((word for word in words if not word.startswith("-")), "")
    if name in MOVED:
        from nous.shells.cli.printing import say

        say(f"note: `nous {name}` is now `nous {full_name(name)}`", err=True)


def _failed(said: str, hint: str | None = None) -> int:
    from nous.shells.cli.printing import say

    say(f"error: {clean(said)}", err=True)
    if hint:
        say(f"hint: {clean(hint)}", err=True)
    return 1


def _system_said(problem: OSError) -> str:
    """What the system refused, in a sentence."""
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full" + (f": {problem.filename} was not written" if problem.filename else "")
    said = problem.strerror or str(problem)
    return f"cannot use {problem.filename}: {said}" if problem.filename else said
