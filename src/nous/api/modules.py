"""The map: the folders that memories speak of, how much is known of each, and where the traps are."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from nous.api.asking import PagedNow, paged, place, project_of
from nous.app import Nous
from nous.errors import NousError

TRAPS = frozenset({"gotcha", "error_pattern", "dead_end", "e2e_observation"})
MOST_FILES = 3


class Touched(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A piece of code."""

    target: Annotated[str, Meta(min_length=1, description="a file, a symbol, or both as path/to/file.py:Class.method")]
    project: Annotated[str, Meta(min_length=1, description="the project, by its id or a path in it")]
    depth: Annotated[int, Meta(ge=1, le=10, description="how many steps from the target")] = 3


class _Module:
    """What was counted of one folder of one project."""

    def __init__(self) -> None:
        self.sources = 0
        self.memories: set[int] = set()
        self.traps: set[int] = set()
        self.files: Counter[str] = Counter()
        self.last_at = ""


def modules(nous: Nous, asked: PagedNow) -> dict[str, Any]:
    """Folders with memories, those with most traps and memories first."""
    counted: dict[tuple[str, str], _Module] = {}
    for row in nous.stores.browse.files(project_of(nous, asked)):
        module = counted.setdefault((row["project_id"], os.path.dirname(row["file"])), _Module())
        module.memories.add(row["id"])
        module.files[row["file"]] += 1
        module.last_at = max(module.last_at, row["at"])
        if row["type"] in TRAPS:
            module.traps.add(row["id"])
    for project, folder, sources in _indexed(nous, project_of(nous, asked)):
        counted.setdefault((project, folder), _Module()).sources = sources
    ordered = sorted(counted.items(), key=lambda pair: (-len(pair[1].traps), -len(pair[1].memories), pair[0]))
    start = (place(asked.cursor, tuple[int]) or (0,))[0]
    numbered = list(enumerate(ordered, 1))[start : start + asked.limit + 1]
    page, following = paged(numbered, asked.limit, lambda pair: (pair[0],))
    items = [_fields(project, name, module) for _, ((project, name), module) in page]
    return {"items": items, "next": following, "total": len(ordered)}


def _indexed(nous: Nous, project_id: str | None) -> Iterator[tuple[str, str, int]]:
    """How many files with code each folder of the indexed projects holds."""
    for tree, project in nous.code.trees().items():
        if project_id in (None, project):
            with suppress(NousError), nous.code.reading(tree) as code:
                yield from ((project, *found) for found in Counter(map(os.path.dirname, code.paths())).items())


def _fields(project: str, name: str, module: _Module) -> dict[str, Any]:
    return {
        "project_id": project,
        "module": name,
        "memories": len(module.memories),
        "traps": len(module.traps),
        "known_files": len(module.files),
        "files": max(module.sources, len(module.files)) if module.sources else None,
        "hotspots": [{"file": file, "memories": count} for file, count in module.files.most_common(MOST_FILES)],
        "last_at": module.last_at,
    }


def impact(nous: Nous, asked: Touched) -> dict[str, Any]:
    """Who calls, extends and imports a piece of code, and who may."""
    known = nous.project(asked.project)
    root = nous.stores.cache.root(known.id) or known.root
    told: dict[str, Any] = msgspec.to_builtins(nous.code.impact(asked.target, depth=asked.depth, path=root))
    return told
