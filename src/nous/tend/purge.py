"""Erasing for good: out of the log, the read models, the queue, the cache, the copies, and the bytes on disk.

The log keeps number, order and hashes of what was erased, so the chain still verifies and the gap is visible.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import msgspec

from nous.core.events import Erased, Event
from nous.core.memory import Memory
from nous.errors import NotFound, NousError
from nous.stores import Stores
from nous.stores.copies import holds_any, wipe
from nous.stores.database import EVERY, like
from nous.stores.sqlite import Sqlite
from nous.tend.backup import checkpoint

SESSION = "purge"
EMPTY = "[]"
BLOCK = 1 << 20
SAMPLE = 100

Project = Callable[[Stores, str], int]


class Selection(NamedTuple):
    """What is to be erased; whatever fits any of these."""

    ids: tuple[int, ...] = ()
    project: str | None = None
    session: str | None = None
    match: str | None = None


class Said(NamedTuple):
    """What transcripts say of it: whole sessions, queue items with their new payload, records in kept transcripts."""

    sessions: list[str]
    items: dict[int, str]
    records: set[str]
    turns: int


class Plan(NamedTuple):
    """Everything an erasure touches: memories, events with payloads and by learning, transcripts, words to look for.

    `notes` is how many near misses and refusals have the words.
    """

    memories: list[Memory]
    events: dict[int, str]
    learnings: dict[str, list[int]]
    said: Said
    words: tuple[str, ...]
    notes: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.learnings or self.said.turns or self.said.items or self.notes)


class Erasure(NamedTuple):
    """What was erased, which copies were removed, and which files still hold the erased words."""

    memories: list[int]
    events: list[int]
    items: int
    turns: int
    copies: list[str]
    remaining: list[str]
    bytes_before: int
    bytes_after: int


# -- what would be erased -------------------------------------------------------------------------------------------


def plan(stores: Stores, selection: Selection) -> Plan:
    """What an erasure would touch. Reads only."""
    learnings = _learnings(stores, selection)
    events: dict[int, str] = {}
    by_learning: dict[str, list[int]] = {}
    evidence: set[str] = set()
    for number, learning, payload in stores.events.payloads(learnings):
        events[number] = payload
        by_learning.setdefault(learning, []).append(number)
        evidence.update(msgspec.json.decode(payload).get("evidence", ()))
    memories = sorted(stores.memories.by_learning(by_learning).values(), key=lambda memory: memory.id)
    words = tuple(dict.fromkeys([*(memory.content for memory in memories), selection.match or ""]))
    return Plan(
        memories=memories,
        events=events,
        learnings=by_learning,
        said=_said(stores, selection, evidence, memories),
        words=tuple(word for word in words if word),
        notes=_notes(stores, selection.match) if selection.match else 0,
    )


def _notes(stores: Stores, words: str) -> int:
    return stores.near_misses.mentioning(words) + stores.rejections.mentioning(words)


def _said(stores: Stores, selection: Selection, evidence: set[str], memories: list[Memory]) -> Said:
    """What transcripts say of it: whole sessions and projects; else only turns that are evidence or have its words."""
    if selection.session or selection.project:
        return _whole(stores, selection)
    named = [memory.content for memory in memories if memory.id in selection.ids]
    needle = _any_of([*named, selection.match or ""])
    items, turns = _queued(stores, evidence, needle)
    records, kept = _kept(stores, evidence, needle)
    return Said([], items, records, turns + kept)


def _whole(stores: Stores, selection: Selection) -> Said:
    """Everything of a session or a project, waiting or kept."""
    rows = stores.transcripts.sessions(selection.project, EVERY) if selection.project else []
    sessions = [row["session_id"] for row in rows] + ([selection.session] if selection.session else [])
    items = [number for session in sessions for number in stores.erasures.of_session(session)]
    items += stores.erasures.of_project(selection.project) if selection.project else []
    known = (stores.transcripts.session(session) for session in sessions)
    return Said(sessions, dict.fromkeys(items, EMPTY), set(), sum(row["turns"] for row in known if row))


def _queued(stores: Stores, evidence: set[str], needle: re.Pattern[str]) -> tuple[dict[int, str], int]:
    """Queue items with turns to be taken out, as they will be; and how many turns. A summary goes as a whole."""
    items: dict[int, str] = {}
    turns = 0
    for number, payload in stores.erasures.texts():
        gone, kept = _sorted_out(payload, evidence, needle)
        if gone:
            items[number] = msgspec.json.encode(kept).decode()
            turns += len(gone)
    return items, turns


def _kept(stores: Stores, evidence: set[str], needle: re.Pattern[str]) -> tuple[set[str], int]:
    """Records in kept transcripts to be taken out, and how many turns they are."""
    records = set(evidence)
    turns = 0
    for raw in stores.erasures.kept():
        gone, _ = _sorted_out(raw, evidence, needle)
        records.update(turn["uuid"] for turn in gone)
        turns += len(gone)
    return records, turns


def _sorted_out(
    raw: str, evidence: set[str], needle: re.Pattern[str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The turns of a payload that have to go, and those that stay."""
    found: Any = msgspec.json.decode(raw)
    said: list[dict[str, Any]] = found if isinstance(found, list) else [found]
    mentions = needle.search(raw) is not None
    gone: list[dict[str, Any]] = []
    kept: list[dict[str, Any]] = []
    for turn in said:
        tells = mentions and needle.search(msgspec.json.encode(turn).decode())
        (gone if tells or turn.get("uuid") in evidence else kept).append(turn)
    return gone, kept


def _learnings(stores: Stores, selection: Selection) -> list[str]:
    found: dict[str, None] = {}
    for memory_id in selection.ids:
        memory = stores.memories.get(memory_id)
        if memory is None or memory.status == "erased":
            raise NotFound(f"there is no memory #{memory_id}")
        found[memory.learning_id] = None
    if selection.project:
        found |= dict.fromkeys(stores.events.of_project(selection.project))
    if selection.session:
        found |= dict.fromkeys(stores.events.of_session(selection.session))
    if selection.match:
        found |= dict.fromkeys(stores.events.mentioning(selection.match))
    return list(found)


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern for any of these words as they stand inside JSON, upper or lower case; nothing matches none."""
    inside = [re.escape(msgspec.json.encode(word).decode()[1:-1]) for word in words if word]
    return re.compile("|".join(inside) or r"(?!)", re.IGNORECASE)


# -- erasing --------------------------------------------------------------------------------------------------------


def purge(
    stores: Stores, selection: Selection, project_up: Project, folder: str, data_dir: str, reason: str, now: str
) -> Erasure:
    """Erase what is selected. `project_up` brings the read models up to date; copies are kept in `folder`.

    A copy is made first, in case the erasure fails. When it has succeeded that copy and every older one that holds an
    erased payload is removed, and one of what is left is made.
    """
    db = stores.db
    if not isinstance(db, Sqlite):
        raise NousError("purge needs a SQLite database")
    before = _size(db.path)
    with _alone(folder):
        checkpoint(db.path, folder, "purge", now)
        db.connection.execute("PRAGMA secure_delete = ON").fetchall()
        with db.transaction():
            project_up(stores, now)
            chosen = plan(stores, selection)
            if not chosen.is_empty:
                erase(stores, selection, chosen, project_up, reason, now)
        copies = _wipe_traces(stores, folder, data_dir, now)
    remaining = still_in(data_dir, db.path, chosen.words)
    ids = [memory.id for memory in chosen.memories]
    said = chosen.said
    return Erasure(ids, list(chosen.events), len(said.items), said.turns, copies, remaining, before, _size(db.path))


def erase(stores: Stores, selection: Selection, chosen: Plan, project_up: Project, reason: str, now: str) -> None:
    """Everything that one transaction can do."""
    stores.events.erase(chosen.events)
    stores.events.append(
        [_erased(stores, learning, numbers, reason) for learning, numbers in chosen.learnings.items()], now
    )
    project_up(stores, now)
    for memory in chosen.memories:
        stores.forget(memory.id)
    stores.near_misses.forget([memory.id for memory in chosen.memories], chosen.said.sessions, chosen.words)
    stores.rejections.forget(chosen.said.sessions, chosen.words)
    stores.transcripts.purge(chosen.said.sessions, chosen.said.records)
    stores.erasures.rewrite(chosen.said.items.items())
    if selection.project or selection.session:
        stores.erasures.drop_quarantine(chosen.said.items)
    if selection.project:
        stores.projects.drop(selection.project)
    for word in chosen.words:
        stores.erasures.drop_interventions(like(word))
    stores.cache.clear()
    stores.erasures.begin(stores.events.last_id(), now)


def _erased(stores: Stores, learning: str, numbers: list[int], reason: str) -> Event:
    [first] = stores.events.by_id(numbers[:1])
    return Event(
        learning_id=learning,
        event_type="LearningErased",
        idempotency_key=f"erased:{learning}:{numbers[-1]}",
        payload=Erased(reason=reason, erased_events=tuple(numbers)),
        session_id=SESSION,
        project_id=first.project_id,
        source="user_review",
        parent_event_id=numbers[0],
    )


def finish(stores: Stores, folder: str, data_dir: str, now: str) -> list[str]:
    """Wipe the traces of erasures that a crash interrupted; the copies it removed."""
    with _alone(folder):
        return _wipe_traces(stores, folder, data_dir, now)


@contextmanager
def _alone(folder: str) -> Iterator[None]:
    """One purge at a time: two would remove each other's copies. The lock dies with its process."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    lock = os.open(os.path.join(folder, "purge.lock"), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _wipe_traces(stores: Stores, folder: str, data_dir: str, now: str) -> list[str]:
    assert isinstance(stores.db, Sqlite)
    if not stores.erasures.unfinished():
        return []
    wipe(stores.db)
    removed = _drop_copies(stores, data_dir)
    checkpoint(stores.db.path, folder, "purged", now)
    stores.erasures.finish(now)
    wipe(stores.db)
    return removed


def _drop_copies(stores: Stores, data_dir: str) -> list[str]:
    """Remove copies in the data directory in which an erased event still has its payload."""
    erased = dict(stores.events.erased())
    removed = []
    for path in _files(data_dir):
        if path.endswith(".partial") or (not _is_database(path, stores.db) and holds_any(path, erased)):
            with suppress(FileNotFoundError):
                os.unlink(path)
                removed.append(path)
    return removed


# -- looking for traces ---------------------------------------------------------------------------------------------


def still_in(data_dir: str, db_path: str, words: Sequence[str]) -> list[str]:
    """Files whose raw bytes still hold one of these words; of very many words, a sample spread over all of them."""
    sample = words[:: max(1, len(words) // SAMPLE)]
    needles = [form for word in sample for form in {word.encode(), msgspec.json.encode(word)[1:-1]}]
    beside = [db_path + end for end in ("", "-wal", "-shm") if os.path.exists(db_path + end)]
    return [path for path in sorted({*_files(data_dir), *beside}) if _holds(path, needles)]


def _holds(path: str, needles: Sequence[bytes]) -> bool:
    """Whether a file contains one of some byte strings, read block by block with an overlap."""
    overlap = max(map(len, needles), default=0)
    tail = b""
    try:
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                if any(needle in tail + block for needle in needles):
                    return True
                tail = block[-overlap:]
    except OSError:
        return False
    return False


def _files(folder: str) -> list[str]:
    found = (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
    return sorted(path for path in found if os.path.isfile(path))


def _is_database(path: str, db: Any) -> bool:
    return os.path.realpath(path) in {os.path.realpath(db.path + end) for end in ("", "-wal", "-shm")}


def _size(path: str) -> int:
    return sum(os.path.getsize(path + end) for end in ("", "-wal") if os.path.exists(path + end))
