"""Looking through everything that is stored, page by page; and who asked for what to be written."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import msgspec

from nous.kernel.circles import Circles
from nous.kernel.db.database import Database, Row, like
from nous.kernel.db.store import Store
from nous.kernel.viewer import OWNER_VIEW, Viewer

if TYPE_CHECKING:
    from nous.kernel.capture.transcript import Turn

NEWEST = 2**62  # no event has a higher number


class Browse(Store):
    """Reads pages: a place in an order, and what follows it."""

    def __init__(self, db: Database, circles: Circles):
        self.db = db
        self.circles = circles

    def memories(
        self,
        filters: Row,
        *,
        sort: str,
        limit: int,
        cursor: tuple[float, int] | None,
        as_of: int | None,
        viewer: Viewer = OWNER_VIEW,
    ) -> list[tuple[int, float]]:
        """Numbers of memories that pass every filter, each with its place in the order."""
        rank, number = cursor or (None, None)
        asked = self._passing(filters, viewer) | {"limit": limit, "cursor_id": number}
        if as_of is not None:
            rows = self.db.each("browse.sorted_as_of", **asked, sort=sort, cursor_rank=rank, event_id=as_of)
        elif sort == "newest":
            rows = self.db.each("browse.newest", **asked)
        else:
            rows = self.db.each("browse.sorted", **asked, sort=sort, cursor_rank=rank)
        return [(number, rank) for number, rank in rows]

    def count(self, filters: Row, as_of: int | None, viewer: Viewer = OWNER_VIEW) -> int:
        """How many memories pass every filter."""
        asked = self._passing(filters, viewer)
        if as_of is None:
            row = self.db.one("browse.count", **asked)
        else:
            row = self.db.one("browse.count_as_of", **asked, event_id=as_of)
        return row["memories"] if row else 0

    def _passing(self, filters: Row, viewer: Viewer) -> Row:
        """Filters as the statements take them: those that are missing let everything pass."""
        asked: Row = dict.fromkeys(FILTERS) | filters
        asked["words"] = like(asked["words"]) if asked["words"] else None
        asked["file_end"] = like("/" + asked["file"])[:-1] if asked["file"] else None
        asked["module"] = like(asked["module"].rstrip("/") + "/")[1:] if asked["module"] else None
        asked["circles"] = _json(self.circles.of_project(asked["project_id"], viewer))
        asked["places"] = None if viewer.places is None else _json(viewer.places)
        return asked

    def log(self, **asked: Any) -> list[int]:
        """Numbers of events, newest first."""
        return [number for (number,) in self.db.each("browse.log", **asked)]

    def days(self, project_id: str | None, as_of: int | None = None) -> list[Row]:
        """What happened on each day: events, learned, ended."""
        return self.db.all("browse.days", project_id=project_id, event_id=NEWEST if as_of is None else as_of)

    def days_true(self, project_id: str | None, as_of: int | None = None) -> list[Row]:
        """On how many memories each day was the first or the last that they held."""
        return self.db.all("browse.days_true", project_id=project_id, event_id=NEWEST if as_of is None else as_of)

    def turned(self, project_id: str | None, earlier: str, later: str) -> list[tuple[int, bool]]:
        """Numbers of the memories that began (True) or ceased to hold between two moments."""
        rows = self.db.each("browse.turned", project_id=project_id, earlier=earlier, later=later)
        return [(number, bool(holds)) for number, holds in rows]

    def sessions(
        self, project_id: str | None, limit: int, cursor: tuple[str, str] | None, until: str | None
    ) -> list[Row]:
        """Sessions, the latest first, with how much is kept, learned and shown of each."""
        at, number = cursor or (None, None)
        return self.db.all(
            "browse.sessions", project_id=project_id, limit=limit, cursor_at=at, cursor_id=number, until=until
        )

    def session_counts(self) -> dict[str, int]: ...

    def turns(self, session_id: str, start: int, limit: int, talk: frozenset[str] | None) -> tuple[list[Turn], int]:
        """What was said from a turn on, and where to go on; only the pieces that are needed are unpacked."""
        found: list[Turn] = []
        at = 0
        for row in self.db.all("browse.chunks", session_id=session_id):
            if at + row["turns"] <= start:
                at += row["turns"]
                continue
            for turn in self._chunk(row["chunk_id"]):
                if at >= start and not turn.inherited and (talk is None or turn.kind in talk):
                    if len(found) == limit:
                        return found, at
                    found.append(turn)
                at += 1
        return found, -1

    def title(self, session_id: str) -> str:
        """What a session was first asked, as far as one line goes; nothing when that is not kept."""
        for row in self.db.all("browse.chunks", session_id=session_id)[:1]:
            asked = (turn.text for turn in self._chunk(row["chunk_id"]) if turn.kind == "prompt" and turn.text.strip())
            return textwrap.shorten(next(asked, ""), 160, placeholder=" …")
        return ""

    def _chunk(self, chunk_id: int) -> list[Turn]:
        from nous.kernel.capture.transcripts import unpack_turns  # it loads what reads and redacts transcripts

        row = self.db.one("transcripts.chunk", chunk_id=chunk_id)
        return unpack_turns(row["data"]) if row else []

    def ties(self, project_id: str) -> dict[str, int]: ...
    def alone(self, project_id: str) -> int: ...
    def list_answered(self) -> list[Row]: ...

    # who asked for what
    def request(self, client_id: str, key: str) -> Row | None: ...

    def note_request(self, **row: Any) -> None:
        """Keep who asked for a write, and which events came of it."""
        self.db.run("browse.said_request", **row)


def _json(values: list[str]) -> str:
    return msgspec.json.encode(values).decode()


FILTERS = (
    "project_id",
    "status",
    "types",
    "scope",
    "branch",
    "session",
    "pinned",
    "tainted",
    "after",
    "before",
    "min_confidence",
    "max_confidence",
    "as_at",
    "words",
    "confirmed",
    "disputed",
    "tag",
    "entity",
    "file",
    "module",
)
