"""What each command does, as the gate calls it: its operation says so, or a row here. One without does not run.

Some commands read or write by what they are given; their row says which, from their parameters.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import click

from nous.config import without_choices
from nous.features import operations
from nous.kernel import gate
from nous.kernel.speaker import PERSON, Speaker, speaker_of_process

Given = Mapping[str, Any]
SPEAKER = "nous.speaker"  # where a running command keeps who speaks


def _if(name: str, action: str) -> Callable[[Given], str]:
    """The action where a parameter is given, else reading."""
    return lambda given: action if given[name] else "read"


def _unless_dry(action: str) -> Callable[[Given], str]:
    return lambda given: "read" if given["dry_run"] else action


def _except(reads: tuple[Any, ...], action: str) -> Callable[[Given], str]:
    """The action, unless the word given with the command is one with which it only reads."""
    return lambda given: "read" if given["action"] in reads else action


def _entity(given: Given) -> str:
    decides = given["words"][:1] in (("merge",), ("rename",), ("split",), ("reject",))
    return "entity" if decides and len(given["words"]) > 1 else "read"


def _brief(given: Given) -> str:
    decides = given["words"][:1] in (("edit",), ("drop",), ("pin",), ("unpin",), ("keep",), ("order",))
    return "brief" if decides and not given["role"] else "read"


def _review(given: Given) -> str:
    return "read" if given["as_json"] and not given["words"] else "review"


COMMAND_ACTIONS: dict[str, str | Callable[[Given], str]] = {
    "status": "read",
    "preview": "read",
    "brief": _brief,
    "sql": "read",
    "session": "read",
    "logs": "read",
    "doctor": "read",
    "export": _if("force", "overwrite"),
    "backup": _if("force", "overwrite"),
    "verify": "read",
    "scan": "read",
    "hook": "read",
    "mcp": "read",
    "remember": "remember",
    "forget": "forget",
    "review": _review,
    "undo": "undo",
    "entity": _entity,
    "purge": lambda given: "purge" if given["yes"] or given["only_finish"] else "read",
    "cost": _if("switch", "config"),
    "config list": "read",
    "config get": "read",
    "config set": "config",
    "config unset": "config",
    "surface status": "read",
    "surface on": "config",
    "surface off": "config",
    "backfill": _unless_dry("learn"),
    "ingest": "ingest",
    "import": _unless_dry("import"),
    "read": "learn",
    "tidy": _unless_dry("learn"),
    "queue": _except((None, "list"), "learn"),
    "maintain": "tend",
    "replay": "tend",
    "index": "index",
    "init": lambda given: "config" if given["model"] or given["read_history"] else "setup",
    "plugin install": "setup",
    "plugin uninstall": "uninstall",
    "plugin status": "read",
    "service": _except(("status",), "config"),
    "uninstall": "uninstall",
    "up": "run",
    "down": "run",
    "restart": "run",
    "watch": "run",
    "worker": "run",
    "panel": "serve",
    "serve": lambda given: "read" if given["check"] and not given["new_token"] else "serve",
    "hub": "serve",
    "token create": "token",
    "token list": "read",
    "token revoke": "token",
    "token uses": "read",
    "token key": "token",
    "project": _except(("list",), "project"),
    "team add": "team",
    "team remove": "team",
    "team list": "read",
    "sync": "sync",
    "restore-backup": "replace",
    "migrate-to": "replace",
    "archive": lambda given: "read" if given["dry_run"] or given["only_list"] else "archive",
    "restore": "archive",
}


def action_of(command: str, given: Given) -> str:
    """What a command does with these parameters."""
    row = COMMAND_ACTIONS.get(command)
    if row is None:
        return next(one.action for one in operations() if one.command and one.command.name == command)
    return row if isinstance(row, str) else row(given)


def plain_name(command_path: str) -> str:
    """The name of a command in the table: `nous admin token list` and `nous token list` are both `token list`."""
    return command_path.removeprefix("nous ").removeprefix("admin ").removeprefix("debug ")


def admit(context: click.Context, given: Given) -> None:
    """Let a command through the gate, and keep who speaks for when it opens the memory."""
    action = action_of(plain_name(context.command_path), given)
    if action == "read":
        return
    speaker = speaker_of_process(os.environ, os.getcwd())
    gate.require(speaker, action)
    if speaker.kind == "agent" and action in ("run", "setup"):  # what it starts outlives the session
        kept = without_choices(os.environ)
        for name in os.environ.keys() - kept.keys():
            del os.environ[name]
        os.environ.update(kept)
    context.meta[SPEAKER] = speaker


def current_speaker() -> Speaker:
    """Who speaks in the command that runs."""
    context = click.get_current_context(silent=True)
    found: Speaker = context.meta.get(SPEAKER, PERSON) if context else PERSON
    return found
