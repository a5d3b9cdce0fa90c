"""For other programs: artefacts to learn from, history to read, read models to build anew."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from nous.kernel.operations import Operation, Route

RUN = "nous.features.service.runs:"


class Cooling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which events to move into archives."""

    before: Annotated[str, Meta(description="what came before this date, or longer ago than this")] = "90d"
    dry_run: Annotated[bool, Meta(description="only say how many would move")] = False


class Ingesting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something to learn from: a text, or a structured account of a piece of work."""

    project: Annotated[str, Meta(min_length=1, description="the project it belongs to")]
    text: Annotated[str | None, Meta(description="a plain text")] = None
    summary: Annotated[dict[str, Any] | None, Meta(description="work as `nous admin ingest` takes it")] = None
    session: Annotated[str, Meta(description="the session it comes from")] = ""


class Backfilling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which transcripts to read."""

    since: Annotated[str | None, Meta(description="only those changed since then")] = None
    project: Annotated[str | None, Meta(description="only those of this project")] = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="how many, the newest")] = 20
    dry_run: Annotated[bool, Meta(description="only say how much there is to read")] = False


class Replaying(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether to compare or to build anew."""

    verify: Annotated[bool, Meta(description="compare and change nothing")] = True


# fmt: off
OPERATIONS = (
    Operation(
        "service.ingest", Ingesting, RUN + "ingest", "IngestArtifact: learn from a text or a work summary",
        access="work", action="ingest", about="project", doors=(Route("POST", "/v1/artifacts"),),
        example={"text": "We decided to keep invoices in cents.", "project": "shop", "session": "ci-17"},
    ),
    Operation(
        "service.backfill", Backfilling, RUN + "backfill", "Backfill: read transcripts that are on disk", access="work",
        action="learn", doors=(Route("POST", "/v1/backfill"),), example={"since": "30d", "limit": 10, "dry_run": True},
    ),
    Operation(
        "service.replay", Replaying, RUN + "replay",
        "Replay: compare the read models with the log, or build them again", access="work", action="tend",
        doors=(Route("POST", "/v1/replay"),), example={"verify": True},
    ),
    Operation(
        "service.archive", Cooling, RUN + "archive", "Archive: move old events into compressed files", access="work",
        action="archive", doors=(Route("POST", "/v1/archive"),), example={"before": "90d", "dry_run": True},
    ),
)
# fmt: on
