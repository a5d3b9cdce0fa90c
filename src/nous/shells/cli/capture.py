"""Commands about capture: backfill, ingest and the queue."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import click

from nous import moments
from nous.app import Nous
from nous.errors import NotFound, NousError
from nous.kernel.capture.backfill import Chosen, Estimate, Progress
from nous.shells.cli.common import CommandScope, common, emit, open_memory, say, size_text

SHOW_SECONDS = 0.2


@click.command()
@click.option("--since", metavar="TIME", help="Only transcripts changed since then (90d, 2026-08-01).")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Read only the newest N transcripts.")
@click.option("--dry-run", is_flag=True, help="Only say how much there is to read.")
@common
def backfill(scope: CommandScope, since: str | None, limit: int | None, dry_run: bool) -> None:
    """Learn from the transcripts on disk, and wait until it is done."""
    began = time.monotonic()
    with open_memory() as nous:
        moment = datetime.fromisoformat(moments.parse(since, nous.clock())).timestamp() if since else None
        project = nous.project(scope.project).id if scope.project else None
        files = nous.work.transcripts(moment, project, limit)
        if dry_run:
            found, dollars = nous.work.estimate(files)
            emit(scope, found._asdict() | {"cost": dollars or 0.0}, lambda: _estimate_lines(found, dollars))
            return
        last = _run(nous, files, project or nous.project(None).id, began)
        data = _report(nous, last, time.monotonic() - began)
    for trouble in last.troubles:
        say(f"note: {trouble}", err=True)
    emit(scope, data, lambda: _lines(data))


def _run(nous: Nous, files: list[Chosen], here: str, began: float) -> Progress:
    last = Progress(len(files), 0, 0, 0)
    shown = 0.0
    try:
        for last in nous.work.backfill(files, here):
            if time.monotonic() - shown > SHOW_SECONDS or last.done == last.files:
                shown = time.monotonic()
                _show(last, shown - began)
    except KeyboardInterrupt:
        _end_line()
        done = f"stopped after {last.done} of {last.files} transcripts"
        raise NousError(f"{done}; what was read is kept, and the same command goes on from there") from None
    _end_line()
    return last


def _show(progress: Progress, seconds: float) -> None:
    """A progress line, on a terminal only."""
    if not sys.stderr.isatty():
        return
    bar = "#" * int(24 * progress.share)
    rest = seconds / progress.share - seconds if progress.share else 0.0
    speed = progress.read / 1e6 / max(seconds, 0.001)
    text = (
        f"[{bar:<24}] {progress.share:4.0%}  {progress.done}/{progress.files} transcripts, {progress.read / 1e6:.0f} MB"
        f" at {speed:.1f} MB/s, {progress.outcome.learned} learned, {_clock(rest)} to go"
    )
    click.echo(f"\r\033[K{text}", err=True, nl=False)


def _end_line() -> None:
    if sys.stderr.isatty():
        click.echo("", err=True)


def _clock(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"


def _estimate_lines(found: Estimate, dollars: float | None) -> Iterator[str]:
    yield f"{found.files} transcripts ({size_text(found.size)}), {size_text(found.new)} of them not read yet"
    yield f"{found.sessions} sessions; a model would read about {found.tokens:,} tokens"
    if dollars is None:
        yield "no model is asked, so it costs nothing"
    else:
        yield f"the model you chose would cost about ${dollars:.2f} for all of it, never more a day than its cap"


def _report(nous: Nous, last: Progress, seconds: float) -> dict[str, Any]:
    return {
        "files": last.files,
        "bytes": last.taken.size,
        "lines": last.taken.lines,
        "units": last.taken.units,
        "learned": last.outcome.learned,
        "repeated": last.outcome.repeated,
        "superseded": last.outcome.superseded,
        "rejected": last.outcome.rejected,
        "failed": last.outcome.failed,
        "quarantined": last.taken.quarantined,
        "secrets_removed": last.taken.secrets,
        "packets": last.packets,
        "queue": nous.stores.queue.counts(),
        "seconds": round(seconds, 3),
    }


def _lines(data: dict[str, Any]) -> Iterator[str]:
    yield f"read {data['files']} transcripts ({size_text(data['bytes'])} new) in {data['seconds']:.1f} s"
    yield f"learned {data['learned']}, repeated {data['repeated']}, replaced {data['superseded']}"
    if data["secrets_removed"]:
        yield f"removed {data['secrets_removed']} secrets before anything was stored"
    if data["quarantined"]:
        yield f"skipped {data['quarantined']} unreadable lines: `nous admin queue --quarantine` lists them"
    if data["rejected"]:
        yield f"{data['rejected']} candidates were rejected: `nous debug rejections` says why"
    if data["failed"]:
        yield f"{data['failed']} parts of transcripts failed and will be retried: see `nous admin queue`"


@click.command()
@click.argument("file", type=click.Path(allow_dash=True))
@click.option("--text", "as_text", is_flag=True, help="Treat JSON as plain text.")
@common
def ingest(scope: CommandScope, file: str, as_text: bool) -> None:
    """Learn from a work summary (JSON) or a plain text; FILE is a path, or - for standard input."""
    said = _input(file)
    with open_memory() as nous:
        given: str | dict[str, Any] = said
        if not as_text and said.lstrip().startswith("{"):
            given = _object(said)
        data = nous.ingest(given, project=scope.project)
    emit(scope, data, lambda: _ingest_lines(data))


def _input(file: str) -> str:
    try:
        if file == "-":
            return sys.stdin.buffer.read().decode("utf-8", "replace")
        with open(file, encoding="utf-8", errors="replace") as given:
            return given.read()
    except OSError as problem:
        raise NousError(f"cannot read {file}: {problem.strerror}") from None


def _object(text: str) -> dict[str, Any]:
    try:
        return dict(json.loads(text))
    except (ValueError, RecursionError) as problem:
        raise NousError(f"this is not valid JSON: {problem}", hint="`--text` takes it as plain text") from None


def _ingest_lines(data: dict[str, Any]) -> Iterator[str]:
    if data["ingest_id"] is None:
        yield "this was ingested before; nothing changed"
        return
    yield f"learned {data['learned']}, repeated {data['repeated']}, replaced {data['superseded']}"
    if data["rejected"]:
        yield f"{data['rejected']} candidates were rejected: `nous debug rejections` says why"


STATES = ("pending", "processing", "completed", "failed", "dead_letter", "all")


@click.command()
@click.argument("action", type=click.Choice(["list", "retry", "skip"]), required=False)
@click.argument("ids", type=int, nargs=-1, metavar="[ID]...")
@click.option("--quarantine", is_flag=True, help="List the lines that could not be parsed.")
@click.option("--state", type=click.Choice(STATES), help="Only items in this state; `all` includes finished ones.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@common
def queue(
    scope: CommandScope, action: str | None, ids: tuple[int, ...], quarantine: bool, state: str | None, limit: int
) -> None:
    """Show the queue of transcripts to learn from; list, retry or skip items."""
    if action in ("retry", "skip") and not ids:
        raise click.UsageError(f"which item? `nous admin queue {action} ID`")
    with open_memory() as nous:
        if quarantine:
            lines = nous.stores.records.list_quarantined(limit)
            emit(scope, {"quarantined": lines}, lambda: (_bad(line) for line in lines))
        elif action in ("retry", "skip"):
            _decide(nous, scope, action, ids)
        elif action == "list" or state:
            rows = nous.stores.queue.listing(state, limit)
            emit(scope, {"items": rows}, lambda: _list_lines(rows))
        else:
            counts = nous.stores.queue.counts()
            emit(scope, {"queue": counts}, lambda: _count_lines(counts))


def _count_lines(counts: dict[str, int]) -> Iterator[str]:
    yield from (f"{state:<12} {number}" for state, number in sorted(counts.items()))
    if counts.keys() & {"failed", "dead_letter"}:
        yield "`nous admin queue list` says why"


def _decide(nous: Nous, scope: CommandScope, action: str, ids: tuple[int, ...]) -> None:
    do = nous.stores.queue.requeue if action == "retry" else nous.stores.queue.skip
    refused = [number for number in ids if not do(number, nous.clock())]
    if refused:
        hint = "only failed ones and dead letters" if action == "retry" else "only unfinished ones nobody works on"
        raise NotFound(f"item {refused[0]} cannot be {'retried' if action == 'retry' else 'skipped'}", hint=hint)
    what = "will be tried again" if action == "retry" else "skipped"
    emit(scope, {"changed": list(ids)}, lambda: (f"item {number} {what}" for number in ids))


def _list_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        where = f"{os.path.basename(row['transcript_path'])} {row['file_offset']}-{row['end_offset']}"
        error = f"  {row['last_error']}" if row["last_error"] else ""
        yield f"{row['ingest_id']:>6} {row['status']:<12} tries {row['retry_count']}  {where}{error}"
    if not rows:
        yield "the queue is empty"


def _bad(line: dict[str, Any]) -> str:
    return f"{line['transcript_path']} at byte {line['file_offset']}: {line['reason']} ({line['length']} bytes)"
