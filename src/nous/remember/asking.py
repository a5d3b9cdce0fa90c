"""One question to the chosen model, within the day's budget: booked before it is asked, and what it cost afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from nous.errors import BadOutput, ProviderError
from nous.prompts import Prompt
from nous.providers.llm import Completion, Llm, cost, estimate, price_of
from nous.remember.budget import Policy, allowance
from nous.remember.model import Misunderstood, failed, paid
from nous.stores import Stores
from nous.stores.ledger import Read, Spent

T = TypeVar("T")
Understand = Callable[[Any], T]


def ask(
    stores: Stores,
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
    left = allowance(stores, policy, clock())
    if left.reason is not None or expected.tokens > left.tokens or expected.usd > left.usd:
        return None
    read = Read("", "", "")
    number = stores.ledger.begin(prompt.name, prompt.version, llm.provider, llm.model, read, expected, clock())
    try:
        answer = llm.complete(text, prompt.system, schema, max_tokens)
        found = _understood(answer, understand)
    except ProviderError as problem:
        failed(stores, llm, number, expected, problem, clock())
        return None
    spent = Spent(1, answer.input_tokens, answer.output_tokens, paid(answer, price))
    stores.ledger.finish(number, "answered", answer.model, spent, clock())
    return found


def _understood(answer: Completion, understand: Understand[T]) -> T:
    try:
        return understand(answer.text if answer.structured is None else answer.structured)
    except BadOutput as wrong:
        raise Misunderstood(str(wrong), answer) from None
