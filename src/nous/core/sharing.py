"""What of a device's memory a team may have, and an event as a hub keeps it that cannot read it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

import msgspec
from msgspec import Meta

from nous.core.memory import Memory

PRIVATE = "private"  # a tag: what has it stays on its own devices
CONTESTED = "contested"  # a tag: a team discusses it, and it is used meanwhile
CONTESTED_FACTOR = 0.8  # what is left of the confidence in such a memory
EVERY_PROJECT = "*"
SHARED_SCOPES = frozenset({"module", "project"})  # what holds everywhere is a person's own, and a session's is nobody's

Name = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$")]
Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]


def is_shared(memory: Memory, projects: Collection[str]) -> bool:
    """Whether a memory goes to a team: of a project that is shared, not private, and no text from outside that nobody
    looked at."""
    return (
        (EVERY_PROJECT in projects or memory.project_id in projects)
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
