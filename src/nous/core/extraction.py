"""The one contract between anything that reads transcripts and the event log: a `Learning`, or a `Rejection`."""

from __future__ import annotations

from typing import Literal

import msgspec

from nous.core.types import TYPES, Scope

MAX_CONTENT = 400
MAX_CONCEPTS = 10

TemporalConfidence = Literal["low", "medium", "high"]
Relation = Literal[
    "relates_to",
    "supersedes",
    "contradicts",
    "depends_on",
    "derived_from",
    "exemplifies",
    "refines",
    "source_of",
    "temporal",
    "causal",
    "entity",
    "required_with",
    "conflicts_with",
    "validates",
]


class EdgeProposal(msgspec.Struct, frozen=True, omit_defaults=True):
    """A proposed relation from a learning to a memory that is already known."""

    target: str
    relation: Relation
    weight: float = 1.0


class Anchor(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A place in the code that a learning speaks of, as it was then; no hash when nobody knows how it read."""

    file: str
    symbol: str = ""
    hash: str = ""
    commit: str = ""


class Learning(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One thing worth remembering, readable without the conversation it came from.

    `slot` names a single-valued fact ("dev server|port"): a newer value in the same slot supersedes the older one.
    `replaces` holds words of what the user said is wrong; memories about it are weakened or superseded.
    `evidence` are the transcript records it rests on, the deciding one last.
    """

    content: str
    type: str
    evidence: tuple[str, ...]
    concepts: tuple[str, ...] = ()
    edges: tuple[EdgeProposal, ...] = ()
    entities: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    confidence: float = 0.7
    scope: Scope = "project"
    scope_confidence: float = 0.5
    slot: str | None = None
    replaces: str | None = None
    branch: str | None = None
    tainted: bool = False
    suggested_target: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    temporal_confidence: TemporalConfidence = "medium"


class Rejection(msgspec.Struct, frozen=True):
    """Why something was not taken up."""

    reason: str
    excerpt: str


def check(learning: Learning) -> Learning | Rejection:
    """The learning itself when it keeps the contract, else the reason why it does not."""

    def no(reason: str) -> Rejection:
        return Rejection(reason, learning.content[:80])

    if not learning.content.strip():
        return no("content is empty")
    if len(learning.content) > MAX_CONTENT:
        return no(f"content is longer than {MAX_CONTENT} characters")
    if "\n" in learning.content:
        return no("content is more than one line")
    if learning.type not in TYPES:
        return no(f"unknown type {learning.type!r}")
    if not learning.evidence:
        return no("no evidence")
    if len(learning.concepts) > MAX_CONCEPTS:
        return no(f"more than {MAX_CONCEPTS} concepts")
    if not 0.0 <= learning.confidence <= 1.0:
        return no("confidence is outside 0..1")
    if learning.valid_from and learning.valid_until and learning.valid_until < learning.valid_from:
        return no("valid_until is before valid_from")
    return learning
