"""Copies of the memory, other databases, and questions in SQL."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nous.app.pipeline import CHECKPOINTS
from nous.config import Settings
from nous.errors import Misuse
from nous.features.backup import backup as backups
from nous.features.backup.moving import Migrated, as_file, move, put_back
from nous.kernel.db.database import is_file

if TYPE_CHECKING:
    from nous.app import Nous


def restore_backup(settings: Settings, file: str, now: str) -> backups.Restored:
    """Put a backup in the place of the memory, in a file or on a server; what was there before is kept as a file."""
    url, folder = settings.db_path, os.path.join(settings.data_dir, CHECKPOINTS)
    if is_file(url):
        done = backups.restore(url, file, folder, now)
    else:
        report = backups.inspect(file)
        with as_file(url, now) as path:
            kept = backups.checkpoint(path, folder, "restore", now)
        put_back(file, url, now)
        backups.rename(url, now)
        done = backups.Restored(report.events, report.head, kept)
    from nous.app import Nous

    with Nous.open(settings=settings) as nous:
        nous.work.catch_up()
        nous.work.index_exchanges()
        nous.work.warm()
    return done


def migrate_to(nous: Nous, url: str) -> Migrated:
    """Copy everything into an empty database, after which both hold the same; this one stays as it is."""
    nous.work.catch_up()
    return move(nous.settings.db_path, url, nous.clock())


def backup(nous: Nous, file: str, *, overwrite: bool = False) -> backups.Backup:
    """Copy the memory to a file while it is in use, from a server too, and check the copy."""
    nous.work.catch_up()
    with as_file(nous.settings.db_path, nous.clock()) as path:
        return backups.backup(path, file, overwrite=overwrite)


def sql(
    nous: Nous, question: str, *, project: str | None = None, all_projects: bool = False, limit: int = 200
) -> tuple[Sequence[str], Sequence[tuple[Any, ...]]]:
    """Columns and rows of a question in SQL to the views that can only be read."""
    from nous.kernel.db import views

    if not is_file(nous.settings.db_path):
        hint = "make a copy and ask that: `nous admin backup copy.db`, then `NOUS_DB_PATH=copy.db nous sql …`"
        raise Misuse("asking in SQL needs a database that is a file, and this one is on a server", hint=hint)
    where = None if all_projects else nous.project(project).id
    return views.ask(nous.settings.db_path, question, where, limit)
