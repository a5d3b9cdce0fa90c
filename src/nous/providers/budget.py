"""What a model may spend, and whether it may be asked at all: caps, kill switch, waiting time, breaker.

Apart from the reading itself, so that showing the costs does not load what extracts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nous.config import Settings
from nous.kernel.stores import Row
from nous.moments import day_of, later
from nous.providers.ledger import Budget, Ledger
from nous.providers.llm import Price, estimate
from nous.providers.prompts import load

PURPOSE = "extract"  # as the ledger has called readings from the beginning: what was read is not read again
PROMPT = "read"
LEAST_CHARACTERS = 3_000  # with less room than this it is better to wait for tomorrow
MAX_TOKENS = 3_000
PROMPT_CHARACTERS = 48_000
SMALL = "haiku"  # the model that is priced when none is chosen
QUIET_SECONDS = 600.0  # a session is sent when it has been quiet for so long


class Policy(NamedTuple):
    """What may be spent in one day (UTC), and the price if the user says one.

    For the history there is a budget of its own: `since` is when it was given, and it ends only when it is spent.
    """

    daily_tokens: int
    daily_usd: float
    price: Price | None = None
    budget: Budget = "daily"
    since: str = ""


class Allowance(NamedTuple):
    """What is left of today's budget, and why nobody is asked now (None: somebody may be)."""

    tokens: int
    usd: float
    reason: str | None


# -- may somebody be asked? -----------------------------------------------------------------------------------------

FAILING = frozenset({"malformed", "failed", "limited", "unreachable"})
BREAKER_CALLS = 10
BREAKER_FAILURES = 5
BREAKER_SECONDS = 1800.0


def allowance(ledger: Ledger, policy: Policy, now: str) -> Allowance:
    """What is left for today and whether it may be used: kill switch, waiting time, breaker, cap."""
    spent = ledger.sum_spent(policy.since or day_of(now), policy.budget)
    tokens = max(0, policy.daily_tokens - spent.tokens)
    usd = max(0.0, policy.daily_usd - spent.usd)
    return Allowance(tokens, usd, _obstacle(ledger, now) or _used_up(tokens, usd, policy.budget))


def _obstacle(ledger: Ledger, now: str) -> str | None:
    if since := ledger.state("off"):
        return f"switched off since {since[:16]}"
    if (until := ledger.state("wait_until")) and until > now:
        return f"the provider asked to wait until {until[:16]}"
    if until := breaker(ledger.recent(BREAKER_CALLS), now):
        return f"too many calls failed; the next try is at {until[:16]}"
    return None


def _used_up(tokens: int, usd: float, budget: Budget) -> str | None:
    prompt, whose = load(PROMPT), "this day" if budget == "daily" else "the history"
    if tokens < estimate(prompt.system + prompt.body + "x" * LEAST_CHARACTERS) + MAX_TOKENS:
        return f"the tokens of {whose} are used up"
    return f"the money of {whose} is used up" if usd <= 0 else None


def breaker(recent: Sequence[Row], now: str) -> str | None:
    """Until when nobody is asked, since half of the last ten calls failed and the very last one too; else None."""
    failed = [call for call in recent if call["status"] in FAILING]
    if len(failed) < BREAKER_FAILURES or recent[0]["status"] not in FAILING:
        return None
    until = later(recent[0]["finished_at"] or recent[0]["started_at"], BREAKER_SECONDS)
    return until if until > now else None


def policy_of(settings: Settings) -> Policy:
    """What the settings allow to be spent."""
    said = settings.llm_input_usd >= 0 and settings.llm_output_usd >= 0
    price = Price(settings.llm_input_usd, settings.llm_output_usd) if said else None
    return Policy(settings.daily_tokens, settings.daily_usd, price)
