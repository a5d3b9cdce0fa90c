"""The command line. Commands are loaded when they are called, so that the others cost nothing."""

from __future__ import annotations

import errno
import importlib
import logging
import os
import re
import sys
from collections.abc import Mapping

import click

from nous import __version__
from nous.errors import BadEvent, Misuse, NousError
from nous.kernel.hooks.packing import clean

OPERATION = ""  # a command that is rendered from its operation
# What `nous --help` says of each command, by what it is for; the commands themselves are loaded when they are called.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Start here": {
        "init": ("setup:init", "Set up the plugin, the hooks and the daemon, and read your history."),
        "status": ("health:status", "Show what Nous knows and whether everything runs."),
        "preview": ("preview:preview", "Show what your next session will see, and why."),
        "panel": ("web:panel", "Open the panel in your browser."),
        "doctor": ("health:doctor", "Check for problems, and say how to fix them."),
    },
    "Ask and teach": {
        "recall": (OPERATION, "Find memories and exchanges that answer a question."),
        "ask": (OPERATION, "Answer a question from memory, with citations."),
        "remember": ("memories:remember", "Add a memory yourself."),
        "list": (OPERATION, "List memories, newest first."),
        "get": (OPERATION, "Show one memory and the words it was learned from."),
        "correct": (OPERATION, "Change what a memory says."),
        "confirm": (OPERATION, "Confirm a memory: it no longer fades."),
        "pin": (OPERATION, "Show a memory in every session."),
        "forget": ("memories:forget", "Stop using memories."),
        "explain": (OPERATION, "Show where a memory comes from and how it changed."),
        "session": ("sessions:session", "List sessions, or show one."),
    },
    "Decide": {
        "review": ("review:review", "Answer the questions that only you can answer."),
        "undo": ("log:undo", "Undo your last decision in this project."),
        "brief": ("briefs:brief", "Show the lines that sessions start with, and change them."),
    },
    "Learn": {
        "backfill": ("capture:backfill", "Learn from the transcripts on disk."),
        "read": ("reading:read", "Let the model you chose read sessions."),
        "tidy": ("reading:tidy", "Let the model you chose tidy a project's memories."),
    },
    "Run": {
        "up": ("daemon:up", "Start the daemon."),
        "down": ("daemon:down", "Stop the daemon."),
        "config": ("config:config", "Show and change settings."),
    },
}
# Operations, as `nous admin NAME`, and looks inside, as `nous debug NAME`.
ADMIN: dict[str, tuple[str, str]] = {
    "uninstall": ("setup:uninstall", "Remove everything that Nous installed."),
    "import": ("imports:import_", "Import memories from another tool."),
    "restart": ("daemon:restart", "Stop the daemon and start it again."),
    "logs": ("daemon:logs", "Show the daemon's log."),
    "sync": ("sync:sync", "Sync your devices through a folder or a hub."),
    "export": ("exports:export", "Write memories to a file that can be imported."),
    "backup": ("operations:backup", "Copy the database, also while it is in use."),
    "restore-backup": ("operations:restore_backup", "Replace the database with a backup."),
    "verify": ("operations:verify", "Check that the log was not tampered with."),
    "replay": ("operations:replay", "Rebuild the derived tables from the log."),
    "archive": ("tiers:archive", "Move old events into compressed files."),
    "restore": ("tiers:restore", "Move an archive back into the log."),
    "purge": ("operations:purge", "Erase memories and their source text for good."),
    "scan": ("scan:scan", "Search the store for secrets."),
    "maintain": ("maintain:maintain", "Run the nightly maintenance now."),
    "queue": ("capture:queue", "Show the queue of transcripts to learn from."),
    "cost": ("cost:cost", "Show what the model has cost."),
    "project": ("projects:project", "List, rename or merge projects."),
    "plugin": ("plugin:plugin", "Install, check or remove the Claude Code plugin."),
    "surface": ("surface:surface", "Write the brief to a rules file in a project."),
    "service": ("service:service", "Start the daemon at login."),
    "serve": ("web:serve", "Serve the panel and the API without a daemon."),
    "watch": ("web:watch", "Watch transcripts in a separate process."),
    "worker": ("web:worker", "Learn from transcripts in a separate process."),
    "hub": ("web:hub", "Run a hub for a team or for your own devices."),
    "token": ("tokens:token", "Manage access tokens."),
    "team": ("teams:team", "Manage the hub's teams and their projects."),
    "migrate-to": ("moving:migrate_to", "Move everything to another database."),
    "index": ("code:index", "Index the code of a repository."),
    "ingest": ("capture:ingest", "Learn from a work summary or a text."),
}
DEBUG: dict[str, tuple[str, str]] = {
    "why-not": (OPERATION, "Show why a query does not find a memory."),
    "traverse": (OPERATION, "Show the memories related to one."),
    "log": (OPERATION, "Show the event log."),
    "diff": (OPERATION, "Show what changed between two times."),
    "sql": ("sql:sql", "Run a read-only SQL query."),
    "receipts": (OPERATION, "Show what the model was shown."),
    "rejections": (OPERATION, "Show what was found but not kept."),
    "entity": ("entities:entity", "Show what Nous knows about a name; merge, rename or split names."),
    "dossier": (OPERATION, "Show the project on one page."),
    "impact": (OPERATION, "Show what depends on a file or a symbol."),
    "dispute": (OPERATION, "Mark a memory as possibly wrong."),
    "feedback": (OPERATION, "Say whether a memory was useful."),
}
# What a client, a container or a script calls, or an old name: help and completion do not offer it.
PARTS: dict[str, tuple[str, str]] = {
    "hook": ("hook:hook", "Answer a hook of the client."),
    "mcp": ("mcp:mcp", "Serve the tools for a model."),
    "uninstall": ADMIN["uninstall"],  # what `init` tells people to type
    "serve": ADMIN["serve"],
    "watch": ADMIN["watch"],
    "worker": ADMIN["worker"],
}
LISTED = {name: place for group in GROUPS.values() for name, (place, _) in group.items()}
INSIDE = {"admin": ADMIN, "debug": DEBUG}
MOVED = {name: group for group, rows in INSIDE.items() for name in rows if name not in PARTS}
COMMANDS = LISTED | {name: place for rows in (PARTS, ADMIN, DEBUG) for name, (place, _) in rows.items()}
INSIDE_HELP = {
    "admin": "Backups, sync, code index, servers, teams, projects, uninstall.",
    "debug": "The log, receipts, names, code, why a memory was not found.",
}


def load(name: str) -> click.Command:
    """The command of a name, from the module that it lives in."""
    if COMMANDS[name] == OPERATION:
        found = render(name)
        assert found is not None
        return found
    module, function = COMMANDS[name].split(":")
    command: click.Command = getattr(importlib.import_module(f"nous.shells.cli.{module}"), function)
    for one in [command, *getattr(command, "commands", {}).values()]:
        for parameter in one.params:
            if isinstance(parameter.type, click.IntRange | click.FloatRange):
                parameter.metavar = parameter.metavar or "N"
    return command


def render(name: str) -> click.Command | None:
    """The command of an operation, if one has a command of this name."""
    from nous.features import operations
    from nous.shells.cli.rendering import command_of

    return next((command_of(one) for one in operations() if one.command and one.command.name == name), None)


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


_NO_INTEGER, _NO_NUMBER = (re.compile(rf"not a valid {kind}(?: range)?") for kind in ("integer", "float"))
READ_BADLY = "`nous admin verify` says whether the log is damaged; `nous admin restore-backup FILE` brings back a copy"


class Lazy(click.Group):
    """A group whose commands live in modules of their own, so that help and each command load nothing of the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*LISTED, *INSIDE]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, by its old name too."""
        if cmd_name in INSIDE:
            return Inside(cmd_name, INSIDE[cmd_name], INSIDE_HELP[cmd_name])
        return load(cmd_name) if cmd_name in COMMANDS else render(cmd_name)

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
        is_known = not name or name.startswith("-") or name in COMMANDS or name in INSIDE
        if not is_known and render(name) is None:
            from difflib import get_close_matches  # only who misspells a command needs it

            near = get_close_matches(name, COMMANDS, 1)
            hint = f"did you mean `nous {full_name(near[0])}`?" if near else "`nous --help` lists the commands"
            hint = GONE.get(name, hint)
            raise Misuse(f"there is no command {name!r}", hint=hint)
        return super().resolve_command(ctx, args)


# Commands that were taken out in this release, and what does the same.
GONE = {
    "bench": "in a clone `python -m bench hooks` (or recall, ingest as `capture`, replay as `log`) measures",
    "metrics": "`nous status` says what is known, and `GET /metrics` has figures for a monitor",
    "weak": "`nous list` names memories, and what fades leaves by itself",
    "index-code": "`nous admin index` and `nous debug impact` answer what its descriptions said",
    "consider": "`nous read --all-projects` does it",
    "onboard": "`nous brief` shows what a session of this project starts with",
    "symbols": "`nous debug impact NAME` shows where a symbol is and what depends on it",
    "timeline": "`nous session list` shows past work",
}


def full_name(name: str) -> str:
    """How a command is called today: `verify` is `admin verify`."""
    return f"{MOVED[name]} {name}" if name in MOVED else name


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="nous")
def nous() -> None:
    """Long-term memory for coding agents."""


def main() -> int:
    """Run a command; 0 done, 1 failed, 2 misused. Errors are one sentence, sometimes with a hint."""
    logging.getLogger("nous").addHandler(logging.NullHandler())  # commands say themselves what went wrong
    try:
        status = nous(standalone_mode=False, prog_name="nous")
    except click.Abort:
        click.echo("stopped", err=True)
        return 1
    except click.ClickException as misuse:
        return _say_misuse(misuse)
    except NousError as problem:
        _fail(str(problem), problem.hint or (READ_BADLY if isinstance(problem, BadEvent) else None))
        return 2 if isinstance(problem, Misuse) else 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as problem:
        return _fail(_system_said(problem))
    except UnicodeEncodeError as problem:  # bytes of an argument that are no UTF-8 come as lone surrogates
        said = problem.object[:200].encode("ascii", errors="backslashreplace").decode()
        if not any("\ud800" <= letter <= "\udfff" for letter in problem.object):
            return _fail(f"{problem.encoding} cannot show this: {said}", "set PYTHONIOENCODING=utf-8")
        _fail(f"this is not UTF-8, and can be neither stored nor looked for: {said}")
        return 2
    except OverflowError:
        _fail("a number that was given is too large")
        return 2
    except Exception as problem:  # a damaged database, or a mistake of ours
        if _is_unreadable(problem):
            return _say_damage(problem)
        logging.getLogger("nous").debug("unexpected", exc_info=problem)
        said = " ".join(str(problem).split())[:300]
        hint = "`nous doctor` looks for what is wrong; if it finds nothing, please report this sentence"
        return _fail(f"unexpected {type(problem).__name__}: {said}", hint)
    _name_new_place(sys.argv[1:])
    return status if isinstance(status, int) else 0


def _say_misuse(misuse: click.ClickException) -> int:
    """Say what was wrong with the words of a command, as every other error is said."""
    if isinstance(misuse, click.exceptions.NoArgsIsHelpError):
        misuse.show()
        return 2
    said = _NO_NUMBER.sub("not a number", _NO_INTEGER.sub("not a whole number", misuse.format_message()))
    said = " ".join(said.split()).rstrip(".")
    context = misuse.ctx if isinstance(misuse, click.UsageError) else None
    _fail(said[:1].lower() + said[1:], f"`{context.command_path} --help` shows what it takes" if context else None)
    return 2


def _is_unreadable(problem: Exception) -> bool:
    """Whether a stored value could not be read: of another form than we write it, or no longer packed as it was."""
    kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(problem).__mro__}
    zstd = {"backports.ZstdError", "compression.ZstdError"}
    return not kinds.isdisjoint({"msgspec.DecodeError", "zlib.error", "builtins.UnicodeDecodeError", *zstd})


def _say_damage(problem: Exception) -> int:
    """Say that the memory is damaged, and what to do."""
    from nous.config import load_settings, mask_password

    settings = load_settings(os.environ)
    said = " ".join(str(problem).split())[:200]
    copies = os.path.join(settings.data_dir, "checkpoints")
    return _fail(
        f"{mask_password(settings.db_path)} is damaged: something in it cannot be read any more ({said})",
        f"`nous admin verify` says where; `nous admin restore-backup FILE` brings back a copy, some are in {copies}",
    )


def _name_new_place(words: list[str]) -> None:
    """Say the new name of a command that was called by its old one, after it did its work."""
    name = next((word for word in words if not word.startswith("-")), "")
    if name in MOVED:
        from nous.shells.cli.printing import say

        say(f"note: `nous {name}` is now `nous {full_name(name)}`", err=True)


def _fail(said: str, hint: str | None = None) -> int:
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
