"""Moving a memory to another database, and pointing the settings there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

import click

from nous.app import Nous
from nous.config import load_settings, mask_password
from nous.errors import Misuse
from nous.features.status import settings_file as api
from nous.paths import HOOKS
from nous.shells.cli.common import CommandScope, common, emit
from nous.shells.daemon import control


@click.command("migrate-to")
@click.argument("url", metavar="URL")
@click.option("--copy-only", is_flag=True, help="Copy only; do not switch.")
@common
def migrate_to(scope: CommandScope, url: str, copy_only: bool) -> None:
    """Copy everything to the empty database URL, compare both, and switch to it.

    URL is a file (sqlite:///path) or a tenant on a server (postgresql://user@host/database?tenant=name).
    """
    settings = load_settings(os.environ)
    target = load_settings(os.environ | {"NOUS_DB_PATH": url}).db_path
    if target == settings.db_path:
        raise Misuse("this is already the database in use")
    control.nobody_works(settings)
    with Nous.open(settings=settings) as nous:
        moved = nous.migrate_to(target)
    is_used = not copy_only and "NOUS_DB_PATH" not in os.environ
    if is_used:
        api.put(os.environ, "db_path", target)
    if not copy_only:
        _settle(target)
    lines = _lines(moved.events, moved.copied, moved.compared, target, is_used, copy_only)
    emit(scope, moved._asdict() | {"to": mask_password(target), "is_used": is_used}, lambda: lines)


def _settle(target: str) -> None:
    """Prepare what is not copied: exchanges, packets, and the file that hooks read beside a server."""
    settings = load_settings(os.environ | {"NOUS_DB_PATH": target})
    with Nous.open(settings=settings) as nous:
        nous.work.index_exchanges()
        nous.work.warm()
    if "://" not in target:
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(settings.data_dir, HOOKS + end))


def _lines(
    events: int, copied: dict[str, int], compared: dict[str, int], target: str, is_used: bool, copy_only: bool
) -> Iterator[str]:
    yield f"{events} events and {sum(copied.values()) - events} other rows are in {mask_password(target)}"
    yield f"every event and {sum(compared.values())} rows of read models are the same there"
    if is_used:
        yield "Nous uses it from now on; the old database is unchanged"
    elif not copy_only:
        yield f"NOUS_DB_PATH is set and wins: set it to {mask_password(target)} to use it"
