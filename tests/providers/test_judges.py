"""Judges behind the one Protocol: chosen by a setting, one shape of answer, one clear sentence when they cannot."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from factories import NOW
from nous.config import load_settings
from nous.core.compare.answers import parse_verdicts
from nous.errors import BadOutput, ConfigError, ProviderError
from nous.providers import SentencePair, open_entailment
from nous.providers.llm import Completion
from nous.remember.budget import Policy
from nous.remember.judging import ModelJudge, open_judge
from nous.stores import Stores

PAIR = SentencePair("The port is 3000.", "The port is 8080.")


def test_the_built_in_judge_is_the_usual_one() -> None:
    judge = open_entailment()
    assert judge is not None
    [found] = judge.judge([PAIR])
    assert found is not None
    assert (found.label, found.model) == ("contradiction", judge.model)


def test_none_judges_nothing() -> None:
    assert open_entailment("none") is None


@pytest.mark.parametrize(
    ("given", "sentence"),
    [("oracle", "there is no judge 'oracle'"), ("onnx:/nowhere", "there is no folder '/nowhere'")],
)
def test_a_judge_that_is_not_there_is_named(given: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        open_entailment(given)


# -- a cross-encoder --------------------------------------------------------------------------------------------------


class Tokenizer:
    """Gives the length of each sentence as its tokens."""

    def enable_truncation(self, longest: int) -> None: ...
    def enable_padding(self) -> None: ...

    def encode_batch(self, pairs: list[tuple[str, str]]) -> list[Any]:
        return [SimpleNamespace(ids=[len(a), len(b)], attention_mask=[1, 1], type_ids=[0, 1]) for a, b in pairs]


class Session:
    """Takes sentences of the same length for a contradiction, and a longer first one for one that implies the other."""

    def __init__(self, *_: Any, **__: Any): ...

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name="input_ids"), SimpleNamespace(name="attention_mask")]

    def run(self, _: None, given: dict[str, Any]) -> list[Any]:
        assert set(given) == {"input_ids", "attention_mask"}
        rows = [
            (3.0, 0.0, 0.0) if a == b else (0.0, 3.0, 0.0) if a > b else (0.0, 0.0, 3.0) for a, b in given["input_ids"]
        ]
        return [np.array(rows, np.float32)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    runtime = SimpleNamespace(InferenceSession=Session, SessionOptions=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
    tokenizers = SimpleNamespace(Tokenizer=SimpleNamespace(from_file=lambda path: Tokenizer()))
    monkeypatch.setitem(sys.modules, "tokenizers", tokenizers)
    (tmp_path / "model.onnx").write_bytes(b"x")
    (tmp_path / "tokenizer.json").write_text("{}")
    labels = {"0": "CONTRADICTION", "1": "ENTAILMENT", "2": "NEUTRAL"}
    (tmp_path / "config.json").write_text(json.dumps({"id2label": labels}))
    return tmp_path


def test_a_cross_encoder_is_asked_both_ways_and_its_labels_are_read_from_its_config(folder: Path) -> None:
    judge = open_entailment(f"onnx:{folder}")
    assert judge is not None
    found = judge.judge([PAIR, SentencePair("a longer sentence", "short"), SentencePair("short", "a longer sentence")])
    assert [one and one.label for one in found] == ["contradiction", "entailment", "neutral"]
    assert found[0] is not None
    assert found[0].confidence == pytest.approx(0.909, abs=0.001)
    assert judge.model.startswith(f"onnx/{folder.name}-")


@pytest.mark.parametrize("config", ["{}", "no json", '{"id2label": {"0": "yes", "1": "no"}}'])
def test_a_model_whose_outputs_are_not_named_is_refused(folder: Path, config: str) -> None:
    (folder / "config.json").write_text(config)
    with pytest.raises(ConfigError):
        open_entailment(f"onnx:{folder}")


# -- a model behind a provider ----------------------------------------------------------------------------------------


class Model:
    provider, model, local = "stand-in", "small", False

    def __init__(self, answer: str | ProviderError):
        self.answer = answer
        self.prompts: list[str] = []

    def complete(self, prompt: str, system: str, schema: dict[str, Any], max_tokens: int) -> Completion:
        self.prompts.append(prompt)
        if isinstance(self.answer, ProviderError):
            raise self.answer
        return Completion(text=self.answer, input_tokens=100, output_tokens=10, model=self.model)


VERDICT = '{"verdicts": [{"pair": 1, "label": "contradiction", "confidence": 0.9}]}'
RICH = Policy(1_000_000, 10.0)


def test_a_model_is_asked_within_the_budget_and_the_call_is_booked(stores: Stores) -> None:
    model = Model(VERDICT)
    judge = ModelJudge(model, stores, RICH, lambda: NOW)
    found = judge.judge([PAIR, SentencePair("password: hunter2hunter2", "b")])
    assert [one and one.label for one in found] == ["contradiction", None]
    assert "hunter2hunter2" not in model.prompts[0]
    [call] = stores.ledger.recent(5)
    assert (call["purpose"], call["status"], call["input_tokens"]) == ("entail", "answered", 100)


def test_without_a_budget_nobody_is_asked(stores: Stores) -> None:
    model = Model(VERDICT)
    assert ModelJudge(model, stores, Policy(0, 0.0), lambda: NOW).judge([PAIR]) == [None]
    assert model.prompts == []


@pytest.mark.parametrize("answer", ["I would rather not.", ProviderError("down")])
def test_a_model_that_fails_leaves_the_question_open_and_the_call_in_the_ledger(
    stores: Stores, answer: str | ProviderError
) -> None:
    assert ModelJudge(Model(answer), stores, RICH, lambda: NOW).judge([PAIR]) == [None]
    [call] = stores.ledger.recent(5)
    assert call["status"] in ("malformed", "failed")


def test_a_judge_that_needs_a_model_says_so_when_none_was_chosen(stores: Stores, tmp_path: Path) -> None:
    settings = load_settings({"HOME": str(tmp_path), "NOUS_DATA_DIR": str(tmp_path), "NOUS_ENTAILMENT": "llm"})
    with pytest.raises(ConfigError, match="no model was chosen"):
        open_judge(settings, {}, stores, lambda: NOW)


@pytest.mark.parametrize("given", ["", "[]", '{"verdicts": [{"pair": 1, "label": "maybe", "confidence": 1}]}', 7])
def test_an_answer_that_cannot_be_read_is_refused(given: Any) -> None:
    with pytest.raises(BadOutput):
        parse_verdicts(given, 1, "m")


def test_verdicts_about_pairs_that_nobody_asked_for_are_ignored() -> None:
    given = 'Here: {"verdicts": [{"pair": 9, "label": "neutral", "confidence": 3}]} done'
    assert parse_verdicts(given, 1, "m") == [None]
