"""Interventions: candidates that somebody proposed, and the active ones that a policy made of them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from nous.stores.database import Database, Row

CandidateState = Literal["candidate", "approved", "suppressed", "delivered", "expired"]
InterventionScope = Literal["session", "project", "global"]


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A proposal to say something; candidates are kept, whatever becomes of them."""

    candidate_id: str
    scope: InterventionScope
    payload_text: str
    reason_codes: tuple[str, ...]
    confidence: float
    ttl_seconds: int
    cooldown_seconds: int
    priority: int = 0
    target_session_id: str | None = None
    target_project_id: str | None = None
    state: CandidateState = "candidate"


class Intervention(msgspec.Struct, frozen=True, kw_only=True):
    """Something that may be said now, until it expires; one per `dedupe_key`."""

    intervention_id: str
    scope: InterventionScope
    payload_text: str
    priority: int
    expires_at: str
    dedupe_key: str
    cooldown_until: str | None = None
    target_session_id: str | None = None
    target_project_id: str | None = None
    source_candidate_id: str | None = None


class Interventions:
    """Candidates are appended and change their state only; active interventions come and go."""

    def __init__(self, db: Database):
        self.db = db

    def propose(self, candidate: Candidate, now: str) -> bool:
        """Keep a candidate; False when one with its id is already there."""
        fields: dict[str, Any] = msgspec.structs.asdict(candidate)
        fields["reason_codes_json"] = msgspec.json.encode(fields.pop("reason_codes")).decode()
        return self.db.run("interventions.propose", **fields, now=now) == 1

    def candidates(self, state: CandidateState = "candidate") -> list[Candidate]:
        """Candidates in one state, the weightiest first."""
        return [_candidate(row) for row in self.db.all("interventions.candidates", state=state)]

    def decide(self, candidate_id: str, state: CandidateState, now: str) -> bool:
        """Give a candidate another state; False when there is none with this id."""
        return self.db.run("interventions.decide", candidate_id=candidate_id, state=state, now=now) == 1

    def activate(self, intervention: Intervention, now: str) -> None:
        """Let something be said; the same thing again (`dedupe_key`) takes the place of the earlier one."""
        self.db.run("interventions.activate", **msgspec.structs.asdict(intervention), now=now)

    def active(self, session_id: str, project_id: str, now: str, limit: int = 2) -> list[Intervention]:
        """What may be said to a session now: its own, its project's and global ones, the weightiest first."""
        rows = self.db.all("interventions.active", session_id=session_id, project_id=project_id, now=now, limit=limit)
        return [msgspec.convert(row, Intervention) for row in rows]

    def cool_down(self, intervention_id: str, until: str, now: str) -> None:
        """Keep quiet about it until a moment, because it was just said."""
        self.db.run("interventions.cool_down", intervention_id=intervention_id, until=until, now=now)

    def resting(self, dedupe_key: str, cooldown_seconds: int, now: str) -> list[str]:
        """Until when the same thing rests: it waits to be said, or was proposed or said a short while ago."""
        asked = {
            "dedupe_key": dedupe_key,
            "subject": dedupe_key.rpartition(":")[2],
            "cooldown": cooldown_seconds,
            "now": now,
        }
        return [row["until"] for row in self.db.all("interventions.resting", **asked) if row["until"]]

    def undelivered(self) -> list[Row]:
        """What hooks told sessions and nobody has noted in the log yet."""
        return self.db.all("interventions.undelivered")

    def unsettled(self) -> list[Row]:
        """What was told to sessions that have been observed since, with how often their user corrected them."""
        return self.db.all("interventions.unsettled")

    def settle(self, intervention_id: str, session_id: str, outcome: str, now: str) -> None:
        """Note what came of an intervention in a session."""
        fields = {"intervention_id": intervention_id, "session_id": session_id, "outcome": outcome, "now": now}
        self.db.run("interventions.settle", **fields)

    def told(self, project_id: str | None) -> list[Row]:
        """What was said unasked, to whom, and what came of it, the latest first."""
        return self.db.all("interventions.told", project_id=project_id)

    def expire(self, now: str) -> int:
        """Remove what may no longer be said; how many."""
        return self.db.run("interventions.expire", now=now)


def _candidate(row: Row) -> Candidate:
    codes = msgspec.json.decode(row.pop("reason_codes_json"), type=tuple[str, ...])
    return msgspec.convert(row | {"reason_codes": codes}, Candidate)
