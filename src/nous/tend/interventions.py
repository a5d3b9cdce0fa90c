"""From concerns to what a session is told: candidates are kept, a policy lets few of them through, outcomes are noted.

Raised, delivered and settled are events, so that `nous log` tells the whole way; what waits for a session now is a
table that hooks read.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import NamedTuple

from nous.core.events import Event, InterventionNoted, Writer, make_event
from nous.core.moments import later
from nous.stores import Stores
from nous.stores.database import Row
from nous.stores.interventions import Candidate, Intervention
from nous.tend.observers import OBSERVERS
from nous.tend.observers.seen import Concern

NAMESPACE = uuid.UUID("6d1c1f5e-3f0a-5d7b-9a52-6e6f75732032")
LONGEST = 400
SOURCE = "observer"
QUIET_SECONDS = 600


class Reduction(NamedTuple):
    """The policy: how sure a concern must be, how long it may be said, and how long it rests after it was said."""

    confidence: float = 0.75
    project_seconds: int = 7 * 86400
    session_seconds: int = 4 * 3600
    cooldown_seconds: int = 86400


class Intervened(NamedTuple):
    """What became of concerns: how many were raised, delivered and settled."""

    raised: int = 0
    delivered: int = 0
    settled: int = 0


def intervene(
    stores: Stores, projects: Iterator[str] | list[str] | set[str], policy: Reduction, now: str
) -> Intervened:
    """Look at projects, let through what the policy allows, and note what was delivered and what came of it."""
    with stores.db.transaction():
        stores.interventions.expire(now)
        raised = sum(_raise(stores, project, policy, now) for project in sorted(projects) if project)
        delivered = _note_delivered(stores, now)
        return Intervened(raised, delivered, _settle(stores, now))


def _raise(stores: Stores, project_id: str, policy: Reduction, now: str) -> int:
    made = 0
    for observer in OBSERVERS:
        for concern in observer.look(stores, project_id, now):
            made += _reduce(stores, observer.name, concern, project_id, policy, now)
    return made


def _reduce(stores: Stores, observer: str, concern: Concern, project_id: str, policy: Reduction, now: str) -> bool:
    """Keep a concern as a candidate; activate it when it is sure enough and was not raised in its cooldown."""
    dedupe = f"{observer}:{project_id}:{concern.subject}"
    if any(now < moment for moment in stores.interventions.resting(dedupe, policy.cooldown_seconds, now)):
        return False
    name = str(uuid.uuid5(NAMESPACE, f"{dedupe}:{now}"))
    lives = policy.session_seconds if concern.scope == "session" else policy.project_seconds
    words = concern.text[:LONGEST]
    candidate = Candidate(
        candidate_id=name,
        scope=concern.scope,
        payload_text=words,
        reason_codes=(observer, concern.subject),
        confidence=concern.confidence,
        ttl_seconds=lives,
        cooldown_seconds=policy.cooldown_seconds,
        priority=concern.priority,
        target_session_id=concern.session_id,
        target_project_id=project_id,
    )
    stores.interventions.propose(candidate, now)
    if concern.confidence < policy.confidence:
        stores.interventions.decide(name, "suppressed", now)
        return False
    stores.interventions.decide(name, "approved", now)
    stores.interventions.activate(
        Intervention(
            intervention_id=name,
            scope=concern.scope,
            payload_text=words,
            priority=concern.priority,
            expires_at=later(now, lives),
            dedupe_key=dedupe,
            source_candidate_id=name,
            target_session_id=concern.session_id,
            target_project_id=project_id,
        ),
        now,
    )
    noted = InterventionNoted(
        state="raised", observer=observer, text=words, confidence=concern.confidence, scope=concern.scope
    )
    _append(stores, name, noted, "raised", project_id, concern.session_id or SOURCE, now)
    return True


def _note_delivered(stores: Stores, now: str) -> int:
    """What hooks told sessions since the last look, as events and in the candidates."""
    fresh = stores.interventions.undelivered()
    for row in fresh:
        stores.interventions.decide(row["intervention_id"], "delivered", now)
        _append(
            stores,
            row["intervention_id"],
            _noted("delivered", row),
            f"delivered:{row['session_id']}",
            row["project_id"],
            row["session_id"],
            now,
        )
    return len(fresh)


def _settle(stores: Stores, now: str) -> int:
    """What came of interventions in sessions that have been observed since."""
    waiting = stores.interventions.unsettled()
    for row in waiting:
        outcome = "corrected again" if row["corrections"] else "no correction"
        stores.interventions.settle(row["intervention_id"], row["session_id"], outcome, now)
        _append(
            stores,
            row["intervention_id"],
            _noted("settled", row, outcome),
            f"settled:{row['session_id']}",
            row["project_id"],
            row["session_id"],
            now,
        )
    return len(waiting)


def _noted(state: str, row: Row, outcome: str = "") -> InterventionNoted:
    return InterventionNoted(
        state="settled" if state == "settled" else "delivered",
        observer=row["observer"] or "observer",
        text=row["payload_text"],
        session=row["session_id"],
        outcome=outcome,
    )


def _append(
    stores: Stores, name: str, noted: InterventionNoted, key: str, project_id: str, session: str, now: str
) -> None:
    by = Writer(session, SOURCE)
    told: Event = make_event(
        "InterventionNoted", name, noted, f"intervention:{name}:{key}", project_id=project_id, by=by, at=now
    )
    stores.events.append([told], now)
