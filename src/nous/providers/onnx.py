"""A sentence model such as all-MiniLM-L6-v2 run on this machine by onnxruntime: a folder with model and tokenizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nous.providers import Embeddable, Embedder
from nous.providers.local import LocalModel

AT_ONCE = 32


class Onnx:
    """The mean of a text's token states."""

    remote = False

    def __init__(self, folder: str):
        self._model = LocalModel(folder)
        self.dims = self._model.dims
        self.model = f"onnx/{self._model.name}-{self.dims}"

    def documents(self, passages: Sequence[Embeddable]) -> list[bytes]:
        """One vector per passage."""
        texts = [passage.whole for passage in passages]
        batches = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
        return [vector for batch in batches for vector in self._embed_texts(batch)]

    def query(self, text: str, rarity: Mapping[str, float]) -> bytes:
        """The vector of a question."""
        return self._embed_texts([text])[0]

    def _embed_texts(self, texts: Sequence[str]) -> list[bytes]:
        import numpy as np

        states, mask = self._model.run(texts)
        sums = (states * mask[..., None]).sum(1)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        units = (sums / np.where(lengths == 0, 1, lengths)).astype(np.float32)
        return [bytes(unit.tobytes()) for unit in units]


def open_onnx(rest: str, environ: Mapping[str, str]) -> Embedder:
    """`onnx:FOLDER`."""
    return Onnx(rest)
