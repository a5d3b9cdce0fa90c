"""The code graph of a work tree: a file of its own per tree, which can be thrown away and made again.

It is no part of the memory: not in the log, not in backups, and its many writes never keep the memory's writer waiting.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import Any

import msgspec

from nous.core.code import Binding, Definition
from nous.core.code.resolve import FileView
from nous.errors import Damaged, StoreError, StoreUnavailable
from nous.identity import identify
from nous.stores.database import Row, like
from nous.stores.sqlite import Sqlite
from nous.stores.store import Store

FOLDER = "code"
VERSION = 2  # of the schema and of what the reader finds; another one is made anew
TREE, PROJECT, STATE, READER, INDEXED_AT, WATCHED = "tree", "project", "state", "reader", "indexed_at", "watched"
INDEXING, READY = "indexing", "ready"


def code_file(data_dir: str, tree: str) -> str:
    """Where the graph of a work tree lies."""
    name = blake2b(os.path.realpath(tree).encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()
    return os.path.join(data_dir, FOLDER, f"{name}.db")


def open_code(data_dir: str, tree: str, *, readonly: bool = False) -> Code | None:
    """The graph of a work tree; when it is only read and there is none, None."""
    path = code_file(data_dir, tree)
    if not readonly:
        return Code(_CodeFile(path))
    found = _readable(path) if os.path.exists(path) else None
    if found and found.db.connection.pragma("user_version") != VERSION:
        found.close()
        return None
    return found


def _readable(path: str) -> Code | None:
    """A graph to be read; None when it is no database, which is then removed, or cannot be opened now."""
    try:
        return Code(_CodeFile(path, readonly=True))
    except Damaged:
        drop_file(path)
    except StoreUnavailable:
        pass
    return None


def all_trees(data_dir: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Every graph that is kept, and what is said of it."""
    folder = os.path.join(data_dir, FOLDER)
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.endswith(".db") and (graph := _readable(os.path.join(folder, name))):
            facts = graph.facts()
            graph.close()
            yield os.path.join(folder, name), facts


def forget_code(data_dir: str, project_id: str | None, words: str | None) -> list[str]:
    """Remove the graphs of a project's work trees, and those that hold some words; the files that are gone."""
    gone = [path for path, facts in all_trees(data_dir) if project_id and _is_of(facts, project_id, data_dir)]
    folder = os.path.join(data_dir, FOLDER)
    for name in os.listdir(folder) if words and os.path.isdir(folder) else ():
        with open(os.path.join(folder, name), "rb") as file:
            if words and words.lower().encode() in file.read().lower():
                gone.append(os.path.join(folder, name.removesuffix("-wal").removesuffix("-shm")))
    for path in dict.fromkeys(gone):
        drop_file(path)
    return gone


def _is_of(facts: dict[str, str], project_id: str, data_dir: str) -> bool:
    """Whether a graph is of a project, also of one that was renamed since."""
    return facts.get(PROJECT) == project_id or (TREE in facts and identify(facts[TREE], data_dir).id == project_id)


def drop_file(path: str) -> None:
    """Remove one graph."""
    for end in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.unlink(path + end)


class _CodeFile(Sqlite):
    """A database with a schema of its own. One of another version is emptied: everything in it can be made again.

    Whoever only reads one that is damaged or not made yet is told nothing, and a damaged file goes: no memory may wait
    for it.
    """

    def __init__(self, path: str, *, readonly: bool = False):
        self.is_damaged = False
        self.readonly = readonly
        super().__init__(path, readonly=readonly)
        self.opened = os.stat(path)

    def all(self, name: str, /, **values: Any) -> list[Row]:
        with self._unless_damaged():
            return super().all(name, **values)
        return []

    def each(self, name: str, /, **values: Any) -> Iterator[tuple[Any, ...]]:
        with self._unless_damaged():
            yield from super().each(name, **values)

    @contextmanager
    def _unless_damaged(self) -> Iterator[None]:
        try:
            yield
        except StoreError as problem:
            self.is_damaged |= isinstance(problem, Damaged)
            if not self.readonly:
                raise

    def close(self) -> None:
        super().close()
        with suppress(FileNotFoundError):
            if self.is_damaged and os.path.samestat(os.stat(self.path), self.opened):  # and not one made anew since
                drop_file(self.path)

    def _migrate(self, readonly: bool) -> None:
        version = self.connection.pragma("user_version")
        if version == VERSION or readonly:
            return
        with self.transaction():
            for [name] in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                self.connection.execute(f"DROP TABLE {name}").fetchall()
            self.connection.execute(self._statement("code.schema")).fetchall()
            self.connection.execute(f"PRAGMA user_version = {VERSION}").fetchall()


class Code(Store):
    """Files, symbols, imports and references of one work tree."""

    db: _CodeFile

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()

    @property
    def is_damaged(self) -> bool:
        """Whether something was asked that the file could not tell any more."""
        return self.db.is_damaged

    # -- what is said of the graph ----------------------------------------------------------------------------------

    def facts(self) -> dict[str, str]: ...

    def say(self, **facts: str) -> None:
        """Note facts about the graph."""
        for name, value in facts.items():
            self.db.run("code.put_fact", name=name, value=value)

    def sizes(self) -> dict[str, int]:
        """How much there is of everything."""
        return self.db.one("code.sizes") or {}

    # -- writing ----------------------------------------------------------------------------------------------------

    def hashes(self) -> dict[str, tuple[int, str]]: ...

    def put_file(self, path: str, language: str, hash: str, lines: int, is_broken: bool) -> int:
        """Note a file; its number."""
        row = self.db.one(
            "code.put_file", path=path, language=language, hash=hash, lines=lines, is_broken=int(is_broken)
        )
        assert row is not None
        return int(row["file_id"])

    def last_symbol(self) -> int: ...
    def add_symbols(self, rows: Iterable[Sequence[object]]) -> None: ...
    def drop_symbols(self, ids: Iterable[int]) -> None: ...
    def add_imports(self, rows: Iterable[Sequence[object]]) -> None: ...
    def add_refs(self, rows: Iterable[Sequence[object]]) -> None: ...

    def clear_file(self, file_id: int) -> None:
        """Forget what a file imports and names; its symbols stay."""
        self.db.run("code.drop_imports", file_id=file_id)
        self.db.run("code.drop_refs", file_id=file_id)

    def drop_file(self, file_id: int) -> None:
        """Forget a file; its symbols are forgotten by their numbers."""
        self.clear_file(file_id)
        self.db.run("code.drop_file", file_id=file_id)

    def named_refs(self, names: Iterable[str]) -> list[Row]: ...
    def other_names(self, names: Iterable[str]) -> set[str]: ...
    def refs_of_files(self, paths: Iterable[str]) -> list[Row]: ...
    def all_imports(self) -> list[Row]: ...
    def point_imports(self, rows: Iterable[tuple[str | None, int]]) -> None: ...
    def aim(self, rows: Iterable[tuple[int, int]]) -> None: ...

    def without_indexes(self) -> list[str]:
        """Drop the indexes before very much is written; the statements that make them again."""
        asked = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        made = [(str(name), str(sql)) for name, sql in self.db.connection.execute(asked).fetchall()]
        for name, _ in made:
            self.db.connection.execute(f"DROP INDEX {name}").fetchall()
        return [sql for _, sql in made]

    def make_indexes(self, statements: Iterable[str]) -> None:
        """Make indexes again."""
        for sql in statements:
            self.db.connection.execute(sql).fetchall()

    # -- reading ----------------------------------------------------------------------------------------------------

    def paths(self) -> list[str]: ...
    def file(self, path: str) -> Row | None: ...

    def files_like(self, path: str) -> list[str]:
        """Files whose path ends with the parts of another."""
        ending = "%/" + like(path)[1:-1]
        return [row["path"] for row in self.db.all("code.files_like", path=path, ending=ending)]

    def path_of(self, file_id: int) -> str: ...

    def view(self, path: str) -> FileView | None:
        """What has to be known of a file to find names in it."""
        row = self.file(path)
        if row is None:
            return None
        view = FileView(path, row["language"])
        number = row["file_id"]
        for symbol in self.symbols_of(number):
            view.define(symbol["symbol_id"], symbol["path"], symbol["kind"])
        view.bind(Binding(**one) for one in self.imports_of(number))
        for one in self.db.all("code.bases_of", file_id=number):
            view.bases.setdefault(one["within"], []).append(one["path"])
        return view

    def imports_of(self, file_id: int) -> list[Row]: ...
    def symbols_of(self, file_id: int) -> list[Row]: ...
    def symbols_in(self, file: str) -> list[Row]: ...
    def symbols_named(self, name: str, limit: int = 100) -> list[Row]: ...

    def symbols_like(self, part: str, limit: int = 100) -> list[Row]:
        """Symbols whose name or path contains something."""
        return self.db.all("code.symbols_like", pattern=like(part), limit=limit)

    def symbols_by_id(self, ids: Iterable[int]) -> dict[int, Row]:
        """Symbols by their numbers."""
        rows = self.db.all("code.symbols_by_id", ids=msgspec.json.encode(list(ids)).decode())
        return {row["symbol_id"]: row for row in rows}

    def pointing_at(self, ids: Iterable[int], limit: int) -> list[Row]: ...
    def maybe_calling(self, name: str, limit: int) -> list[Row]: ...
    def how_many_maybe(self, name: str) -> int: ...
    def importers(self, path: str, name: str = "") -> list[str]: ...


def definition_rows(
    numbers: Iterable[int], file_id: int, definitions: Iterable[Definition]
) -> Iterator[tuple[object, ...]]:
    """Definitions as rows."""
    for number, one in zip(numbers, definitions, strict=True):
        yield number, file_id, one.name, one.path, one.kind, one.line, one.end
