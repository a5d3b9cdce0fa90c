"""How far reconciliation has come."""

from __future__ import annotations

import msgspec

from nous.kernel.db.store import Store


class Changed(msgspec.Struct, frozen=True):
    """A memory that changed since reconciliation last looked."""

    id: int
    version: int
    project_id: str


class Verdicts(Store):
    """A mark for each version of the judge, and what changed since."""

    def get_reached(self, model: str) -> int: ...
    def set_reached(self, model: str, version: int, now: str) -> None: ...
    def list_changed(self, after: int, limit: int) -> list[Changed]: ...
