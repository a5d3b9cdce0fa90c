"""How far every transcript file was learned."""

from __future__ import annotations

from nous.stores.database import Database


class Cursors:
    """A cursor stands at the end of what is finished without a gap."""

    def __init__(self, db: Database):
        self.db = db

    def get(self, path: str, inode: str) -> int:
        """How far a file was learned."""
        row = self.db.one("cursors.get", path=path, inode=inode)
        return row["last_offset"] if row else 0

    def promote(self, path: str, inode: str, now: str) -> None:
        """Move a file's cursor to the end of what is finished without a gap."""
        self.db.run("cursors.promote", path=path, inode=inode, now=now)

    def pass_over(self, path: str, inode: str, offset: int, now: str) -> bool:
        """Move a file's cursor over a stretch with nothing to learn; False while earlier items are unfinished."""
        if self.db.one("cursors.unfinished", path=path, inode=inode):
            return False
        self.db.run("cursors.set", path=path, inode=inode, last_offset=offset, now=now)
        return True
