"""Every vector of one model in memory, kept up to date with the database. The only store that needs numpy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

# Two BLAS threads on busy cores made the slowest searches 20 times slower, and one is enough for a product this small.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt
from msgspec import json

from nous.kernel.db.database import Database
from nous.kernel.types import WIDE

Matrix32 = npt.NDArray[np.float32]

PACKED_FROM = 200_000  # above, only signs are held in memory, and the best by signs are compared in full
FEW_PROJECTS = 8
RESCORED = 12  # how many times more are taken by signs than are asked for
EVERYWHERE = 0
GONE = -2  # the place of a memory whose vector was dropped
HIDDEN = np.float32(-2.0)  # below any cosine
Numeric = TypeVar("Numeric", bound=np.generic)


class Matrix:
    """The vectors of one model, who may see them, and the nearest to a question."""

    def __init__(self, db: Database, model_id: int, dims: int):
        self.db = db
        self.model_id = model_id
        self.dims = dims
        self.count = 0
        self.seq = 0
        self.version = 0
        self.is_packed = False
        self._ids = np.zeros(0, np.int64)
        self._places = np.zeros(0, np.int32)
        self._active = np.zeros(0, np.bool_)
        self._vectors: Matrix32 = np.zeros((0, dims), np.float32)
        self._signs = np.zeros((0, dims // 64), np.uint64)
        self._codes: dict[str, int] = {}
        self._order = np.zeros(0, np.int64)
        self._is_sorted = False
        self._seen: dict[tuple[str | None, bool], npt.NDArray[np.bool_]] = {}

    def refresh(self) -> None:
        """Take in what was written since the last look."""
        if not self.seq:
            self.version = self._last("version")  # what changes from here on is asked for again
        if self._last("seq") > self.seq:
            self._take_vectors()
        for number, project_id, scope, status, version in self.db.each("vectors.changed_after", version=self.version):
            self.version = version
            if (at := self._row_of(number)) is not None:
                self._places[at] = GONE if status == "erased" else self._code(project_id, scope)
                self._active[at] = status == "active"
                self._seen.clear()

    def drop(self, memory_id: int) -> None:
        """Find a memory no more."""
        if (at := self._row_of(memory_id)) is not None:
            self._places[at], self._active[at] = GONE, False
            self._seen.clear()

    def _last(self, name: str) -> int:
        row = self.db.one(f"vectors.last_{name}")
        return int(row[name]) if row else 0

    def _take_vectors(self) -> None:
        if not self.count:
            self._make_room(int((self.db.one("vectors.counted", model_id=self.model_id) or {"vectors": 0})["vectors"]))
        batch: list[tuple[int, int, bool, bytes]] = []
        for seq, number, project_id, scope, status, blob in self.db.each(
            "vectors.written_after", model_id=self.model_id, seq=self.seq
        ):
            self.seq = seq
            batch.append((number, self._code(project_id, scope), status == "active", blob))
            if len(batch) == 5000:
                self._add(batch)
                batch = []
        self._add(batch)
        self._seen.clear()
        self.seq = max(self.seq, 1)

    def _add(self, rows: list[tuple[int, int, bool, bytes]]) -> None:
        """Put vectors in, over the old ones of the same memories."""
        fresh = []
        for row in rows:
            at = self._row_of(row[0]) if self.count else None
            if at is None:
                fresh.append(row)
            else:
                self._set(at, row)
        if not fresh:
            return
        start, self.count = self.count, self.count + len(fresh)
        self._grow()
        end = self.count
        self._ids[start:end] = [row[0] for row in fresh]
        self._places[start:end] = [row[1] for row in fresh]
        self._active[start:end] = [row[2] for row in fresh]
        block = np.frombuffer(b"".join(row[3] for row in fresh), np.float32).reshape(-1, self.dims)
        self._keep(start, end, block)
        self._is_sorted = False

    def _set(self, at: int, row: tuple[int, int, bool, bytes]) -> None:
        self._places[at], self._active[at] = row[1], row[2]
        self._keep(at, at + 1, np.frombuffer(row[3], np.float32).reshape(1, -1))

    def _keep(self, start: int, end: int, block: Matrix32) -> None:
        if self.is_packed:
            self._signs[start:end] = _signs(block)
        else:
            self._vectors[start:end] = block

    def _grow(self) -> None:
        """Room for every row, with some to spare."""
        room = len(self._ids)
        if self.count > room:
            self._make_room(max(self.count, room + room // 4))

    def _make_room(self, room: int) -> None:
        """Room for so many rows. At first for all there are, so that nothing is copied while they are read."""
        if not self.is_packed and room > PACKED_FROM and self.dims % 64 == 0:
            self._signs = _signs(self._vectors)
            self._vectors = np.zeros((0, self.dims), np.float32)
            self.is_packed = True
        self._ids = _longer(self._ids, room)
        self._places = _longer(self._places, room)
        self._active = _longer(self._active, room)
        if self.is_packed:
            self._signs = _longer(self._signs, room)
        else:
            self._vectors = _longer(self._vectors, room)

    def nearest(
        self, vector: bytes, limit: int, project_id: str | None, any_status: bool = False
    ) -> list[tuple[int, float]]:
        """Numbers and cosines of the nearest memories a project may see, those that are active unless any may be."""
        if not self.count:
            return []
        query = np.frombuffer(vector, np.float32)
        visible = self._visible(project_id, any_status)
        if self.is_packed:
            return self._nearest_by_signs(query, limit, visible)
        scores = np.where(visible, self._vectors[: self.count] @ query, HIDDEN)
        best = _top(scores, limit)
        return [pair for pair in zip(self._ids[best].tolist(), scores[best].tolist(), strict=True) if pair[1] > HIDDEN]

    def _nearest_by_signs(self, query: Matrix32, limit: int, visible: npt.NDArray[np.bool_]) -> list[tuple[int, float]]:
        differing = np.bitwise_count(self._signs[: self.count] ^ _signs(query.reshape(1, -1))).sum(1, dtype=np.int32)
        differing[~visible] = self.dims + 1
        chosen = _top(-differing, limit * RESCORED)
        numbers = [int(self._ids[at]) for at in chosen if differing[at] <= self.dims]
        found = self.nearness(query.tobytes(), numbers)
        return sorted(found.items(), key=lambda pair: -pair[1])[:limit]

    def nearness(self, vector: bytes, memory_ids: Sequence[int]) -> dict[int, float]:
        """The cosine of some memories."""
        query = np.frombuffer(vector, np.float32)
        if self.is_packed:
            asked = json.encode(list(memory_ids)).decode()
            rows = list(self.db.each("vectors.of_memories", model_id=self.model_id, ids=asked))
            block = np.frombuffer(b"".join(blob for _, blob in rows), np.float32).reshape(-1, self.dims)
            return dict(zip((number for number, _ in rows), (block @ query).tolist(), strict=True))
        held = self._rows_of(memory_ids)
        return dict(zip(self._ids[held].tolist(), (self._vectors[held] @ query).tolist(), strict=True))

    def _visible(self, project_id: str | None, any_status: bool) -> npt.NDArray[np.bool_]:
        """Which rows a project may see; remembered until something changes."""
        seen = self._seen.get((project_id, any_status))
        if seen is None:
            if len(self._seen) >= FEW_PROJECTS:
                self._seen.clear()
            seen = self._seen[project_id, any_status] = self._look(project_id, any_status)
        return seen

    def _look(self, project_id: str | None, any_status: bool) -> npt.NDArray[np.bool_]:
        places = self._places[: self.count]
        shown: npt.NDArray[np.bool_] = places != GONE if any_status else self._active[: self.count].copy()
        if project_id is None:
            return shown
        mine = self._codes.get(project_id, -1)
        seen: npt.NDArray[np.bool_] = shown & ((places == mine) | (places == EVERYWHERE))
        return seen

    def _code(self, project_id: str, scope: str) -> int:
        return EVERYWHERE if scope in WIDE else self._codes.setdefault(project_id, len(self._codes) + 1)

    def _row_of(self, memory_id: int) -> int | None:
        rows = self._rows_of([memory_id])
        return int(rows[0]) if len(rows) else None

    def _rows_of(self, memory_ids: Sequence[int]) -> npt.NDArray[np.int64]:
        """Where memories stand; those that have no vector are left out."""
        if not self._is_sorted:
            self._order = np.argsort(self._ids[: self.count])
            self._is_sorted = True
        asked = np.asarray(memory_ids, np.int64)
        found = np.searchsorted(self._ids[: self.count], asked, sorter=self._order)
        rows: npt.NDArray[np.int64] = self._order[np.minimum(found, self.count - 1)] if self.count else self._order[:0]
        return rows[self._ids[rows] == asked] if self.count else rows


def _top(scores: npt.NDArray[np.float32] | npt.NDArray[np.int32], limit: int) -> npt.NDArray[np.intp]:
    """The places of the highest scores, highest first."""
    if limit >= len(scores):
        return np.argsort(-scores)
    best = np.argpartition(-scores, limit)[:limit]
    order: npt.NDArray[np.intp] = best[np.argsort(-scores[best])]
    return order


def _signs(block: Matrix32) -> npt.NDArray[np.uint64]:
    """One bit per dimension, 64 to a word."""
    return np.packbits(block > 0, axis=1).view(np.uint64)


def _longer(array: npt.NDArray[Numeric], room: int) -> npt.NDArray[Numeric]:
    grown = np.zeros((room, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
