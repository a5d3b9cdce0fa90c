"""What storage means: the Protocols, and the stores that a database URL opens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from nous.core.events import Event, Recorded
from nous.core.memory import Memory
from nous.stores.cache import Cache
from nous.stores.database import Database, Row
from nous.stores.events import Events
from nous.stores.graph import EdgeRow, Graph
from nous.stores.memories import Memories
from nous.stores.queue import Artifact, Item, Queue


class EventStore(Protocol):
    """The append-only log."""

    def append(self, events: Sequence[Event], now: str) -> list[int | None]: ...
    def replay(self, after: int = 0, limit: int = 5000) -> Iterator[list[Recorded]]: ...
    def get(self, event_id: int) -> Recorded | None: ...
    def as_of(self, moment: str) -> int: ...


class ProjectionStore(Protocol):
    """Memories as they are now and as they were."""

    def save(self, memories: Iterable[Memory]) -> None: ...
    def get(self, memory_id: int) -> Memory | None: ...
    def by_id(self, ids: Sequence[int], as_of: int | None = None) -> list[Memory]: ...
    def search_text(self, query: str, limit: int) -> list[tuple[int, float]]: ...


class GraphStore(Protocol):
    """Relations between learnings."""

    def put(self, edges: Iterable[EdgeRow]) -> None: ...
    def traverse(self, learning_ids: Sequence[str], depth: int = 2) -> dict[str, float]: ...


class CacheStore(Protocol):
    """Packets that wait for a session."""

    def get(self, context_key: str) -> str | None: ...
    def put(self, context_key: str, project_id: str, branch: str, packet: str, version: int, now: str) -> None: ...
    def drop_project(self, project_id: str) -> None: ...


class IngestQueueStore(Protocol):
    """The durable queue between capture and learning."""

    def enqueue(self, artifact: Artifact, now: str) -> int | None: ...
    def claim(self, worker: str, now: str, lease_seconds: float = 60.0) -> Item | None: ...
    def ack(self, item: Item, worker: str, now: str) -> bool: ...
    def fail(self, ingest_id: int, worker: str, error: str, now: str, retries: int, max_attempts: int) -> None: ...


class Stores:
    """Every store over one database connection."""

    def __init__(self, db: Database):
        self.db = db
        self.events = Events(db)
        self.memories = Memories(db)
        self.graph = Graph(db)
        self.cache = Cache(db)
        self.queue = Queue(db)

    def close(self) -> None:
        """Let go of the database."""
        self.db.close()


def open_stores(path: str, *, readonly: bool = False) -> Stores:
    """The stores in a SQLite file (`:memory:` for one that vanishes)."""
    from nous.stores.sqlite import Sqlite

    return Stores(Sqlite(path, readonly=readonly))


__all__ = [
    "CacheStore",
    "EventStore",
    "GraphStore",
    "IngestQueueStore",
    "ProjectionStore",
    "Row",
    "Stores",
    "open_stores",
]
