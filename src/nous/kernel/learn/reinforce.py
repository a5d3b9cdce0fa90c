"""Learning from outcomes: what a session was shown and used grows stronger, what it corrected grows weaker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nous.kernel.capture.transcript import Turn
from nous.kernel.learn.learn import taught_by
from nous.kernel.learn.outcome import DELTAS, Outcome, OutcomeSignal, decide, modifier
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import (
    Contradicted,
    Event,
    EventType,
    Payload,
    Reinforced,
    Superseded,
    Weakened,
    Writer,
    make_event,
)
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.moments import later

if TYPE_CHECKING:
    from nous.kernel.stores import Outcomes, Stores

QUIET_SECONDS = 1800.0  # a session that said nothing for so long is over
SESSIONS = 50
USED, GAINED = 5, 0.05  # asked for this often without an objection, a memory counts this much more


def settle_due(stores: Stores, now: str) -> Counter[str]:
    """Decide the outcomes of sessions that are over; how many of each. What was decided is not decided again."""
    total: Counter[str] = Counter()
    for session_id in stores.outcomes.list_undecided(later(now, -QUIET_SECONDS), SESSIONS):
        total += settle(stores, session_id, now)
    return total


def trust_by_use(stores: Stores, now: str) -> int:
    """What was asked for often, and nobody objected to, counts a little more, once; how many memories do."""
    events = []
    for memory in stores.memories.by_id(stores.accesses.often(USED)):
        if memory.status != "active" or memory.disputed or memory.tainted:
            continue
        told = stores.events.of_learning(memory.learning_id)
        if not any(isinstance(event.payload, Weakened | Contradicted) for event in told):
            why = f"asked for {USED} times, and nobody objected"
            events.append(_event(memory, GAINED, why, f"used:{memory.learning_id}", ""))
    with stores.db.transaction():
        gained = [number for number in stores.events.append(events, now) if number]
        catch_up(stores, now)
    return len(gained)


def settle(stores: Stores, session_id: str, now: str) -> Counter[str]:
    """Decide what became of every memory that a session was shown; outcome and event commit together."""
    turns = list(stores.transcripts.turns(session_id))
    with stores.db.transaction():
        decided = {row["memory_id"] for row in stores.outcomes.of_session(session_id)}
        waiting = [number for number in stores.injections.list_given(session_id) if number not in decided]
        known = {memory.id: memory for memory in stores.memories.by_id(waiting)}
        found: Counter[str] = Counter()
        for number in waiting:
            outcome = _outcome(stores.events, known.get(number), turns, session_id)
            if number in known:
                record(stores.events, stores.outcomes, known[number], outcome, session_id, now)
            else:
                stores.outcomes.put(session_id, number, outcome, now)
            found[outcome.signal] += 1
        catch_up(stores, now)
    return found


def _outcome(events: Events, memory: Memory | None, turns: Sequence[Turn], session_id: str) -> Outcome:
    if memory is None or memory.status == "erased":
        return Outcome("ignored", "it is gone")
    return decide(memory, turns, bool(_corrections(events, memory, session_id)))


def _corrections(log: Events, memory: Memory, session_id: str) -> list[Payload]:
    """What a session taught against a memory."""
    events = log.of_learning(memory.learning_id)
    return [
        event.payload
        for event in events
        if event.session_id == session_id and isinstance(event.payload, Weakened | Superseded)
    ]


def record(log: Events, outcomes: Outcomes, memory: Memory, outcome: Outcome, session_id: str, now: str) -> bool:
    """Keep an outcome and what follows from it, once per session and memory; False when it was known."""
    if not outcomes.put(session_id, memory.id, outcome, now):
        return False
    delta = DELTAS[outcome.signal]
    taught = [one for one in _corrections(log, memory, session_id) if isinstance(one, Weakened)]
    events = []
    if delta and not (outcome.signal == "corrected" and taught):  # what the session itself took off is enough
        events.append(_event(memory, delta, outcome.reason, f"outcome:{session_id}:{memory.learning_id}", session_id))
    if extra := modifier(len(taught_by(log, memory)), *outcomes.effect(memory.id)):
        why = "often learned, and showing it helps" if extra > 0 else "often learned, and showing it does not help"
        events.append(_event(memory, extra, why, f"recurrence:{extra:+g}:{memory.learning_id}", session_id))
    log.append(events, now)
    return True


def _event(memory: Memory, delta: float, reason: str, key: str, session_id: str) -> Event:
    kind: EventType = "LearningReinforced" if delta > 0 else "LearningWeakened"
    said: Payload = (
        Reinforced(reinforcement_delta=delta, reason=reason)
        if delta > 0
        else Weakened(reinforcement_delta=delta, reason=reason)
    )
    by = Writer(session_id, "fs_reconcile")
    return make_event(kind, memory.learning_id, said, key, project_id=memory.project_id, by=by)


SAID: dict[OutcomeSignal, str] = {
    "useful": "somebody said that it helped",
    "corrected": "somebody said that it was wrong",
    "ignored": "somebody said that it was of no use",
}
