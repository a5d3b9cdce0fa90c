"""The command that keeps a person's devices up to date."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from nous.app import Nous
from nous.config import Settings, load_settings
from nous.errors import Misuse
from nous.shells.cli.common import CommandScope, common, emit, many

if TYPE_CHECKING:
    from nous.teams.sync import Synced


@click.command()
@click.argument("place", required=False, metavar="[FOLDER|URL]")
@click.option("--passphrase-file", metavar="FILE", help="A file with the passphrase, or `plain` for no encryption.")
@click.option("--token-file", metavar="FILE", help="A file with the hub's token.")
@common
def sync(scope: CommandScope, place: str | None, passphrase_file: str | None, token_file: str | None) -> None:
    """Sync with your other devices through a shared FOLDER (encrypted), or with a hub at URL.

    With a passphrase, the hub serves your own devices and gets everything, encrypted. Without one it is a team's hub
    and gets the projects in `team_projects`. The daemon syncs every minute if `sync_dir` or `hub` is set.
    """
    chosen = _choose(load_settings(os.environ), place, passphrase_file, token_file)
    if not (chosen.sync_dir or chosen.hub):
        raise Misuse("no folder or hub given", hint="say `nous admin sync FOLDER`, or set sync_dir or hub")
    with Nous.open(settings=chosen) as nous:
        found = nous.work.sync()
    emit(scope, found._asdict(), lambda: _lines(found))
    if found.troubles:
        raise click.exceptions.Exit(1)


def _choose(settings: Settings, place: str | None, passphrase_file: str | None, token_file: str | None) -> Settings:
    """The settings with what was said for once in their place: one folder, or one hub."""
    passphrase = passphrase_file or settings.sync_passphrase_file
    chosen = replace(settings, sync_passphrase_file=passphrase, hub_token_file=token_file or settings.hub_token_file)
    if place and "://" in place:
        is_sealed = settings.hub_sealed if passphrase_file is None else passphrase_file != "plain"
        return replace(chosen, sync_dir="", hub=place, hub_sealed=is_sealed)
    return replace(chosen, sync_dir=os.path.abspath(place), hub="") if place else chosen


def _lines(found: Synced) -> Iterator[str]:
    yield f"received {many(found.came, 'event', 'events')}, sent {found.went}"
    if found.waiting:
        yield f"{found.waiting} wait for earlier events that have not arrived yet"
    if found.kept:
        yield f"{found.kept} are kept for later: from a newer Nous, or of a project that is not shared here"
    if found.refused:
        yield f"{found.refused} were refused (`nous doctor` says why)"
    if found.rewritten:
        yield f"rewrote {found.rewritten} files without what was erased"
    yield from (f"not taken in: {trouble}" for trouble in found.troubles)
