"""What was decided about items of the review queue."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from nous.stores.database import Database


class ReviewRow(msgspec.Struct, frozen=True):
    """One decision as stored."""

    item: str
    learning_id: str
    action: str
    until: str | None
    version: int


class Reviews:
    """The decisions read model."""

    def __init__(self, db: Database):
        self.db = db

    def put(self, rows: Iterable[ReviewRow]) -> None:
        """Keep decisions; the latest about an item counts."""
        self.db.many("reviews.put", (msgspec.structs.astuple(row) for row in rows))

    def drop(self, learning_id: str) -> None:
        """Remove every decision about one learning, or about it and another (erasure)."""
        self.db.run("reviews.drop", learning_id=learning_id)

    def naming(self, learning_id: str) -> set[str]:
        """The items that were decided about one learning, or about it and another."""
        return {item for (item,) in self.db.each("reviews.naming", learning_id=learning_id)}

    def remove(self, items: Iterable[str]) -> None:
        """Remove the decisions about items, before they are made anew."""
        self.db.many("reviews.remove", ((item,) for item in items))

    def decided(self, now: str) -> set[str]:
        """Items that need no decision now."""
        return {item for (item,) in self.db.each("reviews.decided", now=now)}

    def waits(self, item: str) -> bool:
        """Whether a decision about an item was put off."""
        return self.db.one("reviews.waits", item=item) is not None

    def clear(self) -> None:
        """Empty the read model before it is built again."""
        self.db.run("reviews.clear")
