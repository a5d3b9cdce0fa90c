"""Looking at the past: the log, what changed between two moments, and one line per day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from nous import moments
from nous.errors import Misuse
from nous.kernel.asking import TIME, Look, Paged, Present, make_page, moment, place, project_of, then
from nous.kernel.log.events import EVENT_TYPES, Recorded
from nous.kernel.operations import Command, Operation, Route, Tool
from nous.kernel.viewer import Viewer
from nous.kernel.views import event_fields, memory_fields

if TYPE_CHECKING:
    from nous.app import Nous
    from nous.kernel.log import history

NEWEST = 2**62
RUN = "nous.features.history.operations:"


class Log(Paged, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page of the log."""

    since: Annotated[str | None, Meta(description=f"only events recorded at or after this time: {TIME}")] = None
    session: Annotated[str | None, Meta(description="only what this session wrote")] = None
    type: Annotated[str | None, Meta(description="only this type of event")] = None


class Between(
    Present, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"earlier": "from", "later": "to"}
):
    """Two moments."""

    earlier: Annotated[str, Meta(description=f"the earlier time: {TIME}")]
    later: Annotated[str, Meta(description=f"the later time: {TIME}")] = "now"
    by: Annotated[
        Literal["recorded", "true"], Meta(description="compare what Nous knew at these times, or what was true")
    ] = "recorded"
    limit: Annotated[int, Meta(ge=1, le=500, description="how many on a page")] = 100
    cursor: Annotated[str | None, Meta(description="`next` of the page before")] = None


class Happened(Look, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happened, or what happened to one memory."""

    memory: Annotated[int | None, Meta(description="only this memory, with causes and effects")] = None
    since: Annotated[str | None, Meta(description=f"only events recorded at or after this time: {TIME}")] = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="how many, newest first")] = 30


def happened(nous: Nous, viewer: Viewer, asked: Happened) -> list[history.LogEntry]:
    """Events, each below the one that caused it."""
    from nous.kernel.log import history

    since, last = moment(nous, asked.since), then(nous, asked.as_of)
    if asked.memory is None:
        return history.entries(nous.stores.events, project_of(nous, asked), since, asked.limit, last)
    found = history.story(nous.stores.events, nous.stores.memories, asked.memory, last)
    return [entry for entry in found if entry.event.transaction_time >= (since or "")]


def log(nous: Nous, viewer: Viewer, asked: Log) -> dict[str, Any]:
    """Events, newest first; those of a brief only for who sees every team whose memories may stand in it."""
    from nous.kernel.log import history

    if asked.type and asked.type not in EVENT_TYPES:
        raise Misuse(f"there is no event type {asked.type!r}", hint="docs/reference/events.md lists them")
    past = then(nous, asked.as_of)
    since = moment(nous, asked.since)
    numbers = nous.stores.browse.log(
        before=(place(asked.cursor, tuple[int]) or (NEWEST,))[0],
        event_id=NEWEST if past is None else past,
        after=nous.stores.events.before(since) if since else 0,
        project_id=project_of(nous, asked),
        session_id=asked.session,
        event_type=asked.type,
        limit=asked.limit + 1,
    )
    page, following = make_page(numbers, asked.limit, lambda number: (number,))
    events = [one for one in nous.stores.events.by_id(page)[::-1] if _may_see(nous, one, viewer)]
    names = history.numbers_of(nous.stores.events, events)
    return {
        "items": [
            event_fields(event, history.describe_event(event.payload, names))
            | {"memory_id": names.get(event.learning_id)}
            for event in events
        ],
        "next": following,
    }


def _may_see(nous: Nous, event: Recorded, viewer: Viewer) -> bool:
    """A line of a brief repeats memories of teams in an event of the project."""
    if not event.event_type.startswith("Brief"):
        return True
    return all(viewer.sees(circle) for circle in nous.stores.circles.of_project(event.project_id))


def diff(nous: Nous, viewer: Viewer, asked: Between) -> dict[str, Any]:
    """What changed in what was believed between two moments, and why; the latest change last."""
    from nous.kernel.log import history

    now = nous.clock()
    begin, end = moments.parse(asked.earlier, now), moments.parse(asked.later, now)
    if end < begin:
        raise Misuse(f"{asked.later} is before {asked.earlier}")
    stores, project_id = nous.stores, project_of(nous, asked)
    if asked.by == "true":
        found = history.turned(stores.memories, stores.browse, begin, end, project_id)
    else:
        found = history.changes(
            stores.events, stores.memories, stores.events.as_of(begin), stores.events.as_of(end), project_id
        )
    start = (place(asked.cursor, tuple[int]) or (0,))[0]
    page, following = make_page(
        list(enumerate(found[start:], start + 1))[: asked.limit + 1], asked.limit, lambda pair: (pair[0],)
    )
    names = history.numbers_of(stores.events, [event for _, belief in page for event in belief.events])
    return {
        "from": begin,
        "to": end,
        "items": [belief_fields(belief, names) for _, belief in page],
        "next": following,
        "total": len(found),
    }


def timeline(nous: Nous, viewer: Viewer, asked: Look) -> dict[str, Any]:
    """Each day on which something was recorded, or from or until which something was true."""
    asks = (project_of(nous, asked), then(nous, asked.as_of))
    none = {"events": 0, "learned": 0, "ended": 0, "began": 0, "ceased": 0}
    days: dict[str, dict[str, Any]] = {}
    for row in (*nous.stores.browse.days(*asks), *nous.stores.browse.days_true(*asks)):
        days[row["day"]] = days.get(row["day"], none) | row
    return {"items": [days[day] for day in sorted(days)], "next": None}


class Latest(Present, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The latest of something."""

    limit: Annotated[int, Meta(ge=1, le=1000, description="how many, newest first")] = 20


def rejections(nous: Nous, viewer: Viewer, asked: Latest) -> dict[str, Any]:
    """What was found in transcripts but not kept, and how often for each reason."""
    project = project_of(nous, asked)
    found = nous.stores.rejections
    return {"items": found.recent(project, asked.limit), "reasons": found.reasons(project)}


class Live(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was written since an event."""

    after: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="the last event that is known; now when left out")
    ] = None
    wait: Annotated[
        Annotated[float, Meta(ge=0, le=30)] | None, Meta(description="answer once, after at most this many seconds")
    ] = None


MOST_CHANGED = 200


def list_changes(nous: Nous, after: int) -> dict[str, Any]:
    """The last event, and which memories and projects were written about after another one."""
    from nous.kernel.log import history

    last = nous.stores.events.last_id()
    events = nous.stores.events.between(after, last, None, MOST_CHANGED) if last > after else []
    names = history.numbers_of(nous.stores.events, events)
    return {
        "last_event": last,
        "memories": sorted({names[event.learning_id] for event in events if event.learning_id in names}),
        "projects": sorted({event.project_id for event in events}),
    }


def belief_fields(belief: history.Belief, numbers: dict[str, int]) -> dict[str, Any]:
    """What became of one memory between two moments."""
    from nous.kernel.log import history

    return {
        "id": belief.memory_id,
        "change": belief.change,
        "before": memory_fields(belief.before) if belief.before else None,
        "after": memory_fields(belief.after) if belief.after else None,
        "events": [event_fields(event, history.describe_event(event.payload, numbers)) for event in belief.events],
    }


# fmt: off
OPERATIONS = (
    Operation(
        "history.happened", Happened, RUN + "happened",
        "Show the event log; an event is listed below the one that caused it.", access="search", about="project",
        doors=(
            Command(
                "log", options=("memory", "since", "limit", "as_of"), lines="nous.shells.cli.lines:log",
                data="nous.shells.cli.lines:log_data", defaults={"limit": 100},
            ),
            Tool(
                "timeline", ("since", "limit", "as_of"),
                "List what was learned, corrected or forgotten in this project, in order of time. Use it when the "
                "user asks what happened or what changed lately in the memory. Not for the history of the code: that "
                "is in git.",
                "nous.shells.mcp_texts:timeline",
            ),
        ),
    ),
    Operation(
        "history.log", Log, RUN + "log", "Events, newest first", about="project", doors=(Route("GET", "/v1/log"),),
        example={"limit": 20},
    ),
    Operation(
        "history.diff", Between, RUN + "diff", "Show what changed between two times, and why.", about="project",
        doors=(
            Command(
                "diff", options=("earlier", "later", "by", "limit"), lines="nous.shells.cli.lines:diff",
                under="changes", defaults={"limit": 500},
            ),
            Route("GET", "/v1/diff"),
        ),
        example={"from": "7d"},
    ),
    Operation(
        "history.rejections", Latest, RUN + "rejections", "Show what was found in transcripts but not kept, and why.",
        about="project",
        doors=(
            Command(
                "rejections", row="{created_at:.19}  {extractor}: {reason}\n    {excerpt}",
                empty="nothing was rejected", under="rejections",
            ),
        ),
    ),
    Operation(
        "history.days", Look, RUN + "timeline", "What happened on each day", about="project",
        doors=(Route("GET", "/v1/timeline"),),
    ),
)
# fmt: on
