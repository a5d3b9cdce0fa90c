"""PostgreSQL with pgvector through psycopg 3 and its pool: the memory of a team.

Every row belongs to a tenant, and row-level security shows a connection only the rows of the tenant it is set to. The
SQL is the same as SQLite's wherever a few rules can turn one into the other (see `spelling`). Writers of one tenant
take turns, as they do in a SQLite file: an advisory lock sees to that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit
from uuid import uuid4
from weakref import WeakKeyDictionary

from nous.config import mask_password
from nous.errors import ConfigError, SchemaTooNew, StoreError, StoreUnavailable
from nous.kernel.db.database import Database, Row, migrations
from nous.teams.postgres.dialect import Spelled, VectorBytes, arguments, order, spell

if TYPE_CHECKING:
    from psycopg import Connection

LOCAL = "local"  # the tenant of who names none
APP_ROLE = "nous_app"  # may read and write rows of its tenant, and nothing else
POOL_SIZE = 10  # connections of one process
POOL_TIMEOUT = 30.0  # seconds to wait for one of them
EXAMPLE = "postgresql://user@host/database?tenant=acme&pool_size=10"
PLANNED_ONCE = 50  # rows of one statement from which a plan for each takes longer than one for all
AT_ONCE = 2000  # rows of a long read that are fetched together
# Read as a whole, and as long as the log or the memory: never held in memory at once.
LONG = frozenset({"events.stored", "events.written", "transcripts.every_chunk", "vectors.written_after"})
SETTINGS = {
    "search_path": "nous,public",
    "plan_cache_mode": "force_custom_plan",  # `:x IS NULL OR ...` needs a plan that knows x
    "lock_timeout": "30s",  # wait for another writer instead of for ever
    "idle_in_transaction_session_timeout": "10min",
    "jit": "off",  # compiling costs more than these statements take
}


class DatabaseUrl(NamedTuple):
    """A `postgresql://` URL apart from what only Nous reads in it."""

    url: str
    tenant: str
    pool_size: int
    pool_timeout: float


def read_url(url: str, tenant: str | None = None) -> DatabaseUrl:
    """`postgresql://user@host/database?tenant=acme&pool_size=20&pool_timeout=5`, each part checked."""
    parts = urlsplit(url)
    asked = dict(parse_qsl(parts.query, keep_blank_values=True))
    chosen = tenant or asked.pop("tenant", "") or LOCAL
    asked.pop("tenant", None)
    try:
        size, patience = int(asked.pop("pool_size", POOL_SIZE)), float(asked.pop("pool_timeout", POOL_TIMEOUT))
    except ValueError:
        raise ConfigError("pool_size and pool_timeout of a database are numbers", hint=EXAMPLE) from None
    if size < 1 or patience <= 0:
        raise ConfigError("pool_size and pool_timeout of a database are above zero", hint=EXAMPLE)
    if len(parts.path) < 2:
        raise ConfigError("the URL names no database", hint=EXAMPLE)
    return DatabaseUrl(urlunsplit(parts._replace(query=urlencode(asked, quote_via=quote))), chosen, size, patience)


class Postgres:
    """The rows of one tenant. Use it from one thread at a time; connections come from a pool of the process."""

    dialect = "postgres"

    def __init__(self, url: str, *, readonly: bool = False, tenant: str | None = None):
        _driver()
        asked = read_url(url, tenant)
        self.url = asked.url
        self.tenant = asked.tenant
        self._connection: Connection[Any] | None = None
        self._pool: TenantPool | None = _open_pool(asked, readonly)
        try:
            if not readonly:
                self.run("events.first_device", device=uuid4().hex)
        except BaseException:
            self.close()
            raise

    # the verbs of Database
    def one(self, name: str, /, **values: Any) -> Row | None:
        """The first row, or None."""
        columns, rows, _ = self._fetch(name, values)
        return dict(zip(columns, rows[0], strict=True)) if rows else None

    def all(self, name: str, /, **values: Any) -> list[Row]:
        """Every row."""
        columns, rows, _ = self._fetch(name, values)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def each(self, name: str, /, **values: Any) -> Iterator[tuple[Any, ...]]:
        """Rows as plain tuples. What is as long as the log comes in pieces, unless these are `few`."""
        if (name in LONG and not values.get("few")) or name.startswith("memories.rows_"):
            query = spell(name)
            return self._stream(query.sql, arguments(query, values), hides_tenant=query.has_tenant)
        return iter(self._fetch(name, values)[1])

    def run(self, name: str, /, **values: Any) -> int:
        """Execute; how many rows it changed."""
        return max(0, self._fetch(name, values)[2])

    def many(self, name: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Execute once per row; values in the order the statement first names them."""
        query, names = spell(name), order(name)
        filled = [arguments(query, dict(zip(names, row, strict=True))) for row in rows]
        if not filled:
            return
        with self.transaction(), self._explaining():
            assert self._connection is not None
            is_long = len(filled) >= PLANNED_ONCE
            if is_long:
                self._connection.execute("SET LOCAL plan_cache_mode = auto")
            with self._connection.cursor() as cursor:
                cursor.executemany(query.sql, filled)
            if is_long:
                self._connection.execute(f"SET LOCAL plan_cache_mode = {SETTINGS['plan_cache_mode']}")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; what is nested is undone alone. Other writers of this tenant wait for the outermost."""
        if self._connection is None:
            with self._outermost("BEGIN", with_lock=True):
                yield
            return
        with self._explaining(), self._connection.transaction():
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reads of one moment. Inside a transaction that is already so."""
        if self._connection is not None:
            yield
            return
        with self._outermost("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", with_lock=False):
            yield

    def tables(self) -> list[str]:
        """Every table but those of text indexes and of the server alone."""
        rows = self._ask_raw("SELECT tablename FROM pg_tables WHERE schemaname = 'nous' ORDER BY 1", ())
        return [name for (name,) in rows if name not in OWN_TABLES]

    def table_rows(self, table: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Every column of a table but the tenant, and every row of this tenant."""
        columns = [name for (name,) in self._ask_raw(COLUMNS, (f"nous.{table}",))]
        return columns, self._stream(f"SELECT {', '.join(columns)} FROM nous.{table}", {})

    def put_rows(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> int:
        """Put rows into a table as they are, and let numbers that are given from now on be higher; how many."""
        known = {name for (name,) in self._ask_raw(COLUMNS, (f"nous.{table}",))}
        if not known.issuperset(columns):
            raise StoreError(f"{table} has no column {min(set(columns) - known)}")
        at = columns.index("vector") if table == "vectors" else None
        ready = iter(rows) if at is None else ((*row[:at], VectorBytes(row[at]), *row[at + 1 :]) for row in rows)
        sql = f"INSERT INTO nous.{table} ({', '.join(columns)}) VALUES ({', '.join(['%s'] * len(columns))})"
        count = 0
        with self.transaction(), self._explaining():  # COPY knows no row-level security
            assert self._connection is not None
            with self._connection.cursor() as cursor:
                while batch := list(islice(ready, AT_ONCE)):
                    cursor.executemany(sql, batch)
                    count += len(batch)
            self._connection.execute("SELECT nous.raise_numbers(%s)", (table,))
        return count

    def empty(self, last: Sequence[str]) -> None:
        """Delete every row of this tenant, those of some tables last since others point at them."""
        names = [name for (name,) in self._ask_raw("SELECT tablename FROM pg_tables WHERE schemaname = 'nous'", ())]
        late = [*last, "log_heights"]  # deleting events notes how high their numbers were
        with self.transaction(), self._explaining():
            assert self._connection is not None
            for name in [*sorted({*names} - {*late, "schema_version"}), *late]:
                self._connection.execute(f"DELETE FROM nous.{name}")

    def _ask_raw(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._explaining(), self._borrow() as connection:
            return connection.execute(sql, values).fetchall()

    def tidy(self) -> None:
        """Vacuum what this role may (all tables since PostgreSQL 17); the server's own rounds do the rest."""
        with self._explaining(), self._borrow() as connection:
            for (table,) in connection.execute(VACUUMED).fetchall():
                connection.execute(f"VACUUM nous.{table}")

    def health(self) -> str:
        """`ok`, or what is wrong with the database."""
        try:
            self.one("events.head")
        except StoreError as problem:
            return str(problem)
        return "ok"

    def close(self) -> None:
        """Let go of the pool; the last one to do so closes its connections."""
        pool, self._pool = self._pool, None
        if pool is not None:
            _leave_pool(pool)

    @contextmanager
    def listening(self) -> Iterator[Callable[[float], bool]]:
        """Gives a function that waits some seconds for this tenant to have something new, and says whether it has."""
        with self._explaining(), _connect(self.url) as connection:
            row = connection.execute("SELECT 'nous_' || md5(%s)", (self.tenant,)).fetchone()
            connection.execute(f"LISTEN {row[0]}" if row else "")

            def wait(seconds: float) -> bool:
                return next(connection.notifies(timeout=seconds, stop_after=1), None) is not None

            yield wait

    # asking
    def _fetch(self, name: str, values: dict[str, Any]) -> Fetched:
        """Column names, rows, and how many rows there are or were changed."""
        query = spell(name)
        given = arguments(query, values)
        if self._connection is not None:
            with self._explaining():
                return _ask(self._connection, query, given)
        if query.writes:
            with self.transaction():
                return self._fetch(name, values)
        return self._run_read(query, given)

    def _run_read(self, query: Spelled, given: dict[str, Any]) -> Fetched:
        """Ask outside of any transaction. A lost connection is replaced; a server may lose a whole pool."""
        from psycopg import Error

        for left in reversed(range(self._get_pool().asked.pool_size + 1)):
            with self._borrow() as connection:
                try:
                    return _ask(connection, query, given)
                except Error as problem:
                    if not left or not _is_lost(problem):
                        raise explain_error(problem, self.url) from problem
        raise AssertionError("the last attempt answers or fails")

    def _stream(self, sql: str, given: dict[str, Any], *, hides_tenant: bool = False) -> Iterator[tuple[Any, ...]]:
        name = f"long_{uuid4().hex}"
        with (
            self._explaining(),
            self._borrow() as connection,
            connection.transaction(),
            connection.cursor(name, binary=True) as cursor,
        ):
            cursor.execute(sql, given)
            columns = [column.name for column in cursor.description or ()]
            while rows := cursor.fetchmany(AT_ONCE):
                yield from _without_tenant(columns, rows)[1] if hides_tenant else rows

    # connections
    @contextmanager
    def _borrow(self) -> Iterator[Connection[Any]]:
        """The connection of the transaction that runs, or one from the pool for a moment."""
        if self._connection is not None:
            yield self._connection
            return
        pool = self._get_pool()
        connection = pool.take(self.tenant)
        try:
            yield connection
        finally:
            pool.give_back(connection)

    @contextmanager
    def _outermost(self, begin: str, *, with_lock: bool) -> Iterator[None]:
        from psycopg import Error

        pool = self._get_pool()
        connection = self._begin(pool, begin, with_lock)
        is_ending = False
        self._connection = connection
        try:
            yield
            is_ending = True
            connection.execute("COMMIT")
        except BaseException as problem:
            _roll_back(connection)
            if isinstance(problem, Error):
                raise explain_error(problem, self.url, is_ending=is_ending) from problem
            raise
        finally:
            self._connection = None
            pool.give_back(connection)

    def _begin(self, pool: TenantPool, begin: str, with_lock: bool) -> Connection[Any]:
        """A connection in a transaction. Those that the server closed while they lay idle are passed over."""
        from psycopg import Error

        for left in reversed(range(pool.asked.pool_size + 1)):
            connection = pool.take(self.tenant)
            try:
                connection.execute(begin)
                if with_lock:
                    connection.execute(LOCK, (self.tenant,))
                return connection
            except Error as problem:
                _roll_back(connection)
                pool.give_back(connection)
                if not _is_lost(problem) or not left:
                    raise explain_error(problem, self.url) from problem
        raise AssertionError("the last attempt answers or fails")

    def _get_pool(self) -> TenantPool:
        if self._pool is None:
            raise StoreError("this database was closed")
        return self._pool

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        from psycopg import Error

        try:
            yield
        except Error as problem:
            raise explain_error(problem, self.url) from problem


def hear(db: Database, wake: Callable[[], None], stopping: threading.Event) -> None:
    """Call `wake` for whatever is new to a tenant, until told to stop; a server that goes away is asked for again."""
    assert isinstance(db, Postgres)
    while not stopping.is_set():
        try:
            with db.listening() as wait:
                while not stopping.is_set():
                    if wait(HEARD_SECONDS):
                        wake()
        except StoreError:
            stopping.wait(HEARD_SECONDS)


HEARD_SECONDS = 1.0
Fetched = tuple[list[str], list[tuple[Any, ...]], int]
COLUMNS = """SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped
AND attname NOT IN ('tenant_id', 'is_indexed') ORDER BY attnum"""
VACUUMED = """SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = 'nous'::regnamespace AND relkind = 'r'
AND (pg_has_role(relowner, 'USAGE') OR CASE WHEN current_setting('server_version_num')::int >= 170000
    THEN has_table_privilege(oid, 'MAINTAIN') ELSE false END)"""
# What SQLite keeps inside its files and indexes.
OWN_TABLES = frozenset(
    ("schema_version", "log_heights", "memories_fts", "memory_words", "exchanges_fts", "exchange_words")
)
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('nous:' || %s::text, 0))"


def _ask(connection: Connection[Any], query: Spelled, given: dict[str, Any]) -> Fetched:
    cursor = connection.execute(query.sql, given, binary=True)
    if cursor.description is None:
        return [], [], cursor.rowcount
    columns, rows = [column.name for column in cursor.description], cursor.fetchall()
    if query.has_tenant:
        columns, rows = _without_tenant(columns, rows)
    return columns, rows, cursor.rowcount


def _without_tenant(columns: list[str], rows: list[tuple[Any, ...]]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """`SELECT *` means what a row says, not whose it is."""
    if "tenant_id" not in columns:
        return columns, rows
    at = columns.index("tenant_id")
    return columns[:at] + columns[at + 1 :], [row[:at] + row[at + 1 :] for row in rows]


def _roll_back(connection: Connection[Any]) -> None:
    from psycopg import Error

    with suppress(Error):
        if not connection.closed:
            connection.execute("ROLLBACK")


class TenantPool:
    """Connections of one process to one database, and which tenant each is set to."""

    def __init__(self, asked: DatabaseUrl, readonly: bool):
        from psycopg_pool import ConnectionPool

        self.asked = asked
        self.users = 0
        self._tenants: WeakKeyDictionary[Connection[Any], str] = WeakKeyDictionary()
        self._pool: ConnectionPool[Any] = ConnectionPool(
            _with_settings(asked.url, readonly),
            min_size=0,
            max_size=asked.pool_size,
            timeout=asked.pool_timeout,
            max_idle=300,
            reconnect_timeout=5,
            kwargs={"autocommit": True},
            configure=_configure,
            open=True,
        )

    def take(self, tenant: str) -> Connection[Any]:
        """A connection that sees the rows of one tenant."""
        from psycopg import Error
        from psycopg_pool import PoolTimeout

        for _ in range(self.asked.pool_size + 1):
            try:
                connection: Connection[Any] = self._pool.getconn()
            except PoolTimeout:
                break
            if self._tenants.get(connection) == tenant:
                return connection
            try:
                connection.execute("SELECT set_config('nous.tenant', %s, false)", (tenant,))
            except Error:
                self._pool.putconn(connection)  # the server closed it while it lay idle
                continue
            self._tenants[connection] = tenant
            return connection
        raise self._why_none()

    def give_back(self, connection: Connection[Any]) -> None:
        """It may serve others; a broken one is thrown away."""
        self._pool.putconn(connection)

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    def _why_none(self) -> StoreError:
        """Why no connection is to be had: the server is gone, or all of them are in use."""
        try:
            with _connect(self.asked.url):
                pass
        except StoreError as problem:
            return problem
        said = f"all {self.asked.pool_size} connections to {mask_password(self.asked.url)} are busy"
        return StoreUnavailable(said, hint="allow more of them: add ?pool_size=20 to the URL of the database")


_pools: dict[tuple[DatabaseUrl, bool], TenantPool] = {}
_pools_lock = threading.Lock()


def _open_pool(asked: DatabaseUrl, readonly: bool) -> TenantPool:
    """The pool that all tenants of one database share in this process."""
    key = (asked._replace(tenant=""), readonly)
    with _pools_lock:
        if key not in _pools:
            _check_schema(asked.url, readonly)
            _pools[key] = TenantPool(key[0], readonly)
        _pools[key].users += 1
        return _pools[key]


def _leave_pool(pool: TenantPool) -> None:
    with _pools_lock:
        pool.users -= 1
        if pool.users:
            return
        for key in [key for key, known in _pools.items() if known is pool]:
            del _pools[key]
    pool.close()


def _with_settings(url: str, readonly: bool = False) -> str:
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    try:
        found = conninfo_to_dict(url)
    except ProgrammingError as problem:
        raise ConfigError(f"this is no URL of a database: {str(problem).strip()}") from None
    chosen = SETTINGS | ({"default_transaction_read_only": "on"} if readonly else {})
    ours = " ".join(f"-c {name}={value}" for name, value in chosen.items())
    found["options"] = f"{found.get('options') or ''} {ours}".strip()
    return make_conninfo("", **({"connect_timeout": "10", "application_name": "nous"} | found))


def _configure(connection: Connection[Any]) -> None:
    """What every connection gets once: how values travel, and a role that sees the rows of one tenant only."""
    from nous.teams.postgres.values import register

    register(connection)
    _drop_powers(connection)


def _drop_powers(connection: Connection[Any]) -> None:
    """Work as `nous_app` where that can be; never as a role that row-level security does not hold."""
    from psycopg import Error

    with suppress(Error):
        connection.execute(f"SET ROLE {APP_ROLE}")
        return
    row = connection.execute(
        "SELECT current_user, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    if row and row[1]:
        hint = f"connect as a role without BYPASSRLS, made with `CREATE ROLE somebody LOGIN IN ROLE {APP_ROLE}`"
        raise StoreError(f"{row[0]} sees the rows of every tenant", hint=hint)


def prepare(url: str) -> int:
    """Make the schema in an empty database, or bring it up to date; the version it has then.

    By a role that may create schemas, extensions and roles. Others only need `nous_app`.
    """
    from psycopg import Error, errors

    _driver()
    newest = migrations("postgres")[-1][0]
    try:
        with _connect(url) as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('nous schema', 0))")
            _lay_foundations(connection)
            [version] = connection.execute("SELECT version FROM nous.schema_version").fetchone() or (0,)
            if version > newest:
                raise SchemaTooNew(f"{mask_password(url)} has schema {version}, this Nous knows {newest}")
            for number, script in migrations("postgres"):
                if number > version:
                    connection.execute(script.encode())
            connection.execute("SELECT nous.guard()")
            connection.execute("UPDATE nous.schema_version SET version = %s", (newest,))
    except errors.InsufficientPrivilege as problem:
        hint = "open it once with a role that may create schemas, extensions and roles"
        raise StoreError(f"this role may not prepare {mask_password(url)}: {_first_line(problem)}", hint=hint) from None
    except errors.FeatureNotSupported as problem:
        raise StoreError(
            f"{mask_password(url)} has no pgvector: {_first_line(problem)}",
            hint="install pgvector 0.7 or newer on its server",
        ) from None
    except Error as problem:
        raise explain_error(problem, url) from problem
    return newest


FOUNDATIONS = (
    "CREATE SCHEMA IF NOT EXISTS nous",
    "CREATE EXTENSION IF NOT EXISTS vector SCHEMA public",
    "CREATE TABLE IF NOT EXISTS nous.schema_version (version integer NOT NULL)",
    "INSERT INTO nous.schema_version SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM nous.schema_version)",
)
ROLE = f"CREATE ROLE {APP_ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE"


def _lay_foundations(connection: Connection[Any]) -> None:
    from psycopg import errors

    for command in FOUNDATIONS:
        connection.execute(command)
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (APP_ROLE,)).fetchone() is None:
        # Without the right to make roles the owner works itself; forced row-level security holds for owners too.
        with suppress(errors.InsufficientPrivilege, errors.UniqueViolation), connection.transaction():
            connection.execute(ROLE)


def _check_schema(url: str, readonly: bool) -> None:
    """The database has the schema this Nous knows, or gets it; and the role that opened it may work there."""
    from psycopg import errors

    newest = migrations("postgres")[-1][0]
    with _connect(url) as connection:
        try:
            [version] = connection.execute("SELECT version FROM nous.schema_version").fetchone() or (0,)
        except (errors.UndefinedTable, errors.InvalidSchemaName):
            version = 0
        except errors.InsufficientPrivilege:
            hint = f"as its owner: GRANT {APP_ROLE} TO that role"
            raise StoreError(f"this role may not use the memory in {mask_password(url)}", hint=hint) from None
    if version > newest:
        raise SchemaTooNew(f"{mask_password(url)} has schema {version}, this Nous knows {newest}")
    if version < newest and readonly:
        raise StoreUnavailable(f"{mask_password(url)} has schema {version}, this Nous needs {newest}")
    if version < newest:
        prepare(url)
    with _connect(url) as connection:
        _drop_powers(connection)


@contextmanager
def _connect(url: str) -> Iterator[Connection[Any]]:
    """A connection of its own, with a sentence where there is none."""
    import psycopg

    try:
        connection = psycopg.connect(_with_settings(url), autocommit=True)
    except psycopg.Error as problem:
        raise explain_error(problem, url) from problem
    with connection:
        yield connection


def _driver() -> None:
    """psycopg and its pool come with an extra."""
    try:
        import psycopg
        import psycopg_pool
    except ImportError as problem:
        hint = "pip install '.[postgres]'"
        raise ConfigError(f"PostgreSQL needs psycopg: {problem}", hint=hint) from None
    assert psycopg and psycopg_pool


def _is_lost(problem: Exception) -> bool:
    """Whether the connection is gone, and not only a statement refused."""
    from psycopg import OperationalError

    state = getattr(problem, "sqlstate", None)
    return isinstance(problem, OperationalError) and (state is None or state[:2] == "08" or state[:4] == "57P0")


def explain_error(problem: Exception, url: str, *, is_ending: bool = False) -> StoreError:
    """One sentence a person can act on."""
    from psycopg import errors

    where, said = mask_password(url), _first_line(problem)
    match problem:
        case errors.LockNotAvailable() | errors.QueryCanceled():
            return StoreUnavailable(f"{where} is held by another process for too long")
        case errors.DiskFull():
            return StoreUnavailable(f"the disk of {where} is full; nothing was written")
        case errors.TooManyConnections():
            return StoreUnavailable(f"{where} takes no more connections", hint="raise its max_connections")
        case errors.InvalidPassword() | errors.InvalidAuthorizationSpecification():
            return StoreUnavailable(f"{where} does not let this role in: {said}")
        case errors.InvalidCatalogName():
            return StoreUnavailable(f"{where} is not there: {said}", hint="make it with createdb")
        case errors.ReadOnlySqlTransaction():
            return StoreUnavailable(f"{where} can only be read")
        case _ if _is_lost(problem) and is_ending:
            return StoreUnavailable(f"{where} was lost at the end of a change; asking again shows whether it was kept")
        case _ if _is_lost(problem):
            return StoreUnavailable(f"{where} cannot be reached: {said}; nothing was changed")
        case _:
            return StoreError(f"the database refused: {said}")


def _first_line(problem: Exception) -> str:
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0]
