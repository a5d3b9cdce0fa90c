"""Looking for secrets in what is already stored, with the rules of today. What is found is counted, never shown."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from nous.kernel.capture.ignoring import Ignored
from nous.kernel.capture.transcript import Turn
from nous.kernel.db.database import EVERY
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import TOMBSTONE_JSON
from nous.kernel.memory.packet_cache import Cache
from nous.redact import Discretion, redact_text, without_contacts

if TYPE_CHECKING:
    from nous.features.erasure.store import Erasures
    from nous.kernel.capture.transcripts import Transcripts
    from nous.kernel.learn.rejections import Rejections
    from nous.kernel.stores import Stores
    from nous.providers.ledger import Ledger

Where = Literal["event", "queue", "archive", "packet", "rejection", "ledger", "file"]
PURGE = "nous admin purge"
MAX_LOG_BYTES = 64 * 1024 * 1024

_turns = msgspec.json.Decoder(list[Turn])


class SecretPlace(NamedTuple):
    """A place that holds secrets: what it is, its id there, how many of each kind, and how to get rid of them."""

    where: Where
    id: str
    kinds: dict[str, int]
    remedy: str


class ScanReport(NamedTuple):
    """What was looked at, by place, and what was found."""

    looked: Counter[str]
    findings: list[SecretPlace]


def scan(stores: Stores, data_dir: str, ignored: Ignored | None = None, contacts: bool = False) -> ScanReport:
    """Look through everything Nous has written. Reads only.

    What sessions said is also asked for ignored paths and, if the user wants none, for addresses and phone numbers.
    """
    looked: Counter[str] = Counter()
    findings = []
    for where, name, remedy, found in _everything(stores, data_dir, _judge(ignored, contacts)):
        looked[where] += 1
        if found:
            findings.append(SecretPlace(where, name, dict(found), remedy))
    return ScanReport(looked, findings)


Looked = tuple[Where, str, str, Counter[str]]
CountSecrets = Callable[[Iterable[Turn]], Counter[str]]


def _judge(ignored: Ignored | None, contacts: bool) -> CountSecrets:
    """What counts the things that should not be in turns."""

    def judge(turns: Iterable[Turn]) -> Counter[str]:
        found: Counter[str] = Counter()
        calls: set[str] = set()
        discretion = Discretion()  # what printed a thing, and what was asked before, is known from the turns before it
        for turn in turns:
            discretion.clean(turn, found)
            if contacts:
                found += without_contacts(turn)[1]
            if ignored and ignored.without(turn, calls) != turn:
                found["ignored-path"] += 1
        return found

    return judge


def _everything(stores: Stores, data_dir: str, judge: CountSecrets) -> Iterator[Looked]:
    yield from _events(stores.events)
    yield from _queue(stores.erasures, judge)
    yield from _archive(stores.transcripts, judge)
    yield from _packets(stores.cache)
    yield from _rejections(stores.rejections)
    yield from _ledger(stores.ledger)
    yield from _files(data_dir)


def _events(events: Events) -> Iterator[Looked]:
    for row in events.each_row():
        if row.payload_json == TOMBSTONE_JSON:
            continue
        born = events.births([row.stream_id]).get(row.stream_id) if (found := _in(row.payload_json)) else None
        yield "event", str(row.event_id), f"{PURGE} {born[0]}" if born else f"{PURGE} --match", found


def _queue(erasures: Erasures, judge: CountSecrets) -> Iterator[Looked]:
    for number, payload in erasures.texts():
        session = _session(payload)
        yield "queue", str(number), f"{PURGE} --session {session}", _in_turns(payload, judge)


def _archive(transcripts: Transcripts, judge: CountSecrets) -> Iterator[Looked]:
    for row in transcripts.sessions(None, EVERY):
        session = row["session_id"]
        turns = transcripts.turns(session, inherited=True)
        yield "archive", session, f"{PURGE} --session {session}", judge(turns)


def _packets(cache: Cache) -> Iterator[Looked]:
    for project in ["", *(row["project_id"] for row in cache.projects())]:
        for row in cache.of_project(project):
            key = row["context_key"]
            yield "packet", key, "nous replay", _in(cache.get(key) or "")


def _rejections(rejections: Rejections) -> Iterator[Looked]:
    for row in rejections.recent(limit=EVERY):
        text = f"{row['reason']} {row['excerpt']}"
        yield "rejection", str(row["id"]), f"{PURGE} --session {row['session_id']}", redact_text(text)[1]


def _ledger(ledger: Ledger) -> Iterator[Looked]:
    for call in ledger.recent(EVERY):
        yield "ledger", str(call["call_id"]), f"{PURGE} --match", redact_text(call["error"] or "")[1]


def _files(data_dir: str) -> Iterator[Looked]:
    for path in sorted(glob.glob(os.path.join(glob.escape(data_dir), "*.log*"))):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read(MAX_LOG_BYTES)
        except OSError:
            continue
        yield "file", path, "delete the file", _sum(redact_text(line)[1] for line in text.splitlines())


# -- inside -----------------------------------------------------------------------------------------------------------


def _sum(counts: Iterator[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for count in counts:
        total += count
    return total


def _in(payload: str) -> Counter[str]:
    """Secrets in the texts of a JSON document."""
    try:
        value = msgspec.json.decode(payload)
    except msgspec.DecodeError:
        return redact_text(payload)[1]
    return _sum(redact_text(text)[1] for text in _texts(value))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            # A name gives its value away: "password" and what stands beside it only mean something together.
            yield f"{name}: {one}" if isinstance(one, str) else str(name)
            if not isinstance(one, str):
                yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _in_turns(payload: str, judge: CountSecrets) -> Counter[str]:
    try:
        return judge(_turns.decode(payload))
    except msgspec.DecodeError:
        return _in(payload)


def _session(payload: str) -> str:
    try:
        turns = _turns.decode(payload)
    except msgspec.DecodeError:
        return ""
    return turns[0].session_id if turns else ""
