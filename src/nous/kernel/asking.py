"""What requests share: where they look, when, and which page."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from nous import moments
from nous.errors import Misuse
from nous.kernel.log.events import as_number, is_global_id

if TYPE_CHECKING:
    from nous.app import Nous

TIME = "a date (2026-11-09), a moment, or an age (30d)"
Limit = Annotated[int, Meta(ge=1, le=1000, description="how many")]
Cursor = Annotated[str, Meta(description="`next` of the page before")]
AsOf = Annotated[str | None, Meta(description=f"as Nous knew it then: {TIME}")]
AsAt = Annotated[str | None, Meta(description=f"what was true then: {TIME}")]
RecordKind = Literal["all", "memories", "exchanges"]
LIMIT = 10  # hits that every door gives when nobody says how many
T = TypeVar("T")


class Present(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a read of the present may say: of which project it asks. One that names another time is refused."""

    project: Annotated[str | None, Meta(description="a project's id, or a path in it; all projects when left out")] = (
        None
    )
    all_projects: Annotated[bool, Meta(description="of every project, whatever `project` says")] = False


class Look(Present, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What other reads may say too: of which time they ask."""

    as_of: AsOf = None
    as_at: AsAt = None


class PagedNow(Present, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A read of the present that answers page by page."""

    limit: Limit = 50
    cursor: Cursor | None = None


class Paged(Look, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A read that answers page by page."""

    limit: Limit = 50
    cursor: Cursor | None = None


def project_of(nous: Nous, asked: Present) -> str | None:
    """The project a request is about; None for all of them."""
    return None if asked.all_projects or not asked.project else nous.project(asked.project).id


def then(nous: Nous, as_of: str | None) -> int | None:
    """The last event that was known at a moment; None for now."""
    return nous.stores.events.as_of(moments.parse(as_of, nous.clock())) if as_of else None


def moment(nous: Nous, given: str | None) -> str | None:
    """A moment in the stored form, or None."""
    return moments.parse(given, nous.clock()) if given else None


def number_of(nous: Nous, given: str | int) -> int:
    """A memory's number here, from its number (`12`, `#12`) or its global id."""
    text = str(given).strip().removeprefix("#")
    if (number := as_number(text)) is not None:
        return number
    if not is_global_id(text):
        raise Misuse(f"{given!r} is neither the number of a memory nor a global id")
    return nous.number(text)


def make_cursor(place: Sequence[Any]) -> str:
    """A place in an order as text that nobody has to understand."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def place(cursor: str | None, shape: type[T]) -> T | None:
    """The place that a cursor names."""
    if not cursor:
        return None
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        return msgspec.json.decode(raw, type=shape)
    except (ValueError, msgspec.MsgspecError):
        raise Misuse(f"{cursor!r} is no cursor", hint="take `next` of the page before as it is") from None


def make_page(found: Sequence[T], limit: int, at: Callable[[T], Sequence[Any]]) -> tuple[Sequence[T], str | None]:
    """The first of some more than a page, and where the next one begins."""
    page = found[:limit]
    return page, make_cursor(at(page[-1])) if len(found) > limit else None
