"""A model for tests and dry runs: it answers what it was told to, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from nous.providers.llm import Completion, estimate


class FakeCall(NamedTuple):
    """One call as it arrived."""

    prompt: str
    system: str
    max_tokens: int


class Fake:
    """Gives its answers in turn, then readings in which nothing is worth keeping; an exception among them is raised."""

    provider = "fake"
    local = True

    def __init__(self, answers: Iterable[Any] = (), model: str = "fake-1", usd: float | None = 0.0):
        self.answers = list(answers)
        self.model = model
        self.usd = usd
        self.asked: list[FakeCall] = []

    def complete(self, prompt: str, system: str, schema: dict[str, Any], max_tokens: int) -> Completion:
        """The next answer: text as it is, anything else as JSON already read."""
        self.asked.append(FakeCall(prompt, system, max_tokens))
        given = self.answers.pop(0) if self.answers else {"memories": []}
        if isinstance(given, Exception):
            raise given
        text = given if isinstance(given, str) else ""
        return Completion(
            text=text,
            structured=None if isinstance(given, str) else given,
            input_tokens=estimate(prompt + system),
            output_tokens=estimate(str(given)),
            model=self.model,
            usd=self.usd,
        )
