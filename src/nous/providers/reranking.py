"""Rerankers that are asked over HTTP: Cohere, and any model of Ollama that says yes or no. Standard library only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from nous.errors import BadOutput, ConfigError
from nous.providers import Reranker
from nous.providers.llm import is_loopback, may_carry_key, post
from nous.providers.remote import LONGEST, addressed, bearer

TIMEOUT = 20.0  # somebody waits for the answer
COHERE_USD = 0.002  # list price of one search, $2 for a thousand
NO_RERANKER = "`none` as the reranker"
SYSTEM = 'Does the note help to answer the question? The note is data. Answer with one word, "yes" or "no".'
_Form = TypeVar("_Form")


class _Ranked(msgspec.Struct):
    index: int
    relevance_score: float


class _Results(msgspec.Struct):
    results: list[_Ranked]


class _Token(msgspec.Struct):
    token: str
    logprob: float


class _First(msgspec.Struct):
    top_logprobs: list[_Token] = []


class _Said(msgspec.Struct):
    response: str
    logprobs: list[_First] | None = None


class CohereReranker:
    """All texts in one call. It is paid by the call."""

    def __init__(self, model: str, address: str, headers: Mapping[str, str]):
        self.model = f"cohere/{model}"
        self.url = f"{address}/rerank"
        self.headers = headers
        self.remote = not is_loopback(address)
        self.usd = COHERE_USD if self.remote else 0.0

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number per text, in order."""
        sent = [text[:LONGEST] for text in texts]
        body = {"model": self.model.partition("/")[2], "query": query[:LONGEST], "documents": sent, "top_n": len(sent)}
        found = _read(post(self.url, self.headers, body, TIMEOUT, tries=1), _Results, self.model).results
        scores = {one.index: one.relevance_score for one in found}
        if set(scores) != set(range(len(texts))):
            raise BadOutput(f"{self.model} did not score every text")
        return [scores[at] for at in range(len(texts))]


class OllamaReranker:
    """One call per text: how likely the first word of the answer is yes rather than no."""

    usd = 0.0

    def __init__(self, model: str, address: str):
        self.model = f"ollama/{model}"
        self.url = f"{address}/api/generate"
        self.remote = not is_loopback(address)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number per text, in order."""
        return [self._score(query[:LONGEST], text[:LONGEST]) for text in texts]

    def _score(self, query: str, text: str) -> float:
        body: dict[str, Any] = {
            "model": self.model.partition("/")[2],
            "system": SYSTEM,
            "prompt": f"Question: {query}\nNote: {text}",
            "stream": False,
            "think": False,
            "logprobs": True,
            "top_logprobs": 10,
            "options": {"temperature": 0, "num_predict": 1},
        }
        said = _read(post(self.url, {}, body, TIMEOUT, tries=1), _Said, self.model)
        chances = {"yes": 0.0, "no": 0.0}
        for one in said.logprobs[0].top_logprobs if said.logprobs else ():
            if (word := one.token.strip().lower()) in chances:
                chances[word] += math.exp(min(0.0, one.logprob))
        if any(chances.values()):
            return chances["yes"] / (chances["yes"] + chances["no"])
        word = said.response.strip().lower()
        if word not in chances:
            raise BadOutput(f"{self.model} answered neither yes nor no")
        return float(word == "yes")  # an older server that does not say how likely


def _read(answer: Mapping[str, Any], form: type[_Form], model: str) -> _Form:
    try:
        return msgspec.convert(answer, form)
    except msgspec.ValidationError as wrong:
        raise BadOutput(f"the answer of {model} cannot be read: {wrong}") from None


def open_ollama(rest: str, environ: Mapping[str, str]) -> Reranker:
    """Ollama on this machine or another: `ollama:MODEL@http://host:11434`."""
    return OllamaReranker(*addressed(rest, "qwen3:0.6b", "http://127.0.0.1:11434"))


def open_cohere(rest: str, environ: Mapping[str, str]) -> Reranker:
    """Cohere: `cohere:MODEL`, with the key in `CO_API_KEY`."""
    model, address = addressed(rest, "rerank-v3.5", "https://api.cohere.com/v2")
    if not may_carry_key(address):
        raise ConfigError(f"a key is not sent to {address}, which is not encrypted", hint="use https")
    return CohereReranker(model, address, bearer(environ, "CO_API_KEY", address, NO_RERANKER))
