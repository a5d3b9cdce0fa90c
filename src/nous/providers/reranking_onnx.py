"""A cross-encoder such as ms-marco-MiniLM run on this machine by onnxruntime: a folder with model and tokenizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nous.errors import BadOutput
from nous.providers import Reranker
from nous.providers.local import LocalModel

AT_ONCE = 16


class LocalReranker:
    """Reads question and text at once. One output is how well they fit; of two, the second says that they do."""

    remote = False
    usd = 0.0

    def __init__(self, folder: str):
        self._model = LocalModel(folder)
        self.model = f"onnx/{self._model.name}"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One number per text, in order."""
        batches = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
        return [score for batch in batches for score in self._scores([(query, text) for text in batch])]

    def _scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        rows, _ = self._model.run(pairs)
        if len(rows.shape) != 2 or rows.shape[1] not in (1, 2):
            raise BadOutput(f"{self.model} says more than how well a text answers a question")
        return [float(row[-1] - row[0]) if len(row) == 2 else float(row[0]) for row in rows]


def open_onnx(rest: str, environ: Mapping[str, str]) -> Reranker:
    """`onnx:FOLDER`."""
    return LocalReranker(rest)
