"""Taking over what other memories and instruction files know: as events, never as rows, and twice is once."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from nous import moments
from nous.errors import NousError
from nous.features.imports.chat_files import enqueue_chats
from nous.features.imports.chats import Chat, read_codex
from nous.features.imports.drafts import (
    CHAT_FORMATS,
    LEGACY_PROJECT,
    ChatFormat,
    Draft,
    Format,
    Skipped,
    detect,
    digest,
    read_drafts,
)
from nous.features.imports.histories import is_specstory, read_specstory
from nous.features.imports.markdown import is_sheet, read_sheet
from nous.identity import Project, identify
from nous.kernel.capture.intake import CaptureRules, Intake
from nous.kernel.capture.queue import worker_name
from nous.kernel.db.database import Database
from nous.kernel.learn.introduce import Origin, introduction, next_clock
from nous.kernel.learn.learn import WorkerOptions, candidates, learn_all, take_up
from nous.kernel.learn.relearn import judge
from nous.kernel.learn.story import with_description
from nous.kernel.log.events import (
    Archived,
    EventType,
    Payload,
    Source,
    Superseded,
    Writer,
    extraction_key,
    learning_index,
    make_event,
)
from nous.kernel.log.extraction import Learning, Rejection, check
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores
from nous.kernel.types import Scope
from nous.language.likeness import jaccard, tokens
from nous.redact import redact_text

SOURCE: Source = "historical_backfill"
LEGACY_VERSION = "legacy-v1"
LEGACY_SCHEMA = 1
GONE = "no longer in "
MAX_BYTES = 256 * 1024 * 1024
ALIKE = 0.3  # Jaccard from which a changed item of a file is taken for the same item

Result = Literal["taken", "updated", "restored", "unchanged", "known", "skipped"]


class Destination(NamedTuple):
    """Where imported memories go when their source does not say, and how far they reach."""

    project_id: str
    scope: Scope = "project"
    is_given: bool = False


class ImportReport(NamedTuple):
    """What an import did; `skipped` by reason, `projects` by how many memories went there.

    Of conversations also how many said something new, in how many turns.
    """

    format: Format
    counts: Counter[str]
    archived: int
    skipped: Counter[str]
    projects: Counter[str]
    secrets: int
    sessions: int = 0
    turns: int = 0


def import_file(
    stores: Stores,
    path: str,
    place: Destination,
    clock: Callable[[], str],
    *,
    format_: Format | None = None,
    name: str | None = None,
    dry_run: bool = False,
    options: WorkerOptions = WorkerOptions(),
    rules: CaptureRules = CaptureRules(),
) -> ImportReport:
    """Take in a file; all of it or, when something is wrong, nothing.

    `name` is what the file is called in references, its base name by default. Conversations go through the queue as
    `rules` say and are learned as `options` say.
    """
    text = _text(path)
    called = name or os.path.basename(path)
    chosen = format_ or _own_format(text) or detect(path, text)
    if chosen in CHAT_FORMATS:
        return _undone_if(
            dry_run, stores.db, lambda: _chats(Intake(stores, clock, rules), chosen, path, text, place, options)
        )
    # Of a file the whole is cleaned first: a private span may go over several items. Records are cleaned one by one.
    text, secrets = redact_text(text) if chosen in ("markdown", "nous") else (text, Counter[str]())
    found = list(read_sheet(text)) if chosen == "nous" else read_drafts(chosen, called, text)
    if not any(isinstance(one, Draft) for one in found):
        reasons = Counter(one.reason for one in found if isinstance(one, Skipped))
        why = f" ({reasons.most_common(1)[0][0]})" if reasons else ""
        raise NousError(f"there is nothing to remember in {path}{why}")
    work = _Import(stores, chosen, place, _last_written(path, clock()), clock())
    work.secrets = secrets.total()
    return _undone_if(dry_run, stores.db, lambda: work.run(called, found))


def _own_format(text: str) -> Format | None:
    """What a file says of itself in its first lines."""
    if is_sheet(text):
        return "nous"
    return "specstory" if is_specstory(text) else None


class _Undo(Exception):
    """A dry run does everything and takes it back."""


def _undone_if(dry_run: bool, db: Database, work: Callable[[], ImportReport]) -> ImportReport:
    """What some work reports; a dry run takes it all back."""
    if not dry_run:
        return work()
    done: list[ImportReport] = []
    with suppress(_Undo), db.transaction():
        done.append(work())
        raise _Undo
    return done[0]


def _chats(
    intake: Intake, format_: ChatFormat, path: str, text: str, place: Destination, options: WorkerOptions
) -> ImportReport:
    """Queue conversations and learn from them; what an earlier import read is not read again."""
    is_history = format_ == "specstory"
    found = list(read_specstory(os.path.basename(path), text)) if is_history else read_codex(text)
    chats = [one for one in found if isinstance(one, Chat)]
    skipped = Counter(one.reason for one in found if isinstance(one, Skipped))
    if not chats:
        raise NousError(f"there is nothing to remember in {path} ({skipped.most_common(1)[0][0]})")
    home = Project(place.project_id, "", "")
    queued = enqueue_chats(intake, format_, chats, home, place.is_given)
    learned = learn_all(intake.stores, worker_name("import"), intake.clock, options)
    skipped.update(
        {"a learning broke the contract": learned.rejected, "it failed and will be tried again": learned.failed}
    )
    counts = Counter(taken=learned.learned, known=learned.repeated, unchanged=queued.unchanged, skipped=skipped.total())
    return ImportReport(format_, counts, 0, +skipped, Counter(), queued.secrets, queued.sessions, queued.turns)


def _text(path: str) -> str:
    try:
        if os.path.getsize(path) > MAX_BYTES:
            raise NousError(f"{path} is larger than {MAX_BYTES >> 20} MB")
        with open(path, "rb") as file:
            raw = file.read()
    except OSError as problem:
        raise NousError(f"cannot read {path}: {problem.strerror}") from None
    if raw[:2] == b"\x1f\x8b" or raw[:4] == b"PK\x03\x04":
        raise NousError(f"{path} is compressed", hint="unpack it first")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NousError(f"{path} is not text") from None
    if not text.strip():
        raise NousError(f"{path} is empty")
    return text


def _last_written(path: str, now: str) -> str:
    """When a file was last written: since then, at the latest, it says what it says."""
    return min(now, moments.text(datetime.fromtimestamp(os.path.getmtime(path), UTC)))


class _Import:
    """One import at work, inside its transaction."""

    def __init__(self, stores: Stores, format_: Format, place: Destination, written: str, now: str):
        self.stores = stores
        self.format = format_
        self.place = place
        self.written = written
        self.now = now
        self.counts: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.projects: Counter[str] = Counter()
        self.archived = 0
        self.secrets = 0
        self.known_projects = {os.path.basename(row["root"]): row["project_id"] for row in stores.cache.projects()}

    def run(self, name: str, found: Iterable[Draft | Skipped]) -> ImportReport:
        """Everything in one transaction."""
        with self.stores.db.transaction():
            return self._run(name, found)

    def _run(self, name: str, found: Iterable[Draft | Skipped]) -> ImportReport:
        catch_up(self.stores, self.now)
        drafts = []
        for one in found:
            if isinstance(one, Skipped):
                self._skip(one.reason)
            else:
                drafts.append(one)
        if self.format == "markdown":
            self._file(name, drafts)
        else:
            for draft in drafts:
                self._record(draft)
        return ImportReport(self.format, self.counts, self.archived, self.skipped, self.projects, self.secrets)

    def _skip(self, reason: str) -> None:
        self.counts["skipped"] += 1
        self.skipped[reason] += 1

    def _note(self, result: Result, project_id: str) -> None:
        self.counts[result] += 1
        if result in ("taken", "updated", "restored"):
            self.projects[project_id] += 1

    # records that have a name of their own
    def _record(self, draft: Draft) -> None:
        project_id = self._project(draft.project)
        learning = self._learning(draft, draft.ref)
        if isinstance(learning, Rejection):
            self._skip(learning.reason)
            return
        old = self.stores.memories.by_ref(draft.ref, project_id)
        if old is not None and old.content == learning.content:
            self._note("unchanged", project_id)
            return
        self._note(self._write(draft, learning, project_id, draft.ref, old), project_id)

    def _project(self, told: str | None) -> str:
        """The project a record belongs to: as asked for, else as its source says, else the fallback of its kind."""
        if self.place.is_given:
            return self.place.project_id
        if told and self.format == "nous":
            return told
        if told and os.path.isabs(told):
            return identify(told).id
        if told and told in self.known_projects:
            return str(self.known_projects[told])
        return LEGACY_PROJECT if told or self.format == "legacy" else self.place.project_id

    # items of a file, which have none: they are recognised by their section and their words
    def _file(self, name: str, drafts: list[Draft]) -> None:
        project_id = self.place.project_id
        sections: dict[str, list[Draft]] = {}
        for draft in drafts:
            sections.setdefault(draft.ref, []).append(draft)
        held: dict[str, list[Memory]] = {}
        for memory in self.stores.memories.listing(project_id, limit=1_000_000):
            if memory.ref and memory.ref.startswith(f"{name}#"):
                held.setdefault(section_of(memory.ref), []).append(memory)
        for section, items in sections.items():
            self._section(section, items, held.pop(section, []), project_id)
        for memory in (memory for gone in held.values() for memory in gone):
            self._drop(memory, name)

    def _section(self, section: str, items: list[Draft], held: list[Memory], project_id: str) -> None:
        cleaned = [(item, self._learning(item, f"{section}:{digest(item.content)}")) for item in items]
        fresh: list[tuple[Draft, Learning]] = []
        left = {memory.content: memory for memory in held}
        taken = {memory.ref for memory in held if memory.ref}
        for item, learning in cleaned:
            if isinstance(learning, Rejection):
                self._skip(learning.reason)
            elif left.pop(learning.content, None) is not None:
                self._note("unchanged", project_id)
            else:
                fresh.append((item, learning))
        for item, learning in fresh:
            old = _likeliest(learning, left.values())
            if old is not None:
                del left[old.content]
            ref = old.ref if old is not None and old.ref else _free(section, taken)
            taken.add(ref)
            self._note(self._write(item, learning, project_id, ref, old), project_id)
        for memory in left.values():
            self._drop(memory, section.partition("#")[0])

    def _drop(self, memory: Memory, name: str) -> None:
        """What the file no longer says leaves the active set, unless the user wants it."""
        if memory.pinned or memory.confirmed:
            return
        self.archived += 1
        self._mark(memory, "LearningArchived", Archived(reason=GONE + name))

    # one learning
    def _learning(self, draft: Draft, evidence: str) -> Learning | Rejection:
        content, found = redact_text(draft.content)
        self.secrets += found.total()
        content = " ".join(content.split())
        learning = Learning(
            content=content,
            type=draft.type,
            evidence=(f"import:{evidence}",),
            concepts=draft.concepts,
            files=draft.files,
            confidence=draft.confidence,
            scope=self.place.scope,
            suggested_target=draft.suggested_target,
            valid_from=draft.at or self.written,
        )
        checked = check(learning)
        return checked if isinstance(checked, Rejection) else with_description(checked)

    def _write(self, draft: Draft, learning: Learning, project_id: str, ref: str, old: Memory | None) -> Result:
        """One memory more, in the place of an old one, or a known one that is now better known."""
        key = self._key(draft, learning, project_id, ref)
        version = draft.extractor or (LEGACY_VERSION if self.format == "legacy" else f"import-{self.format}")
        begins = learning.valid_from or self.now
        if old is not None:
            begins = max(begins, old.valid_from or begins)
        origin = Origin(project_id, draft.session or f"import-{self.format}", SOURCE, begins, version)
        if old is None and (result := self._known(learning, origin, key)):
            return result
        schema = LEGACY_SCHEMA if version == LEGACY_VERSION else None
        fields = {"schema_version": schema} if schema else {}
        clock = next_clock(self.stores.events, origin.session_id)
        event = introduction(
            learning, origin, key, clock, ref=ref, tags=draft.tags, cause=old.id if old else None, **fields
        )
        [number] = self.stores.events.append([event], self.now)
        if number is None:
            return self._once_more(event.learning_id, old)
        if old is not None:
            said = Superseded(superseded_by=event.learning_id, reason=f"{ref} says something else now")
            self._mark(old, "LearningSuperseded", said, number, begins)
        catch_up(self.stores, self.now)
        return "updated" if old is not None else "taken"

    def _key(self, draft: Draft, learning: Learning, project_id: str, ref: str) -> str:
        if self.format == "legacy":
            version = draft.extractor or LEGACY_VERSION
            return extraction_key(project_id, draft.session or "legacy", learning_index(draft.ref, 0), version)
        return f"import:{project_id}:{section_of(ref)}:{digest(learning.content)}"

    def _known(self, learning: Learning, origin: Origin, key: str) -> Result | None:
        """What is known already is not written a second time, but this is evidence for it."""
        near = candidates(self.stores.memories, learning, origin.project_id)
        if judge(learning, origin.valid_from, near).repeats is None:
            return None
        take_up(self.stores, learning, origin, f"{key}:again", self.now)
        return "known"

    def _once_more(self, learning_id: str, old: Memory | None) -> Result:
        """It was imported before: back when only the file had dropped it; what the user forgot stays forgotten."""
        memory = self.stores.memories.by_learning([learning_id]).get(learning_id)
        back = memory is not None and (memory.archived_reason or "").startswith(GONE)
        if memory is None or not (back or (old is not None and memory.status == "superseded")):
            return "known"
        self._mark(memory, "LearningRestored", Payload(reason="the file says it again"))
        if old is not None:
            said = Superseded(superseded_by=learning_id, reason="the file says it again")
            self._mark(old, "LearningSuperseded", said, memory.id)
        return "restored"

    def _mark(
        self, memory: Memory, kind: EventType, payload: Payload, cause: int | None = None, at: str | None = None
    ) -> None:
        event = make_event(
            kind,
            memory.learning_id,
            payload,
            f"import:{kind}:{memory.learning_id}:{memory.version}",
            project_id=memory.project_id,
            by=Writer(f"import-{self.format}", SOURCE),
            at=at or self.now,
            cause=cause or memory.id,
        )
        self.stores.events.append([event], self.now)
        catch_up(self.stores, self.now)


_NUMBER = re.compile(r"~\d+$")


def section_of(ref: str) -> str:
    """The section a reference belongs to: `CLAUDE.md#Tests~2` -> `CLAUDE.md#Tests`."""
    return _NUMBER.sub("", ref) if "#" in ref else ref


def _free(section: str, taken: set[str]) -> str:
    """The first reference in a section that is not in use."""
    number = 1
    while (ref := section if number == 1 else f"{section}~{number}") in taken:
        number += 1
    return ref


def _likeliest(learning: Learning, held: Iterable[Memory]) -> Memory | None:
    """The item that was probably changed into this one."""
    words = tokens(learning.content)
    scored = [(jaccard(words, tokens(memory.content)), -memory.id, memory) for memory in held]
    best = max(scored, key=lambda row: row[:2], default=None)
    return best[2] if best and best[0] >= ALIKE and not best[2].pinned else None


_IN_FOLDERS = re.compile(r"\.mdc?\Z|\Arollout-.*\.jsonl\Z")


def files_in(path: str) -> list[str]:
    """The path itself, or of a folder the files in it that rules and conversations are kept in."""
    if not os.path.isdir(path):
        return [path]
    found = [os.path.join(at, name) for at, _, names_ in os.walk(path) for name in names_ if _IN_FOLDERS.search(name)]
    if not found:
        raise NousError(f"there is nothing in {path} that can be imported")
    return sorted(found)


def place_of(path: str, project_id: str, is_given: bool, claude_dir: str) -> tuple[Destination, str]:
    """Where a file's memories belong, and what the file is called there.

    A file inside a repository belongs to that project. One in the user's own Claude directory holds everywhere, except
    the memory of a project, which lies there too.
    """
    real = os.path.realpath(path)
    base = os.path.basename(real)
    if is_given:
        return Destination(project_id, is_given=True), base
    inside = os.path.realpath(claude_dir) + os.sep
    if real.startswith(inside):
        everywhere = not real.startswith(os.path.join(inside, "projects") + os.sep)
        return Destination(project_id, "global" if everywhere else "project"), base
    project = identify(os.path.dirname(real))
    if os.path.exists(os.path.join(project.root, ".git")):
        name = os.path.relpath(real, project.root).replace(os.sep, "/")
        return Destination(project.id), name if not name.startswith("..") else base
    return Destination(project_id), base


def describe(report: ImportReport) -> dict[str, Any]:
    """A report as plain data."""
    names_ = ("taken", "updated", "restored", "unchanged", "known", "skipped")
    return {
        "format": report.format,
        **{name: report.counts[name] for name in names_},
        "archived": report.archived,
        "secrets": report.secrets,
        "reasons": dict(report.skipped),
        "projects": dict(report.projects),
        "sessions": report.sessions,
        "turns": report.turns,
    }
