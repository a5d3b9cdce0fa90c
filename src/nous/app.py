"""The wiring: settings, stores and a clock become a `Nous`, which is also the Python API."""

from __future__ import annotations

import inspect
import os
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec

from nous.codebase import Codebase
from nous.config import Settings, excluded_projects, load_settings
from nous.core import moments
from nous.core.briefs import Role
from nous.core.decay import DAY
from nous.core.episodes import Episode
from nous.core.events import (
    Archived,
    Contested,
    Decision,
    Event,
    EventType,
    Payload,
    Recorded,
    Superseded,
    Writer,
    make_event,
)
from nous.core.evolve import is_true_at, standing
from nous.core.memory import Memory
from nous.core.moments import later
from nous.core.outcome import Outcome, OutcomeSignal
from nous.core.query import understand
from nous.core.sharing import ORGANISATION, TEAM, WRITES, is_circle, scope_of
from nous.core.types import MOST_ASKED as MOST
from nous.core.types import Scope
from nous.errors import ConfigError, Forbidden, Misuse, NotFound, NousError, StoreError, StoreUnavailable
from nous.features import operation
from nous.features.ask.notes import CitedSentence, FoundNote
from nous.features.brief.decide import LineDecision, LineEvent, decide_line, new_order, place_line
from nous.features.memories.operations import Ask, Recall
from nous.identity import Project, identify, work_tree
from nous.kernel import gate
from nous.kernel.speaker import PERSON, Speaker
from nous.kernel.viewer import OWNER_VIEW, Viewer
from nous.providers import Embedder
from nous.recall.briefs import Brief, ShownLine, role_entries, shown_lines
from nous.recall.deeper import Means, find
from nous.recall.dossiers import Dossier, dossier
from nous.recall.embedding import may_be_sent
from nous.recall.episodes import of_session
from nous.recall.exchanges import Spoken
from nous.recall.explain import Explanation, Reached, WhyNot, explain, traverse, why_not
from nous.recall.profiles import Entity, Profile, listing, profile
from nous.recall.quotes import Quote, quotes
from nous.recall.retrievers.graph import Direction
from nous.recall.search import Query
from nous.recall.together import Found
from nous.recall.trails import FOLLOWED, Lead, Moment, beside
from nous.recall.withheld import MARKS as MARKS
from nous.recall.withheld import standing_of_memory as standing_of_memory
from nous.recall.withheld import with_mark as with_mark
from nous.remember import artifacts, projects
from nous.remember.by_hand import (
    BY_HAND,
    WORDS,
    Note,
    as_agents_word,
    as_notes,
    discreet,
    keep,
    nameless,
    refuse_bare_secret,
)
from nous.remember.introduce import AGENT
from nous.remember.moving import Migrated, as_file, move, put_back
from nous.remember.pairing import Paired, archived, pair
from nous.remember.projection import catch_up
from nous.remember.reinforce import SAID, record
from nous.remember.witness import UserQuote, find_in_session, find_wish_to_forget
from nous.stores import Stores, open_on_full_disk, open_stores
from nous.stores.database import is_file
from nous.tend import (
    archive,
    backup,
    entities,
    exporting,
    history,
    integrity,
    placing,
    purge,
    review,
    scan,
    tiers,
    tokens,
    undo,
)
from nous.tend.backup import sweep
from nous.tend.maintain import MaintenanceReport, Step, disk, maintain
from nous.tend.review import ReviewItem
from nous.tend.undo import Undoing
from nous.work import CHECKPOINTS, Learned, Pipeline

# What the shells may use of the layers below, beside `nous.work`.
__all__ = [
    "Answer",
    "Brief",
    "Lead",
    "Nous",
    "Quote",
    "Recalled",
    "ShownLine",
    "Spoken",
    "backup",
    "exporting",
    "history",
    "integrity",
    "projects",
    "purge",
    "restore_backup",
    "review",
    "scan",
    "system_clock",
    "tiers",
    "tokens",
    "undo",
]

BY_USER = "user_review"  # the source of what a person decided
MOST_OF_A_SUBJECT = 60  # memories that a search may find for a role
OF_A_SUBJECT = 0.4  # the score, and the share of the best one's, from which a memory is about a subject
MOMENT = 0.001  # seconds; times are written to the millisecond
PRUNE_DAYS = 180  # after which vectors of archived memories, near misses and rejections go
MANY_ASKED = 500  # accesses that wait before they are written down


def restore_backup(settings: Settings, file: str, now: str) -> backup.Restored:
    """Put a backup in the place of the memory, in a file or on a server; what was there before is kept as a file."""
    url, folder = settings.db_path, os.path.join(settings.data_dir, CHECKPOINTS)
    if is_file(url):
        done = backup.restore(url, file, folder, now)
    else:
        report = backup.inspect(file)
        with as_file(url, now) as path:
            kept = backup.checkpoint(path, folder, "restore", now)
        put_back(file, url, now)
        backup.rename(url, now)
        done = backup.Restored(report.events, report.head, kept)
    with Nous.open(settings=settings) as nous:
        nous.work.catch_up()
        nous.work.index_exchanges()
        nous.work.warm()
    return done


def system_clock() -> str:
    """The present moment."""
    return moments.text(datetime.now(UTC))


P = ParamSpec("P")
A = TypeVar("A")
R = TypeVar("R")
FILTERS = tuple(name for name in Recall.__struct_fields__ if name in Query.__struct_fields__ and name != "project_id")


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


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """What `recall` gives: a memory with its number, words, score and the caller's own key for it, or a passage of an
    earlier exchange, whose id is the record that it begins with."""

    id: Any  # a memory's number, or the name of a record
    content: str
    score: float
    ref: str | None = None
    memory: Memory | None = None
    exchange: Spoken | None = None  # of a memory: the exchange it came from, where that matches too
    distilled: Memory | None = None  # of an exchange: a memory that came from it and matches too
    shares: dict[str, float] = {}
    found_by: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    trail: tuple[Lead, ...] = ()  # what came before and after it, when that is asked

    @property
    def note(self) -> FoundNote:
        """What a model is given of it to answer from."""
        at = self.moment
        passage = f" ({self.exchange.content})" if self.memory and self.exchange else ""
        return FoundNote(at.at[:10] if at else "", "memory" if self.memory else "exchange", self.content + passage)

    @property
    def moment(self) -> Moment | None:
        """When and in which session it was said."""
        if self.exchange and not self.memory:
            return Moment(self.exchange.place.project_id, self.exchange.place.session_id, self.exchange.place.at)
        said = self.memory
        return Moment(said.project_id, said.session_id, said.valid_from or said.created_at) if said else None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What `ask` gives: sentences that cite hits by their place in the list, from 1, and the hits. Without sentences,
    `reason` says why."""

    sentences: tuple[CitedSentence, ...] = ()
    hits: tuple[Recalled, ...] = ()
    model: str | None = None
    reason: str = ""


NO_MODEL = "no model is chosen, so this is the list that recall gives"
NOTHING_FOUND = "nothing is remembered about this"
NOT_ASKED = "the model could not be asked, or gave no answer that could be read: `nous admin cost --calls 5` says why"
UNKNOWN = "memory does not say: none of what was found answers the question"


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
        self._changed: set[str] = set()
        self._asked_for: list[int] = []
        self.is_readonly = False
        self._is_deciding = False
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
        """What any operation answers (`nous.features`), by its name: `nous.call("memories.onboard", project="shop")`.

        Where no project is named, it is that of the current directory.
        """
        chosen = operation(name)
        if "project" in chosen.takes.__struct_fields__ and not given.get("all_projects"):
            given["project"] = self.project(given.get("project")).id
        return chosen.call(self, msgspec.convert(given, chosen.takes))

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
    ) -> int:
        """Keep something; the number of its memory. What is already known grows stronger instead.

        What an agent says is kept as its word, unless a sentence of the user in its session says it.
        """
        refuse_bare_secret(text)
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
        )
        return self._keep([self._spoken(note, project)], project)[0]

    def _spoken(self, note: Note, project: str | None) -> Note:
        """A note as far as whoever speaks may say it."""
        if self.speaker.kind != "agent":
            return note
        where = self.project(project).id
        gate.require(self.speaker, "remember", gate.Target(where))
        return as_agents_word(note, find_in_session(os.environ, self.speaker.place, note.text, where))

    def _require_quote(self, quote: Callable[[], UserQuote], command: str) -> None:
        """Refuse an agent what the user did not ask for in its session."""
        if self.speaker.kind == "agent" and not quote().sentence:
            hint = f"they can, in a terminal outside the session: {command}"
            raise Forbidden("the user did not say this in this session", hint=hint)

    def _said(self, text: str, memory: Memory) -> UserQuote:
        self._own(memory)
        return find_in_session(os.environ, self.speaker.place, text)

    def _own(self, memory: Memory) -> None:
        """Hide from an agent what belongs to another project than the one it works in."""
        here = self.project(self.speaker.place).id
        if memory.project_id not in (here, *self.stores.circles.of_project(here)) and memory.scope != "global":
            raise NotFound(f"there is no memory #{memory.id}")

    def remember_many(self, rows: Iterable[Mapping[str, Any]], *, project: str | None = None) -> list[int]:
        """Keep many things in one transaction and embed them; their numbers. A row has the parameters of `remember`."""
        numbers = self._keep([self._spoken(note, project) for note in as_notes(rows)], project)
        self.embed()
        return numbers

    def _keep(self, notes: Sequence[Note], project: str | None) -> list[int]:
        where = self.project(project)
        notes = [self._for_circle(note, where.id) for note in notes]
        with self.decision() as now:
            if not is_circle(where.id):
                self._see(where, now)
            numbers = keep(self.stores, notes, where.id, self.session_id, now)
        self._changed.add(where.id)
        return numbers

    def team(self, name: str) -> str:
        """The circle of a team, by its name."""
        circle = TEAM + name.removeprefix(TEAM).strip()
        if circle not in self.stores.circles.known():
            raise NotFound(f"there is no team {name!r}", hint="`nous admin team list` names them, `… add` makes one")
        return circle

    def _for_circle(self, note: Note, project_id: str) -> Note:
        """A note with the scope of its team or the organisation, where this device may write for them."""
        scope = scope_of(project_id)
        if scope == "project":
            if note.scope in WRITES:
                raise Misuse(f"say for which {note.scope}", hint=f"its project is {TEAM}NAME, or {ORGANISATION}")
            return note
        if project_id not in self.stores.circles.known():
            raise NotFound(
                f"there is no {project_id} here", hint="`nous admin team list` names them, `nous admin sync` asks"
            )
        if project_id not in self.stores.circles.written():
            raise Forbidden(f"only who has the right {WRITES[scope]} writes for {project_id}")
        return msgspec.structs.replace(note, scope=scope)

    def embed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Make every vector that is missing; how many memories waited. Search works before, only less well."""
        return self.work.embed(progress)

    def link(self) -> int:
        """Tie new memories to those they are like; how many were looked at. The daemon does it by itself."""
        return self.work.link()

    def find(self, asked: Recall, viewer: Viewer) -> list[Recalled]:
        """The memories and exchanges that answer best, in one list, best first.

        A topic is asked for too, so that a question with other words, or none, finds what is on it.
        """
        given = {name: getattr(asked, name) for name in FILTERS}
        topic = asked.topic if asked.topic and asked.topic not in asked.query else ""
        words = f"{asked.query} {topic}".strip()
        query = self._query(words, asked.project, asked.all_projects or not asked.project, viewer=viewer, **given)
        hits = find(self.stores, query, Means(self.embedder, self.work.weights), asked.records)
        if not asked.as_of:  # the best was asked for; the others only stand beside it and stay as fresh as they were
            hits = self._accessed(hits)
        return self._followed(query, [*map(_recalled, hits)])

    recall = _method(Recall, find, "The memories and exchanges that answer a question, best first; fields of `Recall`.")

    def answer(self, asked: Ask, viewer: Viewer) -> Answer:
        """A question answered in a few sentences by the chosen model, from the best hits alone, each sentence with what
        it rests on. Without a model, and when the hits do not answer, the hits."""
        wanted = Recall(asked.question, limit=asked.limit, project=asked.project, all_projects=asked.all_projects)
        hits = tuple(self.find(wanted, viewer))
        if not hits:
            return Answer(reason=NOTHING_FOUND)
        if self.is_readonly or self.settings.llm_provider.partition(":")[0] in ("none", "recorded"):
            return Answer(hits=hits, reason=NO_MODEL)
        never = excluded_projects(self.settings)
        allowed = [hit for hit in hits if hit.moment is None or hit.moment.project_id not in never]
        shown = tuple(hit for hit in allowed if hit.memory is None or may_be_sent(hit.memory))
        if not shown:
            return Answer(hits=hits, reason=NOT_ASKED)
        try:
            found = self.work.answer(asked.question, [hit.note for hit in shown])
        except ConfigError as problem:
            return Answer(hits=hits, reason=f"{problem}")
        if found is None:
            return Answer(hits=hits, reason=NOT_ASKED)
        model, sentences = found
        return Answer(sentences=sentences, hits=shown, model=model, reason="" if sentences else UNKNOWN)

    ask = _method(Ask, answer, "A question answered by the chosen model from what is remembered; fields of `Ask`.")

    def _accessed(self, hits: list[Found]) -> list[Found]:
        """The hits, after it was noted that somebody asked for the best memory among them."""
        best = next((hit.memory for hit in hits if hit.memory), None)
        if best is None:
            return hits
        now = self._access([best.memory])[best.memory.id]
        fresh = msgspec.structs.replace(best, memory=now)
        return [msgspec.structs.replace(hit, memory=fresh) if hit.memory is best else hit for hit in hits]

    def _followed(self, asked: Query, hits: list[Recalled]) -> list[Recalled]:
        """The hits, the best of them with where a question for a time leads."""
        if understand(asked.text, asked.now).intent != "when" or asked.as_of:
            return hits
        best = sorted(hits, key=lambda hit: -hit.score)[:FOLLOWED]
        trails = {hit.id: tuple(beside(self.stores, hit.moment)) for hit in best if hit.moment}
        return [msgspec.structs.replace(hit, trail=trails.get(hit.id, ())) for hit in hits]

    def episodes(self, session_id: str) -> Sequence[Episode]:
        """A session told by what happened in it: one episode, or several where it was cut or paused for long."""
        return of_session(self.stores, session_id)

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
                archive.restore(self.stores.events, memory, self.clock())
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
        where = None if all_projects else self.project(project).id
        filters["viewer"] = filters.get("viewer") or OWNER_VIEW
        circles = tuple(self.stores.circles.of_project(where, filters["viewer"]))
        return Query(text=text, project_id=where, circles=circles, now=now, **filters)

    def explain(self, memory_id: int) -> Explanation:
        """Where a memory comes from, what became of it, and what it hangs together with."""
        return explain(self.stores, self._get(memory_id), self.clock(), self.settings.decay_curve)

    def said(self, memory: Memory) -> tuple[Quote, ...]:
        """The words that a memory was learned from, as far as they are kept."""
        return quotes(self.stores, memory)

    def why_not(
        self,
        query: str,
        memory_id: int,
        *,
        limit: int = 10,
        project: str | None = None,
        all_projects: bool = False,
        viewer: Viewer | None = None,
    ) -> WhyNot:
        """Why `recall` does not bring a memory up, or that it does."""
        asked = self._query(query, project, all_projects, limit=limit, viewer=viewer)
        return why_not(self.stores, asked, self.get(memory_id), self.embedder, self.work.weights)

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

    def migrate_to(self, url: str) -> Migrated:
        """Copy everything into an empty database, after which both hold the same; this one stays as it is."""
        self.work.catch_up()
        return move(self.settings.db_path, url, self.clock())

    def backup(self, file: str, *, overwrite: bool = False) -> backup.Backup:
        """Copy the memory to a file while it is in use, from a server too, and check the copy."""
        self.work.catch_up()
        with as_file(self.settings.db_path, self.clock()) as path:
            return backup.backup(path, file, overwrite=overwrite)

    def sql(
        self, question: str, *, project: str | None = None, all_projects: bool = False, limit: int = 200
    ) -> tuple[Sequence[str], Sequence[tuple[Any, ...]]]:
        """Columns and rows of a question in SQL to the views that can only be read."""
        from nous.stores import views

        if not is_file(self.settings.db_path):
            hint = "make a copy and ask that: `nous admin backup copy.db`, then `NOUS_DB_PATH=copy.db nous sql …`"
            raise Misuse("asking in SQL needs a database that is a file, and this one is on a server", hint=hint)
        where = None if all_projects else self.project(project).id
        return views.ask(self.settings.db_path, question, where, limit)

    def forget(self, memory_id: int, reason: str = "forgotten by the user") -> bool:
        """Take a memory out of use; whether a person had not done so before. Its history stays; `purge` destroys."""
        self._require_quote(lambda: self._asked_to_forget(self._get(memory_id)), f"nous forget {memory_id}")
        memory = self._get(memory_id)
        if memory.status == "archived":
            told = standing(self.stores.events.of_learning(memory.learning_id))
            if [one.source for one in told if isinstance(one.payload, Archived)][-1:] == [BY_USER]:
                return False
        self._mark(memory_id, "LearningArchived", Archived(reason=reason))
        return True

    def _asked_to_forget(self, memory: Memory) -> UserQuote:
        self._own(memory)
        return find_wish_to_forget(os.environ, self.speaker.place, memory.id, memory.content)

    def pin(self, memory_id: int) -> None:
        """Always show a memory, and never let it fade."""
        memory = self._get(memory_id)
        seen, heir = {memory.learning_id}, memory
        while heir.superseded_by and heir.superseded_by not in seen:  # to the last of those that took its place
            seen.add(heir.superseded_by)
            heir = self.stores.memories.by_learning([heir.superseded_by]).get(heir.superseded_by, heir)
        if memory.status == "superseded":
            raise NousError(f"memory #{memory_id} was replaced by #{heir.id}", hint=f"`nous pin {heir.id}`")
        if memory.status == "archived":
            raise NousError(
                f"memory #{memory_id} is out of use", hint="`nous remember` its words again, or `nous undo`"
            )
        self._mark(memory_id, "LearningPinned", Payload())

    def unpin(self, memory_id: int) -> None:
        """Show a memory only when it is called for, and let it fade like any other."""
        self._mark(memory_id, "LearningUnpinned", Payload())

    def restore(self, memory_id: int, reason: str = "restored by the user") -> None:
        """Bring back a memory that was forgotten or has faded."""
        memory = self._get(memory_id)
        if memory.status == "superseded":
            raise NousError(f"memory #{memory_id} was replaced", hint="undo what replaced it, or correct its successor")
        if memory.status == "archived":
            self._mark(memory_id, "LearningRestored", Payload(reason=reason))

    def confirm(self, memory_id: int) -> None:
        """Say that a memory is true; it is protected from fading."""
        memory = self._get(memory_id)
        self._require_quote(lambda: self._said(memory.content, memory), f"nous confirm {memory_id}")
        self._mark(memory_id, "LearningConfirmed", Payload())

    def dispute(self, memory_id: int, reason: str = "disputed by the user") -> None:
        """Say that a memory may be wrong; it is no longer shown unasked until somebody decides.

        Where a team discusses (`disputes`), it is shown meanwhile, less sure and with a badge, and this is one more
        remark about it.
        """
        if self.settings.serve_hub or self.settings.disputes == "discuss":
            self._mark(memory_id, "LearningContested", Contested(reason=reason, author=self.author))
        else:
            self._mark(memory_id, "LearningDisputed", Payload(reason=reason))

    def authors(self, memories: Iterable[Memory | None]) -> dict[str, str]:
        """Who told of memories that came through a hub, by their global ids."""
        return self.stores.devices.written_by(memory.learning_id for memory in memories if memory)

    @property
    def archiving(self) -> archive.ArchivePolicy:
        """When memories are archived by themselves, as set."""
        return archive.ArchivePolicy(self.settings.decay_curve)

    def correct(self, memory_id: int, text: str) -> int:
        """Replace a memory by better words; the number of the new one. The old one keeps its history."""
        old = self._get(memory_id)
        self._require_quote(lambda: self._said(text, old), f"nous correct {memory_id} TEXT")
        note = Note(text=text, type=old.type, scope=old.scope, files=old.files, ref=old.ref)
        with self.decision():
            [new] = self._keep([note], old.project_id)
            if new != memory_id:
                newer = self._get(new)
                if self._get(memory_id).status == "active":
                    said = Superseded(superseded_by=newer.learning_id, reason="corrected by the user")
                    self._mark(memory_id, "LearningSuperseded", said, cause=newer.id)
        return new

    @contextmanager
    def decision(self) -> Iterator[str]:
        """All or nothing, at one moment that is yielded: what happens inside is one decision, and is undone as one."""
        clock = self.clock
        with self.stores.db.transaction():
            now = self.clock() if self._is_deciding else self._own_moment()
            outer, self._is_deciding, self.clock = self._is_deciding, True, lambda: now
            try:
                yield now
            finally:
                self._is_deciding, self.clock = outer, clock

    def _own_moment(self) -> str:
        """A moment that no earlier event has: decisions of one session are told apart by theirs alone."""
        if self.stores.events.head()[1] >= self.clock():
            time.sleep(MOMENT)
        return self.clock()

    def review(
        self,
        *,
        project: str | None = None,
        all_projects: bool = False,
        kind: str | None = None,
        limit: int = MOST,
    ) -> Sequence[ReviewItem]:
        """What a person should decide about, most harmful first and by subject; what was decided does not come back."""
        return review.chosen(self.questions(project=project, all_projects=all_projects, kind=kind), limit)

    def waiting(
        self, *, project: str | None = None, all_projects: bool = False, kind: str | None = None
    ) -> dict[str, int]:
        """How many questions of each kind wait for a person."""
        return dict(
            Counter(item.kind for item in self.questions(project=project, all_projects=all_projects, kind=kind))
        )

    def questions(
        self, *, project: str | None = None, all_projects: bool = False, kind: str | None = None
    ) -> Sequence[ReviewItem]:
        """Everything that waits for a person, most harmful first."""
        where = None if all_projects else self.project(project).id
        return review.queue(self.stores, where, self.clock(), kind)

    def decide(self, item_id: str, action: Decision, *, text: str | None = None, swap: bool = False) -> ReviewItem:
        """Decide about an item of the review; with `swap` the decision is about the other memory of the two."""
        item = review.find(self.stores, item_id, self.clock())
        if swap:
            item = review.swapped(item)
        if problem := review.refusal(item, action, text):
            raise NousError(problem)
        with self.decision():
            cause = self._mark(item.memory.id, "LearningReviewed", review.reviewed(item, action, self.clock()))
            for memory, kind, payload in review.consequences(item, action):
                self._mark(memory.id, kind, payload, cause)
            if action == "edit":
                self._reword(item, text or "", cause)
            if action == "keep" and item.kind == "conflict":
                self._reconcile(item, cause)
            if action == "keep" and item.kind == "placement":
                self._mark(item.memory.id, "LearningPlaced", placing.place(self.stores, item.memory), cause)
            if action == "merge" and item.named:
                lesser, greater = item.named
                self._say_of_name(entities.merge(self.stores, lesser.project_id, lesser.name, greater.name), cause)
        return item

    def _reword(self, item: ReviewItem, text: str, cause: int | None) -> None:
        """Better words take the place of a memory, and of the other one if they spoke about the same."""
        new = self.correct(item.memory.id, text)
        if item.other and item.kind == "conflict" and new != item.other.id:
            said = Superseded(superseded_by=self._get(new).learning_id, reason="reworded in review")
            self._mark(item.other.id, "LearningSuperseded", said, cause)

    def _reconcile(self, item: ReviewItem, cause: int | None) -> None:
        """Both are true: that they contradict each other no longer counts."""
        against = review.contradictions(self.stores, item)
        chosen = undo.planned(self.stores.events, (event.event_id for event in against))
        undo.undo(self.stores.events, chosen, self.session_id, "both are true", self.clock(), cause)
        catch_up(self.stores, self.clock())

    def _mark(self, memory_id: int, event_type: EventType, payload: Payload, cause: int | None = None) -> int | None:
        """Append one event by hand to a memory and bring everything up to date; the event's number."""
        return self.mark([self._get(memory_id)], event_type, payload, cause)[0]

    def mark(
        self,
        memories: Sequence[Memory],
        event_type: EventType,
        payload: Payload,
        cause: int | None = None,
        source: str = BY_USER,
    ) -> Sequence[int | None]:
        """Append one event by hand to each of some memories, as one decision; the events' numbers."""
        payload = discreet(payload, WORDS)
        with self.decision() as now:
            events = [
                make_event(
                    event_type,
                    memory.learning_id,
                    payload,
                    f"{BY_HAND}:{event_type}:{memory.learning_id}:{memory.version}",
                    project_id=memory.project_id,
                    by=Writer(self.session_id, source),
                    at=now,
                    cause=cause,
                )
                for memory in memories
            ]
            numbers = self.stores.events.append(events, now)
            catch_up(self.stores, now)
        self._changed.update(memory.project_id for memory in memories)
        return numbers

    def feedback(self, memory_id: int, signal: OutcomeSignal, *, session: str | None = None) -> bool:
        """Say what came of a memory; False when the session had said so before."""
        memory = self._get(memory_id)
        outcome = Outcome(signal, SAID[signal])
        with self.decision() as now:
            counted = record(self.stores, memory, outcome, nameless(self._counted_session(session)), now)
            catch_up(self.stores, now)
        self._changed.add(memory.project_id)
        return counted

    def _counted_session(self, session: str | None) -> str:
        """The session that an outcome counts once in: an agent cannot choose another than its own."""
        if self.speaker.kind == "agent":
            return os.environ.get("CLAUDE_CODE_SESSION_ID") or f"agent-{self.project(self.speaker.place).id}"
        return session or self.session_id

    def brief(
        self, role: Role | None = None, subject: str = "", *, tokens: int = 1500, project: str | None = None
    ) -> Brief:
        """The lines that a session of a project begins with; for a role also what it needs of a subject."""
        place, now = self._start_place(project), self.clock()
        lines = shown_lines(self.stores, place, self.settings.session_start_tokens, now)
        if role is None:
            return Brief(lines)
        told = {one.ids[0] for one in lines if len(one.ids) == 1}  # a line made of several tells none of them whole
        hits = self.recall(subject, limit=MOST_OF_A_SUBJECT, project=project, records="memories") if subject else []
        least = max((OF_A_SUBJECT, *(OF_A_SUBJECT * hit.score for hit in hits)))
        ranked = [hit.memory.id for hit in hits if hit.memory and hit.score >= least]
        entries, is_about = role_entries(self.stores, role, place, ranked, tokens, now, told)
        return Brief(lines, role, subject, tuple(entries), is_about)

    def brief_decide(
        self, action: LineDecision, line: int | str, text: str = "", *, project: str | None = None
    ) -> Brief:
        """Keep a line of the brief as it is, edit it, drop it until the user says it again, or pin it first.

        No reader changes what was decided. A pinned line is kept already; `unpin` keeps it wherever it stands.
        """
        known = self.brief(project=project)
        found = self._line(known.lines, line)
        if action == "unpin" and found.state != "pinned":
            raise Misuse(f"line {found.number} is not pinned")
        if action == "keep" and found.state == "pinned":
            return known
        return self._write_lines([decide_line(found.key, found.line, found.beside, action, text)], project)

    def brief_order(self, lines: Sequence[int | str], *, project: str | None = None) -> Brief:
        """Put these lines of the brief first, in this order; the others follow as they were."""
        known = self.brief(project=project).lines
        numbers = new_order(len(known), [self._line(known, one).number for one in lines])
        ordered = [known[number - 1] for number in numbers]
        events = [place_line(one.key, one.line, one.beside, place) for place, one in enumerate(ordered, 1)]
        return self._write_lines(events, project)

    def _line(self, lines: Sequence[ShownLine], wanted: int | str) -> ShownLine:
        """A line by its number, or by its key."""
        found = next((one for one in lines if wanted in (one.number, one.key)), None)
        if found is None:
            hint = "`nous brief` lists them" if lines else "sessions of this project begin with nothing yet"
            raise NotFound(f"the brief has no line {wanted}", hint=hint)
        return found

    def _write_lines(self, events: Sequence[LineEvent], project: str | None) -> Brief:
        """Write what was decided about lines as one decision; the brief as it is then."""
        if self.speaker.kind == "agent":
            gate.require(self.speaker, "brief")
        where, last = self.project(project).id, self.stores.events.last_id()
        with self.decision() as now:
            self.stores.events.append(
                [
                    make_event(
                        one.event_type,
                        one.key,
                        one.payload,
                        f"{BY_HAND}:{one.event_type}:{one.key}:{last}",
                        project_id=where,
                        by=Writer(self.session_id, BY_USER),
                        at=now,
                    )
                    for one in events
                ],
                now,
            )
            catch_up(self.stores, now)
        self._changed.add(where)
        return self.brief(project=project)

    def _start_place(self, project: str | None) -> Project:
        """Where a session of a project begins: its directory and branch, as they were last seen if nobody is there."""
        place = self.project(project)
        row = next((row for row in self.stores.cache.projects() if row["project_id"] == place.id), None)
        if row is None or place.root == row["root"] or os.path.isdir(place.root):
            return place
        return Project(place.id, row["root"], place.branch or row["branch"] or "")

    def maintain(self, *, seconds: float | None = None) -> MaintenanceReport:
        """Tend the memories as a whole, within some seconds; a second run finds nothing to do."""
        steps = (
            Step("link", lambda _: (f"{self.embed()} vectors made, {self.link()} memories linked", True)),
            Step("reconcile", self._step_reconcile),
            Step("tidy", lambda _: (f"{len(self.work.tidy_due(nightly=True))} projects tidied", True), daily=True),
            Step("outcomes", lambda _: (self._step_outcomes(), True), always=True),
            Step("observe", lambda _: (self._step_observe(), True), always=True),
            Step("archive", lambda _: (self._step_archive(), True), daily=True),
            Step("prune", lambda _: (self._step_prune(), True), daily=True),
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

    def _step_observe(self) -> str:
        found = self.work.observe()
        return f"{found.sessions} sessions observed, {found.learned} learned, {found.strengthened} said again"

    def _step_archive(self) -> str:
        """Archive what faded, and the weakest beyond the number that is kept; hubs excepted."""
        now, archiving = self.clock(), self.archiving
        with self.stores.db.transaction():
            due = archive.faded(self.stores, now, archiving)
            done = archive.archive(self.stores.events, due, now, archiving)
            catch_up(self.stores, now)
        self._changed.update(memory.project_id for memory in due)
        return f"{done} faded memories archived"

    def _step_prune(self) -> str:
        """Let go of what can be made again, or is too old to tune by; never of the log."""
        gone = self.stores.pruning.prune(later(self.clock(), -PRUNE_DAYS * DAY))
        return ", ".join(f"{rows} {kind.replace('_', ' ')}" for kind, rows in gone.items()) or "nothing is old enough"

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
        with self.decision() as now:
            chosen = self.undoable(event_ids, last=last, project=project, all_projects=all_projects)
            done = undo.undo(self.stores.events, chosen, self.session_id, reason, now)
            catch_up(self.stores, now)
        self._changed.update(event.project_id for event in done.undone)
        return done._replace(files=tuple(placing.take_back(done.undone)))

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
        return undo.planned(self.stores.events, asked) if asked else undo.latest(self.stores.events, last, where)

    def reconcile(self, *, seconds: float | None = None, anew: bool = False) -> dict[str, Any]:
        """Find memories of independent sessions that contradict each other; what was looked at and what came of it."""
        before = self.stores.events.last_id()
        found = self.work.reconcile(seconds=seconds, anew=anew)
        self._changed.update(self.work.touched(before))
        return found._asdict()

    def index_code(self, file: str) -> Paired:
        """Keep a file as code and prose: each piece as it is, and a sentence about it that searches find."""
        real, tree = os.path.realpath(file), work_tree(os.getcwd())
        if not real.startswith(tree + os.sep):
            tree = work_tree(os.path.dirname(real))
        path = os.path.relpath(real, tree).replace(os.sep, "/")
        where = self.project(tree)
        with self.decision() as now:
            self._see(where, now)
            who = self.code.callers(tree)
            is_agent = self.speaker.kind == "agent"
            done = pair(self.stores, tree, path, self.code.ignored, where.id, self.session_id, now, who, is_agent)
            self.mark(done.gone, "LearningArchived", archived(path), source=AGENT if is_agent else BY_USER)
        self._changed.add(where.id)
        return done

    @cached_property
    def code(self) -> Codebase:
        """The code of work trees: `index`, `impact`, `symbols`."""
        return Codebase(self.settings, lambda: self.clock())

    def dossier(self, *, project: str | None = None) -> Dossier:
        """The project on one page of Markdown, every line with its memory."""
        where = self.project(project).id
        self._take_in()
        return dossier(self.stores, where, self.clock())

    # named things
    def entity(self, name: str, *, project: str | None = None, all_projects: bool = False) -> Profile:
        """What is known of a named thing: what holds of it, what held before, and what it hangs together with."""
        where = self.project(project).id
        self._take_in()
        return profile(
            self.stores, entities.found(self.stores, where, name), None if all_projects else where, self.clock()
        )

    def entities(self, *, project: str | None = None, all_projects: bool = False) -> Sequence[Entity]:
        """The named things of a project, the most named first."""
        self._take_in()
        return listing(self.stores, None if all_projects else self.project(project).id)

    def _take_in(self) -> None:
        """Bring the read models up to date: those of names are younger than some logs."""
        if not self.is_readonly:
            catch_up(self.stores, self.clock())

    def merge_entities(
        self, name: str, into: str, *, project: str | None = None, into_project: str | None = None
    ) -> int:
        """Say that a name means another named thing; the event's number, for `undo`."""
        where, other = self.project(project).id, self.project(into_project).id if into_project else None
        return self._say_of_name(entities.merge(self.stores, where, name, into, other))

    def rename_entity(self, name: str, to: str, *, project: str | None = None) -> int:
        """Say what a named thing is called; the event's number."""
        return self._say_of_name(entities.rename(self.stores, self.project(project).id, name, to))

    def split_entity(self, name: str, apart: str, *, memories: Iterable[int] = (), project: str | None = None) -> int:
        """Say that a name stands for two things; the event's number. In these memories it means `apart`."""
        chosen = [self._get(number) for number in memories]
        return self._say_of_name(entities.split(self.stores, self.project(project).id, name, apart, chosen))

    def reject_entity(self, name: str, *, project: str | None = None) -> int:
        """Say that a name is no named thing; the event's number."""
        return self._say_of_name(entities.reject(self.stores, self.project(project).id, name))

    def _say_of_name(self, event: Event, cause: int | None = None) -> int:
        words = discreet(event.payload)
        said = msgspec.structs.replace(event, payload=words, session_id=self.session_id, parent_event_id=cause)
        with self.decision() as now:
            [number] = self.stores.events.append([said], now)
            catch_up(self.stores, now)
        assert number is not None
        return number

    # what was written elsewhere
    def ingest(
        self, given: str | dict[str, Any], *, project: str | None = None, session_id: str = ""
    ) -> dict[str, Any]:
        """Learn from a text or a structured work summary; the same one a second time changes nothing."""
        number = artifacts.ingest(self.stores, given, self.project(project), self.clock(), session_id)
        outcome = self.work.learn() if number else Learned()
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


def _recalled(found: Found) -> Recalled:
    """A hit of the list as it is given: what answers better, with the other beside it."""
    hit, spoken = found.memory, found.exchange
    if spoken and (hit is None or found.leads == "exchange"):
        return Recalled(
            id=spoken.place.uuid,
            content=spoken.content,
            score=found.score,
            exchange=spoken,
            distilled=hit.memory if hit else None,
            shares=found.shares,
            found_by=tuple(part for part, share in spoken.shares.items() if share > 0),
        )
    assert hit is not None
    return Recalled(
        id=hit.memory.id,
        content=hit.memory.content,
        score=found.score,
        ref=hit.memory.ref,
        memory=hit.memory,
        exchange=spoken,
        shares=found.shares,
        found_by=hit.found_by,
        stale=hit.stale,
    )
