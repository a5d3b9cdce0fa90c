"""Taking decisions back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from nous.kernel.log import undo as undoing
from nous.kernel.log.events import Recorded
from nous.kernel.log.undo import Undoing
from nous.kernel.memory.projection import catch_up

if TYPE_CHECKING:
    from nous.app import Nous


def undo(
    nous: Nous,
    event_ids: Iterable[int] = (),
    *,
    last: int = 1,
    reason: str = "undone by the user",
    project: str | None = None,
    all_projects: bool = False,
) -> Undoing:
    """Take back events and what they caused; without numbers the `last` decisions made by hand in a project."""
    with nous.decision() as now:
        chosen = nous.undoable(event_ids, last=last, project=project, all_projects=all_projects)
        done = undoing.undo(nous.stores.events, chosen, nous.session_id, reason, now)
        catch_up(nous.stores, now)
    nous.changed.update(event.project_id for event in done.undone)
    return done


def undoable(
    nous: Nous,
    event_ids: Iterable[int] = (),
    *,
    last: int = 1,
    project: str | None = None,
    all_projects: bool = False,
) -> Sequence[Recorded]:
    """What `undo` would take back: the events that are named, or the last decisions, with all they caused."""
    asked = tuple(event_ids)
    where = None if all_projects else nous.project(project).id
    return undoing.plan_undo(nous.stores.events, asked) if asked else undoing.latest(nous.stores.events, last, where)
