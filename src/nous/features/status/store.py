"""What process mining asks of the database."""

from __future__ import annotations

from nous.kernel.db.database import Row
from nous.kernel.db.store import Store


class Mining(Store, group="mining"):
    """Counts over the log and the read models; nothing here is kept."""

    def rows(self, name: str, project_id: str | None) -> list[Row]:
        """The rows of one named count."""
        return self.db.all(f"mining.{name}", project_id=project_id)

    def number(self, name: str, project_id: str | None) -> int:
        """One number."""
        row = self.db.one(f"mining.{name}", project_id=project_id)
        return int(row["n"] or 0) if row else 0

    def list_used(self) -> dict[int, str]: ...
