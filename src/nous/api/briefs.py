"""The brief of a project: its lines, what a person took out of it, and a person's hand in it."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from nous.api.decide import Written
from nous.app import Brief, Nous, ShownLine, with_mark
from nous.errors import Misuse
from nous.features.brief.decide import LONGEST, LineDecision

MOST_OPEN = 8
OPEN_SESSIONS = 5


class OfProject(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of which project the brief is asked for."""

    project: Annotated[str | None, Meta(description="a project's id, or a path in it")] = None


class DecideLine(OfProject, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision about one line."""

    line: Annotated[str, Meta(min_length=1, max_length=40, description="the `key` of a line, or its number")]
    action: Annotated[LineDecision, Meta(description="keep, edit, drop or pin")]
    text: Annotated[Annotated[str, Meta(max_length=LONGEST)] | None, Meta(description="with `edit`: the new words")] = (
        None
    )


class OrderLines(OfProject, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The order of lines."""

    lines: Annotated[
        tuple[str, ...], Meta(min_length=1, max_length=50, description="keys or numbers of lines, the first first")
    ]


def lines(nous: Nous, asked: OfProject) -> dict[str, Any]:
    """What a session of a project begins with, what it left open, and what a person took out."""
    project = _project(nous, asked)
    removed = [one for one in nous.stores.brief_lines.of_project(project) if one.state == "dropped"]
    return {
        "project_id": project,
        "lines": [line_fields(one) for one in nous.brief(project=asked.project).lines],
        "open": open_ends(nous, project),
        "removed": [{"text": one.shown, "at": one.at, "event": one.version} for one in reversed(removed)],
    }


def decide_line(nous: Nous, asked: DecideLine) -> Written:
    """Keep, edit, drop or pin a line of the brief."""
    _project(nous, asked)
    line = _line(asked.line)
    match asked.action:
        case "edit":
            done = nous.brief_edit(line, asked.text or "", project=asked.project)
        case "drop":
            done = nous.brief_drop(line, project=asked.project)
        case "pin":
            done = nous.brief_pin(line, project=asked.project)
        case _:
            done = nous.brief_keep(line, project=asked.project)
    return _written(done)


def order_lines(nous: Nous, asked: OrderLines) -> Written:
    """Put lines of the brief in an order."""
    _project(nous, asked)
    return _written(nous.brief_order([_line(one) for one in asked.lines], project=asked.project))


def _written(done: Brief) -> Written:
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
    rows = nous.stores.read_sessions.of_project(project_id, OPEN_SESSIONS)
    closed = {name for row in rows for name in row["done"]}
    found = [
        {"text": text, "session_id": row["session_id"], "at": row["at"], "title": row["title"]}
        | {"tainted": bool(nous.stores.exchanges.tainted_in(row["session_id"]))}
        for row in rows
        for nth, text in enumerate(row["open"])
        if f"{row['session_id']}!{nth}" not in closed and with_mark(nous.stores, text, project_id) == text
    ]
    return found[:MOST_OPEN]
