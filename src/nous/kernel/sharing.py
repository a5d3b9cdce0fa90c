"""What of a device's memory a team may have, and an event as a hub keeps it that cannot read it."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from nous.kernel.memory.memory import Memory
from nous.kernel.types import Scope

if TYPE_CHECKING:
    from nous.kernel.access import Right

PRIVATE = "private"  # a tag: what has it stays on its own devices
CONTESTED = "contested"  # a tag: a team discusses it, and it is used meanwhile
CONTESTED_FACTOR = 0.8  # what is left of the confidence in such a memory
EVERY_PROJECT = "*"
# What holds everywhere is a person's own, and a session's is nobody's.
SHARED_SCOPES = frozenset({"module", "project", "team", "organisation"})
TOKEN_SESSION = "token:"  # before a token's name: the session of what was said with it over the network
_NO_NAME = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]|(?:^|[\\/])\.\.(?:[\\/]|$)")
TEAM, ORGANISATION = "team:", "organisation"  # in the place of a project: a circle, which has projects
WRITES: dict[str, Right] = {"team": "steward", "organisation": "admin"}  # whose word it is

# What one person decides for themselves: of somebody else it moves nobody's memory, but for a steward's.
PERSONAL_MARKS = frozenset({"LearningPinned", "LearningUnpinned", "LearningConfirmed", "LearningPlaced"})
# What ends a discussion, and is a steward's while there is one.
SETTLING = PERSONAL_MARKS | {
    "LearningArchived",
    "LearningSuperseded",
    "LearningRestored",
    "LearningDisputed",
    "LearningRescoped",
}

Name = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$")]
Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]


def scope_of(project_id: str) -> Scope:
    """The scope of what belongs to a project, a team or the organisation."""
    if project_id == ORGANISATION:
        return "organisation"
    return "team" if project_id.startswith(TEAM) else "project"


def is_no_name(name: str) -> bool:
    """Whether a name is a way out of a folder, or has control characters: no project or device is called so."""
    return bool(_NO_NAME.search(name))


def is_circle(project_id: str) -> bool:
    """Whether this is no project but a team, or the organisation."""
    return scope_of(project_id) != "project"


def shared_scope(project_id: str, scope: Scope) -> Scope:
    """The scope that a teammate's word can have: that of the place it is said for, and never everywhere."""
    place = scope_of(project_id)
    return "module" if place == "project" and scope == "module" else place


def is_shared(memory: Memory, projects: Collection[str]) -> bool:
    """Whether a memory goes to a team: of a project that is shared, not private, and no text from outside that nobody
    looked at."""
    return (
        (EVERY_PROJECT in projects or memory.project_id in projects or is_circle(memory.project_id))
        and memory.scope in SHARED_SCOPES
        and PRIVATE not in memory.tags
        and not memory.tainted
        and memory.status != "erased"
    )


class SealedEvent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event that only its owner's devices can read: its names, its time, its place in a chain, and a sealed text."""

    device: Name
    device_seq: Annotated[int, Meta(ge=1)]
    event_uuid: Annotated[str, Meta(pattern=r"^[0-9a-f-]{36}$")]
    transaction_time: Annotated[str, Meta(max_length=30)]
    prev_hash: Hash
    event_hash: Hash
    is_erased: bool = False
    sealed: Annotated[str, Meta(max_length=4_000_000)]
