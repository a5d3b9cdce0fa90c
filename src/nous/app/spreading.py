"""What other devices gave, and what is erased for good."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nous.app.pipeline import CHECKPOINTS
from nous.errors import Forked
from nous.features.brief import surface
from nous.features.code.store import forget_code
from nous.identity import Project
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.memory.projection import catch_up

if TYPE_CHECKING:
    from nous.app.pipeline import Pipeline
    from nous.features.erasure.purge import Erasure, Selection
    from nous.kernel.log.device_events import Absorbed
    from nous.kernel.log.wire import WireEvent
    from nous.teams.arrival import Sender
    from nous.teams.sync import Synced


def purge(work: Pipeline, selection: Selection, folder: str, reason: str) -> Erasure:
    """Erase for good, also from packets and from the rules files of projects; copies are kept in `folder`."""
    from nous.features.erasure.purge import purge

    before = [Project(row["project_id"], row["root"], row["branch"] or "") for row in work.stores.cache.projects()]

    def settle() -> list[str]:
        forget_code(work.settings.data_dir, selection.project, selection.match)
        work.index_exchanges()
        work.warm()
        if not isinstance(work.stores.db, Sqlite):
            work.hook_cache.wipe()
        known = {row["project_id"] for row in work.stores.cache.projects()}
        return surface.forget_others(before, known)

    settings = work.settings
    return purge(work.stores, selection, catch_up, folder, settings.data_dir, reason, work.clock(), settle)


def sync(work: Pipeline) -> Synced:
    """One round with the folder that the user's devices share, and one with the hub, whichever are set."""
    from nous.features.erasure.purge import erase_said
    from nous.teams.sync import Synced, sync  # only who has several devices

    settings, found = work.settings, Synced()
    since = work.stores.events.last_id()
    if settings.sync_dir:
        found = sync(work.stores, settings.sync_dir, settings.sync_passphrase_file, work.clock(), erase_said)
    if settings.hub:
        found = found.plus(_sync_with_hub(work))
    if found.erased:
        work.wipe()
    if found.came:
        work.after_learning(since)
    return found


def _sync_with_hub(work: Pipeline) -> Synced:
    from nous.features.erasure.purge import erase_said
    from nous.teams.hubs import HubAway, open_hub, settle_dispute
    from nous.teams.sync import Synced, exchange

    with open_hub(work.settings) as hub:
        try:
            return exchange(work.stores, hub, work.clock(), erase_said)
        except Forked as problem:
            return Synced(troubles=(settle_dispute(work.stores.devices, work.stores.sealed, hub, problem),))
        except HubAway as problem:  # it may be away for days; everything goes on here, and nothing is lost
            return Synced(troubles=(str(problem),))


def absorb(work: Pipeline, events: Sequence[WireEvent], sender: Sender) -> Absorbed:
    """Take in what a device gave this hub; what it erased is wiped here too."""
    from nous.teams.devices import absorb, release

    release(work.stores, sender._replace(kind="hub", projects=None), work.clock())
    found = absorb(work.stores, events, work.clock(), sender)
    if found.erased:
        work.wipe()
    return found


def wipe(work: Pipeline) -> None:
    """Wipe the traces of what was erased elsewhere."""
    from nous.features.erasure.purge import finish

    finish(
        work.stores.events,
        work.stores.erasures,
        os.path.join(work.settings.data_dir, CHECKPOINTS),
        work.settings.data_dir,
        work.clock(),
    )
