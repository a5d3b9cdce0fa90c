"""Erasing for good: out of the log, the read models, the queue, the cache, the copies, and the bytes on disk.

The log keeps number, order and hashes of what was erased, so the chain still verifies and the gap is visible.
"""

from __future__ import annotations

import fcntl
import gzip
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import msgspec

from nous.errors import NotFound
from nous.features.backup.backup import checkpoint, checkpoints, sweep
from nous.files import DATABASE
from nous.kernel.capture.transcripts import ZSTD, unpack
from nous.kernel.db.database import EVERY
from nous.kernel.db.file_copies import empty_log, is_copy, kept_in, raw_bytes, wipe
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.log.events import Erased, Event, EventType, Writer, make_event
from nous.kernel.memory.memory import Memory
from nous.kernel.stores import Stores
from nous.language.likeness import tokens
from nous.language.naming import entity_id, normal
from nous.language.provenance import uncommon

if TYPE_CHECKING:
    from nous.features.erasure.store import Erasures
    from nous.features.signals.store import Observations
    from nous.kernel.log.event_store import Events
    from nous.kernel.stores import Entities, Graph, Memories, Transcripts

WRITER = Writer("purge", "user_review")
EMPTY = "[]"
BLOCK = 1 << 20
LOWER = bytes(range(256)).lower()  # a table takes half the time of `bytes.lower`
GZIP = b"\x1f\x8b"
SAMPLE = 100
QUOTED = 140  # characters of a memory by which an event that cites it is known
LONG_LINE = 24  # a line of a transcript with so many characters is hardly said by chance elsewhere
FEW = 6  # words in which a name has room for little beside it
ALIKE = 0.6  # a sentence with so many of a memory's words says the same

# A server replaces a row by writing another one: the old bytes stay in its files until tables are written anew, and in
# its write-ahead log until that is written over.
FINISH = "VACUUM FULL; CHECKPOINT;"

ProjectAgain = Callable[[Stores, str], int]
Settle = Callable[[], Iterable[str]]


class Selection(NamedTuple):
    """What is to be erased; whatever fits any of these."""

    ids: tuple[int, ...] = ()
    project: str | None = None
    session: str | None = None
    match: str | None = None
    sessions: tuple[str, ...] = ()

    @property
    def whole_sessions(self) -> tuple[str, ...]:
        """Every session that goes as a whole, each once."""
        return tuple(dict.fromkeys([*([self.session] if self.session else []), *self.sessions]))


class Mentions(NamedTuple):
    """What transcripts say of it: whole sessions, queue items with their new payload, records in kept transcripts."""

    sessions: list[str]
    items: dict[int, str]
    records: set[str]
    turns: int
    elsewhere: int = 0  # turns of other sessions that say something alike, and stay


class Plan(NamedTuple):
    """Everything an erasure touches: memories, events with payloads and by learning, transcripts, words to look for.

    `notes` is how many refusals have the words, `names` the decisions about names that nothing else
    holds, by entity.
    """

    memories: list[Memory]
    events: dict[int, str]
    learnings: dict[str, list[int]]
    said: Mentions
    words: tuple[str, ...]
    notes: int = 0
    names: Mapping[str, list[int]] = MappingProxyType({})

    @property
    def is_empty(self) -> bool:
        return not (self.learnings or self.said.turns or self.said.items or self.notes or self.names)


class Searched(NamedTuple):
    """How many files were searched, how many packed pieces in them, which of them still hold the words, and which names
    stand in the data directory."""

    files: int
    unpacked: int
    found: list[str]
    names: tuple[str, ...] = ()


class Erasure(NamedTuple):
    """What was erased, which copies were removed, what was searched for the words and where they still are."""

    memories: list[int]
    events: list[int]
    items: int
    turns: int
    copies: list[str]
    remaining: list[str]
    bytes_before: int
    bytes_after: int
    files: int
    unpacked: int
    elsewhere: int = 0
    names: tuple[str, ...] = ()  # of the memories, that still stand somewhere: in code, in other sessions
    finish_on_server: str = ""  # what an administrator of the database runs, where its files are not ours


# -- what would be erased -------------------------------------------------------------------------------------------


def plan(stores: Stores, selection: Selection) -> Plan:
    """What an erasure would touch. Reads only."""
    learnings = _learnings(stores.events, stores.memories, stores.graph, selection)
    events: dict[int, str] = {}
    by_learning: dict[str, list[int]] = {}
    evidence: set[str] = set()
    for number, learning, payload in stores.events.payloads(learnings):
        events[number] = payload
        by_learning.setdefault(learning, []).append(number)
        evidence.update(msgspec.json.decode(payload).get("evidence", ()))
    whole = selection.whole_sessions or selection.project  # other sessions are not asked for
    resting = set() if whole else set(_observing(stores.observations, evidence)) - by_learning.keys()
    resting |= _quoting(stores.events, stores.memories, by_learning)
    for number, learning, payload in stores.events.payloads(resting):
        events[number] = payload
        by_learning.setdefault(learning, []).append(number)
    memories = sorted(stores.memories.by_learning(by_learning).values(), key=lambda memory: memory.id)
    named = [memory.content for memory in memories]
    said, told = _find_said(stores.erasures, stores.transcripts, selection, evidence, named)
    lines = _edited_lines(events.values())
    words = tuple(dict.fromkeys(word for word in (*named, selection.match or "", *told, *lines) if word))
    return Plan(
        memories=memories,
        events=events,
        learnings=by_learning,
        said=said,
        words=words,
        notes=stores.rejections.mentioning(selection.match) if selection.match else 0,
        names=_names(stores.events, stores.entities, selection, memories),
    )


def _names(log: Events, entities: Entities, selection: Selection, memories: Sequence[Memory]) -> dict[str, list[int]]:
    """Decisions about names that only these memories held, that contain the words, or that belong to the project."""
    only = set(entities.only_in([memory.id for memory in memories]))
    words = (selection.match or "").casefold()
    found: dict[str, list[int]] = {}
    for event in log.of_entities(log.last_id()):
        told = [text for text in _strings(msgspec.to_builtins(event.payload)) if not isinstance(event.payload, Erased)]
        ids = {event.stream_id, *(entity_id(event.project_id, normal(text)) for text in told)}
        tells = bool(words) and any(words in text.casefold() for text in told)
        if told and (ids & only or tells or event.project_id == selection.project):
            found.setdefault(event.stream_id, []).append(event.event_id)
    return found


def _edited_lines(payloads: Iterable[str]) -> list[str]:
    """What a person wrote in the place of lines of the brief: their own words, which no memory has."""
    said = (msgspec.json.decode(payload) for payload in payloads)
    return [one["text"] for one in said if "line" in one and "text" in one]


def _find_said(
    erasures: Erasures, transcripts: Transcripts, selection: Selection, evidence: set[str], named: list[str]
) -> tuple[Mentions, list[str]]:
    """What transcripts say of it, and the words in which: whole sessions and projects; else evidence and what is alike.

    The words of a memory are not always those of the user, so sentences of its evidence that say the same count too.
    """
    if selection.whole_sessions or selection.project:
        return _whole(erasures, transcripts, selection)
    alike, others = _alike(erasures, evidence, named)
    needle = _any_of([*named, *alike], selection.match)
    items, turns = _items_to_clean(erasures, evidence, needle)
    records, kept = _records_to_clean(erasures, evidence, needle)
    elsewhere = sum(1 for text in others if not needle.search(text))
    return Mentions([], items, records, turns + kept, elsewhere), alike


def _alike(erasures: Erasures, evidence: set[str], named: list[str]) -> tuple[list[str], list[str]]:
    """Sentences that say what a memory says in the sessions it rests on, whoever said them; and those of others."""
    sessions = {turn.get("session_id") for turn in _all_turns(erasures) if turn.get("uuid") in evidence}
    found: dict[str, None] = {}
    others: list[str] = []
    for turn in _all_turns(erasures) if named else ():
        for sentence in re.split(r"[.!?\n]+", turn.get("text", "")):
            is_alike = any(_shares_words(sentence, content) for content in named)
            if turn.get("session_id") not in sessions:
                others += [sentence] if is_alike else []
            elif is_alike or any(_shares_name(sentence, content) for content in named):
                found[sentence.strip()] = None
    return list(found), others


def _shares_words(sentence: str, content: str) -> bool:
    """Whether a sentence has most words of a memory, or most of those that say something."""
    words, said = set(_words(sentence)), set(_words(content))
    if len(words) > 2 and said and len(words & said) >= ALIKE * len(said):
        return True
    told = {*tokens(content)}
    return len(shared := told & {*tokens(sentence)}) > 2 and len(shared) >= ALIKE * len(told)


def _shares_name(sentence: str, content: str) -> bool:
    """Whether a sentence says a name of a memory that is nobody's everyday word, and hardly anything else beside it."""
    said = {*tokens(sentence)}
    return bool(uncommon(sentence) & uncommon(content)) and (len(said) <= FEW or len(said & {*tokens(content)}) > 1)


def _all_turns(erasures: Erasures) -> Iterator[dict[str, Any]]:
    """Every turn that waits or is kept."""
    for raw in (*(payload for _, payload in erasures.texts()), *erasures.each_kept()):
        yield from _turns(raw)


def _whole(erasures: Erasures, transcripts: Transcripts, selection: Selection) -> tuple[Mentions, list[str]]:
    """Everything of a session or a project, waiting or kept; and lines of it by which a trace is known."""
    rows = transcripts.sessions(selection.project, EVERY) if selection.project else []
    sessions = [*dict.fromkeys([*(row["session_id"] for row in rows), *selection.whole_sessions])]
    items = [number for session in sessions for number in erasures.of_session(session)]
    items += erasures.of_project(selection.project) if selection.project else []
    known = (transcripts.session(session) for session in sessions)
    turns = [turn for session in sessions for turn in transcripts.turns(session)]
    told, records = [turn.text for turn in turns], {turn.uuid for turn in turns}  # a fork may have inherited some
    waiting = dict(erasures.texts())
    told += [str(turn.get("text", "")) for number in items for turn in _turns(waiting.get(number, EMPTY))]
    lines = [line.strip() for text in told for line in text.split("\n") if len(line.strip()) >= LONG_LINE]
    said = Mentions(sessions, dict.fromkeys(items, EMPTY), records, sum(row["turns"] for row in known if row))
    return said, lines[:: max(1, len(lines) // SAMPLE)]


def _items_to_clean(erasures: Erasures, evidence: set[str], needle: re.Pattern[str]) -> tuple[dict[int, str], int]:
    """Queue items with turns to be taken out, as they will be; and how many turns. A summary goes as a whole."""
    items: dict[int, str] = {}
    turns = 0
    for number, payload in erasures.texts():
        gone, kept = _sorted_out(payload, evidence, needle)
        if gone:
            items[number] = msgspec.json.encode(kept).decode()
            turns += len(gone)
    return items, turns


def _records_to_clean(erasures: Erasures, evidence: set[str], needle: re.Pattern[str]) -> tuple[set[str], int]:
    """Records in kept transcripts to be taken out, and how many turns they are."""
    records = set(evidence)
    turns = 0
    for raw in erasures.each_kept():
        gone, _ = _sorted_out(raw, evidence, needle)
        records.update(turn["uuid"] for turn in gone)
        turns += len(gone)
    return records, turns


def _sorted_out(
    raw: str, evidence: set[str], needle: re.Pattern[str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The turns of a payload that have to go, and those that stay."""
    gone: list[dict[str, Any]] = []
    kept: list[dict[str, Any]] = []
    for turn in _turns(raw):
        words = {name: value for name, value in turn.items() if name != "left_out"}  # numbers that nobody can read
        tells = needle.search("\n".join(_strings(words)))
        (gone if tells or turn.get("uuid") in evidence else kept).append(turn)
    return gone, kept


def _turns(raw: str) -> list[dict[str, Any]]:
    found: Any = msgspec.json.decode(raw)
    return found if isinstance(found, list) else [found]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def _learnings(log: Events, memories: Memories, graph: Graph, selection: Selection) -> list[str]:
    found: dict[str, None] = {}
    for memory_id in selection.ids:
        memory = memories.get(memory_id)
        if memory is None or memory.status == "erased":
            raise NotFound(f"there is no memory #{memory_id}")
        found[memory.learning_id] = None
    if selection.project:
        found |= dict.fromkeys(log.of_project(selection.project))
    for session in selection.whole_sessions:
        found |= dict.fromkeys(log.of_session(session))
    if selection.match:
        found |= dict.fromkeys(log.mentioning(selection.match))
    found |= dict.fromkeys(_parts(memories, graph, list(found)))
    waiting = list(found)
    while waiting:
        fresh = [name for name in _rests(memories, graph, waiting.pop()) if name not in found]
        found |= dict.fromkeys(fresh)
        waiting += fresh
    return list(found)


def _rests(memories: Memories, graph: Graph, name: str) -> list[str]:
    """What is left of a memory of which a part has ended, and what it is itself the rest of: both hold its words."""
    rows = [row for row in graph.of(name) if row["rel_type"] == "derived_from"]
    known = memories.by_learning({end for row in rows for end in (row["source_id"], row["target_id"])})
    pairs = ((known.get(row["source_id"]), known.get(row["target_id"])) for row in rows)
    both = [(left, whole) for left, whole in pairs if left and whole]
    kin = [one for pair in both if _is_within(pair[0].content, pair[1].content) for one in pair]
    kin += [made for made, part in both if part.learning_id == name and _is_merged(made)]
    return [one.learning_id for one in kin if one.learning_id != name and one.status != "erased"]


def _is_merged(memory: Memory) -> bool:
    """Whether a tidying made a memory of others."""
    return memory.extractor.startswith("tidy@")


def _parts(memories: Memories, graph: Graph, names: Iterable[str]) -> list[str]:
    """The memories that tidied ones among these were made of: who erases one of those means their words too."""
    made = [one for one in memories.by_learning(names).values() if _is_merged(one)]
    rows = (row for one in made for row in graph.of(one.learning_id) if row["source_id"] == one.learning_id)
    return [row["target_id"] for row in rows if row["rel_type"] == "derived_from"]


def _is_within(part: str, whole: str) -> bool:
    return set(_words(part)) <= set(_words(whole))


def _quoting(log: Events, memories: Memories, learnings: Iterable[str]) -> set[str]:
    """What is no memory and repeats the words of one that goes, or says in other words that it rests on it."""
    going = memories.by_learning(learnings).values()
    words = (text for memory in going for text in (memory.content[:QUOTED], memory.learning_id))
    told = {name for text in words for name in log.mentioning(text)}
    return told - memories.by_learning(told).keys()


def _observing(observations: Observations, records: Iterable[str]) -> list[str]:
    """The observations of sessions that rest on records which go."""
    named = {name for record in records for name in observations.naming(record)}
    return sorted(named)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _any_of(sentences: Iterable[str], match: str | None) -> re.Pattern[str]:
    """A pattern for sentences by their words, whatever is between them, and for a text as it is; case is nothing."""
    wanted = [r"\b" + r"\W+".join(map(re.escape, words)) + r"\b" for words in map(_words, sentences) if words]
    return re.compile("|".join([*wanted, *([re.escape(match)] if match else [])]) or r"(?!)", re.IGNORECASE)


# -- erasing --------------------------------------------------------------------------------------------------------


def purge(
    stores: Stores,
    selection: Selection,
    project_up: ProjectAgain,
    folder: str,
    data_dir: str,
    reason: str,
    now: str,
    settle: Settle = lambda: (),
) -> Erasure:
    """Erase what is selected. `project_up` brings the read models up to date; copies are kept in `folder`.

    A copy is made first, in case the erasure fails. When it has succeeded that copy and every older one is removed.
    `settle` then brings up to date what was made of memories, and names the files outside
    the data directory that have to be searched as well.
    """
    db = stores.db
    path = db.path if isinstance(db, Sqlite) else ""
    before = _size(path)
    with _alone(folder):
        copied = checkpoint(path, folder, "purge", now) if path else ""
        with db.transaction():
            project_up(stores, now)
            chosen = plan(stores, selection)
            if not chosen.is_empty:
                erase(stores, selection, chosen, project_up, reason, now)
        if chosen.is_empty and copied:
            os.unlink(copied)
        copies = _wipe_traces(stores.events, stores.erasures, folder, data_dir, now)
    cold = (stores.events.cold.path(segment) for segment in stores.events.cold.segments())
    names = sorted({name for memory in chosen.memories for name in uncommon(memory.content)})
    searched = search(data_dir, path, chosen.words, [*settle(), *cold], names)
    ids = [memory.id for memory in chosen.memories]
    said = chosen.said
    return Erasure(
        memories=ids,
        events=list(chosen.events),
        items=len(said.items),
        turns=said.turns,
        copies=copies,
        remaining=searched.found,
        bytes_before=before,
        bytes_after=_size(path),
        files=searched.files,
        unpacked=searched.unpacked,
        elsewhere=said.elsewhere,
        names=searched.names,
        finish_on_server="" if path or chosen.is_empty else FINISH,
    )


def erase(stores: Stores, selection: Selection, chosen: Plan, project_up: ProjectAgain, reason: str, now: str) -> None:
    """Everything that one transaction can do."""
    streams = {**chosen.learnings, **chosen.names}
    stores.events.erase([*chosen.events, *(number for numbers in chosen.names.values() for number in numbers)])
    stores.events.append(
        [_erasure_event(stores.events, stream, numbers, reason) for stream, numbers in streams.items()], now
    )
    project_up(stores, now)
    for memory in chosen.memories:
        stores.forget(memory.id)
    _erase_said(stores, chosen)
    if selection.project or selection.whole_sessions:
        stores.erasures.drop_quarantine(chosen.said.items)
    if selection.project:
        stores.projects.drop(selection.project)
        stores.tokens.drop_project(selection.project)
    stores.cache.clear()
    stores.devices.drop_waiting()
    stores.devices.withhold(streams, chosen.words, now)
    stores.erasures.begin(stores.events.last_id(), now)


def erase_said(stores: Stores, memory_ids: Sequence[int]) -> None:
    """Take what memories say out of what sessions said here: another of one's devices is about to erase them."""
    if memory_ids:
        _erase_said(stores, plan(stores, Selection(ids=tuple(memory_ids))))


def _erase_said(stores: Stores, chosen: Plan) -> None:
    stores.rejections.forget(chosen.said.sessions, chosen.words)
    stores.sayings.forget(chosen.said.sessions)
    stores.transcripts.purge(chosen.said.sessions, chosen.said.records)
    for session in chosen.said.sessions:
        stores.exchanges.drop_session(session)
    stores.exchanges.drop_stale()
    stores.exchanges.forget_shown(chosen.said.records)
    stores.exchanges.forget_words()
    stores.erasures.rewrite(chosen.said.items.items())


def _erasure_event(events: Events, stream_id: str, numbers: list[int], reason: str) -> Event:
    [first] = events.by_id(numbers[:1])
    said = Erased(reason=reason, erased_events=tuple(numbers))
    key = f"erased:{stream_id}:{numbers[-1]}"
    kind: EventType = "LearningErased" if first.learning_id else "EntityErased"
    return make_event(kind, stream_id, said, key, project_id=first.project_id, by=WRITER, cause=numbers[0])


def finish(log: Events, erasures: Erasures, folder: str, data_dir: str, now: str) -> list[str]:
    """Wipe the traces of erasures that a crash interrupted; the copies it removed."""
    with _alone(folder):
        return _wipe_traces(log, erasures, folder, data_dir, now)


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


def _wipe_traces(log: Events, erasures: Erasures, folder: str, data_dir: str, now: str) -> list[str]:
    if not erasures.list_unfinished():
        return []
    if not isinstance(log.db, Sqlite):  # the server's files are the server's; what is free there it writes over
        log.db.tidy()
        sweep(data_dir)
        removed = checkpoints(folder)
        for path in removed:
            os.unlink(path)
        erasures.finish(now)
        return removed
    sweep(data_dir)  # what killed processes left, among temporary files too
    log.cold.drop_erased()
    wipe(log.db)
    removed = _drop_copies(log.db, folder, data_dir)
    erasures.finish(now)
    empty_log(log.db.connection, log.db.path)
    return removed


def _drop_copies(db: Sqlite, folder: str, data_dir: str) -> list[str]:
    """Remove every copy of the database in the data directory: each is older than the erasure."""
    removed = []
    inside = os.path.realpath(folder) + os.sep
    for path in _files(data_dir):
        if _is_database(path, db) or path.endswith(".lock"):
            continue
        if path.endswith(".partial") or os.path.realpath(path).startswith(inside) or is_copy(path):
            for name in (path, *(path + end for end in ("-wal", "-shm", "-journal"))):
                with suppress(FileNotFoundError):
                    os.unlink(name)
                    removed.append(name)
    return removed


# -- looking for traces ---------------------------------------------------------------------------------------------


def search(
    data_dir: str, db_path: str, words: Sequence[str], others: Iterable[str] = (), names: Sequence[str] = ()
) -> Searched:
    """Look for words in the bytes of every file, unpacked where they are packed; upper and lower case are one.

    Of very many words, a sample spread over all of them. The index of the write-ahead log holds no text, and opening it
    would drop its locks.
    """
    sought = {form for word in words[:: max(1, len(words) // SAMPLE)] for form in _forms(word)}
    needles = frozenset(sought.union(*map(_forms, names)))
    live = {os.path.realpath(db_path + end): end for end in ("", "-wal", "-shm")} if db_path else {}
    beside = [db_path + end for end in ("", "-wal")] if db_path else []
    paths = {path for path in (*_files(data_dir), *beside, *others) if live.get(os.path.realpath(path)) != "-shm"}
    found: list[str] = []
    standing: set[bytes] = set()
    outside, files, unpacked = set(others), 0, 0
    for path in sorted(path for path in paths if os.path.isfile(path)):
        files += 1
        plain = _find_needles(_blocks(path, os.path.realpath(path) in live), needles)
        pieces = list(_pieces(path)) if needles else []
        unpacked += len(pieces)
        packed = set[bytes]().union(*(_find_needles([piece], needles) for piece in pieces))
        found += [path] if plain & sought else []
        found += [f"{path} (kept transcripts)"] if packed & sought else []
        standing |= plain | packed if path not in outside else set()
    return Searched(files, unpacked, found, tuple(name for name in names if standing & _forms(name)))


def _forms(word: str) -> set[bytes]:
    """How a word may stand in a file: as it is, or in JSON."""
    return {form.lower() for form in (word.encode(), msgspec.json.encode(word)[1:-1])}


def _blocks(path: str, is_live: bool) -> Iterator[bytes]:
    """What a file holds; one that goes away meanwhile holds nothing."""
    with suppress(OSError, apsw.Error):
        if is_live and not path.endswith("-wal"):
            yield from raw_bytes(path, BLOCK)
            return
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                yield block


def _pieces(path: str) -> Iterator[bytes]:
    """What is packed in a file, unpacked: the transcripts that a database keeps, a compressed file."""
    head = next(_blocks(path, not path.endswith("-wal")), b"")[:16]
    if head == DATABASE:
        yield from kept_in(path)
    elif head.startswith((ZSTD, GZIP)):
        with suppress(Exception), open(path, "rb") as file:  # whatever is wrong with it, its bytes were searched
            packed = file.read()
            yield gzip.decompress(packed) if packed.startswith(GZIP) else unpack(packed)


def _find_needles(blocks: Iterable[bytes], needles: Collection[bytes]) -> set[bytes]:
    """Which of some byte strings in lower case a text in blocks contains; what lies across two blocks counts."""
    overlap = max(map(len, needles), default=0)
    found: set[bytes] = set()
    tail = b""
    for block in blocks:
        text = tail + block.translate(LOWER)
        found.update(needle for needle in needles if needle not in found and needle in text)
        tail = text[-overlap:] if overlap else b""
    return found


def _files(folder: str) -> list[str]:
    found = (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
    return sorted(path for path in found if os.path.isfile(path))


def _is_database(path: str, db: Any) -> bool:
    return os.path.realpath(path) in {os.path.realpath(db.path + end) for end in ("", "-wal", "-shm")}


def _size(path: str) -> int:
    return sum(os.path.getsize(path + end) for end in ("", "-wal") if path and os.path.exists(path + end))
