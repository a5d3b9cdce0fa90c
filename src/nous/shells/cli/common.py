"""What every command shares: its options, how it opens the memory, how it prints."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import click
import msgspec

from nous.app import Nous
from nous.config import load_settings
from nous.core.memory import Memory

Command = Callable[..., None]


class Scope(msgspec.Struct, frozen=True):
    """Which memories a command speaks of, and how it prints."""

    project: str | None
    all_projects: bool
    as_json: bool


def common(command: Command) -> Command:
    """Give a command `--json`, `--project` and `--all-projects`, collected in one `Scope`."""

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
    @click.option("--project", metavar="PATH|ID", help="Another project than that of the current directory.")
    @click.option("--all-projects", is_flag=True, help="Not only one project.")
    @wraps(command)
    def wrapped(project: str | None, all_projects: bool, as_json: bool, **values: Any) -> None:
        command(Scope(project, all_projects, as_json), **values)

    return wrapped


@contextmanager
def opened(*, readonly: bool = False) -> Iterator[Nous]:
    """The user's memory for the time of one command."""
    settings = load_settings(os.environ)
    with Nous.open(settings=settings, readonly=readonly and os.path.exists(settings.db_path)) as nous:
        yield nous


def emit(scope: Scope, data: Any, lines: Callable[[], Iterator[str]]) -> None:
    """Print data as JSON, or as lines for a person."""
    if scope.as_json:
        click.echo(msgspec.json.encode(data).decode())
        return
    for line in lines():
        click.echo(line)


def memory_fields(memory: Memory) -> dict[str, Any]:
    """A memory as the documented JSON fields."""
    return {
        "id": memory.id,
        "content": memory.content,
        "type": memory.type,
        "kind": memory.kind,
        "scope": memory.scope,
        "status": memory.status,
        "confidence": round(memory.confidence, 4),
        "strength": round(memory.strength, 4),
        "project_id": memory.project_id,
        "session_id": memory.session_id,
        "branch": memory.branch,
        "valid_from": memory.valid_from,
        "valid_until": memory.valid_until,
        "created_at": memory.created_at,
        "evidence": memory.evidence,
        "files": memory.files,
        "anchors": msgspec.to_builtins(memory.anchors),
        "concepts": memory.concepts,
        "entities": memory.entities,
        "relations": msgspec.to_builtins(memory.relations),
        "tags": memory.tags,
        "slot": memory.slot,
        "replaces": memory.replaces,
        "last_said_at": memory.last_said_at,
        "ref": memory.ref,
        "pinned": memory.pinned,
        "confirmed": memory.confirmed,
        "tainted": memory.tainted,
        "superseded_by": memory.superseded_by,
        "contradicted_with": memory.contradicted_with,
        "learning_id": memory.learning_id,
        "extractor": memory.extractor,
        "source": memory.source,
    }


def memory_line(memory: Memory) -> str:
    """A memory on one line of a terminal."""
    marks = "".join(f" [{mark}]" for mark in _marks(memory))
    return f"#{memory.id:<5} {memory.type:<14} {(memory.valid_from or memory.created_at)[:10]}  {memory.content}{marks}"


def _marks(memory: Memory) -> list[str]:
    found = {
        "pinned": memory.pinned,
        "confirmed": memory.confirmed,
        "global": memory.scope == "global",
        "unreviewed outside text": memory.tainted,
        memory.status: memory.status != "active",
    }
    return [mark for mark, holds in found.items() if holds]
