"""What erasing means beyond the log and its read models: the queue, the cache, and traces that wait to be wiped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from nous.stores.database import Database, Row
from nous.stores.transcripts import unpack


class Erasures:
    """Finds and removes text outside the log, and remembers which erasures are not finished."""

    def __init__(self, db: Database):
        self.db = db

    def begin(self, last_event_id: int, now: str) -> int:
        """Note, in the transaction that erases, that traces have to be wiped; the number of the note."""
        row = self.db.one("erasures.begin", last_event_id=last_event_id, now=now)
        assert row is not None
        number: int = row["erasure_id"]
        return number

    def unfinished(self) -> list[Row]:
        """Erasures whose traces may still be there."""
        return self.db.all("erasures.unfinished")

    def finish(self, now: str) -> None:
        """Every trace is gone."""
        self.db.run("erasures.finish", now=now)

    # the queue
    def of_session(self, session_id: str) -> list[int]:
        """Queue items of a session that hold text."""
        return [number for (number,) in self.db.each("erasures.items_of_session", session_id=session_id)]

    def of_project(self, project_id: str) -> list[int]:
        """Queue items of a project that hold text."""
        return [number for (number,) in self.db.each("erasures.items_of_project", project_id=project_id)]

    def texts(self) -> list[tuple[int, str]]:
        """Every queue item that holds text, with its payload."""
        return [(number, payload) for number, payload in self.db.each("erasures.texts")]

    def kept(self) -> Iterator[str]:
        """What every chunk of the kept transcripts says, as JSON."""
        for _, data in self.db.each("transcripts.every_chunk"):
            yield unpack(data).decode()

    def rewrite(self, items: Iterable[tuple[int, str]]) -> None:
        """Give queue items another payload; what an error message quoted goes too."""
        self.db.many("erasures.rewrite", ((payload, number) for number, payload in items))

    def drop_quarantine(self, items: Iterable[int]) -> int:
        """Forget lines that were put aside in the files of these queue items; how many."""
        return self.db.run("erasures.drop_quarantine", ids=msgspec.json.encode(list(items)).decode())

    # what was made of it
    def drop_parts(self, session_ids: Iterable[str]) -> None:
        """Forget the part that sessions had in experiments."""
        for session_id in session_ids:
            self.db.run("erasures.drop_part", session_id=session_id)
