"""One question to the chosen model, within the day's budget: booked before it is asked, and what it cost afterwards."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from nous.config import Settings
from nous.errors import BadOutput, ProviderError
from nous.moments import later
from nous.providers.budget import Policy, allowance
from nous.providers.ledger import NOTHING, CallStatus, Ledger, Read, Spent
from nous.providers.llm import (
    Choice,
    Completion,
    Declined,
    Llm,
    LoggedOut,
    Price,
    Refused,
    TryLater,
    Unreachable,
    cost,
    estimate,
    open_llm,
    price_of,
)
from nous.providers.prompts import Prompt
from nous.redact import redact_text

log = logging.getLogger("nous")

T = TypeVar("T")
Understand = Callable[[Any], T]
LOGGED_OUT_SECONDS = 900.0


def ask(
    ledger: Ledger,
    llm: Llm,
    policy: Policy,
    clock: Callable[[], str],
    prompt: Prompt,
    text: str,
    schema: dict[str, Any],
    max_tokens: int,
    understand: Understand[T],
) -> T | None:
    """What the answer means; None when the budget is used up, or nobody answers so that it can be understood."""
    price = price_of(llm.model, local=llm.local, given=policy.price)
    tokens = estimate(text + prompt.system)
    expected = Spent(1, tokens, max_tokens, cost(price, tokens, max_tokens))
    left = allowance(ledger, policy, clock())
    if left.reason is not None or expected.tokens > left.tokens or expected.usd > left.usd:
        return None
    read = Read("", "", "")
    number = ledger.begin(prompt.name, prompt.version, llm.provider, llm.model, read, expected, clock())
    try:
        answer = llm.complete(text, prompt.system, schema, max_tokens)
        found = _understand_answer(answer, understand)
    except ProviderError as problem:
        book_failure(ledger, llm, number, expected, problem, clock())
        return None
    spent = Spent(1, answer.input_tokens, answer.output_tokens, cost_of_answer(answer, price))
    ledger.finish(number, "answered", answer.model, spent, clock())
    return found


def _understand_answer(answer: Completion, understand: Understand[T]) -> T:
    try:
        return understand(answer.text if answer.structured is None else answer.structured)
    except BadOutput as wrong:
        raise Misunderstood(str(wrong), answer) from None


def cost_of_answer(answer: Completion, price: Price) -> float:
    """What an answer cost in dollars: what the provider says, else by its price."""
    return answer.usd if answer.usd is not None else cost(price, answer.input_tokens, answer.output_tokens)


class Misunderstood(BadOutput):
    """The answer could not be read; it was paid for all the same."""

    def __init__(self, message: str, answer: Completion):
        super().__init__(message)
        self.answer = answer


def book_failure(ledger: Ledger, llm: Llm, call_id: int, expected: Spent, problem: ProviderError, now: str) -> None:
    """Book a failure. What may have been spent stays booked; the session keeps what the rules learned."""
    status: CallStatus = "failed"
    spent = expected
    match problem:
        case TryLater(retry_after=seconds):
            status, spent = "limited", NOTHING
            ledger.set_state("wait_until", later(now, 60.0 if seconds is None else min(seconds, 86400.0)), now)
        case Unreachable():
            status, spent = "unreachable", NOTHING
            ledger.set_state("wait_until", later(now, 60.0), now)
        case LoggedOut():
            status, spent = "unreachable", NOTHING
            ledger.set_state("wait_until", later(now, LOGGED_OUT_SECONDS), now)
        case Declined():
            spent = NOTHING
        case Refused():
            status = "refused"
        case Misunderstood(answer=answer):
            status = "malformed"
            spent = Spent(1, answer.input_tokens, answer.output_tokens, answer.usd or expected.usd)
        case BadOutput():
            status = "malformed"
    # The provider's words may quote what was sent.
    words = redact_text(str(problem))[0][:300]
    ledger.finish(call_id, status, llm.model, spent, now, error=words)
    log.warning("model call %d %s: %s", call_id, status, words)


def chosen_model(settings: Settings, environ: Mapping[str, str]) -> Llm | None:
    """The model that the settings name, None when they name none."""
    choice = Choice(
        settings.llm_provider,
        settings.llm_model,
        settings.llm_base_url,
        settings.llm_command,
        settings.llm_timeout_seconds,
        settings.data_dir,
    )
    return open_llm(choice, environ)
