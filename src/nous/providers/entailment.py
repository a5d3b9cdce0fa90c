"""The built-in judge: sentences taken apart, on this machine, in microseconds."""

from __future__ import annotations

from collections.abc import Sequence

from nous.core.compare.judge import ACTS_ALONE, MODEL, Judgement, judge
from nous.providers import Entailment, SentencePair


class BuiltinEntailment:
    """`nous.core.compare` as a provider. It acts alone only where it was right nine times in ten."""

    model = MODEL
    acts_from = ACTS_ALONE

    def judge(self, questions: Sequence[SentencePair]) -> list[Judgement]:
        """One judgement per question, in order."""
        return [judge(asked.a, asked.b, same_slot=asked.same_slot) for asked in questions]


def open_builtin(rest: str) -> Entailment:
    """`builtin`."""
    return BuiltinEntailment()
