"""A three-way cross-encoder such as nli-deberta run on this machine by onnxruntime: a folder with model and tokenizer.

The folder holds `tokenizer.json`, `model.onnx` (or `onnx/model.onnx`) and `config.json`, whose `id2label` says which
output is which.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import msgspec

from nous.core.compare.answers import RELATIONS
from nous.core.compare.judge import Judgement, Label
from nous.errors import ConfigError
from nous.providers import Entailment, SentencePair
from nous.providers.local import LocalModel

AT_ONCE = 16
LABELS: tuple[Label, ...] = ("contradiction", "entailment", "neutral")


class CrossEncoder:
    """Reads both sentences at once. A contradiction has to be seen from both sides, so it is asked both ways."""

    acts_from = 0.7

    def __init__(self, folder: str):
        self._model = LocalModel(folder)
        self._order = label_order(folder)
        self.model = f"onnx/{self._model.name}-{os.path.getsize(self._model.path)}"

    def judge(self, questions: Sequence[SentencePair]) -> list[Judgement]:
        """One judgement per question, in order."""
        batches = [questions[start : start + AT_ONCE] for start in range(0, len(questions), AT_ONCE)]
        return [found for batch in batches for found in self._judge(batch)]

    def _judge(self, questions: Sequence[SentencePair]) -> list[Judgement]:
        there = self._chances([(asked.a, asked.b) for asked in questions])
        back = self._chances([(asked.b, asked.a) for asked in questions])
        return [self._verdict(one, other) for one, other in zip(there, back, strict=True)]

    def _chances(self, pairs: Sequence[tuple[str, str]]) -> list[dict[Label, float]]:
        """How likely each label is, for each pair."""
        import numpy as np

        scores, _ = self._model.run(pairs)
        powers = np.exp(scores - scores.max(1, keepdims=True))
        shares = powers / powers.sum(1, keepdims=True)
        return [{label: float(row[at]) for at, label in enumerate(self._order)} for row in shares]

    def _verdict(self, there: dict[Label, float], back: dict[Label, float]) -> Judgement:
        against = (there["contradiction"] + back["contradiction"]) / 2
        if against >= 0.5:
            return Judgement("contradiction", against, "contradicts", ("a model's word",), self.model)
        label: Label = "entailment" if there["entailment"] > there["neutral"] else "neutral"
        is_both = label == "entailment" and back["entailment"] >= 0.5
        relation = "same" if is_both else RELATIONS[label]
        return Judgement(label, there[label], relation, ("a model's word",), self.model)


def label_order(folder: str) -> tuple[Label, ...]:
    """Which output of the model is which label, from its `config.json`."""
    try:
        with open(os.path.join(folder, "config.json"), "rb") as file:
            named: dict[str, str] = msgspec.json.decode(file.read())["id2label"]
        order = [_label(named[str(at)]) for at in range(len(named))]
    except (OSError, KeyError, TypeError, AttributeError, msgspec.DecodeError):
        raise ConfigError(f"the config.json in {folder} does not say which output is which (id2label)") from None
    if {*order} != {*LABELS} or len(order) != len(LABELS):
        raise ConfigError(f"the model in {folder} does not tell contradiction, entailment and neutral apart")
    return tuple(label for label in order if label)


def _label(name: str) -> Label | None:
    """The label that a model means; some write it in capitals or cut it short."""
    return next((label for label in LABELS if label[:5] == name.lower()[:5]), None)


def open_onnx(rest: str) -> Entailment:
    """`onnx:FOLDER`."""
    return CrossEncoder(rest)
