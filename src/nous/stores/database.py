"""What a driver must offer, and the SQL that all drivers share.

SQL stands in `.sql` files beside the Python that names it. A statement begins with `-- name: append`, followed by
`@sqlite` or `@postgres` where the two engines spell it differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

from nous.errors import StoreError

Row = dict[str, Any]
EVERY = 2**31  # a limit that limits nothing

_HEADER = re.compile(r"^-- name: *(\w+) *(?:@(\w+))? *$", re.M)


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

    def health(self) -> str:
        """`ok`, or what is wrong with the database."""
        ...

    def close(self) -> None: ...


@cache
def statements(dialect: str) -> dict[str, str]:
    """Every named statement for one engine: `events.append` -> SQL."""
    found: dict[str, str] = {}
    for file in files("nous.stores").iterdir():
        if file.name.endswith(".sql"):
            found |= _parse(file.name.removesuffix(".sql"), file.read_text("utf-8"), dialect)
    return found


def _parse(group: str, text: str, dialect: str) -> dict[str, str]:
    pieces = _HEADER.split(text)[1:]
    found = {}
    for name, engine, body in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        if engine in (None, dialect):
            found[f"{group}.{name}"] = re.sub(r"^--.*\n", "", body.strip(), flags=re.M).rstrip(";")
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


def migrations(dialect: str) -> list[tuple[int, str]]:
    """The numbered schema steps for one engine, in order."""
    steps = []
    for file in (files("nous.stores") / "migrations").iterdir():
        if file.name.endswith(f".{dialect}.sql"):
            steps.append((int(file.name.split("_")[0]), file.read_text("utf-8")))
    return sorted(steps)
