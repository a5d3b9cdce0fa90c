"""What erasing means beyond the log and its read models: the queue, the cache, and traces that wait to be wiped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nous.kernel.capture.transcripts import unpack
from nous.kernel.db.database import Row
from nous.kernel.db.store import Store


class Erasures(Store, group="erasures"):
    """Finds and removes text outside the log, and remembers which erasures are not finished."""

    def begin(self, last_event_id: int, now: str) -> int:
        """Note, in the transaction that erases, that traces have to be wiped; the number of the note."""
        row = self.db.one("erasures.begin", last_event_id=last_event_id, now=now)
        assert row is not None
        number: int = row["erasure_id"]
        return number

    def list_unfinished(self) -> list[Row]: ...
    def finish(self, now: str) -> None: ...

    # the queue
    def of_session(self, session_id: str) -> list[int]: ...
    def of_project(self, project_id: str) -> list[int]: ...
    def texts(self) -> list[tuple[int, str]]: ...

    def each_kept(self) -> Iterator[str]:
        """What every chunk of the kept transcripts says, as JSON."""
        for _, data in self.db.each("transcripts.every_chunk"):
            yield unpack(data).decode()

    def rewrite(self, items: Iterable[tuple[int, str]]) -> None:
        """Give queue items another payload; what an error message quoted goes too."""
        self.db.many("erasures.rewrite", ((payload, number) for number, payload in items))

    def drop_quarantine(self, items: Iterable[int]) -> int: ...

    # what was made of it
