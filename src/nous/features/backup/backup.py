"""Copies of the database: those somebody asks for, and those made before anything is destroyed."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from typing import NamedTuple

from nous import files
from nous.errors import StoreError
from nous.kernel.db import file_copies
from nous.kernel.db.file_copies import OLD_SCRATCH, SCRATCH, check_pages, copy, put_back, set_aside
from nous.kernel.log.integrity import VerifyReport, verify
from nous.kernel.stores import open_stores

KEPT = 5


class Backup(NamedTuple):
    """A copy that was read back after it was written."""

    path: str
    bytes: int
    events: int
    head: str


def backup(path: str, target: str, *, overwrite: bool = False) -> Backup:
    """Copy a database while it is in use, and check the copy."""
    files.check_new(target, overwrite=overwrite)
    if os.path.realpath(target) in {os.path.realpath(path) + end for end in ("", "-wal", "-shm", "-journal")}:
        raise StoreError(f"{target} is the database itself")
    copy(path, target)
    try:
        report = inspect(target)
    except StoreError:
        os.unlink(target)
        raise
    return Backup(target, os.path.getsize(target), report.events, report.head)


def inspect(path: str) -> VerifyReport:
    """What a backup holds; fails with a sentence when it is missing, damaged, changed, or of a newer Nous."""
    if not os.path.isfile(path):
        raise StoreError(f"there is no file {path}")
    check_pages(path)
    _sweep_scratch()
    with tempfile.TemporaryDirectory(prefix=SCRATCH, suffix=f".{os.getpid()}") as folder:
        # On a copy, since a backup of an older Nous has to be brought up to date before it can be read.
        scratch = os.path.join(folder, "copy.db")
        copy(path, scratch)
        stores = open_stores(scratch)
        try:
            report = verify(stores)
        finally:
            stores.close()
    # A copy is read apart from the archives: that they are not beside it says nothing against it.
    problems = [problem for problem in report.problems if problem.kind not in ("unfinished", "archive")]
    if problems:
        raise StoreError(f"{path} is not what it was: {problems[0].said}")
    return report._replace(problems=[])


class Restored(NamedTuple):
    """What was put back, and where what was there before is now."""

    events: int
    head: str
    kept: str


def restore(path: str, copied: str, folder: str, now: str) -> Restored:
    """Put a backup in the place of the database, after checking it; the present one is kept in `folder`.

    A readable database is filled in one transaction, so processes that have it open simply see the other content.
    """
    report = inspect(copied)
    try:
        kept = checkpoint(path, folder, "restore", now) if os.path.exists(path) else ""
        if not kept:
            copy(copied, path)
    except StoreError:
        kept = set_aside(path, folder, f"{_stamp(now)}-damaged.db")
        copy(copied, path)
    else:
        if kept:
            put_back(copied, path)
    rename(path, now)
    return Restored(report.events, report.head, kept)


def rename(url: str, now: str) -> None:
    """Let a database that was put back write as a new device: others may know what it wrote after the backup."""
    stores = open_stores(url)
    stores.devices.renew(now)
    stores.close()


def checkpoint(path: str, folder: str, why: str, now: str) -> str:
    """A copy made before something is destroyed; the last few are kept."""
    target = os.path.join(folder, f"{_stamp(now)}-{why}.db")
    copy(path, target)
    for old in checkpoints(folder)[:-KEPT]:
        os.unlink(old)
    return target


def sweep(data_dir: str) -> int:
    """Remove what killed backups left in the data directory and among temporary files; how many things."""
    places = [data_dir, *(found.path for found in _scan(data_dir) if found.is_dir(follow_symlinks=False))]
    return sum(file_copies.sweep(place) for place in places) + _sweep_scratch()


def _sweep_scratch() -> int:
    left = [
        found.path
        for found in _scan(tempfile.gettempdir())
        if _is_own(found)
        and (
            (found.name.startswith(SCRATCH) and file_copies.is_left(found.name))
            or found.name.startswith(OLD_SCRATCH)  # a killed `replay --verify` of an earlier version
        )
    ]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    return len(left)


def _scan(folder: str) -> list[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as found:
        return list(found)
    return []


def _is_own(found: os.DirEntry[str]) -> bool:
    with suppress(OSError):
        return not hasattr(os, "geteuid") or found.stat(follow_symlinks=False).st_uid == os.geteuid()
    return False


def checkpoints(folder: str) -> list[str]:
    """The copies in a folder, oldest first."""
    with suppress(FileNotFoundError):
        return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".db"))
    return []


def _stamp(now: str) -> str:
    """A moment as a file name that sorts: 20261110T120000.000Z."""
    return now.replace("-", "").replace(":", "")
