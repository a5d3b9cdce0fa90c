"""What a driver must offer, and the SQL that all drivers share.

SQL stands in `.sql` files beside the Python that names it. A statement begins with `-- name: append`, followed by
`@sqlite` or `@postgres` where the two engines spell it differently, and perhaps `: ` and what it is for.
What several share stands before them as `-- part: passes`, and `-- include: passes` puts it there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from nous.errors import StoreError

Row = dict[str, Any]
# Where statements stand: beside the store that names them.
STATEMENTS = ("kernel/*.sql", "kernel/*/*.sql", "features/*/*.sql", "providers/*.sql", "teams/*.sql")
EVERY = 2**31  # a limit that limits nothing

_INCLUDE = re.compile(r"^-- include: *(\w+) *$", re.M)
_HEADER = re.compile(r"^-- (name|part): *(\w+) *(?:@(\w+))? *(?::.*)?$", re.M)


class Database(Protocol):
    """A few verbs over named statements; a second engine is one more file that has them."""

    dialect: str

    def one(self, name: str, /, **values: Any) -> Row | None:
        """The first row, or None."""
        ...

    def all(self, name: str, /, **values: Any) -> list[Row]:
        """Every row."""
        ...

    def each(self, name: str, /, **values: Any) -> Iterator[tuple[Any, ...]]:
        """Rows as plain tuples, one at a time, for long reads."""
        ...

    def run(self, name: str, /, **values: Any) -> int:
        """Execute; how many rows it changed."""
        ...

    def many(self, name: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Execute once per row; values in the order the statement first names them."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing, one writer at a time; may be nested."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Everything read inside belongs to one moment; writers are not kept waiting."""
        ...

    def tables(self) -> list[str]:
        """Every table that the schema names, but those of text indexes."""
        ...

    def table_rows(self, table: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Every column of a table, and every row; to be carried to another database."""
        ...

    def put_rows(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> int:
        """Put rows into a table as they are, with their numbers; how many."""
        ...

    def tidy(self) -> None:
        """Let nothing stay behind of rows that were deleted, as far as that can be asked for."""
        ...

    def health(self) -> str:
        """`ok`, or what is wrong with the database."""
        ...

    def close(self) -> None: ...


@cache
def statements(dialect: str) -> dict[str, str]:
    """Every named statement for one engine: `events.append` -> SQL."""
    found: dict[str, str] = {}
    home = Path(str(files("nous")))
    for pattern in STATEMENTS:
        for file in home.glob(pattern):
            found |= _parse(file.stem, file.read_text("utf-8"), dialect)
    return found


def _parse(group: str, text: str, dialect: str) -> dict[str, str]:
    pieces = _HEADER.split(text)[1:]
    found: dict[str, str] = {}
    parts: dict[str, str] = {}
    for what, name, engine, body in zip(pieces[::4], pieces[1::4], pieces[2::4], pieces[3::4], strict=True):
        if engine not in (None, dialect):
            continue
        whole = _INCLUDE.sub(lambda part: parts[part[1]], body.strip())
        sql = re.sub(r"^--.*\n", "", whole, flags=re.M).rstrip(";")
        if what == "part":
            parts[name] = sql
        else:
            found[f"{group}.{name}"] = sql
    return found


def statement(dialect: str, name: str) -> str:
    """The SQL of one named statement."""
    try:
        return statements(dialect)[name]
    except KeyError:
        raise StoreError(f"there is no statement {name!r} for {dialect}") from None


def like(text: str) -> str:
    """A LIKE pattern (with `\\` as its escape) for rows that contain a text."""
    return "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


def is_file(url: str) -> bool:
    """Whether a database is a file, and not a tenant on a server."""
    return "://" not in url


def migrations(dialect: str) -> list[tuple[int, str]]:
    """The numbered schema steps for one engine, in order."""
    steps = []
    for file in (files("nous.kernel.db") / "migrations").iterdir():
        if file.name.endswith(f".{dialect}.sql"):
            steps.append((int(file.name.split("_")[0]), file.read_text("utf-8")))
    if len({number for number, _ in steps}) < len(steps):  # a database that had one would never get the other
        raise StoreError("two migrations have the same number: give the later one the next free number")
    return sorted(steps)
