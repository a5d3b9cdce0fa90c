"""What a person should decide about, and what each decision means. Every decision is an event, and can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, get_args

import msgspec
from msgspec.structs import replace

from nous.core.decay import DAY
from nous.core.entities import candidates
from nous.core.events import (
    Archived,
    Contradicted,
    Decision,
    Edge,
    EventType,
    Payload,
    Recorded,
    Reinforced,
    Rescoped,
    Reviewed,
    Superseded,
    as_number,
    item_key,
)
from nous.core.everywhere import may_hold_everywhere
from nous.core.evolve import standing
from nous.core.extraction import RelationName
from nous.core.memory import Memory
from nous.core.moments import later
from nous.core.sharing import CONTESTED
from nous.core.worth import is_injectable, worth
from nous.errors import NotFound
from nous.stores import Stores
from nous.stores.database import EVERY
from nous.stores.graph import LikePair
from nous.tend.archive import ArchivePolicy, weak
from nous.tend.placing import proposed

ReviewKind = Literal[
    "conflict",
    "disputed",
    "scope",
    "everywhere",
    "tainted",
    "flagged",
    "reword",
    "stale",
    "weak",
    "edge",
    "entity",
    "placement",
]
KINDS: tuple[ReviewKind, ...] = get_args(ReviewKind)  # in this order they are asked about
MOST = 10  # questions that a person is asked at once
MERGED = 0.1
OFTEN = 3  # memories that have to name both of two names before anybody is asked about them
REFINES: RelationName = "refines"  # what it is to be like another but not the same

QUESTIONS: dict[ReviewKind, str] = {
    "conflict": "Which one holds?",
    "disputed": "Somebody doubts this. Is it true?",
    "tainted": "This was learned after text from outside was read. May it be used?",
    "flagged": "This was told again although it was known: showing it failed, or never happened. What now?",
    "reword": "This was shown and had to be said all the same. Does it need other words?",
    "scope": "This was taken to hold in every project. Does it?",
    "everywhere": "You said this in another project too. Does it hold in all of them?",
    "edge": "Do these two hang together like this?",
    "stale": "This may be outdated. Does it still hold?",
    "weak": "Little is left of this. Does it still hold?",
    "entity": "Two names may stand for one thing. Do they?",
    "placement": "This keeps coming back. Shall it stand in the files of the project?",
}
_ONE: tuple[Decision, ...] = ("keep", "edit", "reject", "pin", "later")
_TWO: tuple[Decision, ...] = ("keep", "edit", "merge", "supersede", "reject", "pin", "later")
ACTIONS: dict[ReviewKind, tuple[Decision, ...]] = dict.fromkeys(KINDS, _ONE) | {
    "conflict": _TWO,
    "edge": ("keep", "reject", "later"),
    "entity": ("merge", "keep", "later"),
    "placement": ("keep", "reject", "later"),
    "everywhere": ("keep", "reject", "later"),
}


OPPOSES: RelationName = "contradicts"


class NamedEntity(NamedTuple):
    """One of two entities that may be one: its id, what it is called, and its project."""

    entity_id: str
    name: str
    project_id: str


class ReviewItem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to decide: what is asked, the memory it is about, the other one if there are two, and why it is asked.

    `id` stays the same for as long as the question does. `subject` is what it shares with other questions asked now.
    """

    id: str
    kind: ReviewKind
    memory: Memory
    other: Memory | None = None
    relation: RelationName | None = None
    why: str = ""
    subject: str = ""
    named: tuple[NamedEntity, NamedEntity] | None = None

    @property
    def subjects(self) -> frozenset[str]:
        """What it is about, as far as its memories name it."""
        both = [memory for memory in (self.memory, self.other) if memory]
        return frozenset(name for memory in both for name in (*memory.files, *memory.entities, *memory.concepts))

    @property
    def key(self) -> str:
        """What the question is called on every device: by the global ids of its memories."""
        if self.named:
            return item_key(self.kind, *(one.entity_id for one in self.named))
        ends = [memory.learning_id for memory in (self.memory, self.other) if memory]
        if self.kind == "edge":
            return item_key(self.kind, ends[0], self.relation or "", ends[1])
        return item_key(self.kind, *ends)

    @property
    def question(self) -> str:
        return QUESTIONS[self.kind]

    @property
    def actions(self) -> tuple[Decision, ...]:
        return ACTIONS[self.kind]


Stale = Callable[[Memory], tuple[str, ...]]
Effect = tuple[Memory, EventType, Payload]


# -- what there is to decide ----------------------------------------------------------------------------------------


def queue(
    stores: Stores, project_id: str | None, now: str, archiving: ArchivePolicy, stale: Stale, kind: str | None = None
) -> list[ReviewItem]:
    """What waits for a person, most harmful first; one question about a memory at a time.

    Only what sessions are or would be shown is asked about: the rest does no harm, and fades, is said again or is put
    right by later sessions. Whoever asks for one kind gets all of it.
    """
    decided = stores.reviews.decided(now)
    asked: set[int] = set()
    found: list[ReviewItem] = []
    for item in _by_harm(_items(stores, project_id, now, archiving, stale, kind), now):
        mine = {memory.id for memory in (item.memory, item.other) if memory}
        if item.key in decided or (mine & asked and item.kind != "entity") or item.kind != (kind or item.kind):
            continue
        if not kind and not _does_harm(item, now):
            continue
        asked |= mine if item.kind not in ("edge", "entity") else set()
        found.append(item)
    return found


def chosen(items: Sequence[ReviewItem], limit: int = MOST) -> list[ReviewItem]:
    """The first of these, those about one subject together."""
    first = items[:limit]
    common = Counter(name for item in first for name in item.subjects)
    groups: dict[str, list[ReviewItem]] = {}
    for item in first:
        subject = max(item.subjects, key=lambda name: (common[name], name), default="")
        subject = subject if common[subject] > 1 else ""
        groups.setdefault(subject or item.id, []).append(replace(item, subject=subject))
    return [item for group in groups.values() for item in group]


def _by_harm(items: Iterable[ReviewItem], now: str) -> list[ReviewItem]:
    return sorted(items, key=lambda item: (KINDS.index(item.kind), -worth(item.memory, now)))


def _does_harm(item: ReviewItem, now: str) -> bool:
    """Whether the answer changes what sessions are told."""
    if item.kind in ("disputed", "entity", "placement", "everywhere"):
        return True  # somebody asked for it; and names in every third memory are asked about once
    shown = [_would_be_shown(memory, now) for memory in (item.memory, item.other) if memory]
    return any(shown)


def _would_be_shown(memory: Memory, now: str) -> bool:
    return is_injectable(replace(memory, tainted=False), now, "")


def _items(
    stores: Stores, project_id: str | None, now: str, archiving: ArchivePolicy, stale: Stale, kind: str | None
) -> Iterator[ReviewItem]:
    memories = stores.memories.listing(project_id, limit=EVERY, with_global=False)
    yield from _conflicts(memories)
    yield from _doubtful_changes(stores, project_id)
    yield from (_one("disputed", memory) for memory in memories if memory.disputed or CONTESTED in memory.tags)
    yield from (_one("tainted", memory) for memory in memories if memory.tainted)
    yield from _retold(stores, project_id)
    yield from (_one("scope", memory) for memory in memories if _is_spread(memory))
    if kind == "edge":  # whether two memories hang together is no question for a person who did not ask for it
        yield from _edges(stores, project_id)
    yield from _outdated(memories, stale)
    yield from _one_by_two_names(stores, project_id, least=1 if kind == "entity" else OFTEN)
    yield from (_one("placement", memory, why) for memory, why in proposed(stores, memories))
    for memory, left in weak(stores, memories, now, archiving, EVERY):
        yield _one("weak", memory, f"{left:.2f} left of {memory.confidence:.2f}")


def _one(kind: ReviewKind, memory: Memory, why: str = "") -> ReviewItem:
    return ReviewItem(id=f"{kind}:{memory.id}", kind=kind, memory=memory, why=why)


def _conflicts(memories: Iterable[Memory]) -> Iterator[ReviewItem]:
    """Pairs that contradict each other while both are in use; the newer one first."""
    known = {memory.learning_id: memory for memory in memories}
    for memory in known.values():
        for name in memory.contradicted_with:
            other = known.get(name)
            if other and (memory.id > other.id or memory.learning_id not in other.contradicted_with):
                yield _pair("conflict", memory, other)


def _doubtful_changes(stores: Stores, project_id: str | None) -> Iterator[ReviewItem]:
    """Pairs of which the newer one may have replaced the older, and only a person can tell."""
    rows = [row for row in stores.graph.suggested(project_id, 1000) if row["rel_type"] == OPPOSES]
    known = stores.memories.by_learning({name for row in rows for name in (row["source_id"], row["target_id"])})
    pairs = ((known.get(row["source_id"]), known.get(row["target_id"])) for row in rows)
    for memory, other in pairs:
        if memory and other and memory.status == other.status == "active":
            yield _pair("conflict", memory, other)


def _pair(kind: ReviewKind, memory: Memory, other: Memory) -> ReviewItem:
    newer, older = sorted((memory, other), key=_said_at, reverse=True)
    low, high = sorted((memory.id, other.id))
    why = f"said on {_said_at(newer)[0][:10]} and on {_said_at(older)[0][:10]}"
    return ReviewItem(id=f"{kind}:{low}:{high}", kind=kind, memory=newer, other=older, why=why)


def _said_at(memory: Memory) -> tuple[str, int]:
    return memory.last_said_at or memory.valid_from or memory.created_at, memory.id


def _retold(stores: Stores, project_id: str | None) -> Iterator[ReviewItem]:
    """What the near-miss log holds: failed injections, and words that do not work."""
    rows = stores.near_misses.recent(project_id, limit=EVERY)
    numbers = {row["memory_id"] for row in rows}
    known = {memory.id: memory for memory in stores.memories.by_id(sorted(numbers)) if memory.status == "active"}
    kinds: dict[str, ReviewKind] = {
        "flag": "flagged", "reword": "reword", "everywhere": "everywhere"
    }  # fmt: skip
    for wanted, kind in kinds.items():
        for row in rows:
            memory = known.get(row["memory_id"])
            if row["decision"] != wanted or memory is None:
                continue
            if kind == "everywhere":
                if may_hold_everywhere(memory):
                    yield _one(kind, memory)
            else:
                yield _one(kind, memory, f"said again as {row['said']!r}")


def _is_spread(memory: Memory) -> bool:
    """Whether an extractor, and no person, said that a memory holds everywhere."""
    return memory.scope == "global" and memory.source != "user_review" and not memory.confirmed and not memory.pinned


def _edges(stores: Stores, project_id: str | None) -> Iterator[ReviewItem]:
    rows = [row for row in stores.graph.suggested(project_id, 1000) if row["rel_type"] != OPPOSES]
    known = stores.memories.by_learning({name for row in rows for name in (row["source_id"], row["target_id"])})
    for row in rows:
        memory, other = known[row["source_id"]], known[row["target_id"]]
        name = f"edge:{memory.id}:{row['rel_type']}:{other.id}"
        why = f"suggested with {row['confidence']:.0%}"
        yield ReviewItem(id=name, kind="edge", memory=memory, other=other, relation=row["rel_type"], why=why)
    for memory, other, nearness in _alike(stores, stores.graph.suggestions(project_id, 1000)):
        name = f"edge:{memory.id}:{REFINES}:{other.id}"
        yield ReviewItem(id=name, kind="edge", memory=memory, other=other, relation=REFINES, why=_near(nearness))


def _alike(stores: Stores, pairs: Iterable[LikePair]) -> Iterator[tuple[Memory, Memory, float]]:
    """Pairs that vectors show to be alike, as memories."""
    chosen = list(pairs)
    known = stores.memories.by_learning({name for pair in chosen for name in pair[:2]})
    yield from ((known[pair.source_id], known[pair.target_id], pair.nearness) for pair in chosen)


def _near(nearness: float) -> str:
    return f"{nearness:.0%} alike in meaning"


def _one_by_two_names(stores: Stores, project_id: str | None, least: int) -> Iterator[ReviewItem]:
    """Names of one project that may stand for one thing, each named in at least so many memories."""
    by_project: dict[str, dict[str, tuple[str, int]]] = {}
    for one in stores.entities.spellings(project_id):
        known = by_project.setdefault(one.project_id, {})
        entity, times = known.get(one.name, (one.entity_id, 0))
        known[one.name] = (entity, times + one.mentions)
    for project, names in by_project.items():
        often = [name for name, (_, times) in names.items() if times >= least]
        for first, second, why in candidates(often):
            lesser, greater = sorted((first, second), key=lambda name: (names[name][1], name))
            item = _names_item(stores, project, (names[lesser][0], lesser), (names[greater][0], greater), why)
            if item:
                yield item


def _names_item(
    stores: Stores, project: str, lesser: tuple[str, str], greater: tuple[str, str], why: str
) -> ReviewItem | None:
    if lesser[0] == greater[0]:
        return None
    told = [stores.entities.mentions(stores.entities.members(entity))[-1:] for entity, _ in (lesser, greater)]
    known = {memory.id: memory for memory in stores.memories.by_id([row.memory_id for rows in told for row in rows])}
    chosen = [known[rows[0].memory_id] for rows in told if rows and rows[0].memory_id in known]
    if len(chosen) < 2:
        return None
    named = NamedEntity(*lesser, project), NamedEntity(*greater, project)
    low, high = sorted(one.entity_id[:8] for one in named)
    said = f"“{lesser[1]}” and “{greater[1]}”: {why}"
    return ReviewItem(
        id=f"entity:{low}:{high}", kind="entity", memory=chosen[0], other=chosen[1], why=said, named=named
    )


def _outdated(memories: Iterable[Memory], stale: Stale) -> Iterator[ReviewItem]:
    for memory in memories:
        if memory.pinned or memory.confirmed:
            continue
        marks = [mark for mark in stale(memory) if mark in ("old", "file gone")]
        if marks:
            yield _one("stale", memory, ", ".join(marks))


def find(stores: Stores, item_id: str, now: str) -> ReviewItem:
    """The item with an id, as its memories are now; whoever names one need not have listed the queue before."""
    item = _named(stores, item_id)
    if item is None:
        raise NotFound(f"there is nothing to decide about {item_id!r}")
    if item.key in stores.reviews.decided(now) and not stores.reviews.waits(item.key):
        raise NotFound(f"{item_id!r} is decided already")
    return item


def _named(stores: Stores, item_id: str) -> ReviewItem | None:
    kind, _, rest = item_id.partition(":")
    if kind == "entity":
        return next((item for item in _one_by_two_names(stores, None, least=1) if item.id == item_id), None)
    parts = rest.split(":")
    numbers = [number for part in parts if (number := as_number(part)) is not None]
    memories = {memory.id: memory for memory in stores.memories.by_id(numbers) if memory.status == "active"}
    expected = 2 if kind in ("conflict", "edge") else 1
    if kind not in KINDS or len(numbers) != expected or set(numbers) != set(memories):
        return None
    first = memories[numbers[0]]
    if kind == "conflict":
        return _pair(kind, first, memories[numbers[1]])
    if kind != "edge":
        return _one(kind, first)
    relation = next((name for name in get_args(RelationName) if name == parts[1]), None)
    if not any(_is_edge(row, parts, memories) for row in stores.graph.of(first.learning_id)):
        return None
    return ReviewItem(id=item_id, kind="edge", memory=first, other=memories[numbers[1]], relation=relation)


def _is_edge(row: dict[str, object], parts: list[str], memories: dict[int, Memory]) -> bool:
    ends = memories[int(parts[0])].learning_id, memories[int(parts[2])].learning_id
    return (row["source_id"], row["target_id"], row["rel_type"]) == (*ends, parts[1])


# -- deciding -------------------------------------------------------------------------------------------------------


def swapped(item: ReviewItem) -> ReviewItem:
    """The same item, with the decision about its other memory."""
    return replace(item, memory=item.other, other=item.memory) if item.other and item.kind == "conflict" else item


def refusal(item: ReviewItem, action: Decision, text: str | None) -> str | None:
    """Why an action cannot be taken, in one sentence; None when it can."""
    if action not in item.actions:
        return f"{item.id!r} cannot be decided by {action!r}: one of {', '.join(item.actions)}"
    if action == "edit" and not (text or "").strip():
        return "an edit needs the new words"
    return None


def reviewed(item: ReviewItem, action: Decision, now: str) -> Reviewed:
    """What the log keeps of a decision; `later` comes back the next day."""
    return Reviewed(
        item=item.key, action=action, until=later(now, DAY)[:10] + "T00:00:00.000Z" if action == "later" else None
    )


def consequences(item: ReviewItem, action: Decision) -> list[Effect]:
    """What a decision does to the memories; rewording and settling a conflict are done by who asks."""
    memory, other = item.memory, item.other
    match action:
        case "keep":
            return _kept(item)
        case "pin":
            return [
                (memory, "LearningConfirmed", Payload(reason="pinned in review")),
                (memory, "LearningPinned", Payload()),
            ]
        case "reject" if item.kind == "edge":
            return [(memory, "EdgeRejected", _edge(item))]
        case "reject" if item.kind == "scope":
            return [(memory, "LearningRescoped", Rescoped(scope="project", reason="it does not hold everywhere"))]
        case "reject" if item.kind in ("placement", "everywhere"):
            return []
        case "reject":
            return [(memory, "LearningArchived", Archived(reason="rejected in review"))]
        case "supersede" if other:
            return [(other, "LearningSuperseded", _by(memory, "decided in review"))]
        case "merge" if item.kind == "entity":
            return []  # what becomes of names happens to no memory
        case "merge" if other:
            gained = Reinforced(
                reinforcement_delta=MERGED,
                evidence=other.evidence,
                concepts=other.concepts,
                reason=f"merged with #{other.id}",
            )
            return [
                (memory, "LearningReinforced", gained),
                (other, "LearningSuperseded", _by(memory, f"merged into #{memory.id}")),
            ]
        case _:
            return []


def _kept(item: ReviewItem) -> list[Effect]:
    """To keep what is doubtful says that it is true; to keep two apart, or everywhere, says nothing about either."""
    if item.kind == "edge":
        return [(item.memory, "EdgeAccepted", _edge(item))]
    if item.kind == "everywhere":
        return [
            (item.memory, "LearningRescoped", Rescoped(scope="global", reason="said in two projects")),
            (item.memory, "LearningConfirmed", Payload(reason="kept in review")),
        ]
    if item.kind == "entity":
        return []
    if item.kind in ("disputed", "tainted", "stale", "weak"):
        return [(item.memory, "LearningConfirmed", Payload(reason="kept in review"))]
    return []


def _by(memory: Memory, reason: str) -> Superseded:
    return Superseded(superseded_by=memory.learning_id, reason=reason)


def _edge(item: ReviewItem) -> Edge:
    assert item.other and item.relation
    return Edge(target=item.other.learning_id, relation=item.relation)


def contradictions(stores: Stores, item: ReviewItem) -> list[Recorded]:
    """The events that say of an item's two memories that they contradict each other, and still count."""
    pair = {memory.learning_id for memory in (item.memory, item.other) if memory}
    return [
        event
        for name in sorted(pair)
        for event in standing(stores.events.of_learning(name))
        if isinstance(event.payload, Contradicted) and event.payload.contradicted_with in pair
    ]
