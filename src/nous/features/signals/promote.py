"""What a session showed enters the log, and what enough sessions showed becomes a memory that waits for a sign."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import msgspec

from nous.features.signals.observed_sessions import PendingSession
from nous.features.signals.promotion import Recurring, failing_commands, learning_of, working_commands
from nous.features.signals.scratchpad import HEADLESS, observe_session
from nous.features.signals.signals import NAMED, PROVED
from nous.features.signals.store import Observations
from nous.kernel.capture.transcript import Turn
from nous.kernel.db.database import Row
from nous.kernel.learn.introduce import NAMESPACE, Origin, event, next_clock
from nous.kernel.learn.learn import Learned, candidates, take_up
from nous.kernel.log.events import SessionObserved
from nous.kernel.log.extraction import Learning, Rejection, check
from nous.kernel.log.sighting import QUORUM
from nous.kernel.memory.memories import Memories
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores

OBSERVER, SOURCE = "observer-1", "observer"
STEADY = 5  # sessions after which only every fifth one strengthens what is known
EVIDENCE = 12  # records that a promoted memory names
WELL_KNOWN = 101  # sessions up to which it is counted how many saw a thing
_records = msgspec.json.Decoder(list[str])


def note_observation(stores: Stores, due: PendingSession, turns: Sequence[Turn], now: str) -> SessionObserved:
    """Write what a session showed into the log and the read models. Part of a transaction."""
    seen = observe_session(turns)
    moment = seen.ended_at or now
    origin = Origin(due.project_id, due.session_id, SOURCE, moment, OBSERVER)
    learning_id = str(uuid.uuid5(NAMESPACE, f"observed:{due.session_id}"))
    key = f"observed:{due.session_id}:{due.turns}"
    clock = next_clock(stores.events, due.session_id)
    stores.events.append([event(origin, learning_id, "SessionObserved", key, seen, clock)], now)
    catch_up(stores, now)
    return seen


def promote(stores: Stores, due: PendingSession, seen: SessionObserved, now: str) -> Learned:
    """Make memories of what this session and enough others showed; what is known already grows surer."""
    total = Learned()
    if seen.kind == HEADLESS:
        return total
    agents = {(one.signal, one.subject): one.agents for one in seen.sightings}
    for row in stores.observations.recurring(due.project_id, due.session_id, tuple(sorted(PROVED)), WELL_KNOWN):
        together = agents.get((row["signal"], row["subject"]), 0)
        is_seldom = row["sessions"] < NAMED[row["signal"]].sessions and together < QUORUM
        if is_seldom or _is_known_for_long(row["sessions"]):
            continue
        recurring = _recurring(stores.observations, row, due.project_id)._replace(agents=together)
        learning = learning_of(recurring)
        if learning is None or isinstance(check(learning), Rejection):
            continue
        if _is_said_to_fail(stores.memories, learning, due.project_id):
            continue
        total = total.plus(_take_up(stores, learning, recurring, due, now))
    return total


def _is_known_for_long(sessions: int) -> bool:
    """Whether not every session has to say so."""
    return sessions >= WELL_KNOWN or (sessions > STEADY and sessions % STEADY > 0)


def _recurring(observations: Observations, row: Row, project_id: str) -> Recurring:
    shown = observations.shown_by(project_id, row["signal"], row["subject"], EVIDENCE)
    evidence = dict.fromkeys(record for one in shown for record in _records.decode(one["evidence"]))
    moments = sorted(one["started_at"] for one in shown if one["started_at"]) or [""]
    told = (row["signal"], row["subject"], row["said"], row["sessions"])
    others = tuple(one["said"] for one in shown)
    return Recurring(*told, tuple(evidence)[:EVIDENCE], others, moments[0], moments[-1])


def _take_up(stores: Stores, learning: Learning, seen: Recurring, due: PendingSession, now: str) -> Learned:
    index = uuid.uuid5(NAMESPACE, f"{due.project_id}:{seen.signal}:{seen.subject}:{due.session_id}")
    origin = Origin(due.project_id, due.session_id, SOURCE, seen.last_at or now, OBSERVER)
    known = _find_known(stores.memories, learning, due.project_id, seen)
    outcome, _ = take_up(stores, learning, origin, f"promoted:{index}", now, again=known.id if known else None)
    return outcome


def _is_said_to_fail(memories: Memories, learning: Learning, project_id: str) -> bool:
    """Whether an active memory says that a command fails, or forbids it, which this one says works."""
    works = working_commands(learning.content)
    active = (one for one in candidates(memories, learning, project_id) if one.status == "active")
    return any(works & failing_commands(one.content) for one in active)


def _find_known(memories: Memories, learning: Learning, project_id: str, seen: Recurring) -> Memory | None:
    """The active memory that says the same: word for word, or made of the same sighting."""
    near = [one for one in candidates(memories, learning, project_id) if one.status == "active" and not one.tainted]
    return next((one for one in near if one.content == learning.content or _is_made_of(one, learning, seen)), None)


def _is_made_of(memory: Memory, learning: Learning, seen: Recurring) -> bool:
    """Whether a memory was made of a sighting that has been seen again since: its words may have grown meanwhile."""
    begins = learning.content.split("`")[0] == memory.content.split("`")[0]
    return memory.extractor == OBSERVER and begins and bool(set(memory.evidence) & set(seen.evidence))
