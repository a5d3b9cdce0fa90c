"""What storage means: seven Protocols on one page, and the stores that a database URL opens.

Callers ask for the narrow one they use. One contract suite per Protocol in `tests/stores` says what an engine must do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from msgspec.structs import replace

from nous.core.decay import UNUSED, Use
from nous.core.events import Event, Recorded
from nous.core.memory import Memory
from nous.errors import ConfigError
from nous.stores.accesses import Accesses
from nous.stores.cache import Cache
from nous.stores.database import Database, Row
from nous.stores.erasures import Erasures
from nous.stores.events import Events
from nous.stores.exchange import Exchange
from nous.stores.graph import EdgeRow, Graph
from nous.stores.injections import Injections
from nous.stores.interventions import Candidate, CandidateState, Intervention, Interventions
from nous.stores.ledger import Ledger
from nous.stores.memories import Memories
from nous.stores.near_misses import NearMisses
from nous.stores.outcomes import Outcomes
from nous.stores.queue import Artifact, Files, Item, Queue
from nous.stores.rejections import Rejections
from nous.stores.reviews import Reviews
from nous.stores.transcripts import Projects, Transcripts
from nous.stores.vectors import Vectors
from nous.stores.verdicts import Verdicts


class EventStore(Protocol):
    """The append-only log: numbered, chained by hashes, each idempotency key once."""

    def append(self, events: Sequence[Event], now: str) -> list[int | None]: ...
    def replay(self, after: int = 0, limit: int = 5000) -> Iterator[list[Recorded]]: ...
    def get(self, event_id: int) -> Recorded | None: ...
    def of_learning(self, learning_id: str) -> list[Recorded]: ...
    def as_of(self, moment: str) -> int: ...
    def known_to(self, session_id: str) -> dict[str, int]: ...


class ProjectionStore(Protocol):
    """Memories as they are now and as they were after any event."""

    def save(self, memories: Iterable[Memory]) -> None: ...
    def keep_history(self, old: Iterable[tuple[Memory, int]]) -> None: ...
    def get(self, memory_id: int) -> Memory | None: ...
    def by_id(self, ids: Sequence[int], as_of: int | None = None) -> list[Memory]: ...
    def search_text(self, query: str, limit: int, as_of: int | None = None) -> list[tuple[int, float]]: ...
    def checkpoint(self, projector: str) -> int: ...


class VectorStore(Protocol):
    """Embeddings of memories; those of different models are never compared."""

    def model(self, name: str, dims: int) -> int: ...
    def put(self, model_id: int, rows: Iterable[tuple[int, int, bytes]]) -> None: ...
    def nearest(
        self, model_id: int, vector: bytes, limit: int, project_id: str | None, *, any_status: bool = False
    ) -> list[tuple[int, float]]: ...
    def nearness(self, model_id: int, vector: bytes, memory_ids: Sequence[int]) -> dict[int, float]: ...
    def drop(self, memory_id: int) -> None: ...


class GraphStore(Protocol):
    """Typed, weighted relations between learnings."""

    def put(self, edges: Iterable[EdgeRow]) -> None: ...
    def drop(self, learning_id: str) -> None: ...
    def of(self, learning_id: str) -> list[Row]: ...
    def traverse(self, learning_ids: Sequence[str], depth: int = 2, limit: int = 1000) -> dict[str, float]: ...
    def centrality(self, learning_id: str) -> float: ...


class CacheStore(Protocol):
    """Packets that wait for a session."""

    def get(self, context_key: str) -> str | None: ...
    def put(self, context_key: str, project_id: str, branch: str, packet: str, version: int, now: str) -> None: ...
    def drop_project(self, project_id: str) -> None: ...


class IngestQueueStore(Protocol):
    """The durable queue between capture and learning: leased to one worker at a time, never lost."""

    def enqueue(self, artifact: Artifact, now: str, due: str | None = None) -> int | None: ...
    def claim(self, worker: str, now: str, lease_seconds: float = 60.0) -> Item | None: ...
    def heartbeat(self, ingest_id: int, worker: str, now: str, lease_seconds: float = 60.0) -> bool: ...
    def ack(self, item: Item, worker: str, now: str) -> bool: ...
    def fail(self, ingest_id: int, worker: str, error: str, now: str, retries: int, max_attempts: int) -> None: ...
    def sweep(self, now: str, max_attempts: int = 5) -> int: ...


class InterventionStore(Protocol):
    """What may be said unasked: candidates, and the active ones a policy made of them."""

    def propose(self, candidate: Candidate, now: str) -> bool: ...
    def candidates(self, state: CandidateState = "candidate") -> list[Candidate]: ...
    def decide(self, candidate_id: str, state: CandidateState, now: str) -> bool: ...
    def activate(self, intervention: Intervention, now: str) -> None: ...
    def active(self, session_id: str, project_id: str, now: str, limit: int = 2) -> list[Intervention]: ...
    def expire(self, now: str) -> int: ...


class Stores:
    """Every store over one database connection."""

    def __init__(self, db: Database):
        self.db = db
        self.events = Events(db)
        self.exchange = Exchange(db, self.events)
        self.memories = Memories(db)
        self.graph = Graph(db)
        self.vectors = Vectors(db)
        self.cache = Cache(db)
        self.queue = Queue(db)
        self.files = Files(db)
        self.transcripts = Transcripts(db)
        self.projects = Projects(db)
        self.injections = Injections(db)
        self.interventions = Interventions(db)
        self.near_misses = NearMisses(db)
        self.rejections = Rejections(db)
        self.accesses = Accesses(db)
        self.reviews = Reviews(db)
        self.outcomes = Outcomes(db)
        self.erasures = Erasures(db)
        self.ledger = Ledger(db)
        self.verdicts = Verdicts(db)

    def uses(self, memories: Iterable[Memory]) -> dict[int, Use]:
        """How memories were used and how much hangs on them; those of which neither is known are missing."""
        chosen = {memory.learning_id: memory.id for memory in memories}
        known = self.accesses.of(chosen.values())
        for name, central in self.graph.centralities(list(chosen)).items():
            known[chosen[name]] = replace(known.get(chosen[name], UNUSED), centrality=central)
        return known

    def forget(self, memory_id: int) -> None:
        """Drop what was kept about a memory beside the read models, after it was erased."""
        self.injections.forget(memory_id)
        self.accesses.forget(memory_id)
        self.outcomes.forget(memory_id)
        self.verdicts.forget(memory_id)
        self.vectors.drop(memory_id)

    def close(self) -> None:
        """Let go of the database."""
        self.db.close()


def open_stores(url: str, *, readonly: bool = False) -> Stores:
    """The stores that a URL names: `sqlite:///path`, or just the path (`:memory:` for one that vanishes)."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        scheme, rest = "sqlite", url
    if scheme in ("postgres", "postgresql"):
        raise ConfigError("PostgreSQL cannot hold the memory yet", hint="say a file: sqlite:///path/to/cortex.db")
    if scheme != "sqlite":
        raise ConfigError(f"there is no store for {scheme}://", hint="say a file: sqlite:///path/to/cortex.db")
    from nous.stores.sqlite import Sqlite

    return Stores(Sqlite(_file(rest) if mark else rest, readonly=readonly))


def _file(rest: str) -> str:
    """The path in `sqlite:///relative`, `sqlite:////absolute` or `sqlite://` (one that vanishes)."""
    if rest and not rest.startswith("/"):
        raise ConfigError(f"sqlite://{rest} names a host", hint="a file has three slashes: sqlite:///path/to/cortex.db")
    return rest[1:] or ":memory:"


__all__ = [
    "CacheStore",
    "EventStore",
    "GraphStore",
    "IngestQueueStore",
    "InterventionStore",
    "ProjectionStore",
    "Row",
    "Stores",
    "VectorStore",
    "open_stores",
]
