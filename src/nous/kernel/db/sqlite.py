"""SQLite through apsw, which carries its own current SQLite with FTS5."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from stat import S_ISREG
from typing import Any

import apsw

from nous.errors import Damaged, SchemaTooNew, StoreError, StoreUnavailable
from nous.kernel.db.database import Row, migrations, statement

# One statement per execute: a string of several pragmas runs lazily and would leave the later ones unset.
PRAGMAS: tuple[tuple[str, str, Any], ...] = (
    ("busy_timeout", "5000", 5000),  # wait for another writer instead of failing
    ("journal_mode", "WAL", "wal"),  # readers never wait for the writer
    ("synchronous", "NORMAL", 1),  # survives kill -9 of any process; WAL keeps the file consistent on power loss
    ("foreign_keys", "ON", 1),
    ("temp_store", "MEMORY", 2),  # sorting never leaves text in a temporary file
    ("cache_size", "-16000", -16000),  # 16 MB
    ("journal_size_limit", "67108864", 67108864),  # a long write does not leave a huge WAL behind
    ("trusted_schema", "OFF", 0),
    ("secure_delete", "ON", 1),  # what is taken out of the queue or erased is no longer in the file
)

PAGE_BYTES = 8192  # of a new file: seven vectors fit, and not twice three; that saves a fourteenth of the disk
UNNAMED = ""  # a file that the system forgets when it is closed, however that happens
NO_ROOM = 256 * 1024  # bytes; SQLite grows its shared memory and its log in steps of up to so many


OPENINGS = 100  # tries, a twentieth of a second apart, to open a file that somebody else is just opening


class Sqlite:
    """One connection. Use it from one thread at a time; every thread opens its own."""

    dialect = "sqlite"

    def __init__(self, path: str, *, readonly: bool = False, as_it_lies: bool = False):
        """`as_it_lies` reads the file alone, without the log and the shared memory that others need to write."""
        self.path = path
        self._depth = 0
        self._sql: dict[str, str] = {}
        if not readonly and path not in (":memory:", UNNAMED):
            _make_room(path)
        flags = apsw.SQLITE_OPEN_READONLY if readonly else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        try:
            if as_it_lies:
                self.connection = apsw.Connection(_immutable(path), flags=flags | apsw.SQLITE_OPEN_URI)
            else:
                self.connection = apsw.Connection(path, flags=flags)
            self._refuse_foreign()
            if not readonly:
                _make_all_private(path)
                self._set(f"PRAGMA page_size = {PAGE_BYTES}")  # says nothing to a file that has pages already
            for name, value, _ in PRAGMAS:
                if not (readonly and name == "journal_mode"):
                    self._set(f"PRAGMA {name} = {value}")
            self._migrate(readonly)
        except apsw.Error as problem:
            raise explain_error(problem, path) from problem

    def _refuse_foreign(self) -> None:
        """Fail with a sentence on the database of another program, before anything of it changes."""
        self.connection.set_busy_timeout(5000)
        with suppress(apsw.BusyError):  # somebody else is just opening it, and looks as well
            if is_ours(self.connection) or not self.connection.execute("SELECT 1 FROM sqlite_master").fetchall():
                return
            self.connection.close()
            hint = "let db_path name a file of its own"
            raise StoreError(f"{self.path} is the database of another program; it was left as it is", hint=hint)

    def _set(self, pragma: str) -> None:
        """Set a pragma; SQLite refuses the journal's mode at once while somebody else opens the file."""
        for left in reversed(range(OPENINGS)):
            try:
                self.connection.execute(pragma).fetchall()
                return
            except apsw.BusyError:
                if not left:
                    raise
                time.sleep(0.05)

    def _migrate(self, readonly: bool) -> None:
        steps = migrations(self.dialect)
        newest = steps[-1][0]
        version = self.connection.pragma("user_version")
        if version > newest:
            raise SchemaTooNew(f"{self.path} has schema {version}, this Nous knows {newest}")
        if version == newest or readonly:
            return
        with self.transaction():
            version = self.connection.pragma("user_version")  # another process may have been faster
            for number, script in steps:
                if number > version:
                    self.connection.execute(script).fetchall()
                    self.connection.execute(f"PRAGMA user_version = {number}").fetchall()

    def _statement(self, name: str) -> str:
        sql = self._sql.get(name)
        if sql is None:
            sql = self._sql[name] = statement(self.dialect, name)
        return sql

    def _execute(self, name: str, values: dict[str, Any]) -> apsw.Cursor:
        return self.connection.execute(self._statement(name), values)

    def one(self, name: str, /, **values: Any) -> Row | None:
        """The first row, or None."""
        rows = self.all(name, **values)
        return rows[0] if rows else None

    def all(self, name: str, /, **values: Any) -> list[Row]:
        """Every row."""
        names: list[str] | None = None
        rows = []
        try:
            cursor = self._execute(name, values)
            for row in cursor:
                if names is None:
                    names = [column[0] for column in cursor.get_description()]
                rows.append(dict(zip(names, row, strict=True)))
        except (apsw.Error, UnicodeDecodeError) as problem:
            raise explain_error(problem, self.path) from problem
        return rows

    def each(self, name: str, /, **values: Any) -> Iterator[tuple[Any, ...]]:
        """Rows as plain tuples, one at a time."""
        try:
            yield from self._execute(name, values)
        except (apsw.Error, UnicodeDecodeError) as problem:
            raise explain_error(problem, self.path) from problem

    def run(self, name: str, /, **values: Any) -> int:
        """Execute; how many rows it changed."""
        before = self.connection.total_changes()
        try:
            self._execute(name, values).fetchall()
        except (apsw.Error, UnicodeDecodeError) as problem:
            raise explain_error(problem, self.path) from problem
        return self.connection.total_changes() - before

    def many(self, name: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Execute once per row."""
        try:
            self.connection.executemany(self._statement(name), rows).fetchall()
        except apsw.Error as problem:
            raise explain_error(problem, self.path) from problem

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. IMMEDIATE, because a deferred read-then-write fails half the time under load."""
        outermost = self._depth == 0
        try:
            if outermost:
                self.connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
            if outermost:
                self.connection.execute("COMMIT")
        except BaseException as problem:
            if outermost and self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            if isinstance(problem, apsw.Error):
                raise explain_error(problem, self.path) from problem
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reads of one moment. Inside a transaction that is already so."""
        if self._depth or self.connection.in_transaction:
            yield
            return
        self.connection.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    def tables(self) -> list[str]:
        """Every table but those of text indexes and SQLite's own."""
        rows = self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        return [name for (name,) in rows if not name.startswith("sqlite_") and "_fts" not in name]

    def table_rows(self, table: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Every column of a table, and every row."""
        columns = [row[1] for row in self.connection.execute(f"PRAGMA table_info({_name(table)})")]
        return columns, self.connection.execute(f"SELECT {', '.join(columns)} FROM {table}")

    def put_rows(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> int:
        """Put rows into a table as they are; how many."""
        marks = ", ".join("?" * len(columns))
        sql = f"INSERT INTO {_name(table)} ({', '.join(map(_name, columns))}) VALUES ({marks})"
        before = self.connection.total_changes()
        try:
            with self.transaction():
                self.connection.executemany(sql, rows).fetchall()
        except apsw.Error as problem:
            raise explain_error(problem, self.path) from problem
        return self.connection.total_changes() - before

    def tidy(self) -> None:
        """Write the whole file anew."""
        from nous.kernel.db.file_copies import wipe

        wipe(self)

    def health(self) -> str:
        """`ok`, or what is wrong with the database."""
        return str(self.connection.pragma("quick_check"))

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()


def _name(table: str) -> str:
    """A name of the schema; nothing else becomes part of a statement."""
    if not table.isidentifier():
        raise StoreError(f"{table!r} is no name of a table")
    return table


def is_ours(connection: apsw.Connection) -> bool:
    """Whether a database holds the log of Nous."""
    return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'learning_events'").fetchall())


def _make_room(path: str) -> None:
    """The directory exists and only its owner can look inside."""
    folder = os.path.dirname(path) or os.curdir
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not os.path.exists(path):
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as problem:
        raise StoreUnavailable(f"cannot write to {folder}: {problem.strerror}") from None


def _make_all_private(path: str) -> None:
    for end in ("", "-wal", "-shm"):
        _make_private(path + end)


def _make_private(path: str) -> None:
    """Only its owner can read a file, also one that came here by another way. Never opened: that would drop locks."""
    with suppress(FileNotFoundError, PermissionError):
        mode = os.stat(path).st_mode
        if S_ISREG(mode) and mode & 0o077:
            os.chmod(path, 0o600)


def explain_error(problem: apsw.Error | UnicodeDecodeError, path: str) -> StoreError:
    """One sentence a person can act on."""
    match problem:
        case apsw.NotADBError() | apsw.CorruptError() | UnicodeDecodeError():
            hint = "`nous admin restore-backup` brings back a copy"
            return Damaged(f"{path} is not a healthy database: {problem}", hint=hint)
        case apsw.FullError():
            return _full(path)
        case apsw.IOError() | apsw.ReadOnlyError() if is_full(path):
            return _full(path)
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError() | apsw.AuthError():
            return StoreUnavailable(f"cannot write to {path}: {problem}")
        case apsw.BusyError() | apsw.LockedError():
            return StoreUnavailable(f"{path} is held by another process for too long")
        case apsw.IOError() | apsw.NoMemError() | apsw.ProtocolError() | apsw.NoLFSError():
            return StoreUnavailable(f"{path} cannot be read or written: {problem}")
        case _:
            return StoreError(f"the database refused: {problem}")


def _full(path: str) -> StoreError:
    hint = f"make room on the disk that holds {os.path.dirname(path)}"
    return StoreUnavailable(f"the disk is full; nothing was written to {path}", hint=hint)


def _immutable(path: str) -> str:
    place = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{place}?immutable=1"


def open_on_full_disk(path: str) -> Sqlite | None:
    """A database to read on a disk without room for its shared memory; None where that is not what is wrong.

    Only where nothing waits in its log, which such a connection does not read, and only for a moment: what others write
    later it does not notice.
    """
    log = path + "-wal"
    if not is_full(path) or not os.path.isfile(path) or (os.path.exists(log) and os.path.getsize(log)):
        return None
    found = Sqlite(path, readonly=True, as_it_lies=True)
    if found.connection.pragma("user_version") == migrations(found.dialect)[-1][0]:
        return found
    found.close()
    return None


def is_full(path: str) -> bool:
    """Whether the disk below a path has no room: SQLite calls some of its writes there just an I/O error."""
    try:
        disk = os.statvfs(os.path.dirname(path) or ".")
    except (OSError, AttributeError):
        return False
    return disk.f_bavail * disk.f_frsize < NO_ROOM
