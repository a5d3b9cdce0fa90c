"""How far every transcript file was learned."""

from __future__ import annotations

from nous.kernel.db.store import Store


class Cursors(Store):
    """A cursor stands at the end of what is finished without a gap."""

    def get(self, path: str, inode: str) -> int: ...
    def promote(self, path: str, inode: str, now: str) -> None: ...

    def pass_over(self, path: str, inode: str, offset: int, now: str) -> bool:
        """Move a file's cursor over a stretch with nothing to learn; False while earlier items are unfinished."""
        if self.db.one("cursors.unfinished", path=path, inode=inode):
            return False
        self.db.run("cursors.set", path=path, inode=inode, last_offset=offset, now=now)
        return True
