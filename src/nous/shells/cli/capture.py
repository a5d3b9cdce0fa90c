"""Commands about capture: backfill and the queue."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import click

from nous.app import Nous
from nous.core import moments
from nous.recall.packets import warm_all
from nous.remember.backfill import Progress, choose
from nous.remember.backfill import backfill as run
from nous.remember.project import catch_up
from nous.shells.cli.common import Scope, common, emit, opened


@click.command()
@click.option("--since", metavar="TIME", help="Only transcripts changed since then (90d, 2026-08-01).")
@common
def backfill(scope: Scope, since: str | None) -> None:
    """Learn from the transcripts that are on disk. Returns when everything is learned and packets are ready."""
    began = time.monotonic()
    with opened() as nous:
        limit = datetime.fromisoformat(moments.parse(since, nous.clock())).timestamp() if since else None
        project = nous.project(scope.project).id if scope.project else None
        files = choose(nous.settings.project_glob, limit, project)
        last = Progress(len(files), 0, *_nothing())
        for last in run(nous.stores, files, f"backfill-{os.getpid()}", nous.clock):
            _show(last, began)
        catch_up(nous.stores, nous.clock())
        packets = warm_all(nous.stores, nous.clock())
        data = _report(nous, last, packets, time.monotonic() - began)
    emit(scope, data, lambda: _lines(data))


def _nothing() -> tuple[Any, Any]:
    from nous.remember.capture import Taken
    from nous.remember.learn import Outcome

    return Taken(), Outcome()


def _show(progress: Progress, began: float) -> None:
    """A progress line, on a terminal only."""
    if not sys.stderr.isatty():
        return
    rest = (time.monotonic() - began) / max(1, progress.done) * (progress.files - progress.done)
    text = f"{progress.done}/{progress.files} transcripts, {progress.outcome.learned} learned, {rest:.0f} s to go"
    click.echo(f"\r\033[K{text}" + ("\n" if progress.done == progress.files else ""), err=True, nl=False)


def _report(nous: Nous, last: Progress, packets: int, seconds: float) -> dict[str, Any]:
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
        "packets": packets,
        "queue": nous.stores.queue.counts(),
        "seconds": round(seconds, 3),
    }


def _lines(data: dict[str, Any]) -> Iterator[str]:
    yield f"read {data['files']} transcripts ({data['bytes'] / 1e6:.1f} MB new) in {data['seconds']:.1f} s"
    yield f"learned {data['learned']}, heard again {data['repeated']}, replaced {data['superseded']}"
    if data["secrets_removed"]:
        yield f"removed {data['secrets_removed']} secrets before anything was stored"
    if data["quarantined"]:
        yield f"put {data['quarantined']} unreadable lines aside: `nous queue --quarantine` lists them"
    if data["failed"]:
        yield f"{data['failed']} units failed and will be tried again: see `nous queue`"


@click.command()
@click.option("--quarantine", is_flag=True, help="List the lines that were put aside.")
@common
def queue(scope: Scope, quarantine: bool) -> None:
    """Show what waits to be learned."""
    with opened() as nous:
        if quarantine:
            lines = nous.stores.queue.quarantined()
            emit(scope, {"quarantined": lines}, lambda: (_bad(line) for line in lines))
            return
        counts = nous.stores.queue.counts()
    emit(scope, {"queue": counts}, lambda: (f"{state:<12} {number}" for state, number in sorted(counts.items())))


def _bad(line: dict[str, Any]) -> str:
    return f"{line['transcript_path']} at byte {line['file_offset']}: {line['reason']} ({line['length']} bytes)"
