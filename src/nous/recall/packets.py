"""What may be shown, prepared before anybody asks: entries per project and branch, and per file."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable

import msgspec

from nous.core.memory import Memory
from nous.core.packing import Entry
from nous.core.worth import entries, entry, is_injectable
from nous.identity import context_key, file_key
from nous.stores import Stores

ANYWHERE = ""
POOL = 200
WARNING_TYPES = frozenset({"gotcha", "error_pattern", "dead_end", "requirement", "decision", "module_insight", "fact"})


def warm(stores: Stores, project_id: str, now: str) -> int:
    """Prepare a project's entries anew; for how many contexts."""
    memories = stores.memories.visible(project_id)
    version = stores.events.last_id()
    contexts = {ANYWHERE, *_branches(stores, project_id)}
    with stores.db.transaction():
        stores.cache.drop_project(project_id)
        for branch in sorted(contexts):
            pool = entries(memories, now, branch, POOL)
            _put(stores, context_key(project_id, branch), project_id, branch, pool, version, now)
        for name, warnings in _by_file(memories, now).items():
            _put(stores, file_key(project_id, name), project_id, ANYWHERE, warnings, version, now)
    return len(contexts)


def _branches(stores: Stores, project_id: str) -> list[str]:
    """The branch the project was last seen on, and those with memories of their own."""
    seen = next((row["branch"] for row in stores.cache.projects() if row["project_id"] == project_id), None)
    return [*stores.cache.branches(project_id), *([seen] if seen else [])]


def _by_file(memories: Iterable[Memory], now: str) -> dict[str, list[Entry]]:
    """Warnings under the last part of the file's name."""
    found: dict[str, list[Entry]] = defaultdict(list)
    for memory in memories:
        if memory.files and memory.type in WARNING_TYPES and is_injectable(memory, now, ANYWHERE):
            for name in sorted({os.path.basename(file) for file in memory.files}):
                found[name].append(entry(memory, now))
    return found


def warm_all(stores: Stores, now: str, projects: frozenset[str] | None = None) -> int:
    """Prepare the given projects, or all, and what holds in places Nous does not know.

    When what holds everywhere has changed, every project is prepared: it is part of each.
    """
    before = _numbers(stores)
    made = warm(stores, ANYWHERE, now)
    known = [row["project_id"] for row in stores.cache.projects()]
    everywhere = projects is None or _numbers(stores) != before
    return made + sum(warm(stores, project, now) for project in known if everywhere or project in (projects or ()))


def _numbers(stores: Stores) -> list[int]:
    """The memories that hold everywhere, as they were last prepared."""
    pool = stores.cache.get(context_key(ANYWHERE, ANYWHERE))
    return [fields[0] for fields in msgspec.json.decode(pool)] if pool else []


def _put(stores: Stores, key: str, project_id: str, branch: str, data: object, version: int, now: str) -> None:
    stores.cache.put(key, project_id, branch, msgspec.json.encode(data).decode(), version, now)
