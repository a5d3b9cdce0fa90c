"""What is let go of after a while, since it can be made again or only served to tune."""

from __future__ import annotations

from nous.kernel.db.database import Database

KINDS = ("vectors", "rejections", "payloads", "audit_log")


class Pruning:
    """Takes rows out of tables beside the log; each kind is one statement that knows what is old enough."""

    def __init__(self, db: Database):
        self.db = db

    def prune(self, moment: str) -> dict[str, int]:
        """Let go of what is older than a moment: how many rows of each kind, those with none left out.

        Of vectors it is the archiving of their memory that must be so old.
        """
        with self.db.transaction():
            gone = {kind: self.db.run(f"pruning.{kind}", moment=moment) for kind in KINDS}
        return {kind: rows for kind, rows in gone.items() if rows}
