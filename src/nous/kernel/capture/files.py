"""What every transcript file looked like when it was last read."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from nous.kernel.db.store import Store


class File(msgspec.Struct, frozen=True, kw_only=True):
    """What a transcript file looked like when it was read, and how far that went.

    `generation` counts how often another file stood under the same path: offsets of one say nothing of the next.
    """

    path: str
    device: int
    inode: int
    generation: int = 0
    size: int = 0
    mtime_ns: int = 0
    read_offset: int = 0
    head_length: int = 0
    head_hash: str = ""
    anchor_length: int = 0
    anchor_hash: str = ""
    is_own: bool = False

    @property
    def file_inode(self) -> str:
        """The name of this very file under its path, as the queue and the cursors know it."""
        return f"{self.inode}~{self.generation}" if self.generation else str(self.inode)


class Files(Store):
    """Transcript files as they were last seen."""

    def get(self, path: str) -> File | None: ...
    def by_inode(self, device: int, inode: int, path: str) -> list[File]: ...
    def put(self, file: File) -> None: ...

    def fingerprints(self) -> dict[str, tuple[int, int, int, int]]:
        """Device, inode, size and modification time of every file, by path; files that are gone have none of them."""
        return {
            path: (device, inode, size, mtime_ns) if gone_at is None else (0, 0, -1, 0)
            for path, device, inode, size, mtime_ns, gone_at in self.db.each("files.all")
        }

    def move(self, old: str, path: str) -> None:
        """A file has another path now, and so have its items and its cursor."""
        self.db.run("files.forget", path=old)
        for name in ("queue.move_items", "cursors.move", "transcripts.move", "exchanges.move"):
            self.db.run(name, path=path, old_path=old)

    def mark_gone(self, paths: Iterable[str], now: str) -> None:
        """Note that files are no longer there."""
        for path in paths:
            self.db.run("files.gone", path=path, now=now)

    def forget(self, moment: str) -> int:
        """Drop what is known of files that were gone before a moment."""
        return self.db.run("files.forget_gone", moment=moment)
