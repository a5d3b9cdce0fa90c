"""The judge that the settings choose. A model behind a provider is asked within the day's budget, and every call is
booked before it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nous.config import Settings
from nous.core.compare.answers import SCHEMA, parse_verdicts, written
from nous.core.compare.judge import Judgement
from nous.core.redact import redact_text
from nous.errors import BadOutput, ConfigError, ProviderError
from nous.prompts import load
from nous.providers import Entailment, Question, open_entailment
from nous.providers.llm import Answer, Llm, cost, estimate, price_of
from nous.remember.budget import Policy, allowance, policy_of
from nous.remember.model import Misunderstood, chosen_model, failed, paid
from nous.stores import Stores
from nous.stores.ledger import Read, Spent

PURPOSE = "entail"
AT_ONCE = 20
MAX_TOKENS = 1500


def open_judge(
    settings: Settings, environ: Mapping[str, str], stores: Stores, clock: Callable[[], str]
) -> Entailment | None:
    """The judge that `entailment` names; None for `none`."""
    if settings.entailment != "llm":
        return open_entailment(settings.entailment)
    llm = chosen_model(settings, environ)
    if llm is None:
        raise ConfigError("entailment is `llm`, but no model was chosen", hint="set llm_provider")
    return Asked(llm, stores, policy_of(settings), clock)


class Asked:
    """A model that is asked about many pairs at once. What it did not answer has no judgement yet."""

    acts_from = 0.7

    def __init__(self, llm: Llm, stores: Stores, policy: Policy, clock: Callable[[], str]):
        self.llm, self.stores, self.policy, self.clock = llm, stores, policy, clock
        self.prompt = load(PURPOSE)
        self.model = f"{self.prompt.version}/{llm.provider}:{llm.model}"

    def judge(self, questions: Sequence[Question]) -> list[Judgement | None]:
        """One judgement per question, in order, as far as the budget and the model give any."""
        found: list[Judgement | None] = []
        for start in range(0, len(questions), AT_ONCE):
            batch = questions[start : start + AT_ONCE]
            found += self._ask(batch) or [None] * len(batch)
        return found

    def _ask(self, questions: Sequence[Question]) -> list[Judgement | None] | None:
        pairs = [(redact_text(asked.a)[0], redact_text(asked.b)[0]) for asked in questions]
        text = self.prompt.body.replace("{pairs}", written(pairs))
        price = price_of(self.llm.model, local=self.llm.local, given=self.policy.price)
        tokens = estimate(text + self.prompt.system)
        expected = Spent(1, tokens, MAX_TOKENS, cost(price, tokens, MAX_TOKENS))
        left = allowance(self.stores, self.policy, self.clock())
        if left.reason is not None or expected.tokens > left.tokens or expected.usd > left.usd:
            return None
        number = self.stores.ledger.begin(
            PURPOSE, self.prompt.version, self.llm.provider, self.llm.model, Read("", "", ""), expected, self.clock()
        )
        try:
            answer = self.llm.complete(text, self.prompt.system, SCHEMA, MAX_TOKENS)
            found = self._understood(answer, len(pairs))
        except ProviderError as problem:
            failed(self.stores, self.llm, number, expected, problem, self.clock())
            return None
        spent = Spent(1, answer.input_tokens, answer.output_tokens, paid(answer, price))
        self.stores.ledger.finish(number, "answered", answer.model, spent, self.clock())
        return found

    def _understood(self, answer: Answer, count: int) -> list[Judgement | None]:
        try:
            return parse_verdicts(answer.text if answer.structured is None else answer.structured, count, self.model)
        except BadOutput as wrong:
            raise Misunderstood(str(wrong), answer) from None
