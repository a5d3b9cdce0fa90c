"""`nous config`: what is set, where it comes from, and how to change it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click

from nous.config import config_file, excluded_projects, load_settings
from nous.errors import Misuse
from nous.features.status import settings_file as settings
from nous.shells.cli.common import CommandScope, common, emit, open_memory, say


@click.group()
def config() -> None:
    """Show and change settings."""


@config.command("list")
@click.option("--set", "only_set", is_flag=True, help="Only the settings you changed.")
@common
def list_(scope: CommandScope, only_set: bool) -> None:
    """List every setting, its value, and where the value comes from."""
    rows = [row for row in settings.list_settings(os.environ) if not only_set or row["from"] != "default"]
    strange = settings.unknown(os.environ)
    emit(scope, {"settings": rows, "unknown": strange, "file": config_file(os.environ)}, lambda: _lines(rows, strange))


def _lines(rows: list[dict[str, Any]], strange: list[str]) -> Iterator[str]:
    for row in rows:
        yield f"{row['name']:<28} {settings.show_value(row) or '(empty)'}  [{_origin(row)}]"
    for key in strange:
        yield f"unknown setting in the file: {key}"


def _origin(row: dict[str, Any]) -> str:
    return row["variable"] if row["from"] == "environment" else str(row["from"])


@config.command()
@click.argument("name")
@common
def get(scope: CommandScope, name: str) -> None:
    """Show one setting: its value, where the value comes from, and what it means."""
    row = settings.one(os.environ, name)
    emit(scope, row, lambda: iter([f"{settings.show_value(row)}  [{_origin(row)}]", f"  {row['description']}"]))


@config.command("set")
@click.argument("name")
@click.argument("value")
@common
def set_(scope: CommandScope, name: str, value: str) -> None:
    """Change a setting in the settings file. An invalid value changes nothing.

    `nous config set llm_provider none --project PATH` keeps one project away from every model.
    """
    if scope.project:
        _exclude(scope, scope.project, name, value)
        return
    _say_change(scope, settings.put(os.environ, name, value))


@config.command()
@click.argument("name")
@common
def unset(scope: CommandScope, name: str) -> None:
    """Reset a setting to its default. With --project, models may read that project again."""
    if scope.project:
        _exclude(scope, scope.project, name, None)
        return
    _say_change(scope, settings.put(os.environ, name, None))


def _exclude(scope: CommandScope, project: str, name: str, value: str | None) -> None:
    """Keep a project's words from every model, or no longer: the one thing that is set for a project alone."""
    if name != "llm_provider" or value not in (None, "none"):
        hint = "`nous config set llm_provider none --project PATH` keeps a project away from every model"
        raise Misuse("for one project only `llm_provider none` can be set", hint=hint)
    with open_memory(readonly=True) as nous:
        here = nous.project(project).id
    kept = [one for one in sorted(excluded_projects(load_settings(os.environ))) if one != here]
    given = ",".join([*kept, here] if value else kept)
    row = settings.put(os.environ, "llm_excluded", given or None)
    says = "are sent to no model" if value else "are sent where those of other projects are"
    data = row | {"project_id": here, "excluded": bool(value)}
    emit(scope, data, lambda: iter([f"the words of {here} {says}"]))
    say("note: a running daemon uses it after `nous admin restart`", err=True)


def _say_change(scope: CommandScope, row: dict[str, Any]) -> None:
    emit(scope, row, lambda: iter([f"{row['name']} is now {settings.show_value(row)} [{_origin(row)}]"]))
    if row["from"] == "environment":
        say(f"note: {row['variable']} in the environment overrides the file", err=True)
    say("note: a running daemon uses it after `nous admin restart`", err=True)
