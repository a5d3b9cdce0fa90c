"""The stores that a database URL opens, each a class over one `.sql` file (`kernel/db/store.py`).

What an engine must have is one Protocol, `kernel/db/database.py`; one contract suite for each store in
`tests/contract` says what it must do, and runs on both.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from nous.errors import ConfigError
from nous.kernel.db.database import Database, Row
from nous.kernel.memory.decay import UNUSED, Use, since
from nous.kernel.memory.memory import Memory

if TYPE_CHECKING:
    from nous.features.brief.store import BriefLines, Briefs, ReadSessions
    from nous.features.entities.store import Entities
    from nous.features.erasure.store import Erasures
    from nous.features.exchanges.store import Exchanges
    from nous.features.review.store import Reviews
    from nous.features.signals.observed_sessions import ObservedSessions
    from nous.features.signals.store import Observations
    from nous.features.tidy.store import Tidyings
    from nous.kernel.capture.cursors import Cursors
    from nous.kernel.capture.files import Files
    from nous.kernel.capture.queue import Queue
    from nous.kernel.capture.records import Records
    from nous.kernel.capture.transcripts import Transcripts
    from nous.kernel.circles import Circles
    from nous.kernel.db.pruning import Pruning
    from nous.kernel.learn.extractions import Extractions
    from nous.kernel.learn.injections import Injections
    from nous.kernel.learn.near_misses import NearMisses
    from nous.kernel.learn.outcomes import Outcomes
    from nous.kernel.learn.rejections import Rejections
    from nous.kernel.learn.verdicts import Verdicts
    from nous.kernel.log.device_events import Devices
    from nous.kernel.log.event_store import Events
    from nous.kernel.memory.accesses import Accesses
    from nous.kernel.memory.browse import Browse
    from nous.kernel.memory.graph import Graph
    from nous.kernel.memory.memories import Memories
    from nous.kernel.memory.packet_cache import Cache
    from nous.kernel.memory.sequences import Sequences
    from nous.kernel.project_names import Projects
    from nous.kernel.recall.embeddings import EmbeddingQueue
    from nous.kernel.recall.vectors import Vectors
    from nous.providers.ledger import Ledger
    from nous.teams.hub_store import SealedEvents
    from nous.teams.token_store import AccessTokens

# Where each store stands. Those of features are named here only: no feature is loaded before its store is asked for.
HOMES = {
    "events": "kernel.log.event_store",
    "devices": "kernel.log.device_events",
    "circles": "kernel.circles",
    "memories": "kernel.memory.memories",
    "entities": "features.entities.store",
    "graph": "kernel.memory.graph",
    "embeddings": "kernel.recall.embeddings",
    "sequences": "kernel.memory.sequences",
    "vectors": "kernel.recall.vectors",
    "cache": "kernel.memory.packet_cache",
    "browse": "kernel.memory.browse",
    "cursors": "kernel.capture.cursors",
    "queue": "kernel.capture.queue",
    "records": "kernel.capture.records",
    "extractions": "kernel.learn.extractions",
    "files": "kernel.capture.files",
    "transcripts": "kernel.capture.transcripts",
    "exchanges": "features.exchanges.store",
    "projects": "kernel.project_names",
    "injections": "kernel.learn.injections",
    "near_misses": "kernel.learn.near_misses",
    "rejections": "kernel.learn.rejections",
    "accesses": "kernel.memory.accesses",
    "reviews": "features.review.store",
    "outcomes": "kernel.learn.outcomes",
    "erasures": "features.erasure.store",
    "ledger": "providers.ledger",
    "pruning": "kernel.db.pruning",
    "verdicts": "kernel.learn.verdicts",
    "sayings": "features.signals.observed_sessions",
    "observations": "features.signals.store",
    "briefs": "features.brief.store",
    "brief_lines": "features.brief.store",
    "read_sessions": "features.brief.store",
    "tidyings": "features.tidy.store",
    "tokens": "teams.token_store",
    "sealed": "teams.hub_store",
}


class Stores:
    """Every store over one database connection, each made when it is asked for first."""

    events: Events
    devices: Devices
    circles: Circles
    memories: Memories
    entities: Entities
    graph: Graph
    embeddings: EmbeddingQueue
    sequences: Sequences
    vectors: Vectors
    cache: Cache
    browse: Browse
    cursors: Cursors
    queue: Queue
    records: Records
    extractions: Extractions
    files: Files
    transcripts: Transcripts
    exchanges: Exchanges
    projects: Projects
    injections: Injections
    near_misses: NearMisses
    rejections: Rejections
    accesses: Accesses
    reviews: Reviews
    outcomes: Outcomes
    erasures: Erasures
    ledger: Ledger
    pruning: Pruning
    verdicts: Verdicts
    sayings: ObservedSessions
    observations: Observations
    briefs: Briefs
    brief_lines: BriefLines
    read_sessions: ReadSessions
    tidyings: Tidyings
    tokens: AccessTokens
    sealed: SealedEvents

    def __init__(self, db: Database):
        self.db = db

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A store, from the module of its name; what its class takes beside the database are other stores."""
            if name not in Stores.__annotations__:
                raise AttributeError(name)
            make = getattr(import_module(f"nous.{HOMES[name]}"), Stores.__annotations__[name])
            taken, usual = make.__init__.__code__, make.__init__.__defaults__ or ()
            below = (getattr(self, one) for one in taken.co_varnames[2 : taken.co_argcount - len(usual)])
            return self.__dict__.setdefault(name, make(self.db, *below))

    def uses(self, memories: Iterable[Memory], project_id: str | None = None) -> dict[int, Use]:
        """How memories were used, how much hangs on them, and how many sessions came after them.

        Sessions of one project are counted, or of each memory's own: what holds everywhere ages where it is asked for.
        Those of which nothing is known are missing.
        """
        memories = list(memories)
        chosen = {memory.learning_id: memory.id for memory in memories}
        known = self.accesses.of(chosen.values())
        for name, central in self.graph.centralities(list(chosen)).items():
            known[chosen[name]] = replace(known.get(chosen[name], UNUSED), centrality=central)
        homes = {project_id} if project_id else {one.project_id for one in memories}
        begun = {home: self.transcripts.latest_begun(home) for home in homes}
        for memory in memories:
            use = known.get(memory.id, UNUSED)
            starts = begun[project_id or memory.project_id]
            if newer := len(starts) - bisect_right(starts, since(memory, use)):
                known[memory.id] = replace(use, newer=newer)
        return known

    def forget(self, memory_id: int) -> None:
        """Drop what was kept about a memory beside the read models, after it was erased."""
        self.injections.forget(memory_id)
        self.accesses.forget(memory_id)
        self.outcomes.forget(memory_id)
        self.vectors.drop(memory_id)

    def close(self) -> None:
        """Let go of the database."""
        self.db.close()


def open_stores(url: str, *, readonly: bool = False, tenant: str | None = None) -> Stores:
    """The stores that a URL names: `sqlite:///path`, or just the path (`:memory:` for one that vanishes).

    `postgresql://user@host/database?tenant=acme` names a server, and whose rows there.
    """
    scheme, mark, rest = url.partition("://")
    if not mark:
        scheme, rest = "sqlite", url
    if scheme in ("postgres", "postgresql"):
        from nous.teams.postgres.engine import Postgres

        return Stores(Postgres(url, readonly=readonly, tenant=tenant))
    if scheme != "sqlite":
        raise ConfigError(f"there is no store for {scheme}://", hint="say a file: sqlite:///path/to/cortex.db")
    from nous.kernel.db.sqlite import Sqlite

    return Stores(Sqlite(_file(rest) if mark else rest, readonly=readonly))


def open_on_full_disk(url: str) -> Stores | None:
    """The stores of a file to read from, where its disk is full; None where that is not what is wrong."""
    from nous.kernel.db import sqlite

    found = None if "://" in url else sqlite.open_on_full_disk(url)
    return Stores(found) if found else None


def _file(rest: str) -> str:
    """The path in `sqlite:///relative`, `sqlite:////absolute` or `sqlite://` (one that vanishes)."""
    if rest and not rest.startswith("/"):
        raise ConfigError(f"sqlite://{rest} names a host", hint="a file has three slashes: sqlite:///path/to/cortex.db")
    return rest[1:] or ":memory:"


__all__ = ["Row", "Stores", "open_on_full_disk", "open_stores"]
