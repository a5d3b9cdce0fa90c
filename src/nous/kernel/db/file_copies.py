"""Whole-file work on SQLite databases: online copies, putting one back, wiping what deleted rows left behind."""

from __future__ import annotations

import glob
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import apsw

from nous.errors import StoreError
from nous.files import DATABASE, is_database
from nous.kernel.capture.transcripts import unpack
from nous.kernel.db.sqlite import Sqlite, explain_error, is_ours

PATIENCE = 10.0
PARTIAL = ".nous.partial"
OLD_SCRATCH = "nous-replay-"
SCRATCH = "nous-backup-"  # folders among temporary files; what a killed process leaves of them is swept
SMALL = 256 * 1024 * 1024  # a database up to this size is vacuumed in memory


@contextmanager
def _raw(path: str, flags: int) -> Iterator[apsw.Connection]:
    """A connection without our pragmas and migrations."""
    try:
        connection = apsw.Connection(path, flags=flags)
        connection.set_busy_timeout(5000)
        try:
            yield connection
        finally:
            connection.close()
    except apsw.Error as problem:
        raise explain_error(problem, path) from problem


def copy(path: str, target: str) -> None:
    """A consistent copy of a database that others may be writing to; the target appears complete or not at all."""
    if os.path.exists(target) and not os.path.isfile(target):
        raise StoreError(f"{target} is no regular file: name a file of its own for the copy")
    partial = f"{target}.{os.getpid()}{PARTIAL}"
    sweep(os.path.dirname(os.path.abspath(target)))
    try:
        os.makedirs(os.path.dirname(os.path.abspath(target)), mode=0o700, exist_ok=True)
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except OSError as problem:
        raise StoreError(f"cannot write to {target}: {problem.strerror}") from None
    try:
        with (
            _raw(path, apsw.SQLITE_OPEN_READONLY) as source,
            _raw(partial, apsw.SQLITE_OPEN_READWRITE) as copied,
        ):
            _pour(source, copied)
            _patiently(lambda: copied.execute("PRAGMA journal_mode = DELETE").fetchall())  # no log beside the file
        _settle(partial)
        os.replace(partial, target)
        _settle(os.path.dirname(os.path.abspath(target)))
    except FileNotFoundError:
        raise StoreError(f"{target} was removed while it was written, by a purge or by hand") from None
    finally:
        _remove(partial)


def put_back(copied: str, path: str) -> None:
    """Fill a database with the content of a copy, in one transaction, while others may have it open."""
    reading = apsw.SQLITE_OPEN_READONLY
    with (
        _raw(copied, reading) as source,
        _raw(path, apsw.SQLITE_OPEN_READWRITE) as target,
        tempfile.TemporaryDirectory(prefix=SCRATCH, suffix=f".{os.getpid()}") as folder,
    ):
        target.execute("PRAGMA journal_mode = WAL").fetchall()
        pages = target.pragma("page_size")
        if source.pragma("page_size") == pages:
            _pour(source, target)
            return
        resized = os.path.join(folder, "resized.db")  # with a write-ahead log, a file keeps the size of its pages
        source.execute(f"PRAGMA page_size = {pages}").fetchall()
        source.execute("VACUUM INTO ?", (resized,)).fetchall()
        with _raw(resized, reading) as fitting:
            _pour(fitting, target)


def _pour(source: apsw.Connection, target: apsw.Connection) -> None:
    """All pages in one step: in WAL mode this keeps nobody from writing, and restarts for nobody."""

    def step() -> None:
        with target.backup("main", source, "main") as backup:
            backup.step(-1)

    _patiently(step)


def _patiently(action: Callable[[], object]) -> None:
    """Again while somebody else is in the way, for SQLite waits in neither case: a purge may be reading a copy that is
    made just now, to look for what it erased."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            action()
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def set_aside(path: str, folder: str, name: str) -> str:
    """Move a database that cannot be read out of the way; where it is now."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for end in ("-wal", "-shm", ""):
        if os.path.exists(path + end):
            os.replace(path + end, os.path.join(folder, name + end))
    return os.path.join(folder, name)


def check_pages(path: str) -> None:
    """Fail with a sentence when a file is no healthy database of Nous; to SQLite a file of one byte is an empty one."""
    if not is_database(path):
        raise StoreError(f"{path} is no backup of Nous")
    with _raw(path, apsw.SQLITE_OPEN_READONLY) as connection:
        if not is_ours(connection):
            raise StoreError(f"{path} is no backup of Nous: it is a database of another program, or was never used")
        is_cut = os.path.getsize(path) % connection.pragma("page_size")
        said = "its end is missing" if is_cut else connection.pragma("quick_check")
    if said != "ok":
        raise StoreError(f"{path} is damaged: {said}", hint="restore a backup with `nous admin restore-backup`")


def wipe(db: Sqlite) -> None:
    """Leave no trace of deleted rows in free pages or in the write-ahead log."""
    connection = db.connection
    large = db.path != ":memory:" and os.path.getsize(db.path) > SMALL
    try:
        connection.execute(f"PRAGMA temp_store = {'FILE' if large else 'MEMORY'}").fetchall()
        connection.execute("VACUUM").fetchall()
        empty_log(connection, db.path)
    except apsw.Error as problem:
        raise explain_error(problem, db.path) from problem
    finally:
        connection.execute("PRAGMA temp_store = MEMORY").fetchall()


def empty_log(connection: apsw.Connection, path: str) -> None:
    """Write the log into the database and cut it to nothing; waits for readers that still need it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        [(busy, _, _)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if not busy:
            return
        if time.monotonic() > deadline:
            raise StoreError(
                f"another process reads {path}, so its write-ahead log still holds what was erased",
                hint="run `nous admin purge --finish` when it is done",
            )
        time.sleep(0.05)


def is_copy(path: str) -> bool:
    """Whether a file is a database of ours, or one that can no longer be read and may have been."""
    try:
        with open(path, "rb") as file:
            if file.read(len(DATABASE)) != DATABASE:
                return False
    except OSError:
        return False
    try:
        with _raw(path, apsw.SQLITE_OPEN_READONLY) as connection:
            return is_ours(connection)
    except StoreError:
        return True


def raw_bytes(path: str, block: int) -> Iterator[bytes]:
    """What a file holds, block by block; a database through SQLite.

    A file that SQLite has open must not be opened beside it: closing it drops the locks of the whole process, and
    another one may then take away the log and its index while they are in use.
    """
    file = apsw.VFSFile("", path, [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        size = file.xFileSize()
        for at in range(0, size, block):
            yield file.xRead(min(block, size - at), at)
    finally:
        file.xClose()


def kept_in(path: str) -> Iterator[bytes]:
    """What the transcripts say that a database keeps, unpacked."""
    with suppress(StoreError), _raw(path, apsw.SQLITE_OPEN_READONLY) as connection:
        for (data,) in connection.execute("SELECT data FROM transcript_chunks"):
            yield unpack(data)


def sweep(folder: str) -> int:
    """Remove what killed processes left of copies in a folder; how many."""
    left = [path for path in glob.glob(f"{glob.escape(folder)}/*{PARTIAL}") if is_left(path.removesuffix(PARTIAL))]
    for partial in left:
        _remove(partial)
    return len(left)


def is_left(name: str) -> bool:
    """Whether something is called after a process (`name.123`) that no longer lives, or is this one."""
    owner = name.rpartition(".")[2]
    return owner == str(os.getpid()) or not (owner.isdecimal() and _is_alive(int(owner)))


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _settle(path: str) -> None:
    """Wait until the disk has it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove(path: str) -> None:
    for end in ("", "-journal", "-wal", "-shm"):
        with suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(path + end)
