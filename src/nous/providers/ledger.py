"""The ledger of model calls: what was sent of which session, what came of it, what it cost."""

from __future__ import annotations

from typing import Literal

import msgspec

from nous.kernel.db.database import Row
from nous.kernel.db.store import Store

CallStatus = Literal[
    "sent", "answered", "partial", "malformed", "refused", "limited", "unreachable", "failed", "skipped"
]
StateName = Literal["off", "wait_until", "history"]
Budget = Literal["daily", "history"]


class Spent(msgspec.Struct, frozen=True):
    """What calls took together."""

    calls: int
    input_tokens: int
    output_tokens: int
    usd: float

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


NOTHING = Spent(0, 0, 0, 0.0)


class Read(msgspec.Struct, frozen=True):
    """How far a call reads in a session: its last turn, and the latest moment up to there."""

    session_id: str
    until_uuid: str
    until_at: str


class Ledger(Store):
    """Notes every call before it is made and corrects the note afterwards."""

    def begin(
        self,
        purpose: str,
        version: str,
        provider: str,
        model: str,
        read: Read,
        expected: Spent,
        now: str,
        *,
        budget: Budget = "daily",
    ) -> int:
        """The number of a call that is about to be made, booked with what it may cost at most."""
        with self.db.transaction():
            row = self.db.one(
                "ledger.begin",
                purpose=purpose,
                version=version,
                provider=provider,
                model=model,
                input_tokens=expected.input_tokens,
                output_tokens=expected.output_tokens,
                usd=expected.usd,
                now=now,
                budget=budget,
            )
            assert row is not None
            number: int = row["call_id"]
            self.db.run("ledger.add_read", call_id=number, **msgspec.structs.asdict(read))
        return number

    def finish(
        self,
        call_id: int,
        status: CallStatus,
        model: str,
        spent: Spent,
        now: str,
        *,
        learned: int = 0,
        rejected: int = 0,
        error: str | None = None,
    ) -> None:
        """Replace what was expected by what happened."""
        self.db.run(
            "ledger.finish",
            call_id=call_id,
            status=status,
            model=model,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            usd=spent.usd,
            learned=learned,
            rejected=rejected,
            now=now,
            error=error,
        )

    def sum_spent(self, since: str, budget: Budget | None = None) -> Spent:
        """What calls since a moment took, all of them or those of one budget."""
        row = self.db.one("ledger.spent", since=since, budget=budget or "")
        assert row is not None
        return Spent(**row)

    def typical_answer(self, purpose: str) -> tuple[int, float]:
        """How many of the latest calls were answered, and how many tokens an answer had on average."""
        row = self.db.one("ledger.typical_answer", purpose=purpose)
        assert row is not None
        return row["calls"], float(row["output_tokens"])

    def read_sessions(self, purpose: str) -> set[str]: ...
    def by_project(self, purpose: str) -> list[Row]: ...
    def by_model(self, since: str) -> list[Row]: ...
    def by_day(self, since: str) -> list[Row]: ...
    def recent(self, limit: int = 20) -> list[Row]: ...

    # sessions
    def waiting(self, purpose: str, since: str, busy_since: str) -> list[Row]: ...

    def skip(self, purpose: str, version: str, read: Read, reason: str, now: str) -> None:
        """Note that a stretch of a session is not worth a call."""
        call_id = self.begin(purpose, version, "none", "", read, NOTHING, now)
        self.finish(call_id, "skipped", "", NOTHING, now, error=reason)

    def payloads(self, session_id: str) -> list[str]: ...

    # state
    def state(self, name: StateName) -> str | None: ...

    def set_state(self, name: StateName, value: str | None, now: str) -> None:
        """Remember a word, or forget it."""
        if value is None:
            self.db.run("ledger.drop_state", name=name)
        else:
            self.db.run("ledger.set_state", name=name, value=value, now=now)
