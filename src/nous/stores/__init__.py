"""The stores that a database URL opens, each a class over one `.sql` file (`stores/store.py`).

What an engine must have is one Protocol, `stores/database.py`; one contract suite for each store in `tests/stores` says
what it must do, and runs on both.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from msgspec.structs import replace

from nous.core.decay import UNUSED, Use, since
from nous.core.memory import Memory
from nous.errors import ConfigError
from nous.stores.accesses import Accesses
from nous.stores.briefs import BriefLines, Briefs, ReadSessions
from nous.stores.browse import Browse
from nous.stores.cache import Cache
from nous.stores.circles import Circles
from nous.stores.cursors import Cursors
from nous.stores.database import Database, Row
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
from nous.stores.pruning import Pruning
from nous.stores.queue import Queue
from nous.stores.records import Records
from nous.stores.rejections import Rejections
from nous.stores.reviews import Reviews
from nous.stores.sayings import Sayings
from nous.stores.sequences import Sequences
from nous.stores.tidyings import Tidyings
from nous.stores.tokens import AccessTokens
from nous.stores.transcripts import Projects, Transcripts
from nous.stores.vectors import Vectors
from nous.stores.verdicts import Verdicts


class Stores:
    """Every store over one database connection."""

    def __init__(self, db: Database):
        self.db = db
        self.events = Events(db)
        self.devices = Devices(db, self.events)
        self.circles = Circles(db)
        self.memories = Memories(db, self.circles)
        self.entities = Entities(db)
        self.graph = Graph(db)
        self.embeddings = EmbeddingQueue(db)
        self.sequences = Sequences(db, self.embeddings)
        self.vectors = Vectors(db, self.embeddings)
        self.cache = Cache(db)
        self.browse = Browse(db, self.circles)
        self.cursors = Cursors(db)
        self.queue = Queue(db, self.cursors)
        self.records = Records(db)
        self.extractions = Extractions(db)
        self.files = Files(db)
        self.transcripts = Transcripts(db)
        self.exchanges = Exchanges(db)
        self.projects = Projects(db)
        self.injections = Injections(db)
        self.near_misses = NearMisses(db)
        self.rejections = Rejections(db)
        self.accesses = Accesses(db)
        self.reviews = Reviews(db)
        self.outcomes = Outcomes(db)
        self.erasures = Erasures(db)
        self.ledger = Ledger(db)
        self.pruning = Pruning(db)
        self.verdicts = Verdicts(db)
        self.sayings = Sayings(db)
        self.observations = Observations(db)
        self.mining = Mining(db)
        self.briefs = Briefs(db)
        self.brief_lines = BriefLines(db)
        self.read_sessions = ReadSessions(db)
        self.tidyings = Tidyings(db)
        self.tokens = AccessTokens(db)
        self.sealed = SealedEvents(db)

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


__all__ = [
    "Cache",
    "Events",
    "Graph",
    "Memories",
    "Queue",
    "Row",
    "Stores",
    "Vectors",
    "open_on_full_disk",
    "open_stores",
]
