"""The one contract between anything that reads transcripts and the event log: a `Learning`, or a `Rejection`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, get_args

import msgspec

from nous.kernel.types import TYPES, Kind, Scope

EXTRACTOR_VERSION = "rules-8"
BY_RULES = frozenset({"rules", "observer", "consolidate"})  # families without a model: a reading replaces theirs
MAX_CONTENT = 400
MIN_CONCEPTS = 5  # what an extractor aims for; a terse sentence may have fewer
MAX_CONCEPTS = 10
MAX_NAME = 120  # characters of a concept, an entity, or an end of a relation
MAX_EDGES = 8
MAX_RELATIONS = 8
PROVEN = 0.8  # how sure an edge has to be that counts without a person's look; a model's never is
STANDING = "rule"  # the tag of what was said as a rule
VOUCHED = "vouched"  # the tag of a command that the user typed or a file of the project declares
RULE = "rule: "  # what the reason begins with when a rule kept a learning and the reader's weights were not asked

TemporalConfidence = Literal["low", "medium", "high"]
RelationName = Literal[
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


RELATIONS: frozenset[str] = frozenset(get_args(RelationName))


class EdgeProposal(msgspec.Struct, frozen=True, omit_defaults=True):
    """A proposed relation from a learning to a memory that is already known.

    `target` is a learning's id. From `PROVEN` on the edge is active, below it is a suggestion.
    """

    target: str
    relation: RelationName
    weight: float = 1.0
    confidence: float = 0.5


class Triple(msgspec.Struct, frozen=True, gc=False):
    """What a learning says of two named things: "api" "runs_on" "eks". The object may be a literal, as "port 8080"."""

    subject: str
    predicate: str
    object: str


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
    `evidence` are the transcript records it rests on, the deciding one last. `kind` follows from the type; an extractor
    that says it must say the same. `reasons` say what spoke for keeping it.
    `recited` holds words that the assistant told from memory right before: what a correction is aimed at. Nothing keeps
    it. `tags` has STANDING where the user said it as a rule. `suggested_target` names the file (CLAUDE.md, a skill) in
    which the learning might better stand.
    """

    content: str
    type: str
    evidence: tuple[str, ...]
    kind: Kind | None = None
    concepts: tuple[str, ...] = ()
    edges: tuple[EdgeProposal, ...] = ()
    entities: tuple[str, ...] = ()
    relations: tuple[Triple, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    confidence: float = 0.7
    scope: Scope = "project"
    scope_confidence: float = 0.5
    slot: str | None = None
    replaces: str | None = None
    branch: str | None = None
    tainted: bool = False
    recited: str | None = None
    suggested_target: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    temporal_confidence: TemporalConfidence = "medium"
    reasons: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Rejection(msgspec.Struct, frozen=True):
    """Why something was not taken up."""

    reason: str
    excerpt: str


def normal_concepts(given: Iterable[str]) -> tuple[str, ...]:
    """Terms as the contract wants them: in lower case, one line, each once, no more than it allows."""
    terms = (" ".join(term.lower().split())[:MAX_NAME].rstrip() for term in given)
    return tuple(dict.fromkeys(term for term in terms if term))[:MAX_CONCEPTS]


def check(learning: Learning) -> Learning | Rejection:
    """The learning itself when it keeps the contract, else the reason why it does not."""
    problem = next(_problems(learning), None)
    return Rejection(problem, learning.content[:80]) if problem else learning


def _problems(learning: Learning) -> Iterator[str]:
    """What is wrong with a learning, one sentence each; the first is enough."""
    if not learning.content.strip():
        yield "content is empty"
    if len(learning.content) > MAX_CONTENT:
        yield f"content is longer than {MAX_CONTENT} characters"
    if "\n" in learning.content:
        yield "content is more than one line"
    if learning.type not in TYPES:
        yield f"unknown type {learning.type!r}"
    elif learning.kind not in (None, TYPES[learning.type].kind):
        yield f"kind {learning.kind!r} is not the kind of a {learning.type}, which is {TYPES[learning.type].kind!r}"
    if not learning.evidence:
        yield "no evidence"
    if learning.scope not in get_args(Scope):
        yield f"unknown scope {learning.scope!r}"
    if learning.temporal_confidence not in get_args(TemporalConfidence):
        yield f"unknown temporal confidence {learning.temporal_confidence!r}"
    if not 0.0 <= learning.confidence <= 1.0:
        yield "confidence is outside 0..1"
    if not 0.0 <= learning.scope_confidence <= 1.0:
        yield "scope confidence is outside 0..1"
    if learning.valid_from and learning.valid_until and learning.valid_until < learning.valid_from:
        yield "valid_until is before valid_from"
    yield from _concept_problems(learning.concepts)
    if len(learning.edges) > MAX_EDGES:
        yield f"more than {MAX_EDGES} edges"
    if len(learning.relations) > MAX_RELATIONS:
        yield f"more than {MAX_RELATIONS} relations"
    yield from filter(None, map(edge_problem, learning.edges))
    yield from filter(None, map(relation_problem, learning.relations))


def _concept_problems(concepts: tuple[str, ...]) -> Iterator[str]:
    if len(concepts) > MAX_CONCEPTS:
        yield f"more than {MAX_CONCEPTS} concepts"
    for concept in concepts:
        if concept != concept.lower().strip() or not 0 < len(concept) <= MAX_NAME:
            yield f"concept {concept[:40]!r} is not in lower case, or has no or too many letters"


def edge_problem(edge: EdgeProposal) -> str | None:
    """Why an edge cannot be written; None when it can."""
    if not edge.target.strip():
        return "an edge to nothing"
    if edge.relation not in RELATIONS:
        return f"an edge of the unknown type {str(edge.relation)[:40]!r}"
    if not (0.0 <= edge.weight <= 1.0 and 0.0 <= edge.confidence <= 1.0):
        return "the weight or the confidence of an edge is outside 0..1"
    return None


_predicate = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+){0,4}").fullmatch


def relation_problem(said: Triple) -> str | None:
    """Why a relation between two named things cannot be taken up; None when it can."""
    for end in (said.subject, said.object):
        if not end.strip() or len(end) > MAX_NAME or "\n" in end:
            return f"an end of a relation is no name: {end[:40]!r}"
    if said.subject.casefold() == said.object.casefold():
        return f"a relation of {said.subject[:40]!r} to itself"
    if not _predicate(said.predicate):
        return f"the predicate {said.predicate[:40]!r} is not made of one to five words as in 'runs_on'"
    return None


def family(version: str) -> str:
    """What kind of extractor a version belongs to: `rules-2` to `rules`, `extract@1a2b/claude:haiku` to `extract`."""
    return version.replace("@", "-").split("-")[0]
