"""The pipeline: how sessions are read, and what follows when something was learned.

Written once, with the user's settings, for the daemon, the commands, set-up and maintenance: what a session is shown
must not depend on who prepared it. Whoever reads or learns calls a method here and then `after_learning`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from nous.config import Settings
from nous.core.importing import Format
from nous.core.packing import Entry
from nous.errors import ConfigError, NousError, ProviderError
from nous.identity import Project
from nous.providers import Embedder, Entailment, open_embedder
from nous.recall import surface
from nous.recall.embedding import embed_waiting
from nous.recall.linking import link_waiting
from nous.recall.packets import warm_all
from nous.recall.unasked import unasked
from nous.remember.backfill import Chosen, Estimate, Progress, backfill, choose, estimate
from nous.remember.capture import Intake, Taken, find_transcripts, rules_of
from nous.remember.learn import Habits, Outcome, learn_next
from nous.remember.narrowing import is_scarcity, reason
from nous.remember.project import PROJECTORS, Comparison, catch_up, chosen, compare_with_replay, replay
from nous.remember.reinforce import settle_due
from nous.remember.snapshots import snapshot
from nous.remember.tail import storable
from nous.remember.watch import Watcher, matches
from nous.stores import Stores, open_stores
from nous.stores.copies import check_pages
from nous.stores.queue import is_dead, worker_name
from nous.stores.sqlite import Sqlite

if TYPE_CHECKING:
    from nous.providers.llm import Llm
    from nous.remember.budget import Allowance, Policy
    from nous.remember.model import Rereader
    from nous.remember.reconcile import Reconciliation
    from nous.remember.reextract import Rereading, Rules
    from nous.tend.purge import Erasure, Selection

RECONCILE_SECONDS = 60.0  # what is left after that is done the next time
MODEL = "model"  # as a version to read with: the model that was chosen

# What the shells may use of the layers below.
__all__ = [
    "PROJECTORS",
    "Chosen",
    "Estimate",
    "Followed",
    "Intake",
    "Outcome",
    "Pipeline",
    "Progress",
    "Taken",
    "Trouble",
    "Watcher",
    "attend",
    "catch_up",
    "find_transcripts",
    "is_scarcity",
    "matches",
    "storable",
    "surface",
]


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


class Pipeline:
    """Everything that turns sessions into packets, over one open memory. Use it from one thread."""

    def __init__(self, stores: Stores, settings: Settings, clock: Callable[[], str], name: str = "worker"):
        self.stores = stores
        self.settings = settings
        self.clock = clock
        self.worker = worker_name(name)
        chosen = None if settings.entailment in ("builtin", "none") else lambda: self.judge
        self.habits = Habits(
            settings.max_attempts, settings.keep_transcripts, lambda: open_stores(settings.db_path), chosen
        )

    @classmethod
    def open(cls, settings: Settings, clock: Callable[[], str], name: str = "worker") -> Pipeline:
        """A pipeline with a connection of its own; close it."""
        return cls(open_stores(settings.db_path), settings, clock, name)

    def close(self) -> None:
        """Let others have what this worker had claimed, and let go of the database."""
        self.stores.queue.give_back(self.worker, self.clock())
        self.stores.close()

    @property
    def connection(self) -> Any:
        """The driver's own connection, for the few statements of a hook."""
        assert isinstance(self.stores.db, Sqlite)
        return self.stores.db.connection

    @cached_property
    def embedder(self) -> Embedder | None:
        """What turns words into vectors, opened when first needed."""
        return open_embedder(self.settings.embedder, os.environ)

    @cached_property
    def judge(self) -> Entailment | None:
        """What tells contradictions, opened when first needed: a model may take a while to load."""
        from nous.remember.judging import open_judge

        return open_judge(self.settings, os.environ, self.stores, self.clock)

    # what follows
    def after_learning(
        self, since: int, projects: Collection[str] = (), *, seconds: float | None = RECONCILE_SECONDS
    ) -> Followed:
        """Everything that follows from the events after `since`: what they contradict, packets, surfaces, vectors.

        Packets are made for the projects of these events and for those given. Reconciling takes no more than
        these seconds.
        """
        self.catch_up()
        troubles: list[Trouble] = []
        found = _attempted("reconciling", troubles, lambda: self.reconcile(seconds=seconds))
        last = self.stores.events.last_id()
        touched = self.touched(since)
        packets = _attempted("preparing packets", troubles, lambda: self.warm({*touched, *projects}))
        embedded = _attempted("making vectors", troubles, self._embed_and_link)
        changed = (found.contradicted, found.superseded, found.flagged) if found else (0, 0, 0)
        return Followed(last, packets or 0, *changed, embedded or 0, tuple(troubles))

    def touched(self, since: int) -> set[str]:
        """The projects that events after this one belong to."""
        return {event.project_id for batch in self.stores.events.replay(since) for event in batch}

    def catch_up(self) -> None:
        """Bring the read models up to date with the log."""
        catch_up(self.stores, self.clock())

    def warm(self, projects: Collection[str] | None = None) -> int:
        """Prepare the packets of some projects, or of all, and the rules files made from them; how many packets."""
        chosen = None if projects is None else frozenset(projects)
        made = warm_all(self.stores, self.clock(), chosen, self.settings.decay_curve)
        surface.refresh(self.stores, chosen)
        return made

    def purge(self, selection: Selection, folder: str, reason: str) -> Erasure:
        """Erase for good, also from packets and from the rules files of projects; copies are kept in `folder`."""
        from nous.tend.purge import purge

        before = [Project(row["project_id"], row["root"], row["branch"] or "") for row in self.stores.cache.projects()]

        def settle() -> list[str]:
            self.warm()
            known = {row["project_id"] for row in self.stores.cache.projects()}
            return surface.forget_others(before, known)

        settings = self.settings
        return purge(self.stores, selection, catch_up, folder, settings.data_dir, reason, self.clock(), settle)

    def reconcile(self, *, seconds: float | None = None, anew: bool = False) -> Reconciliation:
        """Find memories of independent sessions that contradict each other."""
        from nous.remember.reconcile import Reconciliation, reconcile  # only who judges loads what judges

        if self.judge is None:
            return Reconciliation()
        found = reconcile(self.stores, self.judge, self.clock, seconds=seconds, anew=anew)
        self.catch_up()
        return found

    def embed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Make every vector that is missing; how many memories waited."""
        return embed_waiting(self.stores, self.embedder, progress=progress) if self.embedder else 0

    def link(self) -> int:
        """Tie new memories to those they are like; how many were looked at."""
        return link_waiting(self.stores, self.embedder) if self.embedder else 0

    def settle(self) -> dict[str, int]:
        """Learn from the outcomes of sessions that are over; how many of each sort."""
        return dict(settle_due(self.stores, self.clock()))

    def _embed_and_link(self) -> int:
        made = self.embed()
        self.link()
        return made

    # the read models as a whole
    def replay(self, names: Sequence[str] = ()) -> tuple[list[str], int]:
        """Build read models again from the log, all or those named, and the packets; which, from how many events."""
        projectors = chosen(names)
        events = replay(self.stores, self.clock(), projectors)
        self.warm()
        return [projector.name for projector in projectors], events

    def compare(self, names: Sequence[str] = ()) -> Comparison:
        """How the read models differ from what the log says, without changing them."""
        self.catch_up()
        found = compare_with_replay(self.stores, self.clock(), chosen(names))
        if "memories_fts" in found.rows:
            self.stores.memories.check_text()
        return found

    def check_pages(self) -> None:
        """Fail with a sentence when the database file is damaged."""
        check_pages(self.settings.db_path)

    # reading sessions
    def intake(self, quiet_seconds: float = 0.0) -> Intake:
        """What takes transcripts in as the user wants it."""
        return Intake(self.stores, self.clock, rules_of(self.settings, quiet_seconds))

    def learn(self, is_stopping: Callable[[], bool] = lambda: False) -> Outcome:
        """Learn everything that is due in the queue."""
        self.stores.queue.sweep(self.clock(), self.settings.max_attempts, is_dead)
        gained = Outcome()
        while not is_stopping():
            outcome = learn_next(self.stores, self.worker, self.clock, self.habits)
            if outcome is None:
                break
            gained = gained.plus(outcome)
        return gained

    def keep_standing(self, path: str, session_id: str) -> None:
        """Keep where a session stands that is about to lose its context."""
        snapshot(self.stores, path, session_id, self.clock())

    def transcripts(
        self, since: float | None = None, project_id: str | None = None, limit: int | None = None
    ) -> list[Chosen]:
        """The transcripts on disk, oldest first."""
        return choose(self.stores, self.settings.project_glob, since, project_id, limit)

    def estimate(self, files: Sequence[Chosen]) -> tuple[Estimate, float | None]:
        """How much there is to read, and what the chosen model would cost in dollars; None when none is chosen."""
        from nous.providers.llm import cost, price_of
        from nous.remember.budget import MAX_TOKENS, policy_of
        from nous.remember.model import chosen_model

        found = estimate(list(files))
        llm = chosen_model(self.settings, os.environ)
        if llm is None:
            return found, None
        price = price_of(llm.model, local=llm.local, given=policy_of(self.settings).price)
        return found, round(cost(price, found.tokens, found.sessions * MAX_TOKENS), 2)

    def offer(self, files: Sequence[Chosen]) -> float:
        """About what a small hosted model would cost in dollars to read these."""
        from nous.remember.budget import reading_cost

        found = estimate(list(files))
        return round(reading_cost(found.sessions, found.tokens, self.policy), 2)

    def backfill(self, files: Sequence[Chosen]) -> Iterator[Progress]:
        """Read and learn transcripts one by one; safe to stop anywhere and to start again."""
        rules = rules_of(self.settings)
        yield from backfill(self.stores, list(files), self.worker, self.clock, rules=rules, habits=self.habits)

    def take_over(
        self, files: Sequence[str], project: Project, *, is_given: bool, format_: Format | None, dry_run: bool
    ) -> list[dict[str, Any]]:
        """Take in what others wrote, file by file; what came of each. `is_given`: the user named the project."""
        from nous.remember.imports import describe, files_in, import_file, place_of

        done: list[dict[str, Any]] = []
        habits = self.habits._replace(reopen=None)  # one transaction for a file: a second connection would wait for it
        for file in (inner for given in files for inner in files_in(given)):
            place, name = place_of(file, project.id, is_given, self.settings.claude_config_dir)
            found = import_file(
                self.stores,
                file,
                place,
                self.clock,
                format_=format_,
                name=name,
                dry_run=dry_run,
                habits=habits,
                rules=rules_of(self.settings),
            )
            done.append({"file": file} | describe(found))
        return done

    # reading with a model
    @cached_property
    def policy(self) -> Policy:
        """What a model may cost."""
        from nous.remember.budget import policy_of

        return policy_of(self.settings)

    def allowance(self) -> Allowance:
        """What is left of today's budget for models."""
        from nous.remember.budget import allowance

        return allowance(self.stores, self.policy, self.clock())

    def consider(self, limit: int, *, at_once: bool, since: str | None) -> tuple[int, Outcome]:
        """Let the chosen model read sessions; how many calls, and what they gave."""
        from nous.remember.budget import QUIET_SECONDS
        from nous.remember.model import consider_next

        llm, total, calls = self._model(), Outcome(), 0
        pause = 0.0 if at_once else QUIET_SECONDS
        while calls < limit:
            outcome = consider_next(self.stores, llm, self.policy, self.clock, quiet_seconds=pause, since=since)
            if outcome is None:
                break
            calls += 1
            total = total.plus(outcome)
        return calls, total

    def reader(self, version: str | None, *, dry_run: bool) -> Rules | Rereader:
        """What reads kept sessions again: the rules, or the chosen model for `model`."""
        from nous.remember.model import Rereader
        from nous.remember.reextract import Rules

        if version in (None, Rules.version):
            return Rules()
        if version != MODEL:
            hint = f"--to-version is {Rules.version}, or `{MODEL}` for the chosen one"
            raise NousError(f"nothing here extracts as {version!r}", hint=hint)
        if dry_run:
            raise NousError(
                "a model has to be asked before anybody knows what would change", hint="leave out --dry-run"
            )
        return Rereader(self.stores, self._model(), self.policy, self.clock)

    def reextract(
        self,
        reader: Rules | Rereader,
        *,
        since: str | None = None,
        from_version: str | None = None,
        project_id: str | None = None,
        dry_run: bool = False,
        drop: bool = False,
    ) -> Rereading:
        """Read kept sessions again and write what changed."""
        from nous.remember.reextract import reextract

        return reextract(
            self.stores,
            reader,
            self.clock,
            since=since,
            from_version=from_version,
            project_id=project_id,
            dry_run=dry_run,
            drop=drop,
        )

    def _model(self) -> Llm:
        from nous.remember.model import chosen_model

        llm = chosen_model(self.settings, os.environ)
        if llm is None:
            raise ConfigError("no model is chosen", hint="set llm_provider to claude, anthropic or openai")
        return llm

    # answering
    def unasked(self, text: str, project_id: str, branch: str) -> list[Entry]:
        """What a prompt or an error calls for although nobody asked, found as `recall` finds it.

        A hook is waited for, so a remote embedder is left out: then words and relations alone decide.
        """
        try:
            embedder = self.embedder
        except (ProviderError, ConfigError):
            embedder = None
        near = embedder if embedder and not embedder.remote else None
        return unasked(
            self.stores,
            text,
            project_id,
            branch,
            self.clock(),
            embedder=near,
            weights=self.settings.weights,
            curve=self.settings.decay_curve,
        )

    # the rules file of a project
    def surface_on(self, project: Project) -> surface.State:
        """How the rules file of a project stands after it was written and kept out of git; twice is harmless."""
        self.stores.cache.see_project(project.id, project.root, project.branch or None, self.clock())
        self.warm({project.id})
        return surface.switch_on(self.stores, project)


T = TypeVar("T")


def _attempted(part: str, troubles: list[Trouble], do: Callable[[], T]) -> T | None:
    """What a step gives; None when it fails, which is noted: the other steps are done whatever is wrong with one."""
    try:
        return do()
    except Exception as problem:
        if is_scarcity(problem):
            raise
        troubles.append(Trouble(part, problem))
        return None


def attend(settings: Settings, clock: Callable[[], str], ending: Event) -> None:
    """Let a model read sessions as they come to rest, if the user chose one, until told to end. It opens a store."""
    from nous.remember import model

    model.attend(settings, dict(os.environ), clock, ending)
