"""A tidying: what a careful reader of all memories of a project would merge, end, reword and ask, and its page.

Like a reading it is checked item by item: what does not fit is refused with its reason, and the rest counts.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from nous.errors import BadOutput
from nous.kernel.learn.reading import (
    MOST_ITEMS,
    MOST_LINES,
    ProposedLine,
    ReadEdit,
    ReadEnding,
    ReadItem,
    ReadQuestion,
    SomeText,
    find_document,
    read_items,
)
from nous.kernel.log.extraction import Rejection

MOST_GROUPS, MOST_SECTIONS = 20, 12


class ReadMerge(ReadItem, frozen=True, kw_only=True):
    """Memories that say the same thing or belong in one sentence, and the one that takes their place."""

    from_: Annotated[tuple[SomeText, ...], Meta(min_length=2)]
    text: Annotated[str, Meta(pattern=r"\S")]
    type: str = ""


class ReadGroup(ReadItem, frozen=True, kw_only=True):
    """Memories about one subject."""

    label: SomeText
    about: str = ""
    members: Annotated[tuple[SomeText, ...], Meta(min_length=1)]


class ReadSection(ReadItem, frozen=True, kw_only=True):
    """A section of the project's page."""

    heading: SomeText
    lines: Annotated[tuple[ProposedLine, ...], Meta(min_length=1)]


class Tidying(msgspec.Struct, frozen=True, kw_only=True):
    """What a model makes of all memories of a project; None for a brief that it does not give."""

    merges: tuple[ReadMerge, ...] = ()
    gone: tuple[ReadEnding, ...] = ()
    edits: tuple[ReadEdit, ...] = ()
    questions: tuple[ReadQuestion, ...] = ()
    groups: tuple[ReadGroup, ...] = ()
    page: tuple[ReadSection, ...] = ()
    brief: tuple[ProposedLine, ...] | None = None


class CheckedTidying(NamedTuple):
    """A tidying and what of it was refused; `is_partial` when it broke off and only its beginning could be read."""

    tidying: Tidying
    refused: list[Rejection]
    is_partial: bool = False


LISTS: dict[str, tuple[type[ReadItem], int]] = {
    "merges": (ReadMerge, MOST_ITEMS),
    "gone": (ReadEnding, MOST_ITEMS),
    "edits": (ReadEdit, MOST_ITEMS),
    "questions": (ReadQuestion, MOST_ITEMS),
    "groups": (ReadGroup, MOST_GROUPS),
    "page": (ReadSection, MOST_SECTIONS),
    "brief": (ProposedLine, MOST_LINES),
}


def check_tidying(answer: object) -> CheckedTidying:
    """A tidying from JSON that was read already, or from a text that holds it somehow; else `BadOutput`.

    Of an answer that breaks off, groups, page and brief are not taken: they were meant as a whole.
    """
    fields = frozenset(LISTS)
    given, is_partial = find_document(answer, fields) if isinstance(answer, str) else (answer, False)
    if not isinstance(given, dict) or not given.keys() & fields:
        raise BadOutput("the answer is no tidying")
    refused: list[Rejection] = []
    found = {
        name: tuple(one for one in read_items(given, name, kind, refused, most) if one)
        for name, (kind, most) in LISTS.items()
    }
    if is_partial or not isinstance(given.get("brief"), list):
        del found["brief"]
    if is_partial:
        del found["groups"], found["page"]
    return CheckedTidying(msgspec.convert(found, Tidying), refused, is_partial)
