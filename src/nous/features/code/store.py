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

from nous.errors import Damaged, StoreError, StoreUnavailable
from nous.features.code.model import Outline
from nous.identity import identify
from nous.kernel.db.database import Row, like
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.db.store import Store

FOLDER = "code"
_outline = msgspec.msgpack.Decoder(Outline)
VERSION = 2  # of the schema and of what the reader finds; another one is made anew
TREE, PROJECT, STATE, INDEXED_AT, WATCHED = "tree", "project", "state", "indexed_at", "watched"
INDEXING, READY = "indexing", "ready"
STALE = "stale"  # a file changed since it was said what names lead to


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

    def _refuse_foreign(self) -> None:
        """Nobody chooses where this file lies, and one of another shape is made again."""

    def _migrate(self, readonly: bool) -> None:
        version = self.connection.pragma("user_version")
        if version == VERSION or readonly:
            return
        with self.transaction():
            for [name] in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                self.connection.execute(f"DROP TABLE {name}").fetchall()
            self.connection.execute(self._statement("code.schema")).fetchall()
            self.connection.execute(f"PRAGMA user_version = {VERSION}").fetchall()


class Code(Store, group="code"):
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

    def put_file(self, path: str, hash: str, lines: int, outline: Outline) -> None:
        """Keep what a file holds, in the place of what it held."""
        row = self.db.one(
            "code.put_file",
            path=path,
            language=outline.language,
            hash=hash,
            lines=lines,
            is_broken=int(outline.is_broken),
            outline=msgspec.msgpack.encode(outline),
        )
        assert row is not None
        number = int(row["file_id"])
        self.db.run("code.drop_symbols", file_id=number)
        rows = ((number, one.name, one.path, one.kind, one.line, one.end) for one in outline.definitions)
        self.db.many("code.add_symbols", rows)

    def drop_file(self, file_id: int) -> None:
        """Forget a file and its symbols; what leads to them is forgotten with the next look at all references."""
        self.db.run("code.drop_symbols", file_id=file_id)
        self.db.run("code.drop_file", file_id=file_id)

    def outlines(self) -> Iterator[tuple[int, str, Outline]]:
        """What every file holds."""
        for file_id, path, raw in self.db.each("code.outlines"):
            yield file_id, path, _outline.decode(raw)

    def symbol_numbers(self) -> dict[int, list[int]]:
        """The numbers of each file's symbols, in their order."""
        found: dict[int, list[int]] = {}
        for file_id, number in self.db.each("code.symbol_numbers"):
            found.setdefault(file_id, []).append(number)
        return found

    def clear_references(self) -> None:
        """Forget what everything imports and names."""
        self.db.run("code.clear_imports")
        self.db.run("code.clear_refs")

    def add_imports(self, rows: Iterable[Sequence[object]]) -> None: ...
    def add_refs(self, rows: Iterable[Sequence[object]]) -> None: ...

    # -- reading ----------------------------------------------------------------------------------------------------

    def paths(self) -> list[str]: ...

    def files_like(self, path: str) -> list[str]:
        """Files whose path ends with the parts of another."""
        ending = "%/" + like(path)[1:-1]
        return [row["path"] for row in self.db.all("code.files_like", path=path, ending=ending)]

    def path_of(self, file_id: int) -> str: ...
    def symbols_in(self, file: str) -> list[Row]: ...
    def symbols_named(self, name: str, limit: int = 100) -> list[Row]: ...

    def symbols_by_id(self, ids: Iterable[int]) -> dict[int, Row]:
        """Symbols by their numbers."""
        rows = self.db.all("code.symbols_by_id", ids=msgspec.json.encode(list(ids)).decode())
        return {row["symbol_id"]: row for row in rows}

    def pointing_at(self, ids: Iterable[int], limit: int) -> list[Row]: ...
    def maybe_calling(self, name: str, limit: int) -> list[Row]: ...
    def how_many_maybe(self, name: str) -> int: ...
    def importers(self, path: str, name: str = "") -> list[str]: ...
