"""Hot and cold: the words of old events move into compressed files, and back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from nous.errors import Misuse, NotFound, StoreError
from nous.kernel.db.database import Database
from nous.kernel.db.file_copies import wipe
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.log.archive_payloads import Segment

if TYPE_CHECKING:
    from nous.kernel.stores import Events

__all__ = ["Archiving", "Segment", "archive_events", "restore_events"]


class Archiving(NamedTuple):
    """What moving old events gave: the new files, how large the database was and is, what a killed run had left."""

    segments: list[Segment]
    bytes_before: int
    bytes_after: int
    swept: list[str]


def archive_events(log: Events, before: str, folder: str, now: str) -> Archiving:
    """Move the payloads of all events that came before a moment into files, one or more for each year."""
    db = _file(log.db)
    size = os.path.getsize(db.path)
    cold = log.cold
    swept = cold.sweep(folder)
    made = []
    for year in cold.due(before):
        while segment := cold.freeze(year, before, folder, now):
            made.append(segment)
    if made:
        wipe(db)
    return Archiving(made, size, os.path.getsize(db.path), swept)


def restore_events(log: Events, file: str, now: str) -> tuple[Segment, int]:
    """Put what an archive holds back into the log, after checking it; the archive, and how many events."""
    _file(log.db)
    cold = log.cold
    asked = os.path.realpath(file)
    for segment in cold.segments():
        if os.path.realpath(cold.path(segment)) == asked:
            if segment.restored_at:
                raise StoreError(f"{file} was restored on {segment.restored_at[:10]} already")
            return segment, cold.thaw(segment, now)
    raise NotFound(f"{file} is no archive of this database", hint="`nous admin archive --list` names them")


def _file(db: Database) -> Sqlite:
    if not isinstance(db, Sqlite) or db.path == ":memory:":
        hint = "let the server keep old rows where it likes; `nous admin backup FILE` makes one compact file of it all"
        raise Misuse("archives lie beside a database that is a file, where no other device could read them", hint=hint)
    return db
