"""Where an answer leads: a question for reasons follows what caused an episode, one for a time what came before and
after it. The steps stand beside what was found and take no place from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from nous.core.episodes import Episode
from nous.core.query import Intent
from nous.recall.episodes import SURE, Cause, causes, of_session
from nous.stores import Stores

FOLLOWED = 3  # answers whose trail is looked for: each reads a few transcripts
MOST_STEPS = 3
SESSIONS = 3  # earlier sessions with the same error that are read


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
    confidence: float = 1.0


def trail(stores: Stores, intent: Intent, moment: Moment) -> tuple[Lead, ...]:
    """The steps that a question of this kind follows from an answer; none for other questions."""
    match intent:
        case "why":
            return tuple(_reasons(stores, moment))[:MOST_STEPS]
        case "when":
            return tuple(_beside(stores, moment))
        case _:
            return ()


def _reasons(stores: Stores, moment: Moment) -> Iterator[Lead]:
    """What led to the episode in which something was said, the nearest cause first."""
    own = of_session(stores, moment.session_id)
    target = next((one for one in reversed(own) if one.began <= moment.at), own[0] if own else None)
    if target is None:
        return
    chain = _chain(stores, own, target)
    known = {one.uuid: one for one in chain}
    links = causes(stores, chain)
    waiting, seen = [target.uuid], {target.uuid}
    while waiting:
        led = [link for link in links if link.target == waiting[0] and link.source not in seen]
        yield from (_step(known[link.source], link) for link in led)
        seen |= {link.source for link in led}
        waiting = waiting[1:] + [link.source for link in led]


def _chain(stores: Stores, own: Sequence[Episode], target: Episode) -> list[Episode]:
    """The episodes among which causes are looked for: the session, the one before it, those in which the same
    errors came up."""
    before = stores.exchanges.sessions_before(target.project_id, target.branch, own[0].began, 1)
    alike = stores.exchanges.sessions_with_errors_of(target.session_id, SESSIONS)
    earlier = dict.fromkeys(name for name in (*before, *alike) if name != target.session_id)
    found = [*own, *(one for name in earlier for one in of_session(stores, name))]
    return sorted(found, key=lambda one: (one.began, one.uuid))


def _step(source: Episode, link: Cause) -> Lead:
    guess = "" if link.confidence >= SURE else "perhaps "
    return Lead(
        how=f"{guess}because of",
        at=source.began,
        text=f"{source.goal}: {link.why}",
        session_id=source.session_id,
        uuid=source.uuid,
        confidence=link.confidence,
    )


def _beside(stores: Stores, moment: Moment) -> Iterator[Lead]:
    """The episodes right before and after the session in which something was said, on its branch."""
    row = stores.transcripts.session(moment.session_id)
    if row is None:
        return
    before = stores.exchanges.sessions_before(moment.project_id, row["branch"], row["first_at"], 1)
    after = stores.exchanges.sessions_after(moment.project_id, row["branch"], row["last_at"], 1)
    for how, names in (("before it", before), ("after it", after)):
        for one in (told[-1 if how == "before it" else 0] for name in names if (told := of_session(stores, name))):
            yield Lead(how=how, at=one.began, text=one.goal, session_id=one.session_id, uuid=one.uuid)
