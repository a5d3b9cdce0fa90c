"""The wiring: settings, stores and a clock become a `Nous`, which is also the Python API."""

from __future__ import annotations

import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property
from types import TracebackType
from typing import Any

import msgspec

from nous.config import Settings, load_settings
from nous.core import moments
from nous.core.events import Archived, Decision, Event, EventType, Payload, Recorded, Superseded
from nous.core.evolve import is_true_at
from nous.core.memory import Memory
from nous.core.outcome import Outcome as Became
from nous.core.outcome import Signal
from nous.core.phases import Phase
from nous.core.types import Scope
from nous.errors import NotFound, NousError, StoreError
from nous.identity import Project, identify
from nous.providers import Embedder
from nous.recall import staleness
from nous.recall.explain import Explanation, Reached, WhyNot, explain, traverse, why_not
from nous.recall.quotes import Quote, quotes
from nous.recall.retrievers.graph import Direction
from nous.recall.search import Hit as Found
from nous.recall.search import Query, recall
from nous.remember import artifacts, projects
from nous.remember.by_hand import BY_HAND, Note, as_notes, keep
from nous.remember.project import catch_up
from nous.remember.reinforce import SAID, record
from nous.remember.witness import Word, word_of
from nous.stores import Stores, open_stores
from nous.stores.database import EVERY
from nous.tend import archive, backup, history, integrity, purge, review, scan, undo
from nous.tend.backup import sweep
from nous.tend.maintain import Report, Step, disk, maintain
from nous.tend.review import MOST, Item
from nous.tend.undo import Undoing
from nous.work import Outcome, Pipeline

# What the shells may use of the layers below, beside `nous.work`.
__all__ = [
    "Hit",
    "Nous",
    "Quote",
    "backup",
    "history",
    "integrity",
    "purge",
    "review",
    "scan",
    "system_clock",
    "undo",
]

MANY_ASKED = 500  # accesses that wait before they are written down


def system_clock() -> str:
    """The present moment."""
    return moments.text(datetime.now(UTC))


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """What `recall` gives: a memory's number, words and score, and the caller's own key for it."""

    id: int
    content: str
    score: float
    ref: str | None
    memory: Memory
    shares: dict[str, float] = {}
    found_by: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


class Nous:
    """One open memory. Use it from one thread; close it, or use it as a context manager."""

    def __init__(self, stores: Stores, settings: Settings, clock: Callable[[], str] = system_clock):
        self.stores = stores
        self.settings = settings
        self.clock = clock
        self.session_id = f"api-{uuid.uuid4()}"
        self._changed: set[str] = set()
        self._asked_for: list[int] = []
        self.is_readonly = False

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
        self.stores.close()

    def __enter__(self) -> Nous:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # memories
    def remember(
        self,
        text: str,
        *,
        type: str = "fact",
        project: str | None = None,
        scope: Scope = "project",
        valid_from: str | None = None,
        tags: Iterable[str] = (),
        files: Iterable[str] = (),
        entities: Iterable[str] = (),
        session: str | None = None,
        ref: str | None = None,
        pin: bool = False,
        by_agent: bool = False,
        doubted: bool = False,
    ) -> int:
        """Keep something; the number of its memory. What is already known grows stronger instead.

        `by_agent`: an assistant asks for it, of its own accord; `doubted`: it is shown only after a review.
        """
        note = Note(
            text=text,
            type=type,
            scope=scope,
            valid_from=valid_from,
            tags=tuple(tags),
            files=tuple(files),
            entities=tuple(entities),
            session=session,
            ref=ref,
            pin=pin,
            by_agent=by_agent,
            doubted=doubted,
        )
        return self._keep([note], project)[0]

    def word_of(self, text: str, project: str) -> Word:
        """Whether the user said something in the session that runs in a project, or why it has to be looked at."""
        return word_of(os.environ, project, text)

    def remember_many(self, rows: Iterable[Mapping[str, Any]], *, project: str | None = None) -> list[int]:
        """Keep many things in one transaction and embed them; their numbers. A row has the parameters of `remember`."""
        numbers = self._keep(as_notes(rows), project)
        self.embed()
        return numbers

    def _keep(self, notes: Sequence[Note], project: str | None) -> list[int]:
        where = self.project(project)
        now = self.clock()
        with self.stores.db.transaction():
            self._see(where, now)
            numbers = keep(self.stores, notes, where.id, self.session_id, now)
        self._changed.add(where.id)
        return numbers

    def embed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Make every vector that is missing; how many memories waited. Search works before, only less well."""
        return self.work.embed(progress)

    def link(self) -> int:
        """Tie new memories to those they are like; how many were looked at. The daemon does it by itself."""
        return self.work.link()

    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        project: str | None = None,
        all_projects: bool = False,
        type: str | None = None,
        kind: str | None = None,
        scope: str | None = None,
        entity: str | None = None,
        tag: str | None = None,
        file: str | None = None,
        module: str | None = None,
        branch: str | None = None,
        after: str | None = None,
        before: str | None = None,
        min_confidence: float | None = None,
        as_of: str | None = None,
        as_at: str | None = None,
        phase: Phase | None = None,
    ) -> list[Hit]:
        """The memories that answer a question best, best first."""
        asked = self._query(
            query,
            project,
            all_projects,
            limit=limit,
            type=type,
            kind=kind,
            scope=scope,
            entity=entity,
            tag=tag,
            file=file,
            module=module,
            branch=branch,
            after=after,
            before=before,
            min_confidence=min_confidence,
            as_of=as_of,
            as_at=as_at,
            phase=phase,
        )
        found = recall(self.stores, asked, self.embedder, self.settings.weights)
        if not found and not as_of and not as_at:  # what nobody needed for long may be wanted now
            asked = msgspec.structs.replace(asked, with_faded=True)
            found = recall(self.stores, asked, self.embedder, self.settings.weights)
        if not as_of:
            now = self._access(hit.memory for hit in found)
            found = [msgspec.structs.replace(hit, memory=now[hit.memory.id]) for hit in found]
        return [_hit(hit) for hit in found]

    def _access(self, memories: Iterable[Memory]) -> dict[int, Memory]:
        """Note that somebody asked for memories; those that had faded are back."""
        found = {memory.id: memory for memory in memories}
        if self.is_readonly:
            return found
        self._asked_for += found
        if len(self._asked_for) > MANY_ASKED:
            self._note_access()
        for memory in [memory for memory in found.values() if archive.is_restorable(memory)]:
            with self.stores.db.transaction():
                archive.restore(self.stores, memory, self.clock())
                catch_up(self.stores, self.clock())
            self._changed.add(memory.project_id)
            found[memory.id] = self._get(memory.id)
        return found

    def _note_access(self) -> None:
        """Write down what was asked for, in one go. Whoever only asks must not fail because somebody else writes."""
        if self._asked_for:
            with suppress(StoreError), self.stores.db.transaction():
                self.stores.accesses.note(self._asked_for, self.clock())
            self._asked_for.clear()

    def _query(self, text: str, project: str | None, all_projects: bool, **filters: Any) -> Query:
        """A query with its moments in the stored form."""
        now = self.clock()
        for name in ("after", "before", "as_of", "as_at"):
            if filters.get(name):
                filters[name] = moments.parse(filters[name], now)
        return Query(text=text, project_id=None if all_projects else self.project(project).id, now=now, **filters)

    def explain(self, memory_id: int) -> Explanation:
        """Where a memory comes from, what became of it, and what it hangs together with."""
        return explain(self.stores, self._get(memory_id), self.clock(), self.settings.decay_curve)

    def said(self, memory: Memory) -> tuple[Quote, ...]:
        """The words that a memory was learned from, as far as they are kept."""
        return quotes(self.stores, memory)

    def why_not(
        self, query: str, memory_id: int, *, limit: int = 10, project: str | None = None, all_projects: bool = False
    ) -> WhyNot:
        """Why `recall` does not bring a memory up, or that it does."""
        asked = self._query(query, project, all_projects, limit=limit)
        return why_not(self.stores, asked, self.get(memory_id), self.embedder, self.settings.weights)

    def traverse(
        self,
        memory_id: int,
        *,
        depth: int = 2,
        relations: Iterable[str] = (),
        direction: Direction = "both",
        min_strength: float = 0.0,
        suggested: bool = False,
    ) -> list[Reached]:
        """The memories around one, by its relations, nearest first."""
        return traverse(
            self.stores,
            self.get(memory_id),
            depth=depth,
            relations=tuple(relations),
            direction=direction,
            min_strength=min_strength,
            suggested=suggested,
        )

    @cached_property
    def work(self) -> Pipeline:
        """How sessions are read here, and what follows when something was learned."""
        return Pipeline(self.stores, self.settings, lambda: self.clock())

    @property
    def embedder(self) -> Embedder | None:
        """What turns words into vectors, opened when first needed."""
        return self.work.embedder

    def get(self, memory_id: int, *, as_of: str | None = None, as_at: str | None = None) -> Memory:
        """One memory, as it is or as it was known at a moment; with `as_at` only if it was true then.

        One that had faded out of use is back in use once it was asked for.
        """
        found = self._get(memory_id, as_of=as_of, as_at=as_at)
        return found if as_of or as_at else self._access([found])[memory_id]

    def number(self, global_id: str) -> int:
        """The number that a memory has here, from the global id that it has on every device."""
        found = self.stores.memories.by_learning([global_id])
        if global_id not in found:
            raise NotFound(f"there is no memory {global_id}")
        return found[global_id].id

    def _get(self, memory_id: int, *, as_of: str | None = None, as_at: str | None = None) -> Memory:
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

    def forget(self, memory_id: int, reason: str = "forgotten by the user") -> None:
        """Take a memory out of use. Its history stays; `purge` destroys."""
        self._mark(memory_id, "LearningArchived", Archived(reason=reason))

    def pin(self, memory_id: int) -> None:
        """Always show a memory, and never let it fade."""
        self._mark(memory_id, "LearningPinned", Payload())

    def confirm(self, memory_id: int) -> None:
        """Say that a memory is true; it is protected from fading."""
        self._mark(memory_id, "LearningConfirmed", Payload())

    def dispute(self, memory_id: int, reason: str = "disputed by the user") -> None:
        """Say that a memory may be wrong; it is no longer shown unasked until somebody decides."""
        self._mark(memory_id, "LearningDisputed", Payload(reason=reason))

    def weak(
        self, *, project: str | None = None, all_projects: bool = False, limit: int = 50
    ) -> Sequence[tuple[Memory, float]]:
        """The memories of which least is left, each with what is left of its confidence; weakest first."""
        where = None if all_projects else self.project(project).id
        memories = self.stores.memories.listing(where, limit=EVERY)
        return archive.weak(self.stores, memories, self.clock(), self.fate, limit)

    @property
    def fate(self) -> archive.Fate:
        """When memories are archived by themselves, as set."""
        settings = self.settings
        return archive.Fate(settings.decay_curve, settings.archive_below, settings.archive_days, settings.max_memories)

    def correct(self, memory_id: int, text: str) -> int:
        """Replace a memory by better words; the number of the new one. The old one keeps its history."""
        old = self._get(memory_id)
        with self._decision():
            new = self.remember(
                text, type=old.type, project=old.project_id, scope=old.scope, files=old.files, ref=old.ref
            )
            if new != memory_id:
                newer = self._get(new)
                if self._get(memory_id).status == "active":
                    said = Superseded(superseded_by=newer.learning_id, reason="corrected by the user")
                    self._mark(memory_id, "LearningSuperseded", said, cause=newer.id)
        return new

    @contextmanager
    def _decision(self) -> Iterator[None]:
        """All or nothing, at one moment: what happens inside is one decision, and is undone as one."""
        clock, now = self.clock, self.clock()
        self.clock = lambda: now
        try:
            with self.stores.db.transaction():
                yield
        finally:
            self.clock = clock

    def review(
        self,
        *,
        project: str | None = None,
        all_projects: bool = False,
        kind: str | None = None,
        limit: int = MOST,
    ) -> Sequence[Item]:
        """What a person should decide about, most harmful first and by subject; what was decided does not come back."""
        return review.chosen(self._questions(project, all_projects, kind), limit)

    def waiting(
        self, *, project: str | None = None, all_projects: bool = False, kind: str | None = None
    ) -> dict[str, int]:
        """How many questions of each kind wait for a person."""
        return dict(Counter(item.kind for item in self._questions(project, all_projects, kind)))

    def _questions(self, project: str | None, all_projects: bool, kind: str | None) -> Sequence[Item]:
        where = None if all_projects else self.project(project).id
        return review.queue(self.stores, where, self.clock(), self.fate, self._stale, kind)

    def _stale(self, memory: Memory) -> tuple[str, ...]:
        return tuple(staleness.marks(memory, self.stores.cache.root(memory.project_id), self.clock()))

    def decide(self, item_id: str, action: Decision, *, text: str | None = None, swap: bool = False) -> Item:
        """Decide about an item of the review; with `swap` the decision is about the other memory of the two."""
        item = review.find(self.stores, item_id, self.clock())
        if swap:
            item = review.swapped(item)
        if problem := review.refusal(item, action, text):
            raise NousError(problem)
        with self._decision():
            cause = self._mark(item.memory.id, "LearningReviewed", review.reviewed(item, action, self.clock()))
            for memory, kind, payload in review.consequences(item, action):
                self._mark(memory.id, kind, payload, cause)
            if action == "edit":
                self._reword(item, text or "", cause)
            if action == "keep" and item.kind == "conflict":
                self._reconcile(item, cause)
        return item

    def _reword(self, item: Item, text: str, cause: int | None) -> None:
        """Better words take the place of a memory, and of the other one if they spoke about the same."""
        new = self.correct(item.memory.id, text)
        if item.other and item.kind in ("conflict", "duplicate") and new != item.other.id:
            said = Superseded(superseded_by=self._get(new).learning_id, reason="reworded in review")
            self._mark(item.other.id, "LearningSuperseded", said, cause)

    def _reconcile(self, item: Item, cause: int | None) -> None:
        """Both are true: that they contradict each other no longer counts."""
        against = review.contradictions(self.stores, item)
        chosen = undo.planned(self.stores, (event.event_id for event in against))
        undo.undo(self.stores, chosen, self.session_id, "both are true", self.clock(), cause)
        catch_up(self.stores, self.clock())

    def _mark(self, memory_id: int, event_type: EventType, payload: Payload, cause: int | None = None) -> int | None:
        """Append one event by hand to a memory and bring everything up to date; the event's number."""
        memory = self._get(memory_id)
        now = self.clock()
        event = Event(
            learning_id=memory.learning_id,
            event_type=event_type,
            idempotency_key=f"{BY_HAND}:{event_type}:{memory.learning_id}:{memory.version}",
            payload=payload,
            session_id=self.session_id,
            project_id=memory.project_id,
            source="user_review",
            valid_from=now,
            parent_event_id=cause,
        )
        with self.stores.db.transaction():
            [number] = self.stores.events.append([event], now)
            catch_up(self.stores, now)
        self._changed.add(memory.project_id)
        return number

    def feedback(self, memory_id: int, signal: Signal, *, session: str | None = None) -> bool:
        """Say what came of a memory; False when the session had said so before."""
        memory = self._get(memory_id)
        outcome = Became(signal, SAID[signal])
        with self.stores.db.transaction():
            counted = record(self.stores, memory, outcome, session or self.session_id, self.clock())
            catch_up(self.stores, self.clock())
        self._changed.add(memory.project_id)
        return counted

    def maintain(self, *, seconds: float | None = None) -> Report:
        """Tend the memories as a whole, within some seconds; a second run finds nothing to do."""
        steps = (
            Step("link", lambda _: (f"{self.embed()} vectors made, {self.link()} memories linked", True)),
            Step("reconcile", self._step_reconcile),
            Step("outcomes", lambda _: (self._step_outcomes(), True), always=True),
            Step("archive", lambda _: (self._step_archive(), True), daily=True),
            Step("packets", lambda _: (self._step_packets(), True), daily=True),
            Step("integrity", lambda _: (self._step_integrity(), True)),
            Step("disk", lambda _: (self._tidy(), True), daily=True),
        )
        return maintain(self.stores, steps, self.clock, seconds)

    def _tidy(self) -> str:
        """Remove what killed backups left, and say what is on disk."""
        left = sweep(self.settings.data_dir)
        said = disk(self.settings.db_path, self.settings.data_dir)
        return f"{said}; {left} left-over files removed" if left else said

    def _step_reconcile(self, seconds: float | None) -> tuple[str, bool]:
        found = self.reconcile(seconds=seconds)
        said = f"{found['judged']} pairs judged, {found['contradicted']} contradicted, {found['superseded']} superseded"
        return said, bool(found["is_done"])

    def _step_outcomes(self) -> str:
        found = self.work.settle()
        return ", ".join(f"{count} {name}" for name, count in sorted(found.items())) or "no session to settle"

    def _step_archive(self) -> str:
        """Archive what faded, and the weakest beyond the number that is kept; hubs excepted."""
        now, fate = self.clock(), self.fate
        with self.stores.db.transaction():
            due = archive.faded(self.stores, now, fate)
            done = archive.archive(self.stores, due, now, fate)
            catch_up(self.stores, now)
            many = archive.beyond(self.stores, now, fate)
            done += archive.archive(self.stores, many, now, fate, f"more than {fate.most} memories")
            catch_up(self.stores, now)
        self._changed.update(memory.project_id for memory in (*due, *many))
        return f"{done} faded memories archived"

    def _step_packets(self) -> str:
        made = self.work.warm()
        self._changed.clear()
        return f"{made} packets made"

    def _step_integrity(self) -> str:
        found = integrity.verify(self.stores)
        return f"{found.events} events, " + ("in order" if found.ok else f"{len(found.problems) + found.more} problems")

    def undo(
        self,
        event_ids: Iterable[int] = (),
        *,
        last: int = 1,
        reason: str = "undone by the user",
        project: str | None = None,
        all_projects: bool = False,
    ) -> Undoing:
        """Take back events and what they caused; without numbers the `last` decisions made by hand in a project."""
        with self.stores.db.transaction():
            chosen = self.undoable(event_ids, last=last, project=project, all_projects=all_projects)
            done = undo.undo(self.stores, chosen, self.session_id, reason, self.clock())
            catch_up(self.stores, self.clock())
        self._changed.update(event.project_id for event in done.undone)
        return done

    def undoable(
        self,
        event_ids: Iterable[int] = (),
        *,
        last: int = 1,
        project: str | None = None,
        all_projects: bool = False,
    ) -> Sequence[Recorded]:
        """What `undo` would take back: the events that are named, or the last decisions, with all they caused."""
        asked = tuple(event_ids)
        where = None if all_projects else self.project(project).id
        return undo.planned(self.stores, asked) if asked else undo.latest(self.stores, last, where)

    def reconcile(self, *, seconds: float | None = None, anew: bool = False) -> dict[str, Any]:
        """Find memories of independent sessions that contradict each other; what was looked at and what came of it."""
        before = self.stores.events.last_id()
        found = self.work.reconcile(seconds=seconds, anew=anew)
        self._changed.update(self.work.touched(before))
        return found._asdict() | {"model": self.work.judge.model if self.work.judge else None}

    # what was written elsewhere
    def ingest(
        self, given: str | dict[str, Any], *, project: str | None = None, session_id: str = ""
    ) -> dict[str, Any]:
        """Learn from a text or a structured work summary; the same one a second time changes nothing."""
        number = artifacts.ingest(self.stores, given, self.project(project), self.clock(), session_id)
        outcome = self.work.learn() if number else Outcome()
        self._changed.update(outcome.projects)
        counts = {name: value for name, value in outcome._asdict().items() if name != "projects"}
        return {"ingest_id": number} | counts

    # projects
    def alias(self, name: str, project_id: str) -> int:
        """Let a name or a directory stand for a project; 0, since no memory moves."""
        projects.alias(self.stores, name, project_id, self.settings.data_dir, self.clock())
        return 0

    def merge(self, source: str, target: str) -> int:
        """Make two projects one; how many memories were learned anew in the second."""
        moved = projects.merge(self.stores, source, target, self.settings.data_dir, self.clock())
        self._changed.add(target)
        return moved

    def refresh(self) -> None:
        """Make packets anew where memories changed; `close` does it too, and so does a running daemon by itself."""
        self._note_access()
        if self._changed:
            self.work.warm(self._changed)
            self._changed.clear()

    def project(self, given: str | None = None) -> Project:
        """The project of a path, an id or, when nothing is given, the current directory."""
        if given is None or os.path.isdir(given):
            return identify(given or os.getcwd(), self.settings.data_dir)
        return Project(self.stores.projects.meaning(given) or given, given, "")

    def _see(self, project: Project, now: str) -> None:
        """Note that somebody works in a project, and what it is recognised by."""
        known = projects.note(self.stores, project, self.settings.data_dir, now)
        self.stores.cache.see_project(known.id, known.root, known.branch or None, now)


def _hit(found: Found) -> Hit:
    memory = found.memory
    return Hit(
        id=memory.id,
        content=memory.content,
        score=found.score,
        ref=memory.ref,
        memory=memory,
        shares=found.shares,
        found_by=found.found_by,
        stale=found.stale,
    )
