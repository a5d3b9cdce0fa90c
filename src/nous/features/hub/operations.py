"""What devices give a hub and take from it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from nous.kernel.log.wire import WireEvent
from nous.kernel.operations import Operation, Route
from nous.kernel.sharing import SealedEvent

RUN = "nous.features.hub.runs:"
MOST = 2000  # events in one answer
Reach = Annotated[dict[str, int], Meta(description="how far each device is known, by its id", max_length=100_000)]
Owner = Annotated[str, Meta(description="whose devices; the token says it, whatever is given here")]
Seen = Annotated[tuple[str, ...] | None, Meta(description="of which projects; the token says it")]
WritesFor = Annotated[tuple[str, ...], Meta(description="for which wider scopes it writes; the token says it")]


class Reaching(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which of the two: what a team shares, or what somebody's own devices sealed."""

    sealed: Annotated[bool, Meta(description="of your own devices, sealed; else of the team")] = False
    own: Annotated[tuple[str, ...], Meta(description="chains of which the last hash is wanted", max_length=10_000)] = ()
    owner: Owner = ""
    seen: Seen = None
    writes: WritesFor = ()


class Pulling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known already."""

    known: Reach = {}
    sealed: Annotated[bool, Meta(description="of your own devices, sealed; else of the team")] = False
    limit: Annotated[int, Meta(ge=1, le=MOST, description="how many events at most")] = MOST
    owner: Owner = ""
    seen: Seen = None


class Pushing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Events of devices, each in the order of its chain."""

    events: Annotated[tuple[WireEvent, ...], Meta(max_length=MOST, description="events as they stand in a chain")] = ()
    sealed: Annotated[tuple[SealedEvent, ...], Meta(max_length=MOST, description="or sealed ones")] = ()
    owner: Owner = ""
    seen: Seen = None
    writes: WritesFor = ()


class Sweeping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sealed events whose words were erased, sealed anew without them."""

    sealed: Annotated[tuple[SealedEvent, ...], Meta(max_length=MOST, description="what takes their place")]
    owner: Owner = ""


# fmt: off
OPERATIONS = (
    Operation(
        "hub.heads", Reaching, RUN + "heads", "How far the hub has each device's events", access="work", action="sync",
        about="devices", doors=(Route("POST", "/v1/sync/heads"),), example={"sealed": False},
    ),
    Operation(
        "hub.pull", Pulling, RUN + "pull", "Events that a device does not know yet", action="sync", about="devices",
        doors=(Route("POST", "/v1/sync/pull"),), example={"known": {}, "limit": 100},
    ),
    Operation(
        "hub.push", Pushing, RUN + "push", "Give a hub what a device wrote", access="work", action="sync",
        about="devices", doors=(Route("POST", "/v1/sync/push"),), example={"events": []},
    ),
    Operation(
        "hub.sweep", Sweeping, RUN + "sweep", "Remove the words of erased events from sealed ones", access="work",
        action="sync", about="devices", doors=(Route("POST", "/v1/sync/sweep"),), example={"sealed": []},
    ),
)
# fmt: on
