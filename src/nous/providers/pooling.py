"""Sums of word vectors for many texts at once, with numpy."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Sequence

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
AT_ONCE = 256
ROOM = 256  # words that there is room for at first; doubled whenever they are more


class Pool:
    """Unit vectors of the words met so far, and sums of them."""

    def __init__(self, table: bytes | mmap.mmap, start: int, dims: int):
        self.table = np.frombuffer(table, "<f2", offset=start).reshape(-1, dims)
        self.rows: dict[str, int] = {}
        self.vectors: Floats = np.zeros((ROOM, dims), np.float32)

    def sums(self, texts: Sequence[Sequence[tuple[str, float]]], pieces: Callable[[str], list[int]]) -> list[bytes]:
        """The unit vector of each text, as bytes."""
        self._meet([word for text in texts for word, _ in text], pieces)
        found: list[bytes] = []
        for start in range(0, len(texts), AT_ONCE):
            block = self._block(texts[start : start + AT_ONCE])
            found += [row.tobytes() for row in block]
        return found

    def _block(self, texts: Sequence[Sequence[tuple[str, float]]]) -> Floats:
        sums = np.zeros((len(texts), self.vectors.shape[1]), np.float32)
        for at, text in enumerate(texts):
            if text:
                rows = [self.rows[word] for word, _ in text]
                sums[at] = np.array([weight for _, weight in text], np.float32) @ self.vectors[rows]
        return _units(sums)

    def _meet(self, words: Sequence[str], pieces: Callable[[str], list[int]]) -> None:
        new = [word for word in dict.fromkeys(words) if word not in self.rows]
        if not new:
            return
        start = len(self.rows)
        self.rows.update((word, start + at) for at, word in enumerate(new))
        rows = [pieces(word) for word in new]
        ends = np.cumsum([len(row) for row in rows])
        flat = self.table[[row for each in rows for row in each]].astype(np.float32)
        sums = np.add.reduceat(flat, np.concatenate(([0], ends[:-1])), axis=0)
        end = start + len(new)
        while end > len(self.vectors):
            self.vectors = np.concatenate((self.vectors, np.zeros_like(self.vectors)))
        self.vectors[start:end] = _units(sums)


def _units(block: Floats) -> Floats:
    lengths = np.linalg.norm(block, axis=1, keepdims=True)
    return (block / np.where(lengths == 0, 1, lengths)).astype(np.float32)
