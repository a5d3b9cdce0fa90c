"""The hub: devices give what they wrote and take what others wrote. What is sealed is kept and never read."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from nous.app import Nous
from nous.core.carried import Carried
from nous.core.sharing import SealedEvent

MOST = 2000  # events in one answer
LARGEST = 8_000_000  # bytes of one answer, about

Reach = Annotated[dict[str, int], Meta(description="how far each device is known, by its id", max_length=100_000)]
Owner = Annotated[str, Meta(description="whose devices; the token says it, whatever is given here")]


class Reaching(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which of the two: what a team shares, or what somebody's own devices sealed."""

    sealed: Annotated[bool, Meta(description="of your own devices, sealed; else of the team")] = False
    owner: Owner = ""


class Pulling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known already."""

    known: Reach = {}
    sealed: Annotated[bool, Meta(description="of your own devices, sealed; else of the team")] = False
    limit: Annotated[int, Meta(ge=1, le=MOST, description="how many events at most")] = MOST
    owner: Owner = ""


class Pushing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Events of devices, each in the order of its chain."""

    events: Annotated[tuple[Carried, ...], Meta(max_length=MOST, description="events as they stand in a chain")] = ()
    sealed: Annotated[tuple[SealedEvent, ...], Meta(max_length=MOST, description="or sealed ones")] = ()
    owner: Owner = ""


class Sweeping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sealed events whose words were erased, sealed anew without them."""

    sealed: Annotated[tuple[SealedEvent, ...], Meta(max_length=MOST, description="what takes their place")]
    owner: Owner = ""


def heads(nous: Nous, asked: Reaching) -> dict[str, Any]:
    """How far the hub knows each device."""
    return {"devices": nous.stores.sealed.reached(asked.owner) if asked.sealed else nous.stores.devices.known()}


def pull(nous: Nous, asked: Pulling) -> dict[str, Any]:
    """Events that somebody does not know yet, in the order of their chains; `more` when there are others."""
    found: list[Any] = []
    size = 0
    source = (
        nous.stores.sealed.after(asked.owner, asked.known, asked.limit + 1)
        if asked.sealed
        else nous.stores.devices.written(asked.known)
    )
    for event in source:
        size += len(event.sealed if isinstance(event, SealedEvent) else event.payload_json)
        if len(found) == asked.limit or (found and size > LARGEST):
            return {"events": found, "more": True}
        found.append(event)
    return {"events": found, "more": False}


def push(nous: Nous, asked: Pushing) -> dict[str, Any]:
    """Take events in; what is known already, or comes a second time, changes nothing."""
    if asked.sealed:
        return {"taken": nous.stores.sealed.keep(asked.owner, asked.sealed), "waiting": 0}
    done = nous.work.absorb(asked.events)
    return {"taken": len(done.events), "waiting": done.waiting}


def sweep(nous: Nous, asked: Sweeping) -> dict[str, Any]:
    """Let go of the words of sealed events that were erased. No late device brings them back."""
    return {"erased": nous.stores.sealed.erase(asked.owner, asked.sealed)}
