"""`nous debug receipts`: what was put in front of the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from nous.app import Nous
from nous.shells.cli.common import CommandScope, common, emit, open_memory


@click.command()
@click.option("--session", "session_id", help="Only this session.")
@click.option(
    "--memory", "memory_id", metavar="ID", type=int, help="Only this memory, and what happened after it was shown."
)
@click.option("--summary", is_flag=True, help="One line per memory: how often shown, seen and cited.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@common
def receipts(scope: CommandScope, session_id: str | None, memory_id: int | None, summary: bool, limit: int) -> None:
    """Show what hooks injected, whether it is in the transcript, and what the model cited."""
    if summary and (session_id or memory_id):
        raise click.UsageError("a summary is of all sessions and memories: leave out --session and --memory")
    with open_memory() as nous:
        anywhere = scope.all_projects or session_id is not None or memory_id is not None
        project = None if anywhere else nous.project(scope.project).id
        if summary:
            effects = _with_words(nous, nous.stores.injections.effects(project, limit))
            emit(scope, {"memories": effects}, lambda: _table(effects))
            return
        found = nous.stores.injections.recent(session_id, project, limit, memory_id)
        effect = nous.stores.injections.effect(nous.get(memory_id).id) if memory_id is not None else None
    emit(scope, {"receipts": found} | ({"effect": effect} if effect else {}), lambda: _lines(found, effect))


def _with_words(nous: Nous, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with what their memories say; a memory that was erased says nothing."""
    words = {memory.id: memory.content for memory in nous.stores.memories.by_id([row["memory_id"] for row in rows])}
    return [row | {"content": words.get(row["memory_id"], "")} for row in rows]


def _table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    if not rows:
        yield "no session was shown anything yet"
        return
    yield f"{'memory':<8} {'shown':>5} {'seen':>5} {'cited':>5}  says"
    for row in rows:
        counts = f"{row['injected']:>5} {row['acknowledged']:>5} {row['referenced']:>5}"
        yield f"#{row['memory_id']:<7} {counts}  {row['content']}"


def _lines(found: Sequence[dict[str, Any]], effect: dict[str, Any] | None) -> Iterator[str]:
    if effect:
        yield count_shown(effect)
    elif not found:
        yield "no session was shown anything yet"
    for row in found:
        seen = "seen in the transcript" if row["acknowledged_at"] else "not seen yet"
        numbers = " ".join(f"#{one['memory_id']}{'*' if one['referenced_at'] else ''}" for one in row["memories"])
        said = f"{row['hook']}:{row['trigger']} {row['characters']} characters"
        yield f"{row['created_at'][:19]} {said}, {seen}: {numbers}".rstrip(": ")
        yield from map(_exchange, row["exchanges"])


def _exchange(row: dict[str, Any]) -> str:
    """An earlier exchange that was told of: how it is cited, what it was about, and how to read it."""
    cited = f"Exchange {row['uuid'][:13]}{'*' if row['referenced_at'] else ''}"
    if not row["session_id"]:
        return f"  {cited}, which is not kept"
    return (
        f"  {cited}  {row['at'][:10]}  {row['label']}  `nous session show {row['session_id']} --at {row['uuid'][:13]}`"
    )


def count_shown(effect: dict[str, Any]) -> str:
    """How often a memory was shown and what came of it, in words."""
    counts = f"seen in the transcript {effect['acknowledged']}, cited by the model {effect['referenced']}"
    return f"shown {effect['injected']} times, {counts}"
