"""What recall asks of models, within the day's budget: an imagined answer, and a reranker's order that is paid for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nous.core.hypothesis import NOTE_SCHEMA, parse_note
from nous.core.redact import redact_text
from nous.errors import ProviderError
from nous.prompts import load
from nous.providers import Reranker
from nous.providers.llm import Llm
from nous.remember.asking import ask
from nous.remember.budget import Policy, allowance
from nous.stores import Stores
from nous.stores.ledger import NOTHING, Read, Spent

IMAGINED_TOKENS = 100
LONGEST_QUESTION = 2000


def imagine(stores: Stores, llm: Llm, policy: Policy, clock: Callable[[], str], question: str) -> str | None:
    """A memory that would answer a question, in two sentences; None when the model may not be asked, or gives none."""
    prompt = load("hyde")
    text = prompt.body.replace("{question}", redact_text(question)[0][:LONGEST_QUESTION])
    return ask(stores, llm, policy, clock, prompt, text, NOTE_SCHEMA, IMAGINED_TOKENS, parse_note)


class BookedReranker:
    """A reranker that costs something: asked within the day's budget, and every call is booked before it is made."""

    def __init__(self, asked: Reranker, stores: Stores, policy: Policy, clock: Callable[[], str]):
        self.asked, self.stores, self.policy, self.clock = asked, stores, policy, clock
        self.model, self.remote, self.usd = asked.model, asked.remote, asked.usd

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number per text, in order; a `ProviderError` when the budget is used up."""
        left = allowance(self.stores, self.policy, self.clock())
        if left.reason is not None or self.usd > left.usd:
            raise ProviderError(left.reason or "today's budget is used up")
        provider, _, model = self.model.partition("/")
        expected, ledger = Spent(1, 0, 0, self.usd), self.stores.ledger
        number = ledger.begin("rerank", "rerank", provider, model, Read("", "", ""), expected, self.clock())
        try:
            found = self.asked.scores(query, texts)
        except ProviderError as problem:
            ledger.finish(number, "failed", model, NOTHING, self.clock(), error=redact_text(str(problem))[0][:300])
            raise
        ledger.finish(number, "answered", model, expected, self.clock())
        return found
