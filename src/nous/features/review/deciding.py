"""What waits for a person, and what follows from their decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nous.core.events import Decision, Superseded
from nous.core.types import MOST_ASKED as MOST
from nous.errors import NousError
from nous.remember.projection import catch_up
from nous.tend import placing, undo
from nous.tend import review as items
from nous.tend.review import ReviewItem

if TYPE_CHECKING:
    from nous.app import Nous


def review(
    nous: Nous,
    *,
    project: str | None = None,
    all_projects: bool = False,
    kind: str | None = None,
    limit: int = MOST,
) -> Sequence[ReviewItem]:
    """What a person should decide about, most harmful first and by subject; what was decided does not come back."""
    return items.chosen(nous.questions(project=project, all_projects=all_projects, kind=kind), limit)


def waiting(
    nous: Nous, *, project: str | None = None, all_projects: bool = False, kind: str | None = None
) -> dict[str, int]:
    """How many questions of each kind wait for a person."""
    return dict(Counter(item.kind for item in nous.questions(project=project, all_projects=all_projects, kind=kind)))


def questions(
    nous: Nous, *, project: str | None = None, all_projects: bool = False, kind: str | None = None
) -> Sequence[ReviewItem]:
    """Everything that waits for a person, most harmful first."""
    where = None if all_projects else nous.project(project).id
    return items.queue(nous.stores, where, nous.clock(), kind)


def decide(nous: Nous, item_id: str, action: Decision, *, text: str | None = None, swap: bool = False) -> ReviewItem:
    """Decide about an item of the review; with `swap` the decision is about the other memory of the two."""
    item = items.find(nous.stores, item_id, nous.clock())
    if swap:
        item = items.swapped(item)
    if problem := items.refusal(item, action, text):
        raise NousError(problem)
    with nous.decision():
        [cause] = nous.mark([nous.peek(item.memory.id)], "LearningReviewed", items.reviewed(item, action, nous.clock()))
        for memory, kind, payload in items.consequences(item, action):
            nous.mark([nous.peek(memory.id)], kind, payload, cause)
        if action == "edit":
            _reword(nous, item, text or "", cause)
        if action == "keep" and item.kind == "conflict":
            _reconcile(nous, item, cause)
        if action == "keep" and item.kind == "placement":
            nous.mark(
                [nous.peek(item.memory.id)], "LearningPlaced", placing.place(nous.stores.cache, item.memory), cause
            )
        if action == "merge" and item.named:
            lesser, greater = item.named
            nous.merge_entities(lesser.name, greater.name, project=lesser.project_id, cause=cause)
    return item


def _reword(nous: Nous, item: ReviewItem, text: str, cause: int | None) -> None:
    """Better words take the place of a memory, and of the other one if they spoke about the same."""
    new = nous.correct(item.memory.id, text)
    if item.other and item.kind == "conflict" and new != item.other.id:
        said = Superseded(superseded_by=nous.peek(new).learning_id, reason="reworded in review")
        nous.mark([nous.peek(item.other.id)], "LearningSuperseded", said, cause)


def _reconcile(nous: Nous, item: ReviewItem, cause: int | None) -> None:
    """Both are true: that they contradict each other no longer counts."""
    against = items.contradictions(nous.stores.events, item)
    chosen = undo.planned(nous.stores.events, (event.event_id for event in against))
    undo.undo(nous.stores.events, chosen, nous.session_id, "both are true", nous.clock(), cause)
    catch_up(nous.stores, nous.clock())
