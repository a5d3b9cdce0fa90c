"""A model run on this machine by onnxruntime: a folder with `model.onnx` or `onnx/model.onnx`, and `tokenizer.json`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from nous.errors import ConfigError

INSTALL = "`pip install '.[local]'` in a clone of Nous"
LONGEST = 256  # tokens


class LocalModel:
    """Texts, or pairs of texts, in; what the model says of them out."""

    def __init__(self, folder: str):
        if not os.path.isdir(folder):
            raise ConfigError(f"there is no folder {folder!r} with an ONNX model")
        try:
            onnxruntime: Any = import_module("onnxruntime")
            tokenizers: Any = import_module("tokenizers")
        except ImportError:
            raise ConfigError("a local model needs onnxruntime and tokenizers", hint=INSTALL) from None
        self.path = _model_file(folder)
        self.name = os.path.basename(os.path.abspath(folder))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(self.path, options, providers=["CPUExecutionProvider"])
        self._tokenizer: Any = tokenizers.Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.enable_padding()
        self._inputs = {given.name for given in self._session.get_inputs()}

    @property
    def dims(self) -> int:
        """How many numbers the model says of one thing."""
        return int(self._session.get_outputs()[0].shape[-1])

    def run(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> tuple[Any, Any]:
        """The model's first output as an array, and which tokens of it are words rather than padding."""
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(texts))
        mask = np.array([one.attention_mask for one in encoded], np.int64)
        given = {
            "input_ids": np.array([one.ids for one in encoded], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([one.type_ids for one in encoded], np.int64),
        }
        return self._session.run(None, {name: value for name, value in given.items() if name in self._inputs})[0], mask


def _model_file(folder: str) -> str:
    for name in ("model.onnx", "onnx/model.onnx"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    raise ConfigError(f"there is no model.onnx in {folder}")
