"""Builders: what a planner, a coder or a checker is told about a piece of work, and the files it should open first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from nous.core.briefs import Calibration, FileUse, Role, calibrated, of_role, prefetched, within
from nous.core.likeness import tokens
from nous.core.memory import Memory
from nous.core.packing import Entry
from nous.core.worth import entry
from nous.stores import Stores

USUAL = 5.0  # calls that one planned step takes in ordinary sessions
_PLAN = re.compile(r"(\d{1,9}) steps planned, (\d{1,9}) calls made")


class Brief(NamedTuple):
    """What a role is told: lines with their memories, files to open first, and how far plans run over."""

    role: Role
    entries: list[Entry]
    files: list[FileUse]
    calibration: Calibration | None

    def text(self) -> str:
        """The brief as a role reads it; nothing when there is nothing to tell."""
        lines = [one.line for one in self.entries]
        if self.files:
            lines += [
                "Files that sessions here needed:",
                *(f"- {one.path} ({one.share:.0%} of sessions)" for one in self.files),
            ]
        if self.calibration and self.calibration.factor > 1:
            told = self.calibration
            lines.append(f"Plans here took {told.factor:g} times the usual work ({told.samples} plans).")
        return "\n".join(lines)


def brief(stores: Stores, role: Role, project_id: str, task: str, budget: int, now: str) -> Brief:
    """What a role should know before it begins, within a budget of tokens; words of the task come first."""
    chosen = _by_task(of_role(role, stores.memories.visible(project_id)), task)
    told = within([entry(one, now) for one in chosen], budget)
    files = prefetch(stores, project_id) if role == "coder" else []
    factor = calibration(stores, project_id) if role == "planner" else None
    return Brief(role, told, files, factor)


def _by_task(memories: Iterable[Memory], task: str) -> list[Memory]:
    """Memories that share words with a task first, in their order."""
    wanted = set(tokens(task))
    return sorted(memories, key=lambda one: -len(wanted & set(tokens(one.content)))) if wanted else list(memories)


def prefetch(stores: Stores, project_id: str, module: str | None = None) -> list[FileUse]:
    """The files that most sessions of a project, or of one of its modules, opened."""
    counted = {row["module"]: row["sessions"] for row in stores.observations.modules(project_id)}
    total = counted.get(module, 0) if module else stores.observations.count(project_id, last=10**6)
    rows = stores.observations.files(project_id, module)
    return prefetched([FileUse(row["path"], round(row["session_count"] / total, 2)) for row in rows]) if total else []


def calibration(stores: Stores, project_id: str) -> Calibration | None:
    """How far the plans of a project ran over, from what was seen of them."""
    told = (_PLAN.search(row["said"]) for row in stores.observations.seen(project_id, "step_overrun"))
    return calibrated([(int(found[1]), int(found[2])) for found in told if found], USUAL)
