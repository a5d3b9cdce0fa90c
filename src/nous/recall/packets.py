"""Packets made before anybody asks: one per project and branch, and one for places Nous does not know."""

from __future__ import annotations

import msgspec

from nous.core.packing import Packet, pack
from nous.identity import context_key
from nous.stores import Stores

ANYWHERE = ""


def warm(stores: Stores, project_id: str, now: str, budget: int) -> int:
    """Make a project's packets anew; how many there are."""
    seen = {row["project_id"]: row["branch"] for row in stores.cache.projects()}
    branches = {ANYWHERE, seen.get(project_id) or ANYWHERE, *stores.cache.branches(project_id)}
    memories = stores.memories.visible(project_id)
    version = stores.events.last_id()
    with stores.db.transaction():
        stores.cache.drop_project(project_id)
        for branch in sorted(branches):
            packet = pack(memories, now, branch, budget, version)
            stores.cache.put(context_key(project_id, branch), project_id, branch, _json(packet), version, now)
    return len(branches)


def warm_all(stores: Stores, now: str, budget: int, projects: frozenset[str] | None = None) -> int:
    """Make packets anew for the given projects, or for all, and the one for unknown places."""
    known = [row["project_id"] for row in stores.cache.projects()]
    wanted = [project for project in known if projects is None or project in projects]
    made = sum(warm(stores, project, now, budget) for project in wanted)
    return made + warm(stores, ANYWHERE, now, budget)


def _json(packet: Packet) -> str:
    return msgspec.json.encode(packet).decode()
