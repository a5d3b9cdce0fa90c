"""What the last tidying of each project left: groups of memories, and the project's page. A read model of the log."""

from __future__ import annotations

import msgspec

from nous.kernel.db.store import Store
from nous.kernel.log.events import MemoryGroup, PageSection, ProjectTidied, Recorded

_groups = msgspec.json.Decoder(tuple[MemoryGroup, ...])
_page = msgspec.json.Decoder(tuple[PageSection, ...])


class StoredTidying(msgspec.Struct, frozen=True):
    """A project's groups and page: of which moment, who wrote them, how many memories there were, in which event."""

    at: str
    reader: str
    groups: tuple[MemoryGroup, ...]
    page: tuple[PageSection, ...]
    memories: int
    version: int


class Tidyings(Store, group="tidyings"):
    """The latest tidying of each project."""

    def put(self, event: Recorded, said: ProjectTidied) -> None:
        """Keep what a tidying left."""
        self.db.run(
            "tidyings.put",
            learning_id=event.learning_id,
            project_id=event.project_id,
            at=event.transaction_time,
            reader=said.reader,
            groups=msgspec.json.encode(said.groups).decode(),
            page=msgspec.json.encode(said.page).decode(),
            memories=said.memories,
            version=event.event_id,
        )

    def drop(self, learning_id: str) -> None: ...
    def clear(self) -> None: ...

    def of_project(self, project_id: str) -> StoredTidying | None:
        """What the last tidying of a project left; None when it was never tidied."""
        row = self.db.one("tidyings.of_project", project_id=project_id)
        if row is None:
            return None
        groups, page = _groups.decode(row["groups"]), _page.decode(row["page"])
        return StoredTidying(row["at"], row["reader"], groups, page, row["memories"], row["version"])
