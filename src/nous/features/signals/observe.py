"""Sessions that have come to rest are observed: what happened in them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

from nous import moments
from nous.features.signals.observed_sessions import PendingSession
from nous.kernel.learn.learn import Learned
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores

QUIET_SECONDS = 600  # without a new line a session is at rest, and its end may be looked at
AT_ONCE = 50  # sessions that are looked up at a time
MOST_TURNS = 20_000  # of one session with all its agents


class Observed(NamedTuple):
    """How many sessions were observed and what came of it."""

    sessions: int = 0
    learned: int = 0
    strengthened: int = 0


def observe_due(stores: Stores, clock: Callable[[], str], is_stopping: Callable[[], bool] = lambda: False) -> Observed:
    """Observe every session that rests and was not observed to its end; each in a transaction of its own."""
    total = Observed()
    while not is_stopping():
        now = clock()
        waiting = stores.sayings.due(moments.later(now, -QUIET_SECONDS), now, AT_ONCE)
        if not waiting:
            break
        for due in waiting:
            total = Observed(*map(sum, zip(total, observe(stores, due, clock()), strict=True)))
            if is_stopping():
                break
    return total


def observe(stores: Stores, due: PendingSession, now: str) -> Observed:
    """Observe one session from its beginning; what it taught before is not learned twice."""
    from nous.features.signals.promote import note_observation, promote  # the reader's patterns take long to compile

    turns = list(islice(stores.transcripts.turns(due.session_id), MOST_TURNS))
    with stores.db.transaction():
        catch_up(stores, now)
        made = Learned()
        if turns:
            made = promote(stores, due, note_observation(stores, due, turns, now), now)
        stores.sayings.note_observed(due, now)
    return Observed(1, made.learned, made.repeated)
