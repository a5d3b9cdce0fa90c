"""Texts and work summaries that are learned from, and what projects are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nous.kernel import projects
from nous.kernel.capture import artifacts
from nous.kernel.learn.learn import Learned

if TYPE_CHECKING:
    from nous.app import Nous


def ingest(
    nous: Nous, given: str | dict[str, Any], *, project: str | None = None, session_id: str = ""
) -> dict[str, Any]:
    """Learn from a text or a structured work summary; the same one a second time changes nothing."""
    number = artifacts.ingest(
        nous.stores.cache, nous.stores.queue, given, nous.project(project), nous.clock(), session_id
    )
    outcome = nous.work.learn() if number else Learned()
    nous.changed.update(outcome.projects)
    counts = {name: value for name, value in outcome._asdict().items() if name != "projects"}
    return {"ingest_id": number} | counts


def alias(nous: Nous, name: str, project_id: str) -> int:
    """Let a name or a directory stand for a project; 0, since no memory moves."""
    projects.alias(nous.stores.projects, name, project_id, nous.settings.data_dir, nous.clock())
    return 0


def merge(nous: Nous, source: str, target: str) -> int:
    """Make two projects one; how many memories were learned anew in the second."""
    moved = projects.merge(nous.stores, source, target, nous.settings.data_dir, nous.clock())
    nous.changed.add(target)
    return moved
