"""The vectors of one project's sentences in memory, kept up to date with the table; needs numpy."""

from __future__ import annotations

import os
from collections.abc import Sequence

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from nous.stores.database import Database

ROOM = 256  # sentences that there is room for at first; doubled whenever they are more
SPARE = 2  # times as many rows as the table has before those that are gone are let go


class SayingVectors:
    """What a project's users said, by vector. Numbers never come back, so what is new has a higher one.

    Rows that were erased since stay until there are too many of them: whoever asks reads the rows themselves, and finds
    them gone.
    """

    def __init__(self, db: Database, project_id: str, model: str):
        self.db = db
        self.asked = {"project_id": project_id, "model": model}
        self.count = 0
        self._ids = np.zeros(ROOM, np.int64)
        self._vectors = np.zeros((ROOM, 0), np.float32)

    def refresh(self, most: int) -> None:
        """Take in what was said since the last look; begin anew when much of what is here is gone."""
        if self.count > SPARE * most:
            self.count = 0
        last = int(self._ids[self.count - 1]) if self.count else 0
        rows = list(self.db.each("sayings.vectors_after", after=last, **self.asked))
        if not rows:
            return
        block = np.frombuffer(b"".join(vector for _, vector in rows), np.float32).reshape(len(rows), -1)
        if self._vectors.shape[1] != block.shape[1]:
            self._vectors = np.zeros((len(self._ids), block.shape[1]), np.float32)
        end = self.count + len(rows)
        while end > len(self._ids):
            self._ids = np.concatenate((self._ids, np.zeros_like(self._ids)))
            self._vectors = np.concatenate((self._vectors, np.zeros_like(self._vectors)))
        self._ids[self.count : end] = [number for number, _ in rows]
        self._vectors[self.count : end] = block
        self.count = end

    def near(self, vectors: Sequence[bytes], least: float) -> list[list[tuple[int, float]]]:
        """For each vector the numbers and cosines of the sentences near it, oldest first."""
        if not self.count or not vectors:
            return [[] for _ in vectors]
        asked = np.frombuffer(b"".join(vectors), np.float32).reshape(len(vectors), -1)
        found = []
        for row in asked @ self._vectors[: self.count].T:
            places = np.flatnonzero(row >= least)
            found.append(list(zip(self._ids[places].tolist(), row[places].tolist(), strict=True)))
        return found
