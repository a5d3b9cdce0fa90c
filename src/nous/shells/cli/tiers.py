"""Commands that move old events into archives and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from nous import moments
from nous.app import Nous
from nous.features.archive import tiers
from nous.shells.cli.common import CommandScope, common, emit, go_on, many, open_memory, say


@click.command()
@click.option("--before", default="90d", show_default=True, help="Events before this date, or older than this (90d).")
@click.option("--dry-run", is_flag=True, help="Only say how many events would move.")
@click.option("--list", "only_list", is_flag=True, help="List the archives.")
@click.option("--yes", is_flag=True, help="Do not ask at a terminal.")
@common
def archive(scope: CommandScope, before: str, dry_run: bool, only_list: bool, yes: bool) -> None:
    """Move old events into compressed files, at least one per year.

    Recall, history and replay still work: archives are read in place. Keep them with your backups.
    """
    with open_memory() as nous:
        if only_list:
            segments = [_fields(nous, segment) for segment in nous.stores.events.cold.segments()]
            emit(scope, {"archives": segments}, lambda: _listing(segments))
            return
        moment = moments.parse(before, nous.clock())
        if dry_run:
            due = nous.stores.events.cold.due(moment)
            emit(scope, {"before": moment, "events": due}, lambda: _due(due, moment))
            return
        number = sum(nous.stores.events.cold.due(moment).values())
        if number:
            folder = nous.settings.archive_dir
            say(f"moving {many(number, 'event', 'events')} recorded before {moment[:10]} to {folder}", err=True)
            go_on(yes)
        done = tiers.archive_events(nous.stores.events, moment, nous.settings.archive_dir, nous.clock())
        made = [_fields(nous, segment) for segment in done.segments]
    data = {"before": moment, "archives": made, "bytes_before": done.bytes_before, "bytes_after": done.bytes_after}
    emit(scope, data, lambda: _done_lines(made, done))


@click.command()
@click.option("--archive", "file", required=True, type=click.Path(dir_okay=False), help="The archive file.")
@common
def restore(scope: CommandScope, file: str) -> None:
    """Move an archive back into the log, after checking it. The file stays."""
    with open_memory() as nous:
        segment, events = tiers.restore_events(nous.stores.events, file, nous.clock())
    line = f"{many(events, 'event', 'events')} from {segment.archive_path} are back in the log"
    emit(scope, {"path": file, "events": events}, lambda: iter([line]))


def _fields(nous: Nous, segment: tiers.Segment) -> dict[str, Any]:
    return segment._asdict() | {"path": nous.stores.events.cold.path(segment)}


def _listing(segments: list[dict[str, Any]]) -> Iterator[str]:
    for one in segments:
        state = f"restored {one['restored_at'][:10]}" if one["restored_at"] else "cold"
        yield (
            f"{one['path']}  {one['event_count']} events ({one['min_event_id']} to {one['max_event_id']}), "
            f"{one['compressed_bytes'] / 1e6:.1f} MB, {state}"
        )
    if not segments:
        yield "no archives: every event is in the database"


def _due(due: dict[str, int], moment: str) -> Iterator[str]:
    for year, events in due.items():
        yield f"{year}: {events} events would move"
    if not due:
        yield f"no event is older than {moment[:10]}"


def _done_lines(made: list[dict[str, Any]], done: tiers.Archiving) -> Iterator[str]:
    for one in made:
        yield f"{one['event_count']} events of {one['path']} ({one['compressed_bytes'] / 1e6:.2f} MB)"
    if not made:
        yield "nothing is that old"
        return
    yield f"database {done.bytes_before / 1e6:.1f} MB -> {done.bytes_after / 1e6:.1f} MB"
    yield "keep the archives with your backups: a copy of the database does not hold what they say"
