"""What readers made of sessions, and the brief of each project: read models of the log."""

from __future__ import annotations

from typing import Literal

import msgspec

from nous.kernel.db.database import Row
from nous.kernel.db.store import Store
from nous.kernel.log.events import BriefLine, BriefWritten, EstablishedCause, NamedThing, Recorded, SessionRead

_lines = msgspec.json.Decoder(tuple[BriefLine, ...])
LineState = Literal["", "kept", "pinned", "dropped"]
_things = msgspec.json.Decoder(tuple[NamedThing, ...])
_causes = msgspec.json.Decoder(tuple[EstablishedCause, ...])


class StoredBrief(msgspec.Struct, frozen=True):
    """A project's brief: of which moment, who wrote it, its lines, and the event it stands in."""

    at: str
    reader: str
    lines: tuple[BriefLine, ...]
    version: int


class Briefs(Store, group="briefs"):
    """The brief that each reading left; the one of a project's latest session counts."""

    def put(self, event: Recorded, said: BriefWritten) -> None:
        """Keep the brief that the reading of a session left."""
        lines = msgspec.json.encode(said.lines).decode()
        self.db.run("briefs.put", **_columns(event), reader=said.reader, lines=lines)

    def drop(self, learning_id: str) -> None: ...

    def of_project(self, project_id: str, until: str | None = None) -> StoredBrief | None:
        """A project's brief as the reading of its latest session wrote it, or of the latest one until then."""
        row = self.db.one("briefs.of_project", project_id=project_id, until=until)
        return StoredBrief(row["at"], row["reader"], _lines.decode(row["lines"]), row["version"]) if row else None

    def clear(self) -> None: ...


class DecidedLine(msgspec.Struct, frozen=True):
    """What a person decided about a line of a project's brief.

    `text` and `sources` are the line as it was first seen, `beside` the texts of other lines that rested on the same
    memories, `words` what it says instead, `place` where it stands (0: wherever a reader puts it), `at` when it was
    last decided whether it stays. A line that was only placed has no state.
    """

    learning_id: str
    project_id: str
    text: str
    sources: tuple[str, ...]
    beside: tuple[str, ...] = ()
    words: str = ""
    state: LineState = ""
    place: int = 0
    at: str = ""
    version: int = 0

    @property
    def shown(self) -> str:
        """What the line says now."""
        return self.words or self.text


class BriefLines(Store, group="brief_lines"):
    """What people decided about the lines of briefs."""

    def put(self, line: DecidedLine) -> None: ...
    def drop(self, learning_id: str) -> None: ...
    def clear(self) -> None: ...
    def of_project(self, project_id: str) -> list[DecidedLine]: ...


class ReadSessions(Store, group="read_sessions"):
    """What each session was about, in the words of the model that read it last."""

    def put(self, event: Recorded, said: SessionRead) -> None:
        """Keep what a reader made of a session."""
        self.db.run(
            "read_sessions.put_row",
            **_columns(event),
            reader=said.reader,
            title=said.title,
            summary=said.summary,
            outcome=said.outcome,
            open=msgspec.json.encode(said.open).decode(),
            done=msgspec.json.encode(said.done).decode(),
            topics=msgspec.json.encode(said.topics).decode(),
            things=msgspec.json.encode(said.things).decode(),
            causes=msgspec.json.encode(said.causes).decode(),
        )

    def drop(self, learning_id: str) -> None: ...
    def clear(self) -> None: ...

    def get(self, session_id: str) -> Row | None:
        """What a session was about, if a model read it."""
        return _row(self.db.one("read_sessions.of_session", session_id=session_id))

    def things(self, project_id: str) -> list[NamedThing]:
        """The named things of a project's readings, as the latest session said it first."""
        rows = self.db.each("read_sessions.things", project_id=project_id)
        return [one for (things,) in rows for one in _things.decode(things)]

    def causes(self, session_id: str) -> tuple[EstablishedCause, ...]:
        """What the reading of a session established as the cause of what."""
        row = self.db.one("read_sessions.of_session", session_id=session_id)
        return _causes.decode(row["causes"]) if row else ()

    def of_project(self, project_id: str, limit: int = 50) -> list[Row]:
        """The sessions of a project that a model read, the latest first."""
        rows = self.db.all("read_sessions.of_project", project_id=project_id, limit=limit)
        return [found for row in rows if (found := _row(row))]


def _columns(event: Recorded) -> dict[str, str | int]:
    """What both rows have of the event they are made from."""
    return {
        "learning_id": event.learning_id,
        "session_id": event.session_id,
        "project_id": event.project_id,
        "at": event.valid_from or event.transaction_time,
        "version": event.event_id,
    }


def _row(row: Row | None) -> Row | None:
    if row is None:
        return None
    lists = {name: msgspec.json.decode(row[name]) for name in ("open", "done", "topics", "things", "causes")}
    closed = {name.rpartition("!")[2] for name in lists["done"] if name.startswith(f"{row['session_id']}!")}
    left = [text for nth, text in enumerate(lists["open"]) if str(nth) not in closed]
    return {**row, **lists, "left": left}
