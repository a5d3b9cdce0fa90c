"""The modules of a project with what is known about them: memories, files that none speaks of, hot spots."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable

import msgspec

from nous.core.memory import Memory
from nous.stores.code import Code
from nous.stores.database import Row

TRAPS = frozenset({"gotcha", "error_pattern", "dead_end"})
MOST_FILES = 5


class ModuleCard(msgspec.Struct, frozen=True):
    """A directory of a project: what it holds, and what is known about it.

    `coverage` is the share of its files that a memory speaks of; `heat` rises with warnings about it and with the
    number of files that hang on it.
    """

    path: str
    files: int
    symbols: int
    memories: int
    traps: int
    coverage: float
    importers: int
    heat: float
    busiest: tuple[str, ...] = ()


def module_of(path: str) -> str:
    """The module that a file belongs to: its directory."""
    return posixpath.dirname(path) or "."


def modules(memories: Iterable[Memory], code: Code | None) -> list[ModuleCard]:
    """Every directory with code or memories, the hottest first."""
    about: dict[str, list[Memory]] = defaultdict(list)
    for memory in memories:
        for file in {one.removeprefix("./") for one in memory.files if not one.startswith(("/", ".."))}:
            about[file].append(memory)
    rows = {row["path"]: row for row in code.by_file()} if code else {}
    folders: dict[str, set[str]] = defaultdict(set)
    for path in (*rows, *about):
        folders[module_of(path)].add(path)
    cards = [_card(folder, paths, rows, about) for folder, paths in folders.items()]
    return sorted(cards, key=lambda card: (-card.heat, -card.memories, card.path))


def _card(folder: str, paths: set[str], rows: dict[str, Row], about: dict[str, list[Memory]]) -> ModuleCard:
    known = {memory.id: memory for path in paths for memory in about.get(path, ())}
    traps = sum(memory.type in TRAPS for memory in known.values())
    importers = sum(_number(rows, path, "importers") for path in paths)
    spoken = sorted((path for path in paths if path in about), key=lambda path: (-len(about[path]), path))
    return ModuleCard(
        path=folder,
        files=len(paths),
        symbols=sum(_number(rows, path, "symbols") for path in paths),
        memories=len(known),
        traps=traps,
        coverage=round(len(spoken) / len(paths), 3),
        importers=importers,
        heat=round(traps * (1 + importers**0.5), 2),
        busiest=tuple(spoken[:MOST_FILES]),
    )


def _number(rows: dict[str, Row], path: str, name: str) -> int:
    return int(rows[path][name]) if path in rows else 0
