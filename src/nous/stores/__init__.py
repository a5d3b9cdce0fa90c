"""The stores that a database URL opens, each a class over one `.sql` file (`stores/store.py`).

What an engine must have is one Protocol, `stores/database.py`; one contract suite for each store in `tests/stores` says
what it must do, and runs on both.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from nous.core.decay import UNUSED, Use, since
from nous.core.memory import Memory
from nous.errors import ConfigError
from nous.stores.database import Database, Row

if TYPE_CHECKING:
    from nous.stores.accesses import Accesses
    from nous.stores.briefs import BriefLines, Briefs, ReadSessions
    from nous.stores.browse import Browse
    from nous.stores.cache import Cache
    from nous.stores.circles import Circles
    from nous.stores.cursors import Cursors
    from nous.stores.devices import Devices
    from nous.stores.embeddings import EmbeddingQueue
    from nous.stores.entities import Entities
    from nous.stores.erasures import Erasures
    from nous.stores.events import Events
    from nous.stores.exchanges import Exchanges
    from nous.stores.extractions import Extractions
    from nous.stores.files import Files
    from nous.stores.graph import Graph
    from nous.stores.hub import SealedEvents
    from nous.stores.injections import Injections
    from nous.stores.ledger import Ledger
    from nous.stores.memories import Memories
    from nous.stores.mining import Mining
    from nous.stores.near_misses import NearMisses
    from nous.stores.observations import Observations
    from nous.stores.outcomes import Outcomes
    from nous.stores.projects import Projects
    from nous.stores.pruning import Pruning
    from nous.stores.queue import Queue
    from nous.stores.records import Records
    from nous.stores.rejections import Rejections
    from nous.stores.reviews import Reviews
    from nous.stores.sayings import Sayings
    from nous.stores.sequences import Sequences
    from nous.stores.tidyings import Tidyings
    from nous.stores.tokens import AccessTokens
    from nous.stores.transcripts import Transcripts
    from nous.stores.vectors import Vectors
    from nous.stores.verdicts import Verdicts

# Stores that live in another module than that of their name.
ELSEWHERE = {"brief_lines": "briefs", "read_sessions": "briefs", "sealed": "hub"}


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
    sayings: Sayings
    observations: Observations
    mining: Mining
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
            make = getattr(import_module(f"nous.stores.{ELSEWHERE.get(name, name)}"), Stores.__annotations__[name])
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
        from nous.stores.postgres import Postgres

        return Stores(Postgres(url, readonly=readonly, tenant=tenant))
    if scheme != "sqlite":
        raise ConfigError(f"there is no store for {scheme}://", hint="say a file: sqlite:///path/to/cortex.db")
    from nous.stores.sqlite import Sqlite

    return Stores(Sqlite(_file(rest) if mark else rest, readonly=readonly))


def open_on_full_disk(url: str) -> Stores | None:
    """The stores of a file to read from, where its disk is full; None where that is not what is wrong."""
    from nous.stores import sqlite

    found = None if "://" in url else sqlite.open_on_full_disk(url)
    return Stores(found) if found else None


def _file(rest: str) -> str:
    """The path in `sqlite:///relative`, `sqlite:////absolute` or `sqlite://` (one that vanishes)."""
    if rest and not rest.startswith("/"):
        raise ConfigError(f"sqlite://{rest} names a host", hint="a file has three slashes: sqlite:///path/to/cortex.db")
    return rest[1:] or ":memory:"


__all__ = ["Row", "Stores", "open_on_full_disk", "open_stores"]
