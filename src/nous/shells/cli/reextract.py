"""The command that reads kept sessions again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from nous import moments
from nous.shells.cli.common import CommandScope, common, emit, go_on, note_troubles, open_memory, say

if TYPE_CHECKING:
    from nous.kernel.learn.reextract import RereadChange, Rereading


@click.command()
@click.option("--since", metavar="TIME", help="Only sessions with something new since then (2026-11-03 or 30d).")
@click.option("--from-version", metavar="VERSION", help="Only what this extractor wrote (default: the same family).")
@click.option("--to-version", metavar="VERSION", help="The version of the rules to read with.")
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@click.option("--yes", is_flag=True, help="Do not ask at a terminal.")
@common
def reextract(
    scope: CommandScope, since: str | None, from_version: str | None, to_version: str | None, dry_run: bool, yes: bool
) -> None:
    """Read sessions again with another version of the rules. Both readings stay in the log."""
    with open_memory() as nous:
        reader = nous.work.reader(to_version)
        changed_since = moments.parse(since, nous.clock()) if since else None
        before = nous.stores.events.last_id()
        if not dry_run:
            kept = nous.stores.transcripts.size()["sessions"]
            say(
                f"reading {_sessions(kept)} again with {reader.version}; what it no longer finds is weakened "
                "(--dry-run only says what would change)",
                err=True,
            )
            go_on(yes)
        report = nous.work.reextract(
            reader,
            since=changed_since,
            from_version=from_version,
            project_id=nous.project(scope.project).id if scope.project else None,
            dry_run=dry_run,
        )
        if not dry_run:
            note_troubles(nous.work.after_learning(before))
    emit(scope, _fields(report, reader.version, dry_run), lambda: _lines(report, reader.version, dry_run))


def _fields(report: Rereading, version: str, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "version": version,
        "sessions": report.sessions,
        "unread": report.unread,
        "same": report.count("same"),
        "replaced": report.count("replaced"),
        "weakened": report.count("weakened"),
        "new": report.count("new"),
        "kept": report.count("kept"),
        "versions": report.versions,
        "changes": [_change(change) for change in report.changes if change.kind not in ("same", "kept")],
    }


def _change(change: RereadChange) -> dict[str, Any]:
    return {
        "change": change.kind,
        "session_id": change.session_id,
        "id": change.old.id if change.old else None,
        "before": change.old.content if change.old else None,
        "after": change.new.content if change.new else None,
    }


def _lines(report: Rereading, version: str, dry_run: bool) -> Iterator[str]:
    for change in report.changes:
        match change:
            case ("replaced", _, old, new) if old and new:
                yield f"~ #{old.id} {old.content}"
                yield f"    -> {new.content}"
            case ("weakened", _, old, _) if old:
                yield f"- #{old.id} {old.content}"
            case ("new", _, _, new) if new:
                yield f"+ {new.content}"
    would = "would be " if dry_run else ""
    yield (
        f"{_sessions(report.sessions)} read with {version}: {report.count('same')} the same, "
        f"{report.count('replaced')} {would}replaced, {report.count('weakened')} {would}weakened, "
        f"{report.count('new')} {would}added, {report.count('kept')} left as they are"
    )
    if report.unread:
        yield f"{_sessions(report.unread)} not read: the transcript is not kept, or nobody may be asked now"


def _sessions(number: int) -> str:
    return "1 session" if number == 1 else f"{number} sessions"
