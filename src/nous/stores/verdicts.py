"""What judges said about pairs of memories, and how far reconciliation has come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from nous.core.compare.judge import Judgement
from nous.stores.database import Database, Row

Pair = tuple[int, int]


class Changed(msgspec.Struct, frozen=True):
    """A memory that changed since reconciliation last looked."""

    id: int
    version: int
    project_id: str


class Verdicts:
    """The cache of judgements, each under its canonical pair, and a mark per model."""

    def __init__(self, db: Database):
        self.db = db

    def put(self, judged: Iterable[tuple[Pair, Judgement]], model: str, now: str) -> None:
        """Keep judgements; those of another model about the same pairs give way."""
        rows = (
            (*sorted(pair), found.label, found.relation, round(found.confidence, 4), model, now)
            for pair, found in judged
        )
        self.db.many("verdicts.put", rows)

    def of_pairs(self, pairs: Sequence[Pair], model: str) -> dict[Pair, Judgement]:
        """What a model said about these pairs, as far as it was asked; every pair in its canonical order."""
        rows = self.db.each("verdicts.of_pairs", pairs=msgspec.json.encode(pairs).decode(), model_version=model)
        return {(a, b): Judgement(label, sure, relation, (), model) for a, b, label, relation, sure in rows}

    def of_memory(self, memory_id: int) -> list[Row]:
        """Every judgement about a memory."""
        return self.db.all("verdicts.of_memory", memory_id=memory_id)

    def counts(self) -> dict[str, int]:
        """How many pairs were judged, by label."""
        return {row["nli_label"]: row["pairs"] for row in self.db.all("verdicts.counts")}

    def forget(self, memory_id: int) -> None:
        """Drop what was said about a memory (erasure)."""
        self.db.run("verdicts.forget", memory_id=memory_id)

    def reached(self, model: str) -> int:
        """The last version of a memory that was looked at with a model."""
        row = self.db.one("verdicts.reached", model_version=model)
        return int(row["last_version"]) if row else 0

    def set_reached(self, model: str, version: int, now: str) -> None:
        """Say how far reconciliation has come; in the same transaction as what it wrote."""
        self.db.run("verdicts.set_reached", model_version=model, last_version=version, now=now)

    def changed(self, after: int, limit: int) -> list[Changed]:
        """Active memories that changed after a version, in the order of their change."""
        return [Changed(*row) for row in self.db.each("verdicts.changed", after=after, limit=limit)]
