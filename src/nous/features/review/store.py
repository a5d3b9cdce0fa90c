"""What was decided about items of the review queue."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from nous.kernel.db.store import Store


class ReviewRow(msgspec.Struct, frozen=True):
    """One decision as stored."""

    item: str
    learning_id: str
    action: str
    until: str | None
    version: int


class Reviews(Store, group="reviews"):
    """The decisions read model."""

    def put(self, rows: Iterable[ReviewRow]) -> None: ...
    def drop(self, learning_id: str) -> None: ...
    def naming(self, learning_id: str) -> set[str]: ...
    def remove(self, rows: Iterable[str]) -> None: ...
    def list_decided(self, now: str) -> set[str]: ...
    def waits(self, item: str) -> bool: ...
    def clear(self) -> None: ...
