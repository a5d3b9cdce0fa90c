"""What follows when something was learned, and the read models as a whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from nous.features.brief import surface
from nous.features.brief.packets import warm_all
from nous.features.exchanges.indexing import index_waiting
from nous.features.exchanges.search import embed_exchanges
from nous.features.signals.observe import Observed, observe_due
from nous.identity import Project
from nous.kernel.db import file_copies
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.learn.bisect import is_resource_error, reason
from nous.kernel.learn.reinforce import settle_due, trust_by_use
from nous.kernel.memory import projection
from nous.kernel.memory.projection import Comparison, choose_projectors, compare_with_replay
from nous.kernel.recall.embedding import embed_waiting

if TYPE_CHECKING:
    from nous.app.pipeline import Pipeline
    from nous.kernel.learn.reconcile import Reconciliation

RECONCILE_SECONDS = 60.0  # what is left after that is done the next time
EMBEDDED_AT_ONCE = 4096  # exchanges that get their vectors in one go; words find the others meanwhile
T = TypeVar("T")


class Trouble(NamedTuple):
    """A step that could not be done now, and why."""

    part: str
    problem: Exception

    def line(self) -> str:
        """One line for a person."""
        return f"{self.part} failed: {reason(self.problem)}"


class Followed(NamedTuple):
    """What followed from what was learned, up to which event, and what could not be done now."""

    last_event: int
    packets: int = 0
    contradicted: int = 0
    superseded: int = 0
    flagged: int = 0
    embedded: int = 0
    troubles: tuple[Trouble, ...] = ()


def after_learning(
    work: Pipeline, since: int, projects: Collection[str] = (), *, seconds: float | None = RECONCILE_SECONDS
) -> Followed:
    """Everything that follows from the events after `since`: what they contradict, packets, surfaces, vectors.

    Packets are made for the projects of these events and for those given. Reconciling takes no more than
    these seconds.
    """
    work.catch_up()
    troubles: list[Trouble] = []
    _attempt("observing", troubles, work.observe)
    embedded = _attempt("making vectors", troubles, work.embed)
    found = _attempt("reconciling", troubles, lambda: work.reconcile(seconds=seconds))
    last = work.stores.events.last_id()
    touched = work.touched(since)
    _attempt("indexing exchanges", troubles, work.index_exchanges)
    packets = _attempt("preparing packets", troubles, lambda: work.warm({*touched, *projects}))
    _attempt("making vectors of exchanges", troubles, lambda: _embed_exchanges(work))
    changed = (found.contradicted, found.superseded, found.flagged) if found else (0, 0, 0)
    return Followed(last, packets or 0, *changed, embedded or 0, tuple(troubles))


def touched_projects(work: Pipeline, since: int) -> set[str]:
    """The projects that events after this one belong to."""
    return {event.project_id for batch in work.stores.events.replay(since) for event in batch}


def catch_up(work: Pipeline) -> None:
    """Bring the read models up to date with the log. What no longer holds leaves the hooks' own file at once."""
    projection.catch_up(work.stores, work.clock())
    work.retire_packets()


def warm(work: Pipeline, projects: Collection[str] | None = None) -> int:
    """Prepare the packets of some projects, or of all, and the rules files made from them; how many packets."""
    work.retire_packets()
    chosen = None if projects is None else frozenset(projects)
    made = warm_all(work.stores, work.clock(), chosen)
    work.prepare_hooks()
    surface.refresh(work.stores.cache, chosen)
    return made


def reconcile(work: Pipeline, *, seconds: float | None = None, anew: bool = False) -> Reconciliation:
    """Find memories of independent sessions that contradict each other."""
    from nous.kernel.learn.reconcile import reconcile  # only who judges loads what judges

    found = reconcile(work.stores, work.clock, seconds=seconds, anew=anew)
    work.catch_up()
    return found


def index_exchanges(work: Pipeline) -> int:
    """Index what sessions said since they were read last; how many exchanges were written."""
    return index_waiting(work.stores.exchanges)


def embed(work: Pipeline, progress: Callable[[int, int], None] | None = None) -> int:
    """Make every vector that is missing; how many memories waited."""
    return (
        embed_waiting(work.stores.embeddings, work.stores.vectors, work.embedder, progress=progress)
        if work.embedder
        else 0
    )


def observe(work: Pipeline, is_stopping: Callable[[], bool] = lambda: False) -> Observed:
    """Observe the sessions that have come to rest: what was said again becomes known or surer."""
    return observe_due(work.stores, work.clock, is_stopping)


def settle(work: Pipeline) -> dict[str, int]:
    """Learn from the outcomes of sessions that are over; how many of each sort."""
    found = dict(settle_due(work.stores, work.clock()))
    surer = trust_by_use(work.stores, work.clock())
    return found | ({"used often": surer} if surer else {})


def _embed_exchanges(work: Pipeline) -> int:
    return (
        embed_exchanges(work.stores.exchanges, work.stores.vectors, work.embedder, EMBEDDED_AT_ONCE)
        if work.embedder
        else 0
    )


def replay(work: Pipeline, names: Sequence[str] = ()) -> tuple[list[str], int]:
    """Build read models again from the log, all or those named, and the packets; which, from how many events."""
    projectors = choose_projectors(names)
    events = projection.replay(work.stores, work.clock(), projectors)
    work.warm()
    return [projector.name for projector in projectors], events


def compare(work: Pipeline, names: Sequence[str] = ()) -> Comparison:
    """How the read models differ from what the log says, without changing them."""
    work.catch_up()
    found = compare_with_replay(work.stores.events, work.stores.memories, work.clock(), choose_projectors(names))
    if "memories_fts" in found.rows:
        work.stores.memories.check_text()
    return found


def check_pages(work: Pipeline) -> None:
    """Fail with a sentence when the database file is damaged."""
    if isinstance(work.stores.db, Sqlite):
        file_copies.check_pages(work.settings.db_path)


def surface_on(work: Pipeline, project: Project) -> surface.SurfaceState:
    """How the rules file of a project stands after it was written and kept out of git; twice is harmless."""
    work.stores.cache.see_project(project.id, project.root, project.branch or None, work.clock())
    work.warm({project.id})
    return surface.switch_on(work.stores.cache, project)


def _attempt(part: str, troubles: list[Trouble], do: Callable[[], T]) -> T | None:
    """What a step gives; None when it fails, which is noted: the other steps are done whatever is wrong with one."""
    try:
        return do()
    except Exception as problem:
        if is_resource_error(problem):
            raise
        troubles.append(Trouble(part, problem))
        return None
