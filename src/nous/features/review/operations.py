"""Questions that only a person can answer."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from nous.kernel.asking import Present
from nous.kernel.views import MemoryAnswer, Written, memory_fields

if TYPE_CHECKING:
    from nous.app import Nous
    from nous.features.review.review import ReviewItem

from nous.kernel.log.events import Decision
from nous.kernel.operations import Operation, Route
from nous.kernel.types import MOST_ASKED, ReviewKind
from nous.kernel.viewer import Viewer

RUN = "nous.features.review.operations:"


class Questions(Present, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Questions of the review."""

    kind: Annotated[ReviewKind | None, Meta(description="only questions of this kind, and all of them")] = None
    limit: Annotated[int, Meta(ge=1, le=200, description="how many, the gravest")] = MOST_ASKED


def queue(nous: Nous, viewer: Viewer, asked: Questions) -> dict[str, Any]:
    """The gravest questions, by subject, and how many of each kind wait."""
    from nous.features.review import review

    where: dict[str, Any] = {"project": asked.project, "all_projects": asked.all_projects or not asked.project}
    asking = nous.questions(**where, kind=asked.kind)  # it looks at every memory: once
    items = review.choose_items(asking, asked.limit)
    waiting = Counter(item.kind for item in asking)
    return {"items": [item_fields(item) for item in items], "next": None, "waiting": dict(waiting)}


def item_fields(item: ReviewItem) -> dict[str, Any]:
    """An item as the documented JSON fields."""
    return {
        "id": item.id,
        "kind": item.kind,
        "question": item.question,
        "why": item.why,
        "actions": item.actions,
        "subject": item.subject,
        "memory": memory_fields(item.memory),
        "other": memory_fields(item.other) if item.other else None,
    }


class Deciding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer to a question of the review."""

    item: Annotated[str, Meta(description="the id of the question")]
    action: Annotated[Decision, Meta(description="one of the question's `actions`")]
    text: Annotated[Annotated[str, Meta(max_length=8000)] | None, Meta(description="with `edit`: the new words")] = None
    swap: Annotated[bool, Meta(description="decide about the other memory of the two")] = False


class Undo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Events to take back, or how many decisions."""

    events: Annotated[tuple[int, ...], Meta(description="numbers of events")] = ()
    last: Annotated[int, Meta(ge=1, le=100, description="without `events`: how many decisions by hand")] = 1
    project: Annotated[str | None, Meta(description="only decisions in this project")] = None
    reason: Annotated[str, Meta(max_length=500, description="why; it stays in the log")] = "undone by the user"


def decide(nous: Nous, viewer: Viewer, asked: Deciding) -> Written:
    """Answer a question of the review."""
    item = nous.decide(asked.item, asked.action, text=asked.text, swap=asked.swap)
    numbers = tuple(memory.id for memory in (item.memory, item.other) if memory)
    return Written(numbers, told={"item": item.id, "action": asked.action})


def undo(nous: Nous, viewer: Viewer, asked: Undo) -> Written:
    """Take back events and what they caused, or the last decisions by hand."""
    every = asked.project is None
    done = nous.undo(asked.events, last=asked.last, reason=asked.reason, project=asked.project, all_projects=every)
    names = nous.stores.events.births(event.learning_id for event in done.undone)
    numbers = tuple(dict.fromkeys(number for number, _ in names.values()))
    return Written(numbers, told={"undone": [event.event_id for event in done.undone], "undone_by": done.undone_by})


# fmt: off
OPERATIONS = (
    Operation(
        "review.list", Questions, RUN + "queue", "Questions that only a person can answer", about="project",
        doors=(Route("GET", "/v1/review"),),
    ),
    Operation(
        "review.decide", Deciding, RUN + "decide", "Answer a question of the review", MemoryAnswer, "write", "review",
        about="question", doors=(Route("POST", "/v1/review/{item}"),), example={"action": "keep"},
    ),
    Operation(
        "review.undo", Undo, RUN + "undo", "Undo decisions", MemoryAnswer, "write", "undo",
        about="decisions", doors=(Route("POST", "/v1/undo"),), example={"last": 1},
    ),
)
# fmt: on
