"""The pipeline: how sessions are read, and what follows when something was learned.

Written once, with the user's settings, for the daemon, the commands, set-up and maintenance: what a session is shown
must not depend on who prepared it. Whoever reads or learns calls a method here and then `after_learning`.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from nous.config import Settings, excluded_projects
from nous.core.importing import Format
from nous.core.packing import Earlier
from nous.core.weights import DEFAULTS
from nous.errors import ConfigError, Forked, NousError, ProviderError
from nous.identity import Project
from nous.providers import Embedder, open_embedder
from nous.recall import surface
from nous.recall.embedding import embed_waiting
from nous.recall.exchanges import embed_exchanges
from nous.recall.packets import warm_all
from nous.recall.passages import passages, same_error
from nous.recall.places import KnownPlaces, WordIndex
from nous.remember.backfill import Chosen, Estimate, Progress, backfill, choose, estimate
from nous.remember.capture import Intake, Taken, find_transcripts, rules_of
from nous.remember.exchanges import index_waiting
from nous.remember.learn import Learned, WorkerOptions, learn_next
from nous.remember.narrowing import is_scarcity, reason
from nous.remember.observe import Observed, observe_due
from nous.remember.projection import PROJECTORS, Comparison, catch_up, chosen, compare_with_replay, replay
from nous.remember.reinforce import settle_due, trust_by_use
from nous.remember.snapshots import snapshot
from nous.remember.tail import storable
from nous.remember.watch import Watcher, matches
from nous.stores import Stores, open_stores
from nous.stores.code import forget_code
from nous.stores.copies import check_pages
from nous.stores.hookcache import HookCache
from nous.stores.postgres import hear
from nous.stores.queue import is_dead, worker_name
from nous.stores.sqlite import Sqlite

if TYPE_CHECKING:
    from nous.core.carried import Carried
    from nous.features.ask.notes import CitedSentence, FoundNote
    from nous.features.client_memory.follow import ClientMemory
    from nous.features.tidy.intake import Tidied
    from nous.providers.llm import Llm
    from nous.remember.budget import Allowance, Policy
    from nous.remember.reconcile import Reconciliation
    from nous.remember.reextract import Rereading, RuleReader
    from nous.remember.sync import Synced
    from nous.remember.upgrade import UpgradeState
    from nous.stores.devices import Absorbed
    from nous.teams.arrival import Sender
    from nous.tend.purge import Erasure, Selection

CHECKPOINTS = "checkpoints"  # the folder of copies in the data directory
RECONCILE_SECONDS = 60.0  # what is left after that is done the next time
FRAME = 80  # tokens of a first prompt's packet for its lead and headings
EMBEDDED_AT_ONCE = 4096  # exchanges that get their vectors in one go; words find the others meanwhile

# What the shells may use of the layers below.
__all__ = [
    "CHECKPOINTS",
    "PROJECTORS",
    "Chosen",
    "Estimate",
    "Followed",
    "Intake",
    "Learned",
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
    "word_index",
]


def word_index(settings: Settings, clock: Callable[[], str]) -> WordIndex:
    """Which memories speak of which names of code; one for all threads."""
    return WordIndex(lambda: open_stores(settings.db_path), clock)


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

    weights = DEFAULTS  # what each part of a score counts; a bench tries others

    def __init__(self, stores: Stores, settings: Settings, clock: Callable[[], str], name: str = "worker"):
        self.stores = stores
        self.settings = settings
        self.clock = clock
        self.worker = worker_name(name)
        self.options = WorkerOptions(
            settings.max_attempts, settings.keep_transcripts, lambda: open_stores(settings.db_path)
        )

    @classmethod
    def open(cls, settings: Settings, clock: Callable[[], str], name: str = "worker") -> Pipeline:
        """A pipeline with a connection of its own; close it."""
        return cls(open_stores(settings.db_path), settings, clock, name)

    def close(self) -> None:
        """Let others have what this worker had claimed, and let go of the database."""
        self.stores.queue.give_back(self.worker, self.clock())
        self.let_go()

    def listen(self, wake: Callable[[], None], stopping: threading.Event) -> None:
        """Call `wake` whenever somebody writes to a memory on a server; a file has nobody who would say so."""
        if isinstance(self.stores.db, Sqlite):
            return
        thread = threading.Thread(target=hear, args=(self.stores.db, wake, stopping), name="listener", daemon=True)
        thread.start()

    def let_go(self) -> None:
        """Let go of the database, and of the file that hooks read beside a server."""
        self.stores.close()
        if "hook_cache" in self.__dict__:
            self.hook_cache.close()

    @property
    def connection(self) -> Any:
        """The driver's own connection, for the few statements of a hook: a server's hooks have a file beside it."""
        return self.stores.db.connection if isinstance(self.stores.db, Sqlite) else self.hook_cache.db.connection

    @cached_property
    def hook_cache(self) -> HookCache:
        """What hooks read when the memory is on a server."""
        return HookCache(self.settings.data_dir)

    def retire_packets(self) -> None:
        """Take out of the hooks' file beside a server what is no longer to be told."""
        if not isinstance(self.stores.db, Sqlite):
            self.hook_cache.retire(self.stores)

    def prepare_hooks(self) -> None:
        """Let hooks find what waits on a server, and let the server know what they said."""
        if not isinstance(self.stores.db, Sqlite):
            self.hook_cache.refresh(self.stores, self.clock())

    @cached_property
    def embedder(self) -> Embedder | None:
        """What turns words into vectors, opened when first needed."""
        return open_embedder(self.settings.embedder, os.environ)

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
        _attempted("observing", troubles, self.observe)
        embedded = _attempted("making vectors", troubles, self.embed)
        found = _attempted("reconciling", troubles, lambda: self.reconcile(seconds=seconds))
        last = self.stores.events.last_id()
        touched = self.touched(since)
        _attempted("indexing exchanges", troubles, self.index_exchanges)
        packets = _attempted("preparing packets", troubles, lambda: self.warm({*touched, *projects}))
        _attempted("making vectors of exchanges", troubles, self._embed_exchanges)
        changed = (found.contradicted, found.superseded, found.flagged) if found else (0, 0, 0)
        return Followed(last, packets or 0, *changed, embedded or 0, tuple(troubles))

    def touched(self, since: int) -> set[str]:
        """The projects that events after this one belong to."""
        return {event.project_id for batch in self.stores.events.replay(since) for event in batch}

    def catch_up(self) -> None:
        """Bring the read models up to date with the log. What no longer holds leaves the hooks' own file at once."""
        catch_up(self.stores, self.clock())
        self.retire_packets()

    def warm(self, projects: Collection[str] | None = None) -> int:
        """Prepare the packets of some projects, or of all, and the rules files made from them; how many packets."""
        self.retire_packets()
        chosen = None if projects is None else frozenset(projects)
        made = warm_all(self.stores, self.clock(), chosen, self.settings.decay_curve)
        self.prepare_hooks()
        surface.refresh(self.stores.cache, chosen)
        return made

    def purge(self, selection: Selection, folder: str, reason: str) -> Erasure:
        """Erase for good, also from packets and from the rules files of projects; copies are kept in `folder`."""
        from nous.tend.purge import purge

        before = [Project(row["project_id"], row["root"], row["branch"] or "") for row in self.stores.cache.projects()]

        def settle() -> list[str]:
            forget_code(self.settings.data_dir, selection.project, selection.match)
            self.index_exchanges()
            self.warm()
            if not isinstance(self.stores.db, Sqlite):
                self.hook_cache.wipe()
            known = {row["project_id"] for row in self.stores.cache.projects()}
            return surface.forget_others(before, known)

        settings = self.settings
        return purge(self.stores, selection, catch_up, folder, settings.data_dir, reason, self.clock(), settle)

    def sync(self) -> Synced:
        """One round with the folder that the user's devices share, and one with the hub, whichever are set."""
        from nous.remember.sync import Synced, sync  # only who has several devices
        from nous.tend.purge import erase_said

        settings, found = self.settings, Synced()
        since = self.stores.events.last_id()
        if settings.sync_dir:
            found = sync(self.stores, settings.sync_dir, settings.sync_passphrase_file, self.clock(), erase_said)
        if settings.hub:
            found = found.plus(self._sync_with_hub())
        if found.erased:
            self._wipe()
        if found.came:
            self.after_learning(since)
        return found

    def _sync_with_hub(self) -> Synced:
        from nous.remember.hubs import HubAway, open_hub, settle_dispute
        from nous.remember.sync import Synced, exchange
        from nous.tend.purge import erase_said

        hub = open_hub(self.settings)
        try:
            return exchange(self.stores, hub, self.clock(), erase_said)
        except Forked as problem:
            return Synced(troubles=(settle_dispute(self.stores, hub, problem),))
        except HubAway as problem:  # it may be away for days; everything goes on here, and nothing is lost
            return Synced(troubles=(str(problem),))

    def absorb(self, events: Sequence[Carried], sender: Sender) -> Absorbed:
        """Take in what a device gave this hub; what it erased is wiped here too."""
        from nous.remember.devices import absorb, release

        release(self.stores, sender._replace(kind="hub", projects=None), self.clock())
        found = absorb(self.stores, events, self.clock(), sender)
        if found.erased:
            self._wipe()
        return found

    def _wipe(self) -> None:
        """Wipe the traces of what was erased elsewhere."""
        from nous.tend.purge import finish

        finish(self.stores, os.path.join(self.settings.data_dir, CHECKPOINTS), self.settings.data_dir, self.clock())

    def reconcile(self, *, seconds: float | None = None, anew: bool = False) -> Reconciliation:
        """Find memories of independent sessions that contradict each other."""
        from nous.remember.reconcile import reconcile  # only who judges loads what judges

        found = reconcile(self.stores, self.clock, seconds=seconds, anew=anew)
        self.catch_up()
        return found

    def index_exchanges(self) -> int:
        """Index what sessions said since they were read last; how many exchanges were written."""
        return index_waiting(self.stores)

    def embed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Make every vector that is missing; how many memories waited."""
        return embed_waiting(self.stores, self.embedder, progress=progress) if self.embedder else 0

    def observe(self, is_stopping: Callable[[], bool] = lambda: False) -> Observed:
        """Observe the sessions that have come to rest: what was said again becomes known or surer."""
        return observe_due(self.stores, self.clock, is_stopping)

    def answer(self, question: str, notes: Sequence[FoundNote]) -> tuple[str, tuple[CitedSentence, ...]] | None:
        """The chosen model's name, and its answer from some notes; None when it may not be asked, or gives none."""
        from nous.features.ask.answer import answer

        llm = self._answering_model()
        found = answer(self.stores, llm, self.policy, self.clock, question, notes)
        return None if found is None else (f"{llm.provider}:{llm.model}", found)

    def settle(self) -> dict[str, int]:
        """Learn from the outcomes of sessions that are over; how many of each sort."""
        found = dict(settle_due(self.stores, self.clock()))
        surer = trust_by_use(self.stores, self.clock())
        return found | ({"used often": surer} if surer else {})

    def _embed_exchanges(self) -> int:
        return embed_exchanges(self.stores, self.embedder, EMBEDDED_AT_ONCE) if self.embedder else 0

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
        if isinstance(self.stores.db, Sqlite):
            check_pages(self.settings.db_path)

    # reading sessions
    def intake(self, quiet_seconds: float = 0.0) -> Intake:
        """What takes transcripts in as the user wants it."""
        return Intake(self.stores, self.clock, rules_of(self.settings, quiet_seconds))

    def learn(self, is_stopping: Callable[[], bool] = lambda: False) -> Learned:
        """Learn everything that is due in the queue."""
        self.stores.queue.sweep(self.clock(), is_dead)
        if not isinstance(self.stores.db, Sqlite):
            self.hook_cache.carry(self.stores, self.clock())  # what transcripts say of receipts, receipts must hear
        gained = Learned()
        while not is_stopping():
            outcome = learn_next(self.stores, self.worker, self.clock, self.options)
            if outcome is None:
                break
            gained = gained.plus(outcome)
        return gained

    def keep_standing(self, path: str, session_id: str) -> None:
        """Keep where a session stands that is about to lose its context."""
        snapshot(self.stores, path, session_id, self.clock())
        self.prepare_hooks()

    def transcripts(
        self, since: float | None = None, project_id: str | None = None, limit: int | None = None
    ) -> list[Chosen]:
        """The transcripts on disk, oldest first."""
        return choose(self.stores, self.settings.project_glob, since, project_id, limit)

    def estimate(self, files: Sequence[Chosen]) -> tuple[Estimate, float | None]:
        """How much there is to read, and what the chosen model would cost in dollars; None when none is chosen."""
        from nous.features.model_reader.history import answer_tokens, old_sessions, reading_cost, weigh
        from nous.providers.llm import price_of
        from nous.remember.asking import chosen_model

        found = estimate(list(files))
        llm = chosen_model(self.settings, os.environ)
        if llm is None:
            return found, None
        price = price_of(llm.model, local=llm.local, given=self.policy.price)
        sessions = weigh(old_sessions((file.path, file.size) for file in files if file.new > 0))
        return found, round(reading_cost(sessions, price, answer_tokens(self.stores)).usd, 2)

    def backfill(self, files: Sequence[Chosen]) -> Iterator[Progress]:
        """Read and learn transcripts one by one; safe to stop anywhere and to start again."""
        rules = rules_of(self.settings)
        yield from backfill(self.stores, list(files), self.worker, self.clock, rules=rules, options=self.options)
        self.follow_client_memory()

    def follow_client_memory(self, since: float | None = None) -> Counter[str]:
        """Take over what the client's own memory says and follow its changes; what became of files, by word."""
        return self.client_memory.follow(os.path.join(self.settings.claude_config_dir, "projects"), since)

    @cached_property
    def client_memory(self) -> ClientMemory:
        """The client's own memory files, as far as they were read."""
        from nous.features.client_memory.follow import ClientMemory

        return ClientMemory(self.stores, self.clock, rules_of(self.settings))

    def take_over(
        self,
        files: Sequence[str],
        project: Project,
        *,
        is_given: bool,
        format_: Format | None,
        dry_run: bool,
        passphrase_file: str = "",
    ) -> list[dict[str, Any]]:
        """Take in what others wrote, file by file; what came of each. `is_given`: the user named the project."""
        from nous.remember.imports import describe, files_in, import_file, place_of
        from nous.remember.packages import found_package, take_in

        done: list[dict[str, Any]] = []
        options = self.options._replace(
            reopen=None
        )  # one transaction for a file: a second connection would wait for it
        for file in (inner for given in files for inner in files_in(given)):
            if format_ is None and found_package(file):
                done.append(take_in(self.stores, file, passphrase_file, self.clock(), dry_run=dry_run))
                continue
            place, name = place_of(file, project.id, is_given, self.settings.claude_config_dir)
            found = import_file(
                self.stores,
                file,
                place,
                self.clock,
                format_=format_,
                name=name,
                dry_run=dry_run,
                options=options,
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

    def read(self, limit: int, *, at_once: bool, **wanted: str | None) -> tuple[int, Learned]:
        """Let the chosen model read sessions; how many were read, and what that gave.

        `at_once`: also those that are still going on; `wanted` are `since`, `project_id` and `session_id`.
        """
        from nous.features.model_reader.reader import ModelReader
        from nous.features.model_reader.sessions import choose_sessions

        chosen = choose_sessions(at_once=at_once, excluded=excluded_projects(self.settings), **wanted)
        reader, total, calls = ModelReader(self.stores, self._model(), self.policy, self.clock), Learned(), 0
        while calls < limit and (outcome := reader.read_next(chosen)) is not None:
            calls += 1
            total = total.plus(outcome)
        self.tidy_due()
        return calls, total

    def preview_reading(self, *, at_once: bool, **wanted: str | None) -> str | None:
        """The request that would be sent next; None when nothing waits to be read."""
        from nous.features.model_reader.reader import ModelReader
        from nous.features.model_reader.sessions import choose_sessions

        reader = ModelReader(self.stores, self._model(), self.policy, self.clock)
        excluded = excluded_projects(self.settings)
        return reader.preview(choose_sessions(at_once=at_once, excluded=excluded, **wanted))

    def retire_old(self, is_stopping: Callable[[], bool] = lambda: False) -> UpgradeState | None:
        """Go on retiring what older rules had kept and today's would not; None when that was done before."""
        from nous.remember.upgrade import retire_old, upgrade_state

        before = upgrade_state(self.stores)
        if before is not None and before.is_done:
            return None
        return retire_old(self.stores, self.clock, is_stopping=is_stopping)

    def tidy(self, project_id: str) -> Tidied:
        """Let the chosen model put a project's memories in order; a copy of the database is kept."""
        from nous.features.tidy.tidier import Tidier
        from nous.tend.backup import checkpoint

        self._may_be_sent(project_id)

        def copy() -> None:
            if isinstance(self.stores.db, Sqlite):
                folder = os.path.join(self.settings.data_dir, CHECKPOINTS)
                checkpoint(self.settings.db_path, folder, "tidy", self.clock())

        return Tidier(self.stores, self._model(), self.policy, self.clock).tidy(project_id, copy)

    def preview_tidying(self, project_id: str) -> str:
        """The request that a tidying of a project would send."""
        from nous.features.tidy.tidier import Tidier

        return Tidier(self.stores, self._model(), self.policy, self.clock).preview(project_id)

    def _may_be_sent(self, project_id: str) -> None:
        """Refuse, in a sentence, to send the words of a project that the user keeps from every model."""
        if project_id in excluded_projects(self.settings):
            hint = "`nous config unset llm_provider --project PATH` allows it again"
            raise ConfigError("the words of this project go to no model", hint=hint)

    def tidy_due(self, *, nightly: bool = False) -> tuple[str, ...]:
        """Tidy the projects for which it is time, while the budget lasts; which ones.

        Recorded tidyings belong to the end of a recorded history, so that they are replayed only when asked for.
        """
        from nous.features.tidy.tidier import is_due
        from nous.remember.asking import chosen_model

        llm = chosen_model(self.settings, os.environ)
        if llm is None or llm.provider == "recorded":
            return ()
        done: list[str] = []
        excluded = excluded_projects(self.settings)
        for project_id in (row["project_id"] for row in self.stores.cache.projects()):
            if project_id in excluded:
                continue
            if self.allowance().reason is None and is_due(self.stores, project_id, self.clock(), nightly=nightly):
                with suppress(ProviderError):  # the ledger says why; the next night tries again
                    self.tidy(project_id)
                    done.append(project_id)
        return tuple(done)

    def reader(self, version: str | None) -> RuleReader:
        """What reads kept sessions again: the rules of today."""
        from nous.remember.reextract import RuleReader

        if version in (None, RuleReader.version):
            return RuleReader()
        hint = f"--to-version is {RuleReader.version}; `nous read` lets the chosen model read"
        raise NousError(f"nothing here extracts as {version!r}", hint=hint)

    def reextract(
        self,
        reader: RuleReader,
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

    def _answering_model(self) -> Llm:
        """The chosen model, when it is one that answers questions: recorded readings do not."""
        llm = self._model()
        if llm.provider == "recorded":
            raise ConfigError("recorded readings answer no questions", hint="choose a model as llm_provider")
        return llm

    def _model(self) -> Llm:
        from nous.remember.asking import chosen_model

        llm = chosen_model(self.settings, os.environ)
        if llm is None:
            raise ConfigError("no model is chosen", hint="`nous init --model claude`, or another")
        return llm

    # answering
    def places(self, words: WordIndex) -> KnownPlaces:
        """Where things are that a session searches for."""
        return KnownPlaces(self.settings.data_dir, words, self.stores.events.last_id)

    def passages(self, text: str, project_id: str, seen: Collection[str], *, is_error: bool) -> list[Earlier]:
        """What earlier sessions say about a first prompt or an error that they plainly match; a hook waits for it."""
        if is_error:
            return same_error(self.stores, text, project_id, seen=seen)
        return passages(self.stores, text, project_id, self.settings.prompt_tokens - FRAME, seen=seen)

    # the rules file of a project
    def surface_on(self, project: Project) -> surface.SurfaceState:
        """How the rules file of a project stands after it was written and kept out of git; twice is harmless."""
        self.stores.cache.see_project(project.id, project.root, project.branch or None, self.clock())
        self.warm({project.id})
        return surface.switch_on(self.stores.cache, project)


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
    from nous.features.model_reader import reader

    def tidy(stores: Stores) -> object:
        return Pipeline(stores, settings, clock, "reader").tidy_due()

    reader.attend(settings, dict(os.environ), clock, ending, between=tidy)
