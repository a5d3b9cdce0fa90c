"""What is done for other programs: `operations` says what they can ask."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from typing import TYPE_CHECKING, Any

from nous import moments
from nous.errors import Misuse
from nous.features.archive import tiers
from nous.features.service.operations import Backfilling, Cooling, Ingesting, Replaying
from nous.kernel.viewer import Viewer

if TYPE_CHECKING:
    from nous.app import Nous


def ingest(nous: Nous, viewer: Viewer, asked: Ingesting) -> dict[str, Any]:
    """Learn from an artefact; the same one a second time changes nothing."""
    if (asked.text is None) == (asked.summary is None):
        raise Misuse("say `text` or `summary`, one of them")
    given: str | dict[str, Any] = asked.text if asked.text is not None else asked.summary or {}
    return nous.ingest(given, project=asked.project, session_id=asked.session)


def backfill(nous: Nous, viewer: Viewer, asked: Backfilling) -> dict[str, Any]:
    """Read transcripts that are on disk; what was read before is not read again."""
    since = datetime.fromisoformat(moments.parse(asked.since, nous.clock())).timestamp() if asked.since else None
    project = nous.project(asked.project).id if asked.project else None
    files = nous.work.transcripts(since, project, asked.limit)
    if asked.dry_run:
        found, dollars = nous.work.estimate(files)
        return found._asdict() | {"dry_run": True, "cost": dollars or 0.0}
    [last] = deque(nous.work.backfill(files, project or ""), 1)
    return {
        "dry_run": False,
        "files": len(files),
        "learned": last.outcome.learned,
        "packets": last.packets,
    }


def replay(nous: Nous, viewer: Viewer, asked: Replaying) -> dict[str, Any]:
    """Compare the read models with the log, or build them again."""
    if asked.verify:
        found = nous.work.compare()
        different = [difference.table for difference in found.differences]
        return {"ok": not different, "events": found.events, "rows": found.rows, "differences": different}
    built, events = nous.work.replay()
    return {"ok": True, "events": events, "projectors": built}


def archive(nous: Nous, viewer: Viewer, asked: Cooling) -> dict[str, Any]:
    """Move what old events say into compressed files; everything goes on answering as before."""
    moment = moments.parse(asked.before, nous.clock())
    if asked.dry_run:
        return {"dry_run": True, "before": moment, "events": nous.stores.events.cold.due(moment)}
    done = tiers.archive_events(nous.stores.events, moment, nous.settings.archive_dir, nous.clock())
    return {"dry_run": False, "before": moment, "archives": [segment.archive_path for segment in done.segments]}
