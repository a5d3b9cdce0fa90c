"""The brief of a project: its lines, what a person took out of it, and a person's hand in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from nous.errors import Misuse
from nous.features.brief.decide import LONGEST, LineDecision
from nous.features.brief.roles import Role
from nous.kernel.asking import AsAt, moment
from nous.kernel.operations import Operation, Route, Tool
from nous.kernel.viewer import Viewer
from nous.kernel.views import MemoryAnswer, Written

if TYPE_CHECKING:
    from nous.app import Nous
    from nous.features.brief.briefs import Brief, ShownLine
    from nous.kernel.memory.memory import Memory

RUN, CONTEXT = "nous.features.brief.operations:", "nous.shells.web.context:"
MOST_OPEN = 8
OPEN_SESSIONS = 5


class OfProject(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of which project the brief is asked for."""

    project: Annotated[str | None, Meta(description="a project's id, or a path in it")] = None


class OfDay(OfProject, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of which project, and perhaps of which day."""

    as_at: AsAt = None


class ForRole(OfProject, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose work begins, and on what."""

    role: Annotated[Role | None, Meta(description="whose work begins; without it only the brief")] = None
    task: Annotated[str, Meta(description="what is to be done, in a few words")] = ""
    tokens: Annotated[int, Meta(ge=1, le=20_000, description="how much for a role")] = 1500


def for_role(nous: Nous, viewer: Viewer, asked: ForRole) -> Brief:
    """The lines that a session begins with, and what a role needs of a task."""
    return nous.brief(asked.role, asked.task, tokens=asked.tokens, project=asked.project)


class DecideLine(OfProject, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision about one line."""

    line: Annotated[str, Meta(min_length=1, max_length=40, description="the `key` of a line, or its number")]
    action: Annotated[LineDecision, Meta(description="keep, edit, drop, pin or unpin")]
    text: Annotated[Annotated[str, Meta(max_length=LONGEST)] | None, Meta(description="with `edit`: the new words")] = (
        None
    )


class OrderLines(OfProject, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The order of lines."""

    lines: Annotated[
        tuple[str, ...], Meta(min_length=1, max_length=50, description="keys or numbers of lines, the first first")
    ]


class Resolving(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who is about to work, where, and perhaps on what."""

    project: Annotated[str | None, Meta(description="a project's id")] = None
    cwd: Annotated[str | None, Meta(description="the directory that is worked in, in the place of `project`")] = None
    session: Annotated[str, Meta(description="the session; what it was shown already is left out")] = ""
    prompt: Annotated[
        Annotated[str, Meta(max_length=100_000)] | None,
        Meta(description="what the user asks; without it the brief for a session that begins"),
    ] = None
    branch: Annotated[str | None, Meta(description="the branch, where it is not that of the directory")] = None


class Previewing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A prompt to try in a project."""

    project: Annotated[str | None, Meta(description="a project's id, or a path in it")] = None
    prompt: Annotated[Annotated[str, Meta(max_length=20_000)] | None, Meta(description="what a session would ask")] = (
        None
    )


def lines(nous: Nous, viewer: Viewer, asked: OfDay) -> dict[str, Any]:
    """What a session of a project begins with, what it left open, and what a person took out."""
    project = _project(nous, asked)
    if at := moment(nous, asked.as_at):
        return {"project_id": project, "lines": past_lines(nous, project, at), "open": [], "removed": []}
    removed = [one for one in nous.stores.brief_lines.of_project(project) if one.state == "dropped"]
    return {
        "project_id": project,
        "lines": [line_fields(one) for one in nous.brief(project=asked.project).lines],
        "open": open_ends(nous, project),
        "removed": [{"text": one.shown, "at": one.at, "event": one.version} for one in reversed(removed)],
    }


def past_lines(nous: Nous, project_id: str, at: str) -> list[dict[str, Any]]:
    """The brief that the last reading until then left; no line that rests on what is forgotten, doubted or held."""
    brief = nous.stores.briefs.of_project(project_id, at)
    if brief is None:
        return []
    known = nous.stores.memories.by_learning({one for line in brief.lines for one in line.sources})
    shown = {one.learning_id: one.id for one in known.values() if not (one.tainted or one.disputed) and _stood(one)}
    return [
        {"text": line.text, "ids": [shown[one] for one in line.sources]}
        for line in brief.lines
        if all(one in shown for one in line.sources)
    ]


def _stood(memory: Memory) -> bool:
    return memory.status in ("active", "superseded")


def decide_line(nous: Nous, viewer: Viewer, asked: DecideLine) -> Written:
    """Keep, edit, drop, pin or unpin a line of the brief."""
    _project(nous, asked)
    done = nous.brief_decide(asked.action, _line(asked.line), asked.text or "", project=asked.project)
    return _written_lines(done)


def order_lines(nous: Nous, viewer: Viewer, asked: OrderLines) -> Written:
    """Put lines of the brief in an order."""
    _project(nous, asked)
    return _written_lines(nous.brief_order([_line(one) for one in asked.lines], project=asked.project))


def _written_lines(done: Brief) -> Written:
    return Written(told={"lines": [line_fields(one) for one in done.lines]})


def _line(given: str) -> int | str:
    return int(given) if given.isdecimal() and len(given) <= 4 else given


def _project(nous: Nous, asked: OfProject) -> str:
    if not asked.project:
        raise Misuse("say of which project: `project`")
    return nous.project(asked.project).id


def line_fields(line: ShownLine) -> dict[str, Any]:
    """A line as JSON has it."""
    told: dict[str, Any] = msgspec.to_builtins(line)
    kept = ("number", "key", "text", "ids", "why", "state")
    return {name: told[name] for name in kept} | {"edited": line.is_edited, "work": line.is_work}


def open_ends(nous: Nous, project_id: str) -> list[dict[str, Any]]:
    """What the last sessions left open and none has closed since, the latest first; without what was taken back."""
    from nous.kernel.recall.withheld import with_mark

    rows = nous.stores.read_sessions.of_project(project_id, OPEN_SESSIONS)
    closed = {name for row in rows for name in row["done"]}
    found = [
        {"text": text, "session_id": row["session_id"], "at": row["at"], "title": row["title"]}
        | {"tainted": bool(nous.stores.exchanges.tainted_in(row["session_id"]))}
        for row in rows
        for nth, text in enumerate(row["open"])
        if f"{row['session_id']}!{nth}" not in closed
        and with_mark(nous.stores.events, nous.stores.memories, text, project_id) == text
    ]
    return found[:MOST_OPEN]


# fmt: off
OPERATIONS = (
    Operation(
        "brief.for_role", ForRole, RUN + "for_role",
        "The lines that sessions begin with, and what a role needs of a task.", access="search", about="packet",
        doors=(
            Tool(
                "brief", ("role", "task"),
                "The lines that sessions of this project begin with, and for a role what it needs of a task: "
                "decisions and traps for a planner, commands and places for a coder, errors and checks for a tester. "
                "Use it once, when a larger piece of work begins. Do not use it for a question; search_memory "
                "answers those.",
                "nous.shells.mcp_texts:brief",
            ),
        ),
    ),
    Operation(
        "brief.lines", OfDay, RUN + "lines", "The lines a session starts with, and open ends",
        about="packet", doors=(Route("GET", "/v1/brief"),), example={"project": "shop"},
    ),
    Operation(
        "brief.preview", Previewing, CONTEXT + "preview_session",
        "What a session would be shown at its start and at a first prompt", access="search", about="packet",
        doors=(Route("GET", "/v1/preview"),),
        example={"project": "shop", "prompt": "Why does the staging database lose its rows?"},
    ),
    Operation(
        "brief.context", Resolving, CONTEXT + "resolve", "ResolveContext: what a session should see",
        access="search", about="packet", doors=(Route("POST", "/v1/context"),),
        example={"project": "shop", "session": "ci-17", "prompt": "Why does the staging database lose its rows?"},
    ),
    Operation(
        "brief.decide", DecideLine, RUN + "decide_line", "Keep, edit, drop or pin a line of the brief", MemoryAnswer,
        "write", "brief", about="packet", doors=(Route("POST", "/v1/brief"),),
        example={"project": "shop", "line": "1", "action": "keep"},
    ),
    Operation(
        "brief.order", OrderLines, RUN + "order_lines", "Put lines of the brief in an order", MemoryAnswer, "write",
        "brief", about="packet", doors=(Route("POST", "/v1/brief/order"),), example={"project": "shop", "lines": ["1"]},
    ),
)
# fmt: on
