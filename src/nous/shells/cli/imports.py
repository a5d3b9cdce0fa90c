"""The command that takes over what other memories, clients and instruction files know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from nous.core.importing import CHAT_FORMATS, FORMATS, Format
from nous.recall.packets import warm_all
from nous.remember.capture import rules_of
from nous.remember.imports import LEGACY_PROJECT, describe, files_in, import_file, place_of
from nous.remember.learn import Habits
from nous.shells.cli.common import Scope, common, emit, opened


@click.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("--format", "format_", type=click.Choice(FORMATS), help="What wrote it; found out by itself otherwise.")
@click.option("--dry-run", is_flag=True, help="Change nothing: say what would be taken.")
@common
def import_(scope: Scope, files: tuple[str, ...], format_: Format | None, dry_run: bool) -> None:
    """Take over what others know: instruction files, other memories, exports of chats, logs of Codex."""
    done: list[dict[str, Any]] = []
    with opened() as nous:
        project = nous.project(scope.project).id
        habits = Habits(nous.settings.max_attempts, nous.settings.keep_transcripts)
        for file in (inner for given in files for inner in files_in(given)):
            place, name = place_of(file, project, scope.project is not None, nous.settings.claude_config_dir)
            report = import_file(
                nous.stores,
                file,
                place,
                nous.clock,
                format_=format_,
                name=name,
                dry_run=dry_run,
                habits=habits,
                rules=rules_of(nous.settings),
            )
            done.append({"file": file} | describe(report))
        if not dry_run:
            warm_all(nous.stores, nous.clock())
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
    if one["format"] in CHAT_FORMATS:
        return (
            f"conversations: {one['sessions']} with {one['turns']} new turns, {one['unchanged']} unchanged; "
            f"{one['taken']} learned, {one['known']} known already"
        )
    return (
        f"{one['taken']} taken, {one['updated']} updated, {one['restored']} restored, {one['archived']} archived, "
        f"{one['unchanged']} unchanged, {one['known']} known already, {one['skipped']} skipped"
    )
