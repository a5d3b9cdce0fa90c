"""Where an answer leads: a question for a time follows what came before and after it. The steps stand beside what was
found and take no place from it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from nous.features.episodes.episodes import of_session
from nous.kernel.stores import Stores

FOLLOWED = 3  # answers whose trail is looked for: each reads a few transcripts


class Moment(msgspec.Struct, frozen=True):
    """When and in which session something was said."""

    project_id: str
    session_id: str
    at: str


class Lead(msgspec.Struct, frozen=True, kw_only=True):
    """An episode that an answer leads to: how it hangs together with it, what it was for, and where it begins."""

    how: str
    at: str
    text: str
    session_id: str
    uuid: str


def beside(stores: Stores, moment: Moment) -> Iterator[Lead]:
    """The episodes right before and after the session in which something was said, on its branch."""
    row = stores.transcripts.session(moment.session_id)
    if row is None:
        return
    before = stores.exchanges.sessions_before(moment.project_id, row["branch"], row["first_at"], 1)
    after = stores.exchanges.sessions_after(moment.project_id, row["branch"], row["last_at"], 1)
    for how, names in (("before it", before), ("after it", after)):
        for one in (told[-1 if how == "before it" else 0] for name in names if (told := of_session(stores, name))):
            yield Lead(how=how, at=one.began, text=one.goal, session_id=one.session_id, uuid=one.uuid)
