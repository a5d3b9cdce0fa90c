"""The hub: devices give what they wrote and take what others wrote. What is sealed is kept and never read."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from nous.features.hub.operations import Pulling, Pushing, Reaching, Sweeping
from nous.kernel.sharing import EVERY_PROJECT, SealedEvent, scope_of
from nous.kernel.viewer import Viewer
from nous.teams.arrival import Sender
from nous.teams.hubs import HERE, publish

if TYPE_CHECKING:
    from nous.app import Nous

LARGEST = 8_000_000  # bytes of one answer, about
SHOWN = 20  # refusals that are told to whoever pushed


def heads(nous: Nous, viewer: Viewer, asked: Reaching) -> dict[str, Any]:
    """How far the hub knows each device, the last hashes of those that are asked for; what may be given, and teams."""
    if asked.sealed:
        hashes = nous.stores.sealed.hashes(asked.owner)
        return {"devices": nous.stores.sealed.get_reached(asked.owner), "hashes": _only(hashes, asked.own)}
    devices, circles = nous.stores.devices, nous.stores.circles
    publish(nous.stores, HERE, frozenset({EVERY_PROJECT}), nous.clock())
    known = devices.read_positions()
    given = devices.select_given(asked.seen, known)
    reached = {name: seq for name, seq in known.items() if name in given}
    seen = {name: has for name, has in circles.list_known().items() if asked.seen is None or name in asked.seen}
    return {
        "devices": reached,
        "hashes": _only(devices.hashes(), {*asked.own} & {*reached}) if asked.own else {},
        "projects": asked.seen,
        "circles": {name: sorted(members) for name, members in seen.items()},
        "writes": [name for name in seen if scope_of(name) in asked.writes],
    }


def _chains_to_give(nous: Nous, seen: Collection[str] | None) -> set[str]:
    return nous.stores.devices.select_given(seen, nous.stores.devices.read_positions())


def _only(found: dict[str, str], names: Collection[str]) -> dict[str, str]:
    return {name: found[name] for name in names if name in found}


def pull(nous: Nous, viewer: Viewer, asked: Pulling) -> dict[str, Any]:
    """Events that somebody does not know yet, in the order of their chains, and whose those are; `more` when there are
    others."""
    found: list[Any] = []
    size, more = 0, False
    source = (
        nous.stores.sealed.after(asked.owner, asked.known, asked.limit + 1)
        if asked.sealed
        else nous.stores.devices.list_written(asked.known, only=_chains_to_give(nous, asked.seen))
    )
    for event in source:
        size += len(event.sealed if isinstance(event, SealedEvent) else event.payload_json)
        if len(found) == asked.limit or (found and size > LARGEST):
            more = True
            break
        found.append(event)
    chains = {event.device for event in found}
    if not asked.sealed:  # what was written on the hub itself passed its gate
        here = {nous.stores.events.own_device(), *nous.stores.devices.publishing(HERE)}
        found = [replace(event, standing="steward") if event.device in here else event for event in found]
    authors = {} if asked.sealed else nous.stores.devices.authors(chains)
    return {"events": found, "more": more, "authors": authors}


def push(nous: Nous, viewer: Viewer, asked: Pushing) -> dict[str, Any]:
    """Take events in; what is known already, or comes a second time, changes nothing."""
    if asked.sealed:
        return {"taken": nous.stores.sealed.keep(asked.owner, asked.sealed), "waiting": 0, "kept": 0, "refused": []}
    chains = {event.device for event in asked.events}
    nous.stores.devices.only_of(asked.owner, chains)
    seen = None if asked.seen is None else frozenset(asked.seen)
    done = nous.work.absorb(asked.events, Sender("steward" if "team" in asked.writes else "member", seen, asked.owner))
    if asked.owner:
        nous.stores.devices.name_authors(dict.fromkeys(chains, asked.owner))
    said = {"taken": len(done.events), "waiting": done.waiting, "kept": done.kept}
    return said | {"refused": list(done.refused[:SHOWN])}


def sweep(nous: Nous, viewer: Viewer, asked: Sweeping) -> dict[str, Any]:
    """Let go of the words of sealed events that were erased. No late device brings them back."""
    return {"erased": nous.stores.sealed.erase(asked.owner, asked.sealed)}
