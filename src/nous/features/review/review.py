"""What a person should decide about, and what each decision means. Every decision is an event, and can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, get_args

import msgspec
from msgspec.structs import replace

from nous.errors import NotFound
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import (
    Archived,
    Contradicted,
    Decision,
    EventType,
    Payload,
    Recorded,
    Reinforced,
    Rescoped,
    Reviewed,
    Superseded,
    item_key,
)
from nous.kernel.log.evolve import standing
from nous.kernel.log.extraction import RelationName
from nous.kernel.memory.decay import DAY
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.worth import is_injectable, need_score
from nous.kernel.sharing import CONTESTED
from nous.kernel.stores import Stores
from nous.kernel.types import MOST_ASKED as MOST
from nous.kernel.types import ReviewKind
from nous.moments import later

if TYPE_CHECKING:
    from nous.kernel.stores import Graph, Memories

KINDS: tuple[ReviewKind, ...] = get_args(ReviewKind)  # in this order they are asked about
MERGED = 0.1

QUESTIONS: dict[ReviewKind, str] = {
    "conflict": "Which one holds?",
    "disputed": "This is in doubt. Is it true?",
    "tainted": "The agent had read text from outside before this was said. Is it true?",
    "scope": "Does this apply to all of your projects?",
}
_ONE: tuple[Decision, ...] = ("keep", "edit", "reject", "pin", "later")
_TWO: tuple[Decision, ...] = ("keep", "edit", "merge", "supersede", "reject", "pin", "later")
ACTIONS: dict[ReviewKind, tuple[Decision, ...]] = dict.fromkeys(KINDS, _ONE) | {"conflict": _TWO}


OPPOSES: RelationName = "contradicts"


class ReviewItem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to decide: what is asked, the memory it is about, the other one if there are two, and why it is asked.

    `id` stays the same for as long as the question does. `subject` is what it shares with other questions asked now.
    """

    id: str
    kind: ReviewKind
    memory: Memory
    other: Memory | None = None
    why: str = ""
    subject: str = ""

    @property
    def subjects(self) -> frozenset[str]:
        """What it is about, as far as its memories name it."""
        both = [memory for memory in (self.memory, self.other) if memory]
        return frozenset(name for memory in both for name in (*memory.files, *memory.entities, *memory.concepts))

    @property
    def key(self) -> str:
        """What the question is called on every device: by the global ids of its memories."""
        ends = [memory.learning_id for memory in (self.memory, self.other) if memory]
        return item_key(self.kind, *ends)

    @property
    def question(self) -> str:
        return QUESTIONS[self.kind]

    @property
    def actions(self) -> tuple[Decision, ...]:
        return ACTIONS[self.kind]


Effect = tuple[Memory, EventType, Payload]


# -- what there is to decide ----------------------------------------------------------------------------------------


def queue(stores: Stores, project_id: str | None, now: str, kind: str | None = None) -> list[ReviewItem]:
    """What waits for a person, most harmful first; one question about a memory at a time.

    Only what sessions are or would be shown is asked about: the rest does no harm, and fades, is said again or is put
    right by later sessions. Whoever asks for one kind gets all of it.
    """
    decided = stores.reviews.list_decided(now)
    asked: set[int] = set()
    found: list[ReviewItem] = []
    for item in _by_harm(_items(stores, project_id, kind), now):
        mine = {memory.id for memory in (item.memory, item.other) if memory}
        if item.key in decided or mine & asked:
            continue
        if not kind and not _does_harm(item, now):
            continue
        asked |= mine
        found.append(item)
    return found


def choose_items(items: Sequence[ReviewItem], limit: int = MOST) -> list[ReviewItem]:
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
    return sorted(items, key=lambda item: (KINDS.index(item.kind), -need_score(item.memory, now)))


def _does_harm(item: ReviewItem, now: str) -> bool:
    """Whether the answer changes what sessions are told."""
    if item.kind == "disputed":
        return True
    shown = [_would_be_shown(memory, now) for memory in (item.memory, item.other) if memory]
    return any(shown)


def _would_be_shown(memory: Memory, now: str) -> bool:
    return is_injectable(replace(memory, tainted=False), now, "")


def _items(stores: Stores, project_id: str | None, kind: str | None) -> Iterator[ReviewItem]:
    """Every question of a kind, or of all kinds that are asked unasked."""
    memories = stores.memories.questionable(project_id)
    for name, questions in SOURCES.items():
        if kind in (name, None):
            yield from questions(stores, project_id, memories)


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


def _doubtful_changes(memories: Memories, graph: Graph, project_id: str | None) -> Iterator[ReviewItem]:
    """Pairs of which the newer one may have replaced the older, and only a person can tell."""
    rows = [row for row in graph.list_suggested(project_id, 1000) if row["rel_type"] == OPPOSES]
    known = memories.by_learning({name for row in rows for name in (row["source_id"], row["target_id"])})
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


def _is_spread(memory: Memory) -> bool:
    """Whether an extractor, and no person, said that a memory holds everywhere."""
    return memory.scope == "global" and memory.source != "user_review" and not memory.confirmed and not memory.pinned


Source = Callable[[Stores, str | None, Sequence[Memory]], Iterable[ReviewItem]]


def _of_each(kind: ReviewKind, is_asked: Callable[[Memory], object]) -> Source:
    """A question about each memory of which something holds."""
    return lambda _stores, _project, memories: (_one(kind, memory) for memory in memories if is_asked(memory))


SOURCES: dict[ReviewKind, Source] = {
    "conflict": lambda stores, project, memories: (
        *_conflicts(memories),
        *_doubtful_changes(stores.memories, stores.graph, project),
    ),
    "disputed": _of_each("disputed", lambda memory: memory.disputed or CONTESTED in memory.tags),
    "scope": _of_each("scope", _is_spread),
    "tainted": _of_each("tainted", lambda memory: memory.tainted),
}


def find(stores: Stores, item_id: str, now: str) -> ReviewItem:
    """The question with an id, as its memories are now; refused when nobody asks it."""
    kind = item_id.partition(":")[0]
    found = _items(stores, None, kind) if kind in KINDS else ()
    item = next((one for one in found if one.id == item_id), None)
    if item is None:
        raise NotFound(f"there is nothing to decide about {item_id!r}", hint="`nous review` lists what there is")
    if item.key in stores.reviews.list_decided(now) and not stores.reviews.waits(item.key):
        raise NotFound(f"{item_id!r} is decided already")
    return item


# -- deciding -------------------------------------------------------------------------------------------------------


def swap_item(item: ReviewItem) -> ReviewItem:
    """The same item, with the decision about its other memory."""
    return replace(item, memory=item.other, other=item.memory) if item.other and item.kind == "conflict" else item


def refusal(item: ReviewItem, action: Decision, text: str | None) -> str | None:
    """Why an action cannot be taken, in one sentence; None when it can."""
    if action not in item.actions:
        return f"{item.id!r} cannot be decided by {action!r}: one of {', '.join(item.actions)}"
    if action == "edit" and not (text or "").strip():
        return "an edit needs the new words"
    return None


def review_payload(item: ReviewItem, action: Decision, now: str) -> Reviewed:
    """What the log keeps of a decision; `later` comes back the next day."""
    return Reviewed(
        item=item.key, action=action, until=later(now, DAY)[:10] + "T00:00:00.000Z" if action == "later" else None
    )


def consequences(item: ReviewItem, action: Decision) -> list[Effect]:
    """What a decision does to the memories; rewording and settling a conflict are done by who asks."""
    memory, other = item.memory, item.other
    match action:
        case "keep":
            return _keep_payload(item)
        case "pin":
            return [
                (memory, "LearningConfirmed", Payload(reason="pinned in review")),
                (memory, "LearningPinned", Payload()),
            ]
        case "reject" if item.kind == "scope":
            return [(memory, "LearningRescoped", Rescoped(scope="project", reason="it does not hold everywhere"))]
        case "reject":
            return [(memory, "LearningArchived", Archived(reason="rejected in review"))]
        case "supersede" if other:
            return [(other, "LearningSuperseded", _by(memory, "decided in review"))]
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


def _keep_payload(item: ReviewItem) -> list[Effect]:
    """To keep what is doubtful says that it is true; to keep two apart, or everywhere, says nothing about either."""
    if item.kind in ("disputed", "tainted"):
        return [(item.memory, "LearningConfirmed", Payload(reason="kept in review"))]
    return []


def _by(memory: Memory, reason: str) -> Superseded:
    return Superseded(superseded_by=memory.learning_id, reason=reason)


def contradictions(events: Events, item: ReviewItem) -> list[Recorded]:
    """The events that say of an item's two memories that they contradict each other, and still count."""
    pair = {memory.learning_id for memory in (item.memory, item.other) if memory}
    return [
        event
        for name in sorted(pair)
        for event in standing(events.of_learning(name))
        if isinstance(event.payload, Contradicted) and event.payload.contradicted_with in pair
    ]
