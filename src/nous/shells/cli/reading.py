"""Let the model you chose read sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from nous import moments
from nous.app import Nous
from nous.errors import NotFound
from nous.shells.cli.common import CommandScope, common, emit, many, note_troubles, open_memory

LIMIT = click.option(
    "--limit", type=click.IntRange(1), default=10, show_default=True, help="How many sessions, oldest first."
)
NOW = click.option("--now", "at_once", is_flag=True, help="Include sessions that are still running.")
SINCE = click.option("--since", metavar="TIME", help="Sessions with something new since then (default: the last week).")


@click.command()
@click.argument("session", required=False)
@LIMIT
@NOW
@SINCE
@click.option("--dry-run", is_flag=True, help="Print the next request and send nothing.")
@common
def read(scope: CommandScope, session: str | None, limit: int, at_once: bool, since: str | None, dry_run: bool) -> None:
    """Let the model you chose read sessions now, within the daily cap."""
    with open_memory() as nous:
        wanted = {
            "since": moments.parse(since, nous.clock()) if since else None,
            "project_id": None if scope.all_projects or session else nous.project(scope.project).id,
            "session_id": _session(nous, session) if session else None,
        }
        if dry_run:
            text = nous.work.preview_reading(at_once=at_once or bool(session), **wanted)
            emit(scope, {"request": text}, lambda: iter([text or "no session waits to be read"]))
            return
        _read_sessions(nous, scope, limit, at_once or bool(session), wanted)


@click.command()
@click.option("--dry-run", is_flag=True, help="Print the request and send nothing.")
@common
def tidy(scope: CommandScope, dry_run: bool) -> None:
    """Let the model you chose tidy a project's memories: merge, end, reword and group them.

    The database is copied first, and `nous undo` reverts the whole tidying. It also runs by itself: after ten
    readings of a project, daily above 80 memories, and nightly when something was read.
    """
    with open_memory() as nous:
        project_id = nous.project(scope.project).id
        if dry_run:
            text = nous.work.preview_tidying(project_id)
            emit(scope, {"request": text}, lambda: iter([text]))
            return
        before = nous.stores.events.last_id()
        done = nous.work.tidy(project_id)
        note_troubles(nous.work.after_learning(before, {project_id}))
        emit(scope, done._asdict(), lambda: _tidy_lines(done._asdict()))


def _tidy_lines(done: dict[str, int]) -> Iterator[str]:
    if not done["event_id"]:
        yield "nothing changed: this tidying was done before"
        return
    yield (
        f"{many(done['merged'], 'memory', 'memories')} merged, {done['edited']} reworded, {done['ended']} ended, "
        f"{done['asked']} questions, "
        f"{done['groups']} groups, {done['lines']} lines in the brief, {done['refused']} proposals refused"
    )
    yield f"`nous debug dossier` shows the project's page; `nous undo {done['event_id']}` takes all of this back"


def _session(nous: Nous, beginning: str) -> str:
    found = nous.stores.transcripts.find(beginning)
    if len(found) != 1:
        raise NotFound(f"{len(found) or 'no'} sessions begin with {beginning!r}", hint="`nous session list` names them")
    return found[0]


def _read_sessions(nous: Nous, scope: CommandScope, limit: int, at_once: bool, wanted: dict[str, str | None]) -> None:
    before = nous.stores.events.last_id()
    calls, total = nous.work.read(limit, at_once=at_once, **wanted)
    note_troubles(nous.work.after_learning(before, total.projects))
    data = {
        "calls": calls,
        "learned": total.learned,
        "known": total.repeated,
        "ended": total.superseded,
        "rejected": total.rejected,
        "failed": total.failed,
        "stopped": nous.work.allowance().reason,
    }
    emit(scope, data, lambda: _lines(data))
    if total.failed and total.failed == calls:
        raise click.exceptions.Exit(1)


def _lines(data: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{many(data['calls'], 'session', 'sessions')} read: {data['learned']} memories kept, "
        f"{data['ended']} ended or replaced, {data['rejected']} refused, {data['failed']} calls failed"
    )
    if data["stopped"]:
        yield f"stopped: {data['stopped']}"
