"""Files of the user that Nous reads and writes: whole, in one step, and nothing left behind."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from nous.errors import NousError


def read_bytes(path: str) -> bytes | None:
    """What a file holds, or None where there is none."""
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NousError(f"cannot read {path}: {error.strerror}") from None


DATABASE = b"SQLite format 3\x00"


def is_database(path: str) -> bool:
    """Whether a file is a database, or the log or journal of one."""
    for name in {path, *(path.removesuffix(end) for end in ("-wal", "-shm", "-journal"))}:
        with suppress(OSError), open(name, "rb") as file:
            if file.read(len(DATABASE)) == DATABASE:
                return True
    return False


def write(path: str, data: bytes, mode: int | None = None) -> None:
    """Replace a file in one step; its permissions stay, and a link stays a link. A pipe or a device is written to."""
    if os.path.exists(path) and not os.path.isfile(path):
        return _pass_on(path, data)
    path = os.path.realpath(path)
    fresh = f"{path}.nous-{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if mode is None and os.path.exists(path):
            mode = stat.S_IMODE(os.stat(path).st_mode)
        # Created with its final mode: a private file must not be readable even for a moment.
        with os.fdopen(
            os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode), "wb"
        ) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(fresh, mode)
        os.replace(fresh, path)
    except OSError as error:
        with suppress(OSError):
            os.unlink(fresh)
        raise NousError(f"cannot write {path}: {error.strerror}") from None


def create(path: str, data: bytes, mode: int | None = None, *, overwrite: bool = False) -> None:
    """Write a file that somebody named: never over another unless they say so, and only into a folder that exists."""
    check_new(path, overwrite=overwrite)
    write(path, data, mode)


def check_new(path: str, *, overwrite: bool = False) -> None:
    """An error where a file is in the way or there is no folder to write into. Pipes and devices are not."""
    if (os.path.isfile(path) or os.path.islink(path)) and not overwrite:
        raise NousError(f"{path} exists already", hint="choose another name, or say --force")
    if not os.path.isdir(folder := os.path.dirname(os.path.abspath(path))):
        raise NousError(f"there is no folder {folder}")


def _pass_on(path: str, data: bytes) -> None:
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise NousError(f"cannot write {path}: {error.strerror}") from None


def remove_empty(folders: Iterable[str]) -> None:
    """Delete those of these directories, the inner ones first, that hold nothing."""
    for folder in sorted(set(folders), key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(folder)


def missing_folders(path: str) -> list[str]:
    """The directories above a file that are not there yet, outermost first."""
    folder = os.path.dirname(os.path.abspath(path))
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing[::-1]
