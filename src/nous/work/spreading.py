"""What other devices gave, and what is erased for good."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nous.errors import Forked
from nous.identity import Project
from nous.recall import surface
from nous.remember.projection import catch_up
from nous.stores.code import forget_code
from nous.stores.sqlite import Sqlite
from nous.work import CHECKPOINTS

if TYPE_CHECKING:
    from nous.core.carried import Carried
    from nous.remember.sync import Synced
    from nous.stores.devices import Absorbed
    from nous.teams.arrival import Sender
    from nous.tend.purge import Erasure, Selection
    from nous.work import Pipeline


def purge(work: Pipeline, selection: Selection, folder: str, reason: str) -> Erasure:
    """Erase for good, also from packets and from the rules files of projects; copies are kept in `folder`."""
    from nous.tend.purge import purge

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
    from nous.remember.sync import Synced, sync  # only who has several devices
    from nous.tend.purge import erase_said

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
    from nous.remember.hubs import HubAway, open_hub, settle_dispute
    from nous.remember.sync import Synced, exchange
    from nous.tend.purge import erase_said

    hub = open_hub(work.settings)
    try:
        return exchange(work.stores, hub, work.clock(), erase_said)
    except Forked as problem:
        return Synced(troubles=(settle_dispute(work.stores, hub, problem),))
    except HubAway as problem:  # it may be away for days; everything goes on here, and nothing is lost
        return Synced(troubles=(str(problem),))


def absorb(work: Pipeline, events: Sequence[Carried], sender: Sender) -> Absorbed:
    """Take in what a device gave this hub; what it erased is wiped here too."""
    from nous.remember.devices import absorb, release

    release(work.stores, sender._replace(kind="hub", projects=None), work.clock())
    found = absorb(work.stores, events, work.clock(), sender)
    if found.erased:
        work.wipe()
    return found


def wipe(work: Pipeline) -> None:
    """Wipe the traces of what was erased elsewhere."""
    from nous.tend.purge import finish

    finish(work.stores, os.path.join(work.settings.data_dir, CHECKPOINTS), work.settings.data_dir, work.clock())
