"""The judge that the settings choose. A model behind a provider is asked within the day's budget, and every call is
booked before it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nous.config import Settings
from nous.core.compare.answers import SCHEMA, parse_verdicts, written
from nous.core.compare.judge import Judgement
from nous.core.redact import redact_text
from nous.errors import ConfigError
from nous.prompts import load
from nous.providers import Entailment, SentencePair, open_entailment
from nous.providers.llm import Llm
from nous.remember.asking import ask, chosen_model
from nous.remember.budget import Policy, policy_of
from nous.stores import Stores

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
    return ModelJudge(llm, stores, policy_of(settings), clock)


class ModelJudge:
    """A model that is asked about many pairs at once. What it did not answer has no judgement yet."""

    acts_from = 0.7

    def __init__(self, llm: Llm, stores: Stores, policy: Policy, clock: Callable[[], str]):
        self.llm, self.stores, self.policy, self.clock = llm, stores, policy, clock
        self.prompt = load(PURPOSE)
        self.model = f"{self.prompt.version}/{llm.provider}:{llm.model}"

    def judge(self, questions: Sequence[SentencePair]) -> list[Judgement | None]:
        """One judgement per question, in order, as far as the budget and the model give any."""
        found: list[Judgement | None] = []
        for start in range(0, len(questions), AT_ONCE):
            batch = questions[start : start + AT_ONCE]
            found += self._ask(batch) or [None] * len(batch)
        return found

    def _ask(self, questions: Sequence[SentencePair]) -> list[Judgement | None] | None:
        pairs = [(redact_text(asked.a)[0], redact_text(asked.b)[0]) for asked in questions]
        text = self.prompt.body.replace("{pairs}", written(pairs))
        return ask(
            self.stores,
            self.llm,
            self.policy,
            self.clock,
            self.prompt,
            text,
            SCHEMA,
            MAX_TOKENS,
            lambda answer: parse_verdicts(answer, len(pairs), self.model),
        )
