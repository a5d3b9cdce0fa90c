"""Vectors beside the memories they stand for.

The database holds the truth: a vector per memory and model, in the format of sqlite-vec. A process that asks once scans
it in SQL; one that stays builds a `Matrix` from it and keeps that up to date.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec

from nous.errors import StoreError
from nous.kernel.db.database import Database
from nous.kernel.db.store import Store
from nous.kernel.recall.embeddings import EmbeddingQueue
from nous.kernel.types import WIDE

if TYPE_CHECKING:
    from nous.kernel.recall.vector_cache import Matrix


EXACT = 10_000  # vectors of a tenant on a server that are all compared before an index holds most of them
UNINDEXED = 1000  # new ones that are compared beside the index


class Vectors(Store):
    """Reads and writes vectors; finds the nearest."""

    def __init__(self, db: Database, embeddings: EmbeddingQueue):
        self.db = db
        self.embeddings = embeddings
        self._matrices: dict[int, Matrix] = {}
        self._asked = 0
        self._has_functions = False

    def model(self, name: str, dims: int) -> int:
        """The number of an embedding model. A model new to this store makes every memory wait for a vector of it."""
        row = self.db.one("vectors.model", name=name)
        if row is None:
            with self.db.transaction():
                self.db.run("vectors.add_model", name=name, dims=dims)
                row = self.db.one("vectors.model", name=name)
                assert row is not None
                self.embeddings.enqueue_missing(row["model_id"])
        if row["dims"] != dims:
            raise StoreError(f"{name} made vectors of {row['dims']} dimensions before, now of {dims}")
        return int(row["model_id"])

    def known_model(self, name: str) -> int | None:
        """The number of a model that made vectors here before."""
        row = self.db.one("vectors.model", name=name)
        return int(row["model_id"]) if row else None

    def models(self) -> dict[str, int]:
        """How many vectors each known model has."""
        return {row["name"]: row["vectors"] for row in self.db.all("vectors.models")}

    def models_of(self, memory_id: int) -> list[str]: ...

    def of(self, memory_ids: Sequence[int]) -> dict[int, tuple[int, bytes]]:
        """The model and the vector of some memories, the latest where several models made one."""
        rows = self.db.each("vectors.of", ids=_json(memory_ids))
        return {number: (model_id, bytes(blob)) for number, model_id, blob in rows}

    def put(self, model_id: int, rows: Iterable[tuple[int, int, bytes]]) -> None:
        """Keep vectors: memory number, hash of the words, float32 blob."""
        self.db.many("vectors.put", ((number, model_id, source, blob) for number, source, blob in rows))
        if self.db.dialect != "sqlite":
            with self.db.transaction():
                self.db.one("vectors.index_new", model_id=model_id, many=EXACT, few=UNINDEXED)

    def find_known(self, model_id: int, sources: Sequence[int]) -> dict[int, bytes]:
        """Vectors this model already made of the same words."""
        rows = self.db.each("vectors.known", model_id=model_id, sources=_json(sources))
        return {source: bytes(blob) for source, blob in rows}

    def drop(self, memory_id: int) -> None:
        """Remove a memory's vectors (erasure)."""
        self.db.run("vectors.drop", memory_id=memory_id)
        for matrix in self._matrices.values():
            matrix.drop(memory_id)
        self.embeddings.finish([memory_id])

    def nearest(
        self, model_id: int, vector: bytes, limit: int, project_id: str | None, *, any_status: bool = False
    ) -> list[tuple[int, float]]:
        """The memories nearest to a vector that a project may see, with their cosine, best first."""
        self._asked += 1
        is_once = self._asked == 1 or (any_status and model_id not in self._matrices)
        if is_once or self.db.dialect != "sqlite":  # a server has an index of its own
            return self._scan(model_id, vector, limit, project_id, any_status)
        return self._matrix(model_id, len(vector) // 4).nearest(vector, limit, project_id, any_status)

    def nearness(self, model_id: int, vector: bytes, memory_ids: Sequence[int]) -> dict[int, float]:
        """The cosine of some memories to a vector; those without a vector are missing."""
        if matrix := self._matrices.get(model_id):  # brought up to date by the search that found the others
            return matrix.nearness(vector, memory_ids)
        self._load_functions()
        rows = self.db.each("vectors.nearness", model_id=model_id, vector=vector, ids=_json(memory_ids))
        return dict(rows)

    def _scan(
        self, model_id: int, vector: bytes, limit: int, project_id: str | None, any_status: bool
    ) -> list[tuple[int, float]]:
        """One question is answered sooner by a scan in SQL than by loading numpy and every vector."""
        self._load_functions()
        most = limit * 4
        nearest = list(self.db.each("vectors.nearest_of_all", model_id=model_id, vector=vector, limit=most))
        seen = [
            (number, nearness)
            for number, nearness, project, scope, status in nearest
            if (any_status or status == "active") and (project_id in (None, project) or scope in WIDE)
        ]
        if len(seen) >= limit or len(nearest) < most:
            return seen[:limit]
        rows = self.db.each(
            "vectors.nearest",
            model_id=model_id,
            vector=vector,
            limit=limit,
            project_id=project_id,
            any_status=int(any_status),
        )
        return [(number, nearness) for number, nearness in rows]

    def _load_functions(self) -> None:
        """Give the connection the functions of sqlite-vec. Its package is not imported: that would import numpy."""
        from nous.kernel.db.sqlite import Sqlite

        if self._has_functions or not isinstance(self.db, Sqlite):
            return
        spec = find_spec("sqlite_vec")
        if spec is None or not spec.submodule_search_locations:
            raise StoreError("sqlite-vec is not installed", hint="pip install sqlite-vec")
        self.db.connection.enable_load_extension(True)
        self.db.connection.load_extension(os.path.join(spec.submodule_search_locations[0], "vec0"))
        self.db.connection.enable_load_extension(False)
        self._has_functions = True

    def _matrix(self, model_id: int, dims: int) -> Matrix:
        from nous.kernel.recall.vector_cache import Matrix

        matrix = self._matrices.get(model_id)
        if matrix is None:
            matrix = self._matrices[model_id] = Matrix(self.db, model_id, dims)
        matrix.refresh()
        return matrix


def _json(values: Sequence[int]) -> str:
    return msgspec.json.encode(list(values)).decode()
