"""After an upgrade: what older rules had kept and today's would not is retired once, in the background.

It goes session by session, oldest first, a little at a time, and goes on where it stopped. Nothing is erased: every
retirement is an event, and all of a project's hang on one `RulesApplied` event, which `nous undo` takes back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from nous.kernel.db.database import EVERY
from nous.kernel.log.events import RulesApplied
from nous.kernel.log.extraction import EXTRACTOR_VERSION
from nous.kernel.stores import Row, Stores

if TYPE_CHECKING:
    from nous.kernel.capture.transcripts import Transcripts
    from nous.kernel.learn.outcomes import Outcomes
    from nous.kernel.learn.reextract import Reader
    from nous.kernel.stores import Events

STEP_SECONDS = 5.0  # how long one step works; the daemon does other things in between


class UpgradeState(msgspec.Struct, frozen=True):
    """How far the rules of a version went through older memories; `until` is the last session, by its end and id."""

    version: str
    until: tuple[str, str] = ("", "")
    sessions: int = 0
    retired: int = 0
    reworded: int = 0
    projects: tuple[str, ...] = ()
    is_done: bool = False


def upgrade_state(outcomes: Outcomes, version: str = EXTRACTOR_VERSION) -> UpgradeState | None:
    """How far it came; None when it has not begun."""
    row = outcomes.step(_step(version))
    try:
        return msgspec.json.decode(row["said"], type=UpgradeState) if row else None
    except msgspec.DecodeError:
        return None


def upgrade_report(log: Events, outcomes: Outcomes, project_id: str | None = None) -> dict[str, Any] | None:
    """How far today's rules went through older memories, when something came of it or it still goes on; else None.

    `events` take it back, those of one project or of all.
    """
    state, row = upgrade_state(outcomes), outcomes.step(_step(EXTRACTOR_VERSION))
    if state is None or row is None or (state.is_done and not state.projects):
        return None
    events = [
        event.event_id
        for project in state.projects
        if project_id in (None, project)
        for event in log.of_learning(project)
        if isinstance(event.payload, RulesApplied) and event.payload.version == state.version
    ]
    found: dict[str, Any] = {name: getattr(state, name) for name in ("version", "sessions", "retired", "reworded")}
    return found | {"done": state.is_done, "at": row["finished_at"], "events": events}


def _step(version: str) -> str:
    return f"upgrade to {version}"


def retire_old(
    stores: Stores,
    clock: Callable[[], str],
    *,
    seconds: float = STEP_SECONDS,
    reader: Reader | None = None,
    is_stopping: Callable[[], bool] = lambda: False,
    timer: Callable[[], float] = time.monotonic,
) -> UpgradeState:
    """Go through more sessions for so long, and say how far it came."""
    from nous.kernel.learn.reextract import RuleReader, retire_outdated  # all the rules: not for who asks how it is
    from nous.kernel.memory.projection import catch_up

    reader = reader or RuleReader()
    state = upgrade_state(stores.outcomes, reader.version) or UpgradeState(reader.version)
    if state.is_done:
        return state
    began = timer()
    catch_up(stores, clock())
    for row in _remaining(stores.transcripts, state):
        changes = retire_outdated(stores, reader, row, clock)
        state = _after(state, row, [change.kind for change in changes])
        _keep(stores.events, stores.outcomes, state, clock())
        if timer() - began > seconds or is_stopping():
            return state
    state = msgspec.structs.replace(state, is_done=True)
    _keep(stores.events, stores.outcomes, state, clock())
    return state


def _remaining(transcripts: Transcripts, state: UpgradeState) -> list[Row]:
    rows = sorted(transcripts.sessions(None, EVERY), key=_place)
    return [row for row in rows if _place(row) > state.until]


def _place(row: Row) -> tuple[str, str]:
    return row["last_at"], row["session_id"]


def _after(state: UpgradeState, row: Row, kinds: list[str]) -> UpgradeState:
    touched = {*state.projects, row["project_id"]} if kinds else set(state.projects)
    return msgspec.structs.replace(
        state,
        until=_place(row),
        sessions=state.sessions + 1,
        retired=state.retired + kinds.count("dropped"),
        reworded=state.reworded + kinds.count("replaced"),
        projects=tuple(sorted(touched)),
    )


def _keep(log: Events, outcomes: Outcomes, state: UpgradeState, now: str) -> None:
    said = msgspec.json.encode(state).decode()
    outcomes.set_step(_step(state.version), log.last_id(), now, said)
