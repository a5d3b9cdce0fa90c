"""For other programs: artefacts to learn from, single events, outcomes, history to read, read models to build anew."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from nous.api.decide import Written
from nous.api.memories import number_of
from nous.app import Nous, tiers
from nous.core import moments
from nous.core.events import PAYLOADS, STREAM_OF, Contested, EventType, Payload, Writer, make_event
from nous.core.importing import CHAT_FORMATS, FORMATS, Draft, Format, detect, read
from nous.core.outcome import OutcomeSignal
from nous.core.redact import redact_text
from nous.core.sheets import is_sheet, read_sheet
from nous.errors import BadEvent, Forbidden, Misuse
from nous.remember.by_hand import WORDS, discreet, nameless
from nous.work import Learned, catch_up

MOST_PREVIEWED = 500
SERVICE = "service"


class Cooling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which events to move into archives."""

    before: Annotated[str, Meta(description="what came before this date, or longer ago than this")] = "90d"
    dry_run: Annotated[bool, Meta(description="only say how many would move")] = False


class Importing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of another tool."""

    name: Annotated[str, Meta(pattern=r"^[^/\\\0]{1,200}$", description="what the file is called: CLAUDE.md")]
    text: Annotated[str, Meta(min_length=1, description="what it says")]
    project: Annotated[str, Meta(min_length=1, description="the project its memories belong to")]
    format: Annotated[str | None, Meta(description="what wrote it; found out by itself otherwise")] = None
    dry_run: Annotated[bool, Meta(description="change nothing, and say what would be taken")] = False


class Ingesting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something to learn from: a text, or a structured account of a piece of work."""

    project: Annotated[str, Meta(min_length=1, description="the project it belongs to")]
    text: Annotated[str | None, Meta(description="a plain text")] = None
    summary: Annotated[dict[str, Any] | None, Meta(description="a work summary, as `nous ingest` takes it")] = None
    session: Annotated[str, Meta(description="the session it comes from")] = ""


class Appending(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One event of the log."""

    event_type: Annotated[EventType, Meta(description="a type of event")]
    learning_id: Annotated[str, Meta(min_length=1, description="the learning it happens to (a memory's global id)")]
    idempotency_key: Annotated[str, Meta(min_length=1, max_length=500, description="known once, known for good")]
    payload: Annotated[dict[str, Any], Meta(description="what events of this type say")] = {}
    project: Annotated[str | None, Meta(description="a project's id; that of the learning when left out")] = None
    session: Annotated[str, Meta(description="the session it comes from")] = ""
    source: Annotated[
        str, Meta(min_length=1, max_length=50, description="who wrote it; a token is always a service")
    ] = SERVICE
    valid_from: Annotated[str | None, Meta(description="when it became true")] = None
    parent_event_id: Annotated[Annotated[int, Meta(ge=1)] | None, Meta(description="the event that caused it")] = None


class Reporting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What came of a memory in a session."""

    memory_id: Annotated[str | int, Meta(description="the number of a memory, or its global id")]
    signal: Annotated[OutcomeSignal, Meta(description="useful, corrected (it was wrong) or ignored")]
    session: Annotated[str | None, Meta(description="the session in which it did")] = None
    session_outcome: Annotated[Literal["success", "failure", "unknown"], Meta(description="how the session ended")] = (
        "unknown"
    )


class Backfilling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which transcripts to read."""

    since: Annotated[str | None, Meta(description="only those changed since then")] = None
    project: Annotated[str | None, Meta(description="only those of this project")] = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="how many, the newest")] = 20
    dry_run: Annotated[bool, Meta(description="only say how much there is to read")] = False


class Replaying(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether to compare or to build anew."""

    verify: Annotated[bool, Meta(description="compare and change nothing")] = True


def take_over(nous: Nous, asked: Importing) -> dict[str, Any]:
    """What a file of another tool brought, or would bring."""
    if asked.format is not None and asked.format not in FORMATS:
        raise Misuse(f"there is no format {asked.format!r}", hint=f"one of {', '.join(FORMATS)}")
    project = nous.project(asked.project)
    chosen: Format = asked.format or ("nous" if is_sheet(asked.text) else detect(asked.name, asked.text))
    since = nous.stores.events.last_id()
    with tempfile.TemporaryDirectory(prefix="nous-") as folder:  # only its owner can look into it
        path = os.path.join(folder, asked.name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(asked.text)
        done = nous.work.take_over([path], project, is_given=True, format_=chosen, dry_run=asked.dry_run)
    if not asked.dry_run:
        nous.work.after_learning(since)
    return {
        "dry_run": asked.dry_run,
        "imports": [one | {"file": asked.name} for one in done],
        "items": _preview(asked, chosen),
    }


def _preview(asked: Importing, chosen: Format) -> list[dict[str, Any]]:
    """The single things that a file says, as they would be kept."""
    if chosen in CHAT_FORMATS:
        return []
    text = redact_text(asked.text)[0]
    found = read_sheet(text) if chosen == "nous" else read(chosen, asked.name, text)
    drafts = (one for one in found if isinstance(one, Draft))
    return [{"text": draft.content, "type": draft.type} for draft in drafts][:MOST_PREVIEWED]


def ingest(nous: Nous, asked: Ingesting) -> dict[str, Any]:
    """Learn from an artefact; the same one a second time changes nothing."""
    if (asked.text is None) == (asked.summary is None):
        raise Misuse("say `text` or `summary`, one of them")
    given: str | dict[str, Any] = asked.text if asked.text is not None else asked.summary or {}
    return nous.ingest(given, project=asked.project, session_id=asked.session)


def append(nous: Nous, asked: Appending) -> Written:
    """Write one event; a key that is known writes nothing."""
    try:
        payload = msgspec.convert(asked.payload, PAYLOADS[asked.event_type])
    except msgspec.ValidationError as wrong:
        raise BadEvent(f"{asked.event_type}: {wrong}") from None
    if STREAM_OF[asked.event_type] != "memory":
        raise BadEvent(f"{asked.event_type} is written by Nous itself")
    payload = _in_own_name(nous, asked, payload)
    known = nous.stores.memories.by_learning([asked.learning_id]).get(asked.learning_id)
    if known and asked.project not in (None, known.project_id):
        raise Misuse(f"{asked.learning_id} is a memory of {known.project_id}", hint="leave `project` out")
    project = asked.project or (known.project_id if known else "")
    if not project:
        raise Misuse(f"there is no memory {asked.learning_id}", hint="say its `project`")
    event = make_event(
        asked.event_type,
        asked.learning_id,
        discreet(payload, (*WORDS, "concepts", "entities", "files", "symbols", "slot")),
        f"service:{nameless(asked.idempotency_key)}",
        project_id=project,
        by=Writer(nameless(asked.session or nous.session_id), asked.source),
        at=asked.valid_from,
        cause=asked.parent_event_id,
    )
    now = nous.clock()
    with nous.stores.db.transaction():
        [number] = nous.stores.events.append([event], now)
        catch_up(nous.stores, now)
    born = nous.stores.events.births([asked.learning_id]).get(asked.learning_id)
    return Written((born[0],) if born else (), told={"event": number, "known": number is None})


def _in_own_name(nous: Nous, asked: Appending, payload: Payload) -> Payload:
    """The payload as whoever asks may say it: a token writes as a service, and remarks under its own name."""
    if nous.speaker.kind == "person":
        return payload
    if asked.source != SERVICE:
        raise Forbidden(f"a token writes as {SERVICE!r}, not as {asked.source!r}")
    return msgspec.structs.replace(payload, author=nous.author) if isinstance(payload, Contested) else payload


def feedback(nous: Nous, asked: Reporting) -> Written:
    """Say what came of a memory. A session that failed does not make what it used more useful."""
    number = number_of(nous, str(asked.memory_id))
    signal: OutcomeSignal = (
        "ignored" if asked.signal == "useful" and asked.session_outcome == "failure" else asked.signal
    )
    counted = nous.feedback(number, signal, session=asked.session)
    return Written((number,), told={"counted": counted, "signal": signal})


def backfill(nous: Nous, asked: Backfilling) -> dict[str, Any]:
    """Read transcripts that are on disk; what was read before is not read again."""
    since = datetime.fromisoformat(moments.parse(asked.since, nous.clock())).timestamp() if asked.since else None
    project = nous.project(asked.project).id if asked.project else None
    files = nous.work.transcripts(since, project, asked.limit)
    if asked.dry_run:
        found, dollars = nous.work.estimate(files)
        return found._asdict() | {"dry_run": True, "cost": dollars or 0.0}
    before = nous.stores.events.last_id()
    last = deque(nous.work.backfill(files), 1)
    learned = last[0].outcome if last else Learned()
    followed = nous.work.after_learning(before, learned.projects)
    return {
        "dry_run": False,
        "files": len(files),
        "learned": learned.learned,
        "packets": followed.packets,
    }


def replay(nous: Nous, asked: Replaying) -> dict[str, Any]:
    """Compare the read models with the log, or build them again."""
    if asked.verify:
        found = nous.work.compare()
        different = [difference.table for difference in found.differences]
        return {"ok": not different, "events": found.events, "rows": found.rows, "differences": different}
    built, events = nous.work.replay()
    return {"ok": True, "events": events, "projectors": built}


def archive(nous: Nous, asked: Cooling) -> dict[str, Any]:
    """Move what old events say into compressed files; everything goes on answering as before."""
    moment = moments.parse(asked.before, nous.clock())
    if asked.dry_run:
        return {"dry_run": True, "before": moment, "events": nous.stores.events.cold.due(moment)}
    done = tiers.archive_events(nous.stores, moment, nous.settings.archive_dir, nous.clock())
    return {"dry_run": False, "before": moment, "archives": [segment.archive_path for segment in done.segments]}
