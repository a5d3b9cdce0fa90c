"""What users said, sentence by sentence, to find what is said again; and up to where each session was observed.

A working index over kept transcripts: whoever drops it loses no memory, and reading them again fills it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from nous.core.occasion import Occasion
from nous.stores.database import Database, like

if TYPE_CHECKING:
    from nous.stores.saying_vectors import SayingVectors

KEPT = 6000  # sentences of one project; the oldest make room
MAKES_ROOM = 50  # sessions between two looks at how many there are
PROJECTS = 4  # whose vectors stay in memory
NEAR = 40  # of those that say the same, the latest, are read; of the others only the number is known


class Kept(NamedTuple):
    """A sentence as it is kept, with its vector."""

    saying: Occasion
    vector: bytes


class NearSayings(NamedTuple):
    """What other sessions said that is near a sentence: the latest with their cosines, and how many more there are."""

    latest: list[tuple[Occasion, float]]
    more: int = 0


class Due(NamedTuple):
    """A session with turns that nobody has observed."""

    session_id: str
    project_id: str
    turns: int


class Sayings:
    """Sentences by project; none of another project is ever compared."""

    def __init__(self, db: Database):
        self.db = db
        self._held: dict[tuple[str, str], SayingVectors] = {}
        self._puts = 0

    def due(self, quiet_until: str, now: str, limit: int) -> list[Due]:
        """Sessions that rest since a moment and were not observed to their end, oldest first.

        One whose last record lies in the future rests too: its clock is wrong, and nobody knows when it ends.
        """
        rows = self.db.all("sayings.due", quiet=quiet_until, now=now, limit=limit)
        return [Due(**row) for row in rows]

    def observed(self, due: Due, now: str) -> None:
        """Note that a session was observed up to here."""
        self.db.run("sayings.observed", **due._asdict(), now=now)

    def put(self, project_id: str, session_id: str, model: str, rows: Sequence[Kept]) -> None:
        """Keep what was said in a session, in the place of what was kept of it."""
        self.db.run("sayings.drop_session", session_id=session_id)
        self.db.many(
            "sayings.add",
            (
                (project_id, session_id, one.record, one.nth, one.at, one.key, one.text, one.chance, model, vector)
                for one, vector in rows
            ),
        )
        if self._puts % MAKES_ROOM == 0:
            self.db.run("sayings.trim", project_id=project_id, keep=KEPT)
        self._puts += 1

    def near(
        self, project_id: str, model: str, vectors: Sequence[bytes], besides: str, least: float
    ) -> list[NearSayings]:
        """For each vector what other sessions of a project said that is near it, oldest first."""
        found = self._vectors(project_id, model).near(vectors, least) if vectors else []
        latest = [pairs[-NEAR:] for pairs in found]
        asked = sorted({number for pairs in latest for number, _ in pairs})
        rows = self.db.each("sayings.of_numbers", numbers=msgspec.json.encode(asked).decode(), besides=besides)
        said = {number: Occasion(*row) for number, *row in rows} if asked else {}
        return [
            NearSayings([(said[number], cosine) for number, cosine in some if number in said], len(pairs) - len(some))
            for pairs, some in zip(found, latest, strict=True)
        ]

    def _vectors(self, project_id: str, model: str) -> SayingVectors:
        """The vectors of a project, up to date; those of a few projects stay."""
        from nous.stores.saying_vectors import SayingVectors  # whoever says nothing does not pay for it

        mine = self._held.pop((project_id, model), None) or SayingVectors(self.db, project_id, model)
        if len(self._held) >= PROJECTS:
            self._held.pop(next(iter(self._held)))
        self._held[project_id, model] = mine
        mine.refresh(KEPT)
        return mine

    def records_with(self, project_id: str, keys: Collection[str], besides: str) -> dict[str, set[str]]:
        """The records of other sessions of a project that have a sentence word for word, by sentence."""
        found: dict[str, set[str]] = {}
        asked = msgspec.json.encode(sorted(set(keys))).decode()
        for key, record in self.db.each("sayings.records_with", project_id=project_id, keys=asked, besides=besides):
            found.setdefault(key, set()).add(record)
        return found

    def said_in(self, records: Iterable[str]) -> list[Occasion]:
        """What a person said in some records: no robot's words, no template's, nothing pasted."""
        asked = msgspec.json.encode(sorted(set(records))).decode()
        return [Occasion(*row) for row in self.db.each("sayings.said_in", records=asked)]

    def disown(self, records: Iterable[str]) -> None:
        """What single records say was pasted: it stays, to know the next one by, and is no occasion."""
        for record in records:
            self.db.run("sayings.disown", record=record)

    def forget(self, session_ids: Iterable[str], records: Iterable[str], words: Iterable[str]) -> None:
        """Drop what was said in sessions, in records, or with these words (erasure)."""
        for session_id in session_ids:
            self.db.run("sayings.drop_session", session_id=session_id)
            self.db.run("sayings.drop_observed", session_id=session_id)
        for record in records:
            self.db.run("sayings.drop_record", record=record)
        for word in words:
            self.db.run("sayings.drop_words", pattern=like(word))
