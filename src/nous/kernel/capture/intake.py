"""From transcript files to the queue: new lines are parsed, cleaned of secrets and cut into work units.

Watching, scanning and backfilling all come through `take_in`. A file's cursor moves only when its unit is learned; what
waits in the queue is not read again, and a record that was read once, in whatever file, is never read twice. Where
another file had it first (a fork, a copy), only what others wrote is kept of it: who goes on there has read that too.
"""

from __future__ import annotations

import fnmatch
import glob
import hashlib
import logging
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from stat import S_ISREG
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from nous.config import Settings, ignored_paths
from nous.identity import Project, identify
from nous.kernel import projects as naming
from nous.kernel.capture import sessions
from nous.kernel.capture.files import File, Files
from nous.kernel.capture.ignoring import Ignored
from nous.kernel.capture.queue import EMPTY, Artifact
from nous.kernel.capture.session import texts_to_carry
from nous.kernel.capture.sessions import Stretch, complete_records, cut, digest, parse_turns
from nous.kernel.capture.tail import Line, on_disk, read_new, storable
from nous.kernel.capture.transcript import Turn, parse_line
from nous.kernel.learn.bisect import bisect_failures, dry_run, is_resource_error
from nous.kernel.log.events import Source
from nous.kernel.stores import Stores
from nous.moments import later
from nous.redact import Discretion, without_contacts

log = logging.getLogger("nous")

T = TypeVar("T")
_turns = msgspec.json.Decoder(list[Turn])

LONGEST_WAIT = 15.0  # seconds after which a unit is due although its session goes on talking
UNKNOWN = Project("unknown-project", "", "")


class CaptureRules(NamedTuple):
    """How files are taken in.

    `data_dir`: sessions in there are Nous' own and never read. `quiet_seconds`: how long a unit waits for later lines.
    `ignored`: paths whose contents are not kept. `contacts`: e-mail addresses and phone numbers are removed too.
    """

    data_dir: str = ""
    quiet_seconds: float = 0.0
    ignored: Ignored | None = None
    contacts: bool = False


def rules_of(settings: Settings, quiet_seconds: float = 0.0) -> CaptureRules:
    """How the user wants files to be taken in."""
    globs = ignored_paths(settings)
    ignored = Ignored(globs, os.path.expanduser("~")) if globs else None
    return CaptureRules(settings.data_dir, quiet_seconds, ignored, settings.redact_contacts)


class Taken(NamedTuple):
    """What taking in one file gave."""

    units: int = 0
    turns: int = 0
    lines: int = 0
    quarantined: int = 0
    size: int = 0
    secrets: int = 0
    failed: int = 0  # files that could not be taken in; they are looked at again

    def plus(self, other: Taken) -> Taken:
        """Both together."""
        return Taken(*(a + b for a, b in zip(self, other, strict=True)))


SESSIONS_REMEMBERED = 256
REMINDER_BYTES = 4 * 1024 * 1024
INHERITED_TURNS = 600  # of what others wrote, kept of records that another file had first


class Intake:
    """Takes files in; remembers which directory is which project as long as it lives."""

    def __init__(self, stores: Stores, clock: Callable[[], str], rules: CaptureRules = CaptureRules()):
        self.stores = stores
        self.clock = clock
        self.rules = rules
        self.known: dict[str, Project] = {}
        self.discretion: dict[str, Discretion] = {}
        self.ignored_calls: set[str] = set()
        self.reminded: set[str] = set()
        self.repeated: dict[str, list[Turn]] = {}

    def take_in(self, path: str, source: Source, *, deep: bool = False) -> Taken:
        """Queue what a transcript says that was not read before; `deep` looks even if the file seems unchanged."""
        if self.rules.ignored and self.rules.ignored.covers(path):
            return Taken()
        path = storable(path)
        try:
            stat = os.stat(on_disk(path))
        except (OSError, ValueError):
            return Taken()
        before = self.stores.files.get(path)
        if not S_ISREG(stat.st_mode) or (before and not deep and fingerprint(stat) == _print(before)):
            return Taken()
        with self.stores.db.transaction():
            file = recognise(self.stores.files, path, stat, before)
            if file != before:
                self.stores.files.put(file)
        self._remind(file)
        total = Taken()
        for stretch in () if file.is_own else cut(_lines(file), file.read_offset):
            file = _read_up_to(file, stretch)
            if _is_own(stretch, self.rules.data_dir):
                file = replace(file, is_own=True)
                break
            if _is_torn(path, stretch):
                return total
            total = total.plus(self._enqueue(file, stretch, source))
        self.repeated.pop(path, None)
        self.stores.files.put(replace(file, size=stat.st_size, mtime_ns=stat.st_mtime_ns))
        return total

    def reconcile(
        self,
        pattern: str,
        source: Source = "fs_reconcile",
        *,
        deep: bool = False,
        since: float | None = None,
        is_stopping: Callable[[], bool] = lambda: False,
        most: int | None = None,
    ) -> Taken:
        """Look at every transcript that changed since a moment (epoch seconds), or at all: projects last worked in
        first, and after about so many new bytes no further.

        Unchanged ones cost a stat; `deep` also compares their head and last line.
        """
        self.known.clear()  # a remote may have been added, a folder renamed
        seen = self.stores.files.fingerprints()
        changed: list[tuple[str, int]] = []
        for path, stat in list_transcripts(pattern):
            before = seen.pop(path, None)
            if before is None and since is not None and stat.st_mtime < since:
                continue
            if before != fingerprint(stat) or deep:
                changed.append((path, max(0, stat.st_size - (before[2] if before else 0))))
        total = Taken()
        for folder in group(changed, lambda file: file[0]):
            for portion in cut_back(folder, lambda file: file[1], most or sys.maxsize):
                for path, _ in portion:
                    if is_stopping() or (most and total.size >= most):
                        return total
                    total = total.plus(self.try_in(path, source, deep=deep))
        missing = [path for path, (_, _, size, _) in seen.items() if size >= 0 and not os.path.exists(on_disk(path))]
        if missing:
            self.stores.files.mark_gone(missing, self.clock())
        return total

    def try_in(self, path: str, source: Source, *, deep: bool = False) -> Taken:
        """Take a file in; whatever is wrong with it, the next ones are read."""
        try:
            return self.take_in(path, source, deep=deep)
        except Exception as problem:
            if is_resource_error(problem):
                raise
            log.exception("%s was not taken in", storable(path))
            return Taken(failed=1)

    def _enqueue(self, file: File, stretch: Stretch, source: Source) -> Taken:
        """Queue a stretch; a record with which that fails is put aside alone."""
        try:
            return self._enqueue_all(file, stretch, source)
        except Exception as problem:
            if is_resource_error(problem):
                raise
            log.warning("a stretch of %s fails, looking for the record: %r", file.path, problem)
        every = range(len(stretch.records))
        aside = bisect_failures(
            len(every), lambda numbers: self.rehearse(lambda: self._enqueue_all(file, stretch.only(numbers), source))
        )
        return self._enqueue_all(file, stretch.only([one for one in every if one not in aside], aside), source)

    def rehearse(self, work: Callable[[], object]) -> None:
        """Do something and take it back; fails as it fails."""
        try:
            dry_run(self.stores.db, work)
        finally:
            self.known.clear()  # what was noted about projects is gone too

    def _enqueue_all(self, file: File, stretch: Stretch, source: Source) -> Taken:
        """One transaction: the unit, the records it holds, the lines that were put aside, how far the file is read."""
        now = self.clock()
        secrets: Counter[str] = Counter()
        with self.stores.db.transaction():
            records = complete_records(stretch.records, _stem(file.path))
            clean = self.fresh(records, secrets)
            inherited = self._inherited_turns(file, stretch, records, clean)
            for start, length, reason in stretch.bad:
                self.stores.records.quarantine(file.path, file.file_inode, start, length, reason, now)
            if clean:
                self._queue(file, stretch, clean, inherited, source, now)
            else:
                self._pass_over(file, stretch, source, now)
            self.stores.files.put(file)
        return Taken(
            units=int(bool(clean)),
            turns=len(clean),
            lines=stretch.lines,
            quarantined=stretch.unreadable,
            size=stretch.end - stretch.start,
            secrets=secrets.total(),
        )

    def _inherited_turns(
        self, file: File, stretch: Stretch, records: Sequence[list[Turn]], new: Sequence[Turn]
    ) -> list[Turn]:
        """What others wrote in records that another file had first, with the calls that brought it."""
        if not records:
            return []
        path, session_id, fresh = file.path, records[-1][0].session_id, {turn.uuid for turn in new}
        before = self.repeated.get(path)
        if before is None:
            before = self._had_before(path, session_id, stretch.start)
        repeated = [turn for turns in records if turns[0].uuid not in fresh for turn in turns]
        self.repeated[path] = texts_to_carry([*before, *repeated], INHERITED_TURNS) if repeated else before
        if not new or not self.repeated[path]:
            return []
        waiting = (_turns.decode(unit) for unit in self.stores.queue.unread(path) if unit[0] == "[")
        kept = (turns for _, turns in self.stores.exchanges.turns_from(path, 0))
        held = {turn.uuid for turns in (*waiting, *kept) for turn in turns if turn.session_id == session_id}
        clean, discretion = [], self.discretion_of(session_id)
        for turn in self._allowed_turns([turn for turn in self.repeated[path] if turn.uuid not in held]):
            cleaned = discretion.clean(replace(turn, session_id=session_id, inherited=True), Counter())
            clean.append(without_contacts(cleaned)[0] if self.rules.contacts else cleaned)
        return [discretion.hide(turn) for turn in clean]

    def _had_before(self, path: str, session_id: str, end: int) -> list[Turn]:
        """What others wrote in a file before an offset, where none of that was kept for this file and this session."""
        is_kept = self.stores.queue.unread(path) or any(True for _ in self.stores.exchanges.turns_from(path, 0))
        if not end or (is_kept and self.stores.transcripts.session(session_id)):
            return []
        return texts_to_carry(list(_turns_before(path, end, end)), INHERITED_TURNS)

    def fresh(self, records: Sequence[list[Turn]], secrets: Counter[str]) -> list[Turn]:
        """The turns of records that were never read, redacted; from now on they were."""
        unseen = self.stores.records.see([turns[0].uuid for turns in records])
        clean = []
        for turns in records:
            if turns[0].uuid not in unseen:
                self._note_confidences(turns)  # a copy or a file written anew: what was told there is known here
            else:
                unseen.remove(turns[0].uuid)  # a record that stands twice in one stretch counts once
                for turn in self._allowed_turns(turns):
                    cleaned = self.discretion_of(turn.session_id).clean(turn, secrets)
                    if self.rules.contacts:
                        cleaned, people = without_contacts(cleaned)
                        secrets += people
                    clean.append(cleaned)
        return [self.discretion_of(turn.session_id).hide(turn) for turn in clean]

    def _allowed_turns(self, turns: list[Turn]) -> list[Turn]:
        """The turns without what concerns ignored paths; what stands there is not to be quoted either."""
        if self.rules.ignored is None:
            return turns
        kept = []
        for turn in turns:
            allowed = self.rules.ignored.without(turn, self.ignored_calls)
            if allowed:
                kept.append(allowed)
                if allowed is not turn and turn.kind != "tool_call":
                    self.discretion_of(turn.session_id).keep_to_itself(turn.text, allowed.text)
        return kept

    def _remind(self, file: File) -> None:
        """Read again what a session said in confidence before this process came, or in the file of its agent."""
        parent = f"{file.path.split('/subagents/')[0]}.jsonl" if "/subagents/" in file.path else ""
        for path, end in ((parent, None), (file.path, file.read_offset)):
            if not path or end == 0 or path in self.reminded:
                continue
            self.reminded.add(path)
            for turn in _turns_before(path, end):
                self._note_confidences([turn])

    def _note_confidences(self, turns: list[Turn]) -> None:
        """Remember what turns that were read before told in confidence."""
        for turn in self._allowed_turns(turns):
            self.discretion_of(turn.session_id).clean(turn, Counter())

    def discretion_of(self, session_id: str) -> Discretion:
        """What a session has told in confidence so far, in memory only and for the last sessions."""
        known = self.discretion.pop(session_id, None) or Discretion()
        while len(self.discretion) >= SESSIONS_REMEMBERED:
            del self.discretion[forgotten := next(iter(self.discretion))]
            self.reminded = {path for path in self.reminded if forgotten not in path}  # it may go on
        self.discretion[session_id] = known
        return known

    def _queue(
        self, file: File, stretch: Stretch, turns: list[Turn], inherited: list[Turn], source: Source, now: str
    ) -> None:
        """Let the file's waiting unit take the turns up, or make a unit of them."""
        project = self.project_of(turns[0])
        payload = msgspec.json.encode([*inherited, *turns]).decode()
        unit = self.stores.queue.open_unit(file.path, file.file_inode)
        due = self._due(turns, unit.created_at if unit else now, now)
        joins = unit is not None and unit.size < sessions.UNIT_CHARACTERS and unit.session_id == turns[0].session_id
        if not (joins and unit and self.stores.queue.extend(unit.ingest_id, payload, stretch.end, now, due)):
            if unit:
                self.stores.queue.hurry(file.path, now)
            self.stores.queue.enqueue(_artifact(file, stretch, turns, source, project, payload), now, due)
        self.stores.transcripts.see_session(project.id, file.path, turns)
        self.stores.cache.see_project(project.id, project.root, turns[-1].branch or None, turns[-1].at or now)

    def _due(self, turns: list[Turn], began: str, now: str) -> str:
        """When a unit is worked on: after a silence, at a compaction at once, and never much later than it began."""
        if not self.rules.quiet_seconds or any(turn.kind == "compaction" for turn in turns):
            return now
        return min(later(now, self.rules.quiet_seconds), max(now, later(began, LONGEST_WAIT)))

    def project_of(self, turn: Turn) -> Project:
        """The project of a turn's directory; looked up once."""
        if turn.cwd not in self.known:
            project = identify(turn.cwd) if turn.cwd else UNKNOWN
            self.known[turn.cwd] = naming.note(self.stores.projects, project, self.rules.data_dir, self.clock())
        return self.known[turn.cwd]

    def _pass_over(self, file: File, stretch: Stretch, source: Source, now: str) -> None:
        """Nothing new was said here. The cursor moves on, unless earlier units of the file still wait."""
        if self.stores.cursors.pass_over(file.path, file.file_inode, stretch.end, now):
            return
        unit = self.stores.queue.open_unit(file.path, file.file_inode)
        due = later(now, self.rules.quiet_seconds)
        if unit and self.stores.queue.extend(unit.ingest_id, EMPTY, stretch.end, now, due):
            return
        self.stores.queue.enqueue(_artifact(file, stretch, [], source, Project("", "", ""), EMPTY), now, due)


def take_in(
    stores: Stores,
    path: str,
    source: Source,
    clock: Callable[[], str],
    rules: CaptureRules = CaptureRules(),
    *,
    deep: bool = False,
) -> Taken:
    """Queue what one transcript says that was not read before."""
    return Intake(stores, clock, rules).take_in(path, source, deep=deep)


# files
def _stem(path: str) -> str:
    """What a session is called when its records do not say it: like its file."""
    return os.path.splitext(os.path.basename(path))[0]


def find_transcripts(pattern: str) -> list[str]:
    """Every transcript file, oldest first; each file once, however many links lead to it."""
    return [path for path, _ in list_transcripts(pattern)]


def list_transcripts(pattern: str) -> list[tuple[str, os.stat_result]]:
    """Every transcript file and what the system says of it, oldest first."""
    files: dict[tuple[int, int], tuple[int, str, os.stat_result]] = {}
    for path in _matching(pattern):
        try:
            stat = os.stat(path)
        except OSError:
            continue
        if S_ISREG(stat.st_mode):
            files.setdefault((stat.st_dev, stat.st_ino), (stat.st_mtime_ns, storable(path), stat))
    return [(path, stat) for _, path, stat in sorted(files.values(), key=lambda row: row[:2])]


def group(files: Sequence[T], path_of: Callable[[T], str]) -> list[list[T]]:
    """Transcripts by the client's folder for a project, that written to last first; each in the order given, which is
    oldest first."""
    folders: dict[str, list[T]] = {}
    for file in reversed(files):
        session = path_of(file).split("/subagents/")[0]
        folders.setdefault(os.path.dirname(session), []).append(file)
    return [folder[::-1] for folder in folders.values()]


def cut_back(files: Sequence[T], size_of: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """Files, oldest first, in portions of so many bytes from the newest back; each oldest first."""
    portion: list[T] = []
    size = 0
    for file in reversed(files):
        if portion and size + size_of(file) > most:
            yield portion[::-1]
            portion, size = [], 0
        portion.append(file)
        size += size_of(file)
    yield portion[::-1]


def _matching(pattern: str) -> Iterator[str]:
    """Paths that a pattern names. Below `**` links are followed, but no directory is entered twice."""
    root, deep, name = pattern.partition("**")
    if not deep:
        yield from glob.iglob(pattern)
        return
    entered = set()
    for folder, below, files in os.walk(root.rstrip(os.sep) or os.sep, followlinks=True):
        real = os.path.realpath(folder)
        if real in entered:
            below.clear()
            continue
        entered.add(real)
        below.sort()
        yield from (os.path.join(folder, file) for file in sorted(fnmatch.filter(files, os.path.basename(name))))


def fingerprint(stat: os.stat_result) -> tuple[int, int, int, int]:
    """What changes when a file does."""
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def _print(file: File) -> tuple[int, int, int, int]:
    return file.device, file.inode, file.size, file.mtime_ns


def _turns_before(path: str, end: int | None, most: int = REMINDER_BYTES) -> Iterator[Turn]:
    """The last turns of a file before an offset, or of all of it."""
    try:
        size = os.path.getsize(path) if end is None else end
        for line in read_new(path, max(0, size - most)):
            if line.end > size:
                return
            parsed = parse_line(line.data) if line.data else []
            yield from parsed if isinstance(parsed, list) else []
    except OSError:
        return


def _lines(file: File) -> Iterator[Line]:
    try:
        yield from read_new(on_disk(file.path), file.read_offset)
    except OSError:  # deleted or no longer ours to read; what was read stays
        return


def recognise(files: Files, path: str, stat: os.stat_result, before: File | None) -> File:
    """Where to read on: the file that was read before and grew or was renamed, else one that is read from its start."""
    fresh = File(path=path, device=stat.st_dev, inode=stat.st_ino)
    if before and (before.device, before.inode) == (stat.st_dev, stat.st_ino):
        if _is_grown(path, stat, before):
            return before
        return replace(fresh, generation=before.generation + 1)
    for other in files.by_inode(stat.st_dev, stat.st_ino, path):
        if not _still_there(other) and _is_grown(path, stat, other):
            files.move(other.path, path)
            return replace(other, path=path, generation=other.generation)
    return replace(fresh, generation=before.generation + 1) if before else fresh


def _still_there(file: File) -> bool:
    try:
        stat = os.stat(on_disk(file.path))
    except OSError:
        return False
    return (stat.st_dev, stat.st_ino) == (file.device, file.inode)


def _is_grown(path: str, stat: os.stat_result, file: File) -> bool:
    """Whether a file still begins as it did and still has the last line that was read."""
    if stat.st_size < file.read_offset:
        return False
    if not file.read_offset:
        return True
    try:
        with open(on_disk(path), "rb") as now:
            head = now.read(file.head_length)
            now.seek(file.read_offset - file.anchor_length)
            anchor = now.read(file.anchor_length)
    except OSError:
        return False
    return (not file.head_length or digest(head) == file.head_hash) and (
        not file.anchor_length or digest(anchor) == file.anchor_hash
    )


def _is_torn(path: str, stretch: Stretch) -> bool:
    """Whether the file was rewritten while it was read: a line that did not parse begins or ends elsewhere by now."""
    try:
        with open(on_disk(path), "rb") as now:
            for start, length, _ in stretch.bad:
                now.seek(max(0, start - 1))
                if start and now.read(1) != b"\n":
                    return True
                line = next(read_new(on_disk(path), start), None)
                if line is None or line.end != start + length or not parse_turns(line)[1]:
                    return True
    except OSError:  # deleted: what was read is all there is
        pass
    return False


def _read_up_to(file: File, stretch: Stretch) -> File:
    head = {"head_length": len(stretch.head), "head_hash": digest(stretch.head)} if stretch.head else {}
    return replace(
        file,
        read_offset=stretch.end,
        anchor_length=len(stretch.anchor),
        anchor_hash=digest(stretch.anchor),
        **head,
    )


def _is_own(stretch: Stretch, data_dir: str) -> bool:
    """Whether a session ran inside Nous' own directory: then it was Nous that asked a model there."""
    if not data_dir or not stretch.records:
        return False
    cwd = next((turns[0].cwd for turns in stretch.records if turns[0].cwd), "")
    return bool(cwd) and (os.path.normpath(cwd) + os.sep).startswith(os.path.normpath(data_dir) + os.sep)


def _artifact(
    file: File, stretch: Stretch, turns: list[Turn], source: Source, project: Project, payload: str
) -> Artifact:
    # Where it starts and with which record: a unit that grows keeps its key, and no later record can have it again.
    first = turns[0].uuid if turns else f"nothing:{stretch.end}"
    key = f"{file.path}:{file.file_inode}:{stretch.start}:{first}"
    return Artifact(
        source=source,
        project_id=project.id,
        session_id=turns[0].session_id if turns else "",
        transcript_path=file.path,
        file_inode=file.file_inode,
        file_offset=stretch.start,
        end_offset=stretch.end,
        payload=payload,
        idempotency_key=hashlib.sha256(key.encode()).hexdigest(),
    )
