"""What earlier sessions say that a prompt or an error plainly calls for although nobody asked."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from nous.features.exchanges.decided import find_decision
from nous.features.exchanges.model import line
from nous.features.exchanges.search import account_of
from nous.features.rules_reader.deeds import CHECKS, purpose
from nous.kernel.hooks.packing import Earlier
from nous.kernel.recall.withheld import is_about_gone, is_withheld
from nous.language.fingerprints import fingerprints

if TYPE_CHECKING:
    from nous.kernel.stores import Events, Memories, Stores

LOOKED_AT = 5  # exchanges with the same error
BEFORE = "## The same error came up before"


def passages(stores: Stores, prompt: str, project_id: str, room: int, *, seen: Collection[str] = ()) -> list[Earlier]:
    """What ended the error that a prompt quotes, else how its matter was decided; lines of what was taken back fall."""
    found = same_error(stores, prompt, project_id, seen=seen) or find_decision(
        stores.exchanges, prompt, project_id, room, seen
    )
    return [kept for one in found if (kept := _without_withheld(stores.events, stores.memories, one, project_id)).lines]


def _without_withheld(log: Events, memories: Memories, one: Earlier, project_id: str) -> Earlier:
    return one._replace(lines=tuple(line for line in one.lines if not is_withheld(log, memories, line, project_id)))


def same_error(stores: Stores, error: str, project_id: str, *, seen: Collection[str] = ()) -> list[Earlier]:
    """What ended the same error before, where it ended; the latest time."""
    marks = fingerprints(error)
    for number, _, ended in stores.exchanges.by_error(marks, project_id, LOOKED_AT) if marks else ():
        place = stores.exchanges.by_id([number]).get(number)
        if not ended or place is None or place.uuid in seen or _is_check(ended):
            continue
        account = account_of(stores.exchanges, place)
        text = line(account, ended) if account and account.asked.text else ""
        records = (place.uuid, *(uuid for _, uuid in account.asked.records)) if account else ()
        is_kept_back = is_withheld(stores.events, stores.memories, text, project_id, place.session_id, records)
        if text and not is_kept_back and not is_about_gone(stores.events, stores.memories, text, project_id):
            return [Earlier(place.uuid, BEFORE, (text,))]
    return []


def _is_check(ended: str) -> bool:
    """Whether what passed in the end was a check, which had found something in the code of that day."""
    return purpose(ended.partition("`")[2].partition("`")[0]) in CHECKS
