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
from nous.kernel.feature import resolve
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

SERVER = "nous.teams.postgres.engine:Postgres"  # the engine of a server's database


class _Home:
    """Where a store stands; its module is loaded, and the store made, when it is asked for first."""

    def __init__(self, module: str):
        self.module = module

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, stores: Stores, owner: type) -> Any:
        """The store; what its class takes beside the database are other stores."""
        make = getattr(import_module(f"nous.{self.module}"), Stores.__annotations__[self.name])
        taken, usual = make.__init__.__code__, make.__init__.__defaults__ or ()
        below = (getattr(stores, one) for one in taken.co_varnames[2 : taken.co_argcount - len(usual)])
        return stores.__dict__.setdefault(self.name, make(stores.db, *below))


def _at(module: str) -> Any:
    return _Home(module)


class Stores:
    """Every store over one database connection, each made when it is asked for first."""

    events: Events = _at("kernel.log.event_store")
    devices: Devices = _at("kernel.log.device_events")
    circles: Circles = _at("kernel.circles")
    memories: Memories = _at("kernel.memory.memories")
    entities: Entities = _at("features.entities.store")
    graph: Graph = _at("kernel.memory.graph")
    embeddings: EmbeddingQueue = _at("kernel.recall.embeddings")
    sequences: Sequences = _at("kernel.memory.sequences")
    vectors: Vectors = _at("kernel.recall.vectors")
    cache: Cache = _at("kernel.memory.packet_cache")
    browse: Browse = _at("kernel.memory.browse")
    cursors: Cursors = _at("kernel.capture.cursors")
    queue: Queue = _at("kernel.capture.queue")
    records: Records = _at("kernel.capture.records")
    extractions: Extractions = _at("kernel.learn.extractions")
    files: Files = _at("kernel.capture.files")
    transcripts: Transcripts = _at("kernel.capture.transcripts")
    exchanges: Exchanges = _at("features.exchanges.store")
    projects: Projects = _at("kernel.project_names")
    injections: Injections = _at("kernel.learn.injections")
    rejections: Rejections = _at("kernel.learn.rejections")
    accesses: Accesses = _at("kernel.memory.accesses")
    reviews: Reviews = _at("features.review.store")
    outcomes: Outcomes = _at("kernel.learn.outcomes")
    erasures: Erasures = _at("features.erasure.store")
    ledger: Ledger = _at("providers.ledger")
    pruning: Pruning = _at("kernel.db.pruning")
    verdicts: Verdicts = _at("kernel.learn.verdicts")
    sayings: ObservedSessions = _at("features.signals.observed_sessions")
    observations: Observations = _at("features.signals.store")
    briefs: Briefs = _at("features.brief.store")
    brief_lines: BriefLines = _at("features.brief.store")
    read_sessions: ReadSessions = _at("features.brief.store")
    tidyings: Tidyings = _at("features.tidy.store")
    tokens: AccessTokens = _at("teams.token_store")
    sealed: SealedEvents = _at("teams.hub_store")

    def __init__(self, db: Database):
        self.db = db

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
        return Stores(resolve(SERVER)(url, readonly=readonly, tenant=tenant))
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
