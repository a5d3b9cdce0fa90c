"""How the memory is: what it holds, what waits for a person, and what it takes."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from nous import __version__
from nous.errors import Misuse
from nous.kernel.asking import Look, Present, moment, project_of, then
from nous.kernel.operations import Operation, Route, Tool
from nous.kernel.viewer import Viewer

if TYPE_CHECKING:
    from nous.app import Nous

RUN = "nous.features.status.operations:"
CHANGEABLE = (
    *("announce", "daily_tokens", "daily_usd", "enable_userpromptsubmit", "prompt_tokens", "redact_contacts"),
    *("session_start_tokens", "tool_tokens"),
)
MOST_TIMED = 1000  # answers to hooks that are looked back at


class ChangeSetting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A setting and its new value."""

    name: Annotated[str, Meta(max_length=60, description="the name of a setting that `changeable` marks")]
    value: Annotated[
        Annotated[str, Meta(max_length=200)] | None, Meta(description="the value as text; null for the default")
    ] = None


def status(nous: Nous, asked: Look, *, deep: bool = False) -> dict[str, Any]:
    """What is remembered, in a project or everywhere, now or then; `deep` also counts what waits for review."""
    from nous.config import mask_password
    from nous.features.model_reader.history import reading_state
    from nous.kernel.learn.upgrade import upgrade_report

    project_id, past, at = project_of(nous, asked), then(nous, asked.as_of), moment(nous, asked.as_at)
    counts = nous.stores.memories.counts(as_of=past, as_at=at)
    held = ("active", "superseded") if at else ("active",)  # what is superseded now may have been true then
    mine = [row for row in counts if project_id in (None, row["project_id"])]
    active: Counter[str] = Counter()
    for row in mine:
        if row["status"] in held:
            active[row["type"]] += row["memories"]
    found = {
        "version": __version__,
        "project_id": project_id,
        "memories": active.total(),
        "by_type": dict(active.most_common()),
        "by_status": dict(_count_by_status(mine)),
        "all_projects": {"memories": sum(row["memories"] for row in counts if row["status"] in held)}
        | {"projects": len(nous.stores.cache.projects())},
        "events": nous.stores.events.count() if past is None else past,
        "queue": nous.stores.queue.counts(),
        "quarantined": nous.stores.records.quarantine_count(),
        "arrivals": arrivals(nous),
        "database": {"path": mask_password(nous.settings.db_path), "bytes": size(nous.settings.db_path)},
        "transcripts": nous.stores.transcripts.size(),
        "exchanges": {"indexed": nous.stores.exchanges.size(), "kept": nous.settings.keep_transcripts}
        | {"waiting": nous.stores.exchanges.waiting()},
        "upgrade": upgrade_report(nous.stores.events, nous.stores.outcomes, project_id),
        "reading": reading_state(nous.stores.ledger, nous.settings, nous.clock(), project_id),
    }
    return found | (_attention(nous, asked, found) if deep else {})


def arrivals(nous: Nous) -> dict[str, Any]:
    """What came from other devices and does not count: how much waits, is kept for later or was refused, and why."""
    size = nous.stores.devices.arrivals()
    counts = {"waiting": size.waiting, "later": size.later, "refused": size.refused, "full": size.is_full}
    return counts | {"reasons": [reason._asdict() for reason in nous.stores.devices.held_reasons()]}


def _attention(nous: Nous, asked: Look, found: dict[str, Any]) -> dict[str, Any]:
    every = asked.all_projects or not asked.project
    return {"waiting": nous.waiting(project=asked.project, all_projects=every)}


def _count_by_status(rows: list[dict[str, Any]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for row in rows:
        total[row["status"]] += row["memories"]
    return total


def size(path: str) -> int:
    """Bytes that the database takes on disk, with what belongs to it."""
    return sum(os.path.getsize(path + end) for end in ("", "-wal", "-shm") if os.path.exists(path + end))


def deep(nous: Nous, viewer: Viewer, asked: Look) -> dict[str, Any]:
    """How the memory is, with what waits for a person."""
    return status(nous, asked, deep=True) | {"spend": spend(nous), "hooks": paces(nous, project_of(nous, asked))}


def paces(nous: Nous, project_id: str | None) -> list[dict[str, Any]]:
    """How long the latest answers took that put something before the model, by hook, in milliseconds."""
    took: dict[str, list[float]] = {}
    for row in nous.stores.injections.latencies(project_id, MOST_TIMED):
        took.setdefault(row["hook"], []).append(row["latency_ms"])
    return [
        {"hook": hook, "p50": _part(times, 0.5), "p95": _part(times, 0.95), "answers": len(times)}
        for hook, times in sorted(took.items())
    ]


def _part(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * part))], 2)


def spend(nous: Nous) -> dict[str, Any]:
    """What the chosen model may still take today."""
    left = nous.work.allowance()
    return {"model": nous.settings.llm_provider} | left._asdict()


def settings(nous: Nous, viewer: Viewer, asked: Present) -> dict[str, Any]:
    """Every setting, and where its value comes from."""
    from nous.config import describe_settings

    return {
        "items": [row | {"changeable": row["name"] in CHANGEABLE} for row in describe_settings(os.environ)],
        "next": None,
    }


def change_setting(nous: Nous, viewer: Viewer, asked: ChangeSetting) -> dict[str, Any]:
    """A setting written to the config file. Where words go, what is run and who is let in is for a terminal."""
    from nous.features.status.settings_file import put

    if asked.name not in CHANGEABLE:
        raise Misuse(f"{asked.name} is not changed here", hint=f"`nous config set {asked.name} VALUE` in a terminal")
    return put(os.environ, asked.name, asked.value)


def plain(nous: Nous, viewer: Viewer, asked: Look) -> dict[str, Any]:
    """What is remembered, without looking at every memory."""
    return status(nous, asked)


# fmt: off
OPERATIONS = (
    Operation(
        "stats", Look, RUN + "plain", "Counts for a project", about="project",
        doors=(
            Tool(
                "stats", (),
                "Figures about the memory of this project: memories by type and status, relations, named things, "
                "size, last maintenance. Use it when the user asks how much is known or whether the memory is well. "
                "Not for what it says.",
                "nous.shells.mcp_texts:stats",
            ),
        ),
    ),
    Operation(
        "status", Look, RUN + "deep", "What is remembered, and what waits",
        doors=(Route("GET", "/v1/status"),),
    ),
    Operation(
        "settings.list", Present, RUN + "settings", "Every setting and where its value comes from", right="admin",
        doors=(Route("GET", "/v1/settings"),),
    ),
    Operation(
        "settings.change", ChangeSetting, RUN + "change_setting",
        "Change a setting that the panel may change; it applies when the daemon restarts", access="work",
        action="config", doors=(Route("POST", "/v1/settings"),), example={"name": "daily_usd", "value": "0.15"},
    ),
)
# fmt: on
