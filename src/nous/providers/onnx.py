"""A sentence model such as all-MiniLM-L6-v2 run on this machine by onnxruntime: a folder with model and tokenizer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from nous.errors import ConfigError
from nous.providers import Embedder, Passage

INSTALL = "pip install 'nous-memory[local]'"
LONGEST = 256  # tokens
AT_ONCE = 32


class Onnx:
    """The mean of a text's token states."""

    remote = False

    def __init__(self, folder: str):
        try:
            onnxruntime: Any = import_module("onnxruntime")
            tokenizers: Any = import_module("tokenizers")
        except ImportError:
            raise ConfigError("a local sentence model needs onnxruntime and tokenizers", hint=INSTALL) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        path = next((p for p in ("model.onnx", "onnx/model.onnx") if os.path.exists(os.path.join(folder, p))), None)
        if path is None:
            raise ConfigError(f"there is no model.onnx in {folder}")
        self._session: Any = onnxruntime.InferenceSession(
            os.path.join(folder, path), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer: Any = tokenizers.Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.enable_padding()
        self._inputs = {given.name for given in self._session.get_inputs()}
        self.dims = int(self._session.get_outputs()[0].shape[-1])
        self.model = f"onnx/{os.path.basename(os.path.abspath(folder))}-{self.dims}"

    def documents(self, passages: Sequence[Passage]) -> list[bytes]:
        """One vector per passage."""
        texts = [passage.whole for passage in passages]
        batches = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
        return [vector for batch in batches for vector in self._embed(batch)]

    def query(self, text: str, rarity: Mapping[str, float]) -> bytes:
        """The vector of a question."""
        return self._embed([text])[0]

    def _embed(self, texts: Sequence[str]) -> list[bytes]:
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(texts))
        mask = np.array([one.attention_mask for one in encoded], np.int64)
        given = {
            "input_ids": np.array([one.ids for one in encoded], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        states = self._session.run(None, {name: value for name, value in given.items() if name in self._inputs})[0]
        sums = (states * mask[..., None]).sum(1)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        units = (sums / np.where(lengths == 0, 1, lengths)).astype(np.float32)
        return [bytes(unit.tobytes()) for unit in units]


def open_onnx(rest: str, environ: Mapping[str, str]) -> Embedder:
    """`onnx:FOLDER`."""
    if not os.path.isdir(rest):
        raise ConfigError(f"there is no folder {rest!r} with an ONNX model")
    return Onnx(rest)
