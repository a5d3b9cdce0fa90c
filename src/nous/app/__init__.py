"""The wiring: settings, stores and a clock become a `Nous`, which is also the Python API.

What it can do lives with what it is about, in `features`, and is loaded when it is called first.
"""

from __future__ import annotations

import inspect
import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import msgspec

from nous import moments
from nous.config import Settings, load_settings
from nous.errors import NotFound, StoreUnavailable
from nous.features import operation
from nous.features.memories.operations import Ask, Recall
from nous.identity import Project, identify
from nous.kernel.log.evolve import is_true_at
from nous.kernel.memory.memory import Memory
from nous.kernel.methods import MethodsOf
from nous.kernel.sharing import TOKEN_SESSION
from nous.kernel.speaker import PERSON, Speaker
from nous.kernel.stores import Stores, open_on_full_disk, open_stores
from nous.kernel.viewer import OWNER_VIEW, Viewer

if TYPE_CHECKING:
    from nous.app.pipeline import Pipeline
    from nous.features.brief import editing as lines
    from nous.features.code.codebase import Codebase
    from nous.features.entities import naming as names
    from nous.features.history import undoing as decisions
    from nous.features.memories import finding, keeping, looking_up, marking
    from nous.features.review import deciding as questions_
    from nous.features.service import copies, tending
    from nous.features.sessions import taking_in
    from nous.features.tidy import page as pages
    from nous.providers import Embedder
else:
    finding, keeping = MethodsOf("nous.features.memories.finding"), MethodsOf("nous.features.memories.keeping")
    looking_up, marking = MethodsOf("nous.features.memories.looking_up"), MethodsOf("nous.features.memories.marking")
    lines = MethodsOf("nous.features.brief.editing")
    names, decisions = MethodsOf("nous.features.entities.naming"), MethodsOf("nous.features.history.undoing")
    questions_, taking_in = MethodsOf("nous.features.review.deciding"), MethodsOf("nous.features.sessions.taking_in")
    copies, tending = MethodsOf("nous.features.service.copies"), MethodsOf("nous.features.service.tending")
    pages = MethodsOf("nous.features.tidy.page")

MOMENT = 0.001  # seconds; times are written to the millisecond


def system_clock() -> str:
    """The present moment."""
    return moments.text(datetime.now(UTC))


P = ParamSpec("P")
A = TypeVar("A")
R = TypeVar("R")


def _method(takes: Callable[P, A], run: Callable[[Nous, A, Viewer], R], says: str) -> Callable[Concatenate[Nous, P], R]:
    """A method that takes the fields of a request; where no project is named, it is that of the current directory."""

    def method(self: Nous, /, *given: P.args, **named: P.kwargs) -> R:
        asked: Any = takes(*given, **named)
        if not asked.project and not asked.all_projects:
            asked = msgspec.structs.replace(asked, project=self.project().id)
        return run(self, asked, OWNER_VIEW)

    method.__doc__ = says
    fields = inspect.signature(takes).parameters.values()
    here = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    method.__signature__ = inspect.Signature([here, *fields])  # type: ignore[attr-defined]
    return method


def open_to_answer(settings: Settings, *, readonly: bool = False) -> Nous:
    """The memory for one command or one answer; where the disk is full, to read only."""
    try:
        return Nous.open(settings=settings, readonly=readonly)
    except StoreUnavailable:
        stores = open_on_full_disk(settings.db_path)
        if stores is None:
            raise
    opened = Nous(stores, settings)
    opened.is_readonly = True
    return opened


class Nous:
    """One open memory. Use it from one thread; close it, or use it as a context manager."""

    def __init__(self, stores: Stores, settings: Settings, clock: Callable[[], str] = system_clock):
        self.stores = stores
        self.settings = settings
        self.clock = clock
        self.session_id = f"api-{uuid.uuid4()}"
        self.changed: set[str] = set()
        self.asked_for: list[int] = []
        self.is_readonly = False
        self.is_deciding = False
        self.place = ""  # the directory of who asks, where that is not the one of this process
        self.author = ""  # who asks, where somebody else asks through this
        self.speaker: Speaker = PERSON

    @classmethod
    def open(
        cls, path: str | os.PathLike[str] | None = None, *, settings: Settings | None = None, readonly: bool = False
    ) -> Nous:
        """Open a database file, or the user's own memory when no path is given."""
        settings = settings or load_settings(os.environ)
        opened = cls(open_stores(os.fspath(path) if path else settings.db_path, readonly=readonly), settings)
        opened.is_readonly = readonly
        return opened

    def close(self) -> None:
        """Make the packets of changed projects anew and let go of the database."""
        self.refresh()
        if "work" in self.__dict__:
            self.work.let_go()
        else:
            self.stores.close()

    def __enter__(self) -> Nous:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(self, name: str, /, **given: Any) -> Any:
        """What any operation answers (`nous.features`), by its name: `nous.call("sessions.list", project="shop")`.

        Where no project is named, it is that of the current directory.
        """
        chosen = operation(name)
        if "project" in chosen.takes.__struct_fields__ and not given.get("all_projects"):
            given["project"] = self.project(given.get("project")).id
        return chosen.call(self, msgspec.convert(given, chosen.takes))

    @cached_property
    def work(self) -> Pipeline:
        """How sessions are read here, and what follows when something was learned."""
        from nous.app.pipeline import Pipeline

        return Pipeline(self.stores, self.settings, lambda: self.clock())

    @property
    def embedder(self) -> Embedder | None:
        """What turns words into vectors, opened when first needed."""
        return self.work.embedder

    @cached_property
    def code(self) -> Codebase:
        """The code of work trees: `index`, `impact`, `symbols`."""
        from nous.features.code.codebase import Codebase

        return Codebase(self.settings, lambda: self.clock())

    # memories
    remember = keeping.remember
    remember_many = keeping.remember_many
    forget = marking.forget
    pin = marking.pin
    unpin = marking.unpin
    restore = marking.restore
    confirm = marking.confirm
    dispute = marking.dispute
    correct = keeping.correct
    feedback = marking.feedback
    mark = marking.mark
    team = keeping.team
    find = finding.find
    answer = finding.answer
    recall = _method(Recall, find, "The memories and exchanges that answer a question, best first; fields of `Recall`.")
    ask = _method(Ask, answer, "A question answered by the chosen model from what is remembered; fields of `Ask`.")
    get = looking_up.get
    explain = looking_up.explain
    said = looking_up.said
    why_not = finding.why_not
    episodes = looking_up.episodes

    def number(self, global_id: str) -> int:
        """The number that a memory has here, from the global id that it has on every device."""
        found = self.stores.memories.by_learning([global_id])
        if global_id not in found:
            raise NotFound(f"there is no memory {global_id}")
        return found[global_id].id

    def peek(self, memory_id: int, *, as_of: str | None = None, as_at: str | None = None) -> Memory:
        """The same memory as `get` gives, without a note that somebody asked for it."""
        then = self.stores.events.as_of(moments.parse(as_of, self.clock())) if as_of else None
        found = self.stores.memories.by_id([memory_id], then)
        if not found or found[0].status == "erased":
            raise NotFound(f"there is no memory #{memory_id}" + (f" as of {as_of}" if as_of else ""))
        if as_at and not is_true_at(found[0], moments.parse(as_at, self.clock())):
            raise NotFound(f"memory #{memory_id} was not true at {as_at}")
        return found[0]

    def list(
        self,
        *,
        project: str | None = None,
        all_projects: bool = False,
        type: str | None = None,
        status: str | None = "active",
        after: str | None = None,
        before: str | None = None,
        as_of: str | None = None,
        as_at: str | None = None,
        limit: int = 100,
    ) -> list[Memory]:
        """Memories that pass every filter, newest first."""
        now = self.clock()
        return self.stores.memories.listing(
            None if all_projects else self.project(project).id,
            type=type,
            status=status,
            after=after and moments.parse(after, now),
            before=before and moments.parse(before, now),
            as_of=self.stores.events.as_of(moments.parse(as_of, now)) if as_of else None,
            as_at=as_at and moments.parse(as_at, now),
            limit=limit,
        )

    def authors(self, memories: Iterable[Memory | None]) -> dict[str, str]:
        """Who told of memories that came through a hub, by their global ids."""
        known = [memory for memory in memories if memory]
        told = {one.learning_id: one.session_id for one in known if one.session_id.startswith(TOKEN_SESSION)}
        by_token = {name: session.removeprefix(TOKEN_SESSION) for name, session in told.items()}
        return by_token | self.stores.devices.written_by(memory.learning_id for memory in known)

    def embed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Make every vector that is missing; how many memories waited. Search works before, only less well."""
        return self.work.embed(progress)

    # what a person decides
    review = questions_.review
    waiting = questions_.waiting
    questions = questions_.questions
    decide = questions_.decide
    undo = decisions.undo
    undoable = decisions.undoable
    brief = lines.brief
    brief_decide = lines.brief_decide
    brief_order = lines.brief_order

    @contextmanager
    def decision(self) -> Iterator[str]:
        """All or nothing, at one moment that is yielded: what happens inside is one decision, and is undone as one."""
        clock = self.clock
        with self.stores.db.transaction():
            now = self.clock() if self.is_deciding else self._own_moment()
            outer, self.is_deciding, self.clock = self.is_deciding, True, lambda: now
            try:
                yield now
            finally:
                self.is_deciding, self.clock = outer, clock

    def _own_moment(self) -> str:
        """A moment that no earlier event has: decisions of one session are told apart by theirs alone."""
        if self.stores.events.head()[1] >= self.clock():
            time.sleep(MOMENT)
        return self.clock()

    # named things, texts, projects
    entity = names.entity
    entities = names.entities
    merge_entities = names.merge_entities
    rename_entity = names.rename_entity
    split_entity = names.split_entity
    reject_entity = names.reject_entity
    dossier = pages.dossier
    ingest = taking_in.ingest
    alias = taking_in.alias
    merge = taking_in.merge

    # the memory as a whole
    maintain = tending.maintain
    reconcile = tending.reconcile
    backup = copies.backup
    migrate_to = copies.migrate_to
    sql = copies.sql

    def refresh(self) -> None:
        """Make packets anew where memories changed; `close` does it too, and so does a running daemon by itself."""
        if self.asked_for:
            from nous.features.memories.looking_up import note_access

            note_access(self)
        if self.changed:
            self.work.warm(self.changed)
            self.changed.clear()

    def project(self, given: str | None = None) -> Project:
        """The project of a path, an id or, when nothing is given, the current directory."""
        if given is None or os.path.isdir(given):
            return identify(given or self.place or os.getcwd(), self.settings.data_dir)
        return Project(self.stores.projects.meaning(given) or given, given, "")
