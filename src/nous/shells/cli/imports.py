"""The command that takes over what other memories, clients and instruction files know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from nous.features.imports.drafts import CHAT_FORMATS, FORMATS, LEGACY_PROJECT, Format
from nous.shells.cli.common import CommandScope, common, emit, many, note_troubles, open_memory


@click.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("--format", "format_", type=click.Choice(FORMATS), help="The tool that wrote it; detected if not given.")
@click.option("--passphrase-file", default="", help="A file with the passphrase of an encrypted export.")
@click.option("--dry-run", is_flag=True, help="Only say what would be imported.")
@common
def import_(
    scope: CommandScope, files: tuple[str, ...], format_: Format | None, passphrase_file: str, dry_run: bool
) -> None:
    """Import instruction files, other tools' memories, chat exports or Codex logs."""
    with open_memory() as nous:
        since, project, is_given = nous.stores.events.last_id(), nous.project(scope.project), scope.project is not None
        how: dict[str, Any] = {"format_": format_, "dry_run": dry_run, "passphrase_file": passphrase_file}
        done = nous.work.take_over(files, project, is_given=is_given, **how)
        if not dry_run:
            note_troubles(nous.work.after_learning(since))
    emit(scope, {"dry_run": dry_run, "imports": done}, lambda: _lines(done, dry_run))


def _lines(done: list[dict[str, Any]], dry_run: bool) -> Iterator[str]:
    for one in done:
        yield f"{one['file']} ({one['format']}): {_counts(one)}"
        for reason, number in Counter(one["reasons"]).most_common():
            yield f"  skipped {number}: {reason}"
        if one["secrets"]:
            yield f"  {one['secrets']} secrets were removed"
        if strangers := one["projects"].get(LEGACY_PROJECT):
            yield f"  {strangers} of projects unknown here went to `{LEGACY_PROJECT}`; --project chooses another"
    if dry_run:
        yield "nothing was changed"


def _counts(one: dict[str, Any]) -> str:
    if "came" in one:
        waiting = f", {one['waiting']} wait for earlier events" if one["waiting"] else ""
        came = many(one["came"], "event", "events")
        return f"{came} imported, {one['known']} already known{waiting}; {one['taken']} new memories"
    if one["format"] in CHAT_FORMATS:
        return (
            f"conversations: {one['sessions']} with {one['turns']} new turns, {one['unchanged']} unchanged; "
            f"{one['taken']} learned, {one['known']} known already"
        )
    return (
        f"{one['taken']} taken, {one['updated']} updated, {one['restored']} restored, {one['archived']} archived, "
        f"{one['unchanged']} unchanged, {one['known']} known already, {one['skipped']} skipped"
    )
