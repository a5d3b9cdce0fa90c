"""What a learning has become: the values that the read models hold and that retrieval ranks."""

from __future__ import annotations

from typing import Literal

import msgspec

from nous.kernel.log.extraction import Anchor, TemporalConfidence, Triple
from nous.kernel.types import Kind, Scope

Status = Literal["active", "superseded", "archived", "erased"]

# Tags that older versions gave to memories they wrote into files of their project, or proposed to: none is injected.
PLACED = "placed"  # it stands in an instruction file: sessions read it there
PROPOSED = "proposed"  # it was proposed as a skill


class Memory(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One memory after some number of events.

    `id` is the number of the event that introduced it, so a replay gives the same ids. `strength` says how useful it
    has proved (reinforcement), `confidence` how sure we are that it is true; they are kept apart. `version` is the
    last event that changed it. `replaces` are words of what it took the place of, `last_said_at` is when somebody last
    said it again: what is learned late is judged by both. `gained`, `lost` and `factor` are what its strength is made
    of. `by` says whose word it is, as far as that is known.
    """

    id: int
    learning_id: str
    project_id: str
    session_id: str
    type: str
    kind: Kind
    content: str
    created_at: str
    version: int
    scope: Scope = "project"
    status: Status = "active"
    strength: float = 0.5
    confidence: float = 0.7
    temporal_confidence: TemporalConfidence = "medium"
    valid_from: str | None = None
    valid_until: str | None = None
    branch: str | None = None
    slot: str | None = None
    replaces: str | None = None
    last_said_at: str | None = None
    ref: str | None = None
    source: str = ""
    extractor: str = ""
    pinned: bool = False
    confirmed: bool = False
    disputed: bool = False
    tainted: bool = False
    concepts: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    relations: tuple[Triple, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    superseded_by: str | None = None
    contradicted_with: tuple[str, ...] = ()
    archived_reason: str | None = None
    clock: dict[str, int] = {}
    gained: float = 0.0
    lost: float = 0.0
    factor: float = 1.0
    by: str = ""
