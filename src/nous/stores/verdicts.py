"""What judges said about pairs of memories, and how far reconciliation has come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from nous.core.compare.judge import Judgement
from nous.stores.database import Row
from nous.stores.store import Store

Pair = tuple[int, int]


class Changed(msgspec.Struct, frozen=True):
    """A memory that changed since reconciliation last looked."""

    id: int
    version: int
    project_id: str


class Verdicts(Store):
    """The cache of judgements, each under its canonical pair, and a mark per model."""

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

    def of_memory(self, memory_id: int) -> list[Row]: ...
    def counts(self) -> dict[str, int]: ...
    def forget(self, memory_id: int) -> None: ...
    def reached(self, model: str) -> int: ...
    def set_reached(self, model: str, version: int, now: str) -> None: ...
    def changed(self, after: int, limit: int) -> list[Changed]: ...
