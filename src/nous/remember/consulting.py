"""Questions that recall and calibration put to models, within the day's budget: an imagined answer, a choice of the
best memories, a reranker's order that is paid for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nous.core.agreement import BEST, SCHEMA, parse_best
from nous.core.hypothesis import NOTE_SCHEMA, parse_note
from nous.core.memory import Memory
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
CHOICE_TOKENS = 300
LONGEST_QUESTION = 2000
LONGEST_NOTE = 400


def imagine(stores: Stores, llm: Llm, policy: Policy, clock: Callable[[], str], question: str) -> str | None:
    """A memory that would answer a question, in two sentences; None when the model may not be asked, or gives none."""
    prompt = load("hyde")
    text = prompt.body.replace("{question}", redact_text(question)[0][:LONGEST_QUESTION])
    return ask(stores, llm, policy, clock, prompt, text, NOTE_SCHEMA, IMAGINED_TOKENS, parse_note)


def choose(
    stores: Stores,
    llm: Llm,
    policy: Policy,
    clock: Callable[[], str],
    work: tuple[Sequence[str], Sequence[str], str],
    memories: Sequence[Memory],
) -> tuple[int, ...] | None:
    """The memories that a model finds most useful for some work (files, stack, branch), best first; None as above."""
    prompt = load("calibrate")
    files, stack, branch = work
    count = str(min(BEST, len(memories)))
    given = {
        "{files}": ", ".join(files) or "none",
        "{stack}": ", ".join(stack) or "unknown",
        "{branch}": branch or "none",
        "{notes}": "\n".join(f"[{one.id}] {one.type}: {one.content[:LONGEST_NOTE]}" for one in memories),
    }
    text = prompt.body.replace("{count}", count)
    for blank, words in given.items():  # the notes last: what they say is never taken for a blank
        text = text.replace(blank, redact_text(words)[0])
    prompt = prompt._replace(system=prompt.system.replace("{count}", count))
    shown = {memory.id for memory in memories}
    understand = lambda answer: parse_best(answer, shown)  # noqa: E731  it needs what was shown
    return ask(stores, llm, policy, clock, prompt, text, SCHEMA, CHOICE_TOKENS, understand)


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
