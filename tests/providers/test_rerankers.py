"""Rerankers behind the one Protocol: a folder with a model, Ollama and Cohere behind a stub, clear sentences."""

from __future__ import annotations

import json
import math
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from factories import NOW
from nous.errors import BadOutput, ConfigError, ProviderError
from nous.providers import Reranker, open_reranker
from nous.remember.budget import Policy
from nous.remember.consulting import BookedReranker
from nous.stores import Stores

TEXTS = ["short", "a much longer text", "a long text"]


def opened(specification: str, environ: dict[str, str] | None = None) -> Reranker:
    reranker = open_reranker(specification, environ)
    assert reranker is not None
    return reranker


def test_none_reranks_nothing() -> None:
    assert open_reranker() is None


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("oracle", "there is no reranker 'oracle'"),
        ("onnx:/nowhere", "there is no folder '/nowhere'"),
        ("cohere:m", "CO_API_KEY"),
        ("cohere:m@http://models.example.com", "not encrypted"),
        ("ollama:m@file:///etc/passwd", "no http address"),
    ],
)
def test_a_reranker_that_cannot_be_had_is_named(given: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        open_reranker(given, {})


# -- a folder ---------------------------------------------------------------------------------------------------------


class Pairs:
    """Gives the lengths of question and text as tokens."""

    def enable_truncation(self, longest: int) -> None: ...
    def enable_padding(self) -> None: ...

    def encode_batch(self, pairs: list[tuple[str, str]]) -> list[Any]:
        return [SimpleNamespace(ids=[len(a), len(b)], attention_mask=[1, 1], type_ids=[0, 1]) for a, b in pairs]


def session(outputs: int) -> type[Any]:
    class Session:
        def __init__(self, *_: Any, **__: Any): ...

        def get_inputs(self) -> list[Any]:
            return [SimpleNamespace(name="input_ids")]

        def run(self, _: None, given: dict[str, Any]) -> list[Any]:
            rows = [[0.0, float(b)] if outputs == 2 else [float(b)] * outputs for _, b in given["input_ids"]]
            return [np.array(rows, np.float32)]

    return Session


def folder(path: Path, monkeypatch: pytest.MonkeyPatch, outputs: int) -> Path:
    runtime = SimpleNamespace(InferenceSession=session(outputs), SessionOptions=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
    tokenizers = SimpleNamespace(Tokenizer=SimpleNamespace(from_file=lambda _: Pairs()))
    monkeypatch.setitem(sys.modules, "tokenizers", tokenizers)
    (path / "model.onnx").write_bytes(b"x")
    return path


@pytest.mark.parametrize("outputs", [1, 2])
def test_a_cross_encoder_scores_every_text_in_order(tmp_path: Path, monkeypatch: Any, outputs: int) -> None:
    reranker = opened(f"onnx:{folder(tmp_path, monkeypatch, outputs)}")
    assert reranker.scores("q", TEXTS * 10) == [float(len(text)) for text in TEXTS] * 10
    assert not reranker.remote and reranker.usd == 0.0


def test_a_model_for_something_else_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    with pytest.raises(BadOutput):
        opened(f"onnx:{folder(tmp_path, monkeypatch, 3)}").scores("q", TEXTS)


# -- over HTTP --------------------------------------------------------------------------------------------------------


class Rankers(ThreadingHTTPServer):
    """Speaks like Cohere and Ollama: the longer a text, the better. Remembers what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Ranks)
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.status = 200
        self.says: Any = None
        self.with_chances = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self, path: str, body: dict[str, Any]) -> Any:
        if self.says is not None:
            return self.says
        if path == "/rerank":
            scored = [{"index": at, "relevance_score": len(text) / 100} for at, text in enumerate(body["documents"])]
            return {"results": scored[::-1]}
        chance = len(body["prompt"].split("Note: ")[1]) / 100
        word = "yes" if chance > 0.1 else "no"
        tokens = [{"token": "Yes", "logprob": math.log(chance)}, {"token": " no", "logprob": math.log(1 - chance)}]
        return {"response": word} | ({"logprobs": [{"top_logprobs": tokens}]} if self.with_chances else {})


class Ranks(BaseHTTPRequestHandler):
    server: Rankers

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        content = json.dumps(self.server.answer(self.path, body)).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def stub() -> Iterator[Rankers]:
    server = Rankers()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_cohere_scores_all_texts_in_one_call(stub: Rankers) -> None:
    reranker = opened(f"cohere:small@{stub.url}", {"CO_API_KEY": "k"})
    assert reranker.scores("q", TEXTS) == [len(text) / 100 for text in TEXTS]
    [(path, headers, body)] = stub.seen
    assert (path, headers["Authorization"]) == ("/rerank", "Bearer k")
    assert (body["model"], body["query"], body["documents"]) == ("small", "q", TEXTS)


def test_ollama_says_how_likely_yes_is_or_yes_itself(stub: Rankers) -> None:
    reranker = opened(f"ollama:small@{stub.url}")
    assert reranker.scores("q", TEXTS) == pytest.approx([len(text) / 100 for text in TEXTS])
    stub.with_chances = False
    assert reranker.scores("q", TEXTS) == [0.0, 1.0, 1.0]
    assert {path for path, _, _ in stub.seen} == {"/api/generate"} and not reranker.remote


def test_another_machine_is_remote_and_cohere_is_paid() -> None:
    assert opened("ollama:m@https://models.example.com").remote
    there = opened("cohere", {"CO_API_KEY": "k"})
    assert there.remote and there.usd > 0


@pytest.mark.parametrize(
    "says", [{}, {"results": []}, {"results": [{"index": 7, "relevance_score": 1}]}, {"response": "perhaps"}]
)
@pytest.mark.parametrize("name", ["cohere", "ollama"])
def test_an_answer_that_cannot_be_read_is_refused(stub: Rankers, name: str, says: Any) -> None:
    stub.says = says
    with pytest.raises(BadOutput):
        opened(f"{name}:m@{stub.url}").scores("q", TEXTS)


def test_a_busy_server_is_not_waited_for(stub: Rankers) -> None:
    stub.status = 429
    with pytest.raises(ProviderError):
        opened(f"cohere:m@{stub.url}").scores("q", TEXTS)
    assert len(stub.seen) == 1


# -- what it costs ----------------------------------------------------------------------------------------------------


class Paid:
    model, remote, usd = "cohere/m", True, 0.002

    def __init__(self, problem: ProviderError | None = None):
        self.problem = problem
        self.calls = 0

    def scores(self, query: str, texts: Any) -> list[float]:
        self.calls += 1
        if self.problem:
            raise self.problem
        return [1.0] * len(texts)


def test_a_paid_call_is_booked_and_stays_within_the_budget(stores: Stores) -> None:
    paid = Paid()
    reranker = BookedReranker(paid, stores, Policy(100_000, 0.003), lambda: NOW)
    assert reranker.scores("q", TEXTS) == [1.0] * 3
    [call] = stores.ledger.recent(5)
    assert (call["purpose"], call["status"], call["usd"]) == ("rerank", "answered", 0.002)
    with pytest.raises(ProviderError, match="budget"):
        reranker.scores("q", TEXTS)
    assert paid.calls == 1


def test_a_failed_call_is_in_the_ledger_and_costs_nothing(stores: Stores) -> None:
    with pytest.raises(ProviderError, match="down"):
        BookedReranker(Paid(ProviderError("down")), stores, Policy(100_000, 1.0), lambda: NOW).scores("q", TEXTS)
    [call] = stores.ledger.recent(5)
    assert (call["status"], call["usd"]) == ("failed", 0.0)
