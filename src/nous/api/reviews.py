"""What only a person can decide."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from msgspec import Meta

from nous.api.asking import Present
from nous.api.fields import item_fields
from nous.app import Nous, review


class Questions(Present, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Questions of the review."""

    kind: Annotated[review.ReviewKind | None, Meta(description="only questions of this kind, and all of them")] = None
    limit: Annotated[int, Meta(ge=1, le=200, description="how many, the gravest")] = review.MOST


def queue(nous: Nous, asked: Questions) -> dict[str, Any]:
    """The gravest questions, by subject, and how many of each kind wait."""
    where: dict[str, Any] = {"project": asked.project, "all_projects": asked.all_projects or not asked.project}
    asking = nous.questions(**where, kind=asked.kind)  # it looks at every memory: once
    items = review.chosen(asking, asked.limit)
    waiting = Counter(item.kind for item in asking)
    return {"items": [item_fields(item) for item in items], "next": None, "waiting": dict(waiting)}
