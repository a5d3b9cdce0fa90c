"""Dossiers that were asked for: kept so that maintenance makes them anew, and dropped with what they cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from nous.stores.database import Database


class DossierRow(NamedTuple):
    """A dossier as it was last made."""

    project_id: str
    name: str
    event_id: int
    made_at: str
    text: str
    memories: tuple[int, ...]


class Dossiers:
    """What was asked for, and what was given."""

    def __init__(self, db: Database):
        self.db = db

    def keep(self, row: DossierRow) -> None:
        """Keep a dossier in the place of the one before."""
        said = row._asdict() | {"memories": msgspec.json.encode(row.memories).decode()}
        self.db.run("dossiers.keep", **said)

    def get(self, project_id: str, name: str) -> DossierRow | None:
        """The dossier about something, as it was last made."""
        row = self.db.one("dossiers.get", project_id=project_id, name=name)
        return _row(tuple(row.values())) if row else None

    def listing(self, project_id: str | None) -> list[DossierRow]:
        """Every dossier of a project, or of all."""
        return [_row(row) for row in self.db.each("dossiers.listing", project_id=project_id)]

    def drop(self, project_id: str, name: str) -> None:
        """Nobody wants this one any more."""
        self.db.run("dossiers.drop", project_id=project_id, name=name)

    def forget(self, memory_id: int) -> None:
        """Drop the dossiers that cite an erased memory."""
        self.db.run("dossiers.forget", memory_id=memory_id)


def _row(row: Sequence[object]) -> DossierRow:
    project, name, event, made, text, memories = row
    numbers = msgspec.json.decode(str(memories), type=tuple[int, ...])
    return DossierRow(str(project), str(name), int(str(event)), str(made), str(text), numbers)
