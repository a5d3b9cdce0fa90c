"""What waits for a person, and what follows from their decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nous.errors import NousError
from nous.features.review import review as items
from nous.features.review.review import ReviewItem
from nous.kernel.log import undo
from nous.kernel.log.events import Decision, Superseded
from nous.kernel.memory.projection import catch_up
from nous.kernel.types import MOST_ASKED as MOST

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
    return items.choose_items(nous.questions(project=project, all_projects=all_projects, kind=kind), limit)


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
        item = items.swap_item(item)
    if problem := items.refusal(item, action, text):
        raise NousError(problem)
    with nous.decision():
        [cause] = nous.mark(
            [nous.peek(item.memory.id)], "LearningReviewed", items.review_payload(item, action, nous.clock())
        )
        for memory, kind, payload in items.consequences(item, action):
            nous.mark([nous.peek(memory.id)], kind, payload, cause)
        if action == "edit":
            _reword(nous, item, text or "", cause)
        if action == "keep" and item.kind == "conflict":
            _reconcile(nous, item, cause)
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
    chosen = undo.plan_undo(nous.stores.events, (event.event_id for event in against))
    undo.undo(nous.stores.events, chosen, nous.session_id, "both are true", nous.clock(), cause)
    catch_up(nous.stores, nous.clock())
