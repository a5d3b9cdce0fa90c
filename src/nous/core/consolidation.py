"""Which memories are one: near-duplicates, and fragments of what was said of one subject at one time.

A group becomes one memory in its members' own words: what another member says already is left out, the rest stands in
the order in which it was said. Nothing is invented. Groups never cross slots, scopes, branches or kinds of words, and
never hold two that contradict each other, or one that a person decided about.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from nous.core.compare.judge import judge
from nous.core.compare.relate import ending
from nous.core.compare.relearn import FAMILIES
from nous.core.extraction import MAX_CONCEPTS, MAX_RELATIONS
from nous.core.likeness import tokens
from nous.core.memory import Memory
from nous.core.placing import PLACED, PROPOSED
from nous.core.types import TYPES

EXTRACTOR = "consolidate-1"
# On the cosine of the built-in embedder, chosen by reading pairs of 14 real projects (docs/decisions/0111).
ONE_SUBJECT = 0.4  # within one session: fragments of one subject
SUBJECT_WORDS = 0.25  # and this share of the shorter one's words in common
ONE_SAYING = 0.5  # across sessions: the same said again
SAYING_WORDS = 0.5
SAME_RECORD = 1.0  # said in one breath
COVERED = 0.8  # share of its words that another member says already
MOST = 6  # members of a group
LONGEST = 400  # characters that one memory may have, as any other: a packet holds fewer long lines
PLENTY = 80  # active memories of a project above which every change is reason enough to look
OFTEN = 10  # extractions after which it is time to look again


class Alike(NamedTuple):
    """Two memories and how near they are."""

    one: Memory
    other: Memory
    nearness: float


class Group(NamedTuple):
    """Memories that become one, oldest first, and its words."""

    members: tuple[Memory, ...]
    content: str
    nearness: float

    @property
    def key(self) -> str:
        """The same wherever the same memories are made one."""
        names = "\n".join(sorted(member.learning_id for member in self.members))
        return f"consolidated:{hashlib.sha256(names.encode()).hexdigest()}"

    @property
    def is_joined(self) -> bool:
        """Whether its words come from several members."""
        return all(self.content != member.content for member in self.members)


class Made(NamedTuple):
    """A group that became one memory: in which project, and by which event, which `nous undo` takes; 0 before that."""

    project_id: str
    event_id: int
    group: Group


def pairs(memories: Sequence[Memory], likenesses: Iterable[tuple[str, str, float]]) -> list[Alike]:
    """What may belong together: what rests on one record, and what is alike, the nearest first.

    What a model wrote is a whole thought already: what it told apart in one session stays apart unless it is the same.
    """
    known = {memory.learning_id: memory for memory in memories}
    records: dict[str, list[Memory]] = {}
    for memory in sorted(memories, key=lambda one: one.id):
        if memory.evidence and not _is_by_model(memory):
            records.setdefault(memory.evidence[-1], []).append(memory)
    found = [Alike(one, other, SAME_RECORD) for said in records.values() for one, other in pairwise(said)]
    for name, other_name, nearness in likenesses:
        one, other = known.get(name), known.get(other_name)
        if one and other and _is_near(one, other, nearness):
            found.append(Alike(one, other, nearness))
    return sorted(found, key=lambda pair: (-pair.nearness, pair.one.id, pair.other.id))


def _is_near(one: Memory, other: Memory, nearness: float) -> bool:
    """Whether two are about one subject: by meaning and by words, since vectors alone tell little in some languages."""
    is_one_session = one.session_id == other.session_id and not (_is_by_model(one) and _is_by_model(other))
    close, shared = (ONE_SUBJECT, SUBJECT_WORDS) if is_one_session else (ONE_SAYING, SAYING_WORDS)
    return nearness >= close and common(one, other) >= shared


def _is_by_model(memory: Memory) -> bool:
    return "@" in (memory.extractor or "")  # before the version of a prompt


def common(one: Memory, other: Memory) -> float:
    """The share of the shorter one's words that stand in the other; two words at least."""
    mine, theirs = set(tokens(one.content)), set(tokens(other.content))
    both = len(mine & theirs)
    return both / min(len(mine), len(theirs)) if both > 1 else 0.0


def is_free(memory: Memory) -> bool:
    """Whether a memory may become part of another: no person decided about it, and it has no place of its own."""
    touched = memory.pinned or memory.confirmed or memory.disputed or memory.tainted or memory.contradicted_with
    own = memory.ref or memory.slot or memory.source == "user_review" or memory.replaces
    waits = PLACED in memory.tags or PROPOSED in memory.tags
    return memory.status == "active" and not (touched or own or waits) and TYPES[memory.type].kind != "episodic"


def may_join(one: Memory, other: Memory) -> bool:
    """Whether two memories may be one."""
    if (one.project_id, one.scope, one.branch) != (other.project_id, other.scope, other.branch):
        return False
    if one.type != other.type and not any(one.type in family and other.type in family for family in FAMILIES):
        return False
    if other.learning_id in one.contradicted_with or one.learning_id in other.contradicted_with:
        return False
    if (one.last_said_at or other.last_said_at) and not (_covers(one, other) and _covers(other, one)):
        return False  # what a person says again and again is not buried in what was said beside it once
    newer, older = (one, other) if _said(one) > _said(other) else (other, one)
    return ending(newer, older) is None and judge(older.content, newer.content).label != "contradiction"


def _said(memory: Memory) -> tuple[str, int]:
    return memory.valid_from or memory.created_at, memory.id


def groups(alike: Iterable[Alike]) -> list[Group]:
    """Groups, each as large as its words fit into one memory; the nearest come together first."""
    where: dict[int, list[Memory]] = {}
    near: dict[int, float] = {}
    for one, other, nearness in alike:
        if not (is_free(one) and is_free(other)):
            continue
        mine, theirs = where.get(one.id, [one]), where.get(other.id, [other])
        if mine is theirs or len(mine) + len(theirs) > MOST:
            continue
        if len(composed([*mine, *theirs])) > LONGEST:
            continue
        if not all(may_join(a, b) for a in mine for b in theirs):
            continue
        both = [*mine, *theirs]
        for member in both:
            where[member.id] = both
            near[member.id] = min(nearness, near.get(member.id, nearness))
    found = {id(members): members for members in where.values()}
    made = [
        Group(tuple(sorted(members, key=_said)), composed(members), near[members[0].id]) for members in found.values()
    ]
    return sorted(made, key=lambda group: group.members[0].id)


def composed(members: Sequence[Memory]) -> str:
    """The members' own words: without those that others say already, the rest in the order in which it was said."""
    kept: list[Memory] = []
    for member in sorted(members, key=lambda one: (-len(set(tokens(one.content))), _said(one))):
        if not any(_covers(other, member) for other in kept):
            kept.append(member)
    return " ".join(_sentence(one.content) for one in sorted(kept, key=_said)) if len(kept) > 1 else kept[0].content


def _covers(other: Memory, member: Memory) -> bool:
    words = set(tokens(member.content))
    return len(words & set(tokens(other.content))) >= COVERED * len(words)


def _sentence(text: str) -> str:
    return text if text.rstrip()[-1:] in ".!?:;。！？…" else f"{text.rstrip()}."


def merged(group: Group) -> dict[str, object]:
    """What the new memory takes over from its members, as fields of the event that introduces it."""
    first = max(group.members, key=lambda one: (one.confidence, one.strength, -one.id))
    every = group.members
    return {
        "content": group.content,
        "type": first.type,
        "confidence": first.confidence,
        "scope": first.scope,
        "branch": first.branch,
        "concepts": _union(one.concepts for one in every)[:MAX_CONCEPTS],
        "entities": _union(one.entities for one in every),
        "relations": tuple(dict.fromkeys(said for one in every for said in one.relations))[:MAX_RELATIONS],
        "files": _union(one.files for one in every),
        "symbols": _union(one.symbols for one in every),
        "anchors": tuple(dict.fromkeys(anchor for one in every for anchor in one.anchors)),
        "tags": _union(one.tags for one in every),
        "evidence": _union(one.evidence for one in every),
    }


def _union(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in lists for name in names))
