"""Work summaries and plain text as input beside transcripts: the same queue, the same idempotency."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Any

import msgspec

from nous.errors import NousError
from nous.identity import Project
from nous.kernel.capture.queue import Artifact
from nous.kernel.capture.sessions import digest
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn.story import with_description
from nous.kernel.log.extraction import MAX_CONTENT, Learning, Rejection, check, normal_concepts
from nous.kernel.types import Scope
from nous.language.text import whole
from nous.redact import redact_text

if TYPE_CHECKING:
    from nous.kernel.stores import Cache, Queue

MAX_TEXT = 1_000_000


class Point(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One thing a summary says was learned."""

    content: str
    type: str = "fact"
    concepts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    confidence: float = 0.8
    scope: Scope = "project"
    slot: str | None = None
    replaces: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None


class Summary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A structured account of a piece of work. Every part but one is optional; something must be said."""

    summary: str = ""
    decisions: tuple[str, ...] = ()
    gotchas: tuple[str, ...] = ()
    learnings: tuple[Point, ...] = ()
    files: tuple[str, ...] = ()
    agent: str = ""
    session_id: str = ""
    at: str = ""
    id: str = ""

    def text(self) -> str:
        """The summary as it may be read."""
        points = [*self.decisions, *self.gotchas, *(point.content for point in self.learnings)]
        return "\n".join([self.summary, *points]).strip()

    def as_learnings(self) -> list[Learning | Rejection]:
        """What it teaches; nobody has to guess it from prose."""
        points = [
            *self.learnings,
            *(Point(content=said, type="decision", files=self.files) for said in self.decisions),
            *(Point(content=said, type="gotcha", files=self.files) for said in self.gotchas),
        ]
        if self.summary:
            points.append(Point(content=_short(self.summary), type="work_unit_outcome", files=self.files))
        return [_check_point(point, self.id) for point in points]


_decode = msgspec.json.Decoder(Summary).decode


def decode_summary(payload: str) -> Summary:
    """A summary as it waits in the queue."""
    return _decode(payload)


def ingest(
    cache: Cache, queue: Queue, given: str | dict[str, Any], project: Project, now: str, session_id: str = ""
) -> int | None:
    """Queue a text or a structured summary; the item's number, or None when the very same was given before."""
    summary = read_summary(given) if isinstance(given, dict) else None
    text = msgspec.json.encode(summary, order="sorted").decode() if summary else whole(str(given))
    if not (summary.text() if summary else text.strip()):
        raise NousError("there is nothing to ingest")
    if len(text) > MAX_TEXT:
        raise NousError(f"the text is longer than {MAX_TEXT:,} characters")
    key = hashlib.sha256(f"ingest:{project.id}:{text}".encode()).hexdigest()
    session = (summary and summary.session_id) or session_id or f"ingest-{key[:16]}"
    payload = _payload(summary, text, session, key, now, project)
    artifact = Artifact(
        source="historical_backfill",
        project_id=project.id,
        session_id=session,
        transcript_path=f"ingest:{key[:16]}",
        file_inode=digest(text.encode())[:16],
        file_offset=0,
        end_offset=len(text.encode()),
        payload=payload,
        idempotency_key=key,
    )
    with cache.db.transaction():
        number = queue.enqueue(artifact, now)
        if number is not None:
            cache.see_project(project.id, project.root, project.branch or None, now)
    return number


def read_summary(given: dict[str, Any]) -> Summary:
    """A summary from plain data; what does not fit is named."""
    try:
        return msgspec.convert(_whole(given), Summary)
    except (msgspec.ValidationError, RecursionError) as wrong:
        raise NousError(f"this is no work summary: {whole(str(wrong))}") from None


def _whole(value: Any) -> Any:
    """Plain data that can be stored; a number that is none becomes nothing."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {_whole(name): _whole(one) for name, one in value.items()}
    return [_whole(one) for one in value] if isinstance(value, list | tuple) else value


def _payload(summary: Summary | None, text: str, session: str, key: str, now: str, project: Project) -> str:
    """What waits in the queue, without secrets."""
    if summary is not None:
        clean = redact_text(text)[0]
        kept = msgspec.structs.replace(_decode(clean), id=f"ingest-{key[:24]}", at=summary.at or now)
        return msgspec.json.encode(kept).decode()
    turn = Turn(
        uuid=f"ingest-{key[:24]}",
        kind="prompt",
        at=now,
        session_id=session,
        text=redact_text(text)[0],
        cwd=project.root,
        branch=project.branch,
    )
    return msgspec.json.encode([turn]).decode()


def _check_point(point: Point, evidence: str) -> Learning | Rejection:
    content = " ".join(point.content.split())
    said = {"content": content, "concepts": normal_concepts(point.concepts)}
    checked = check(Learning(**(msgspec.structs.asdict(point) | said), evidence=(evidence,)))
    return checked if isinstance(checked, Rejection) else with_description(checked)


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= MAX_CONTENT else one_line[: MAX_CONTENT - 1].rsplit(" ", 1)[0] + "…"
