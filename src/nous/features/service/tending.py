"""The nightly maintenance, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nous.features.archive import archive
from nous.features.backup.backup import sweep
from nous.features.service.maintain import MaintenanceReport, Step, disk
from nous.features.service.maintain import maintain as tend
from nous.kernel.log import integrity
from nous.kernel.memory.decay import DAY
from nous.kernel.memory.projection import catch_up
from nous.moments import later

if TYPE_CHECKING:
    from nous.app import Nous

PRUNE_DAYS = 180  # after which vectors of archived memories and rejections go


def maintain(nous: Nous, *, seconds: float | None = None) -> MaintenanceReport:
    """Tend the memories as a whole, within some seconds; a second run finds nothing to do."""
    steps = (
        Step("embed", lambda _: (f"{nous.embed()} vectors made", True)),
        Step("reconcile", lambda seconds: _step_reconcile(nous, seconds)),
        Step("tidy", lambda _: (f"{len(nous.work.tidy_due(nightly=True))} projects tidied", True), daily=True),
        Step("outcomes", lambda _: (_step_outcomes(nous), True), always=True),
        Step("observe", lambda _: (_step_observe(nous), True), always=True),
        Step("archive", lambda _: (_step_archive(nous), True), daily=True),
        Step("prune", lambda _: (_step_prune(nous), True), daily=True),
        Step("packets", lambda _: (_step_packets(nous), True), daily=True),
        Step("integrity", lambda _: (_step_integrity(nous), True)),
        Step("disk", lambda _: (_tidy(nous), True), daily=True),
    )
    return tend(nous.stores.events, nous.stores.outcomes, steps, nous.clock, seconds)


def _tidy(nous: Nous) -> str:
    """Remove what killed backups left, and say what is on disk."""
    left = sweep(nous.settings.data_dir)
    said = disk(nous.settings.db_path, nous.settings.data_dir)
    return f"{said}; {left} left-over files removed" if left else said


def _step_reconcile(nous: Nous, seconds: float | None) -> tuple[str, bool]:
    found = nous.reconcile(seconds=seconds)
    said = f"{found['pairs']} pairs compared, {found['contradicted']} contradicted, {found['superseded']} superseded"
    return said, bool(found["is_done"])


def _step_outcomes(nous: Nous) -> str:
    found = nous.work.settle()
    return ", ".join(f"{count} {name}" for name, count in sorted(found.items())) or "no session to settle"


def _step_observe(nous: Nous) -> str:
    found = nous.work.observe()
    return f"{found.sessions} sessions observed, {found.learned} learned, {found.strengthened} said again"


def _step_archive(nous: Nous) -> str:
    """Archive what faded, and the weakest beyond the number that is kept; hubs excepted."""
    now = nous.clock()
    with nous.stores.db.transaction():
        due = archive.find_faded(nous.stores, now)
        done = archive.archive(nous.stores.events, due, now)
        catch_up(nous.stores, now)
    nous.changed.update(memory.project_id for memory in due)
    return f"{done} faded memories archived"


def _step_prune(nous: Nous) -> str:
    """Let go of what can be made again, or is too old to tune by; never of the log."""
    gone = nous.stores.pruning.prune(later(nous.clock(), -PRUNE_DAYS * DAY))
    return ", ".join(f"{rows} {kind.replace('_', ' ')}" for kind, rows in gone.items()) or "nothing is old enough"


def _step_packets(nous: Nous) -> str:
    made = nous.work.warm()
    nous.changed.clear()
    return f"{made} packets made"


def _step_integrity(nous: Nous) -> str:
    found = integrity.verify(nous.stores)
    return f"{found.events} events, " + ("in order" if found.ok else f"{len(found.problems) + found.more} problems")


def reconcile(nous: Nous, *, seconds: float | None = None, anew: bool = False) -> dict[str, Any]:
    """Find memories of independent sessions that contradict each other; what was looked at and what came of it."""
    before = nous.stores.events.last_id()
    found = nous.work.reconcile(seconds=seconds, anew=anew)
    nous.changed.update(nous.work.touched(before))
    return found._asdict()
