"""A reading: what a careful reader writes down about one session, checked item by item.

One document per session holds everything that has to be understood: memories, endings, the episode, named things,
causes, the brief. An item that does not fit is refused with its reason; the rest of the document counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args

import msgspec
from msgspec import Meta

from nous import moments
from nous.errors import BadOutput, NousError
from nous.kernel.log.extraction import MAX_CONTENT, Rejection
from nous.kernel.types import TYPES
from nous.redact import redact_text

MOST_MEMORIES = 40
MOST_ITEMS = 60  # of any other list
MOST_LINES = 12  # of a brief
LONGEST_LINE = 600
LONGEST_SUMMARY = 1200

SomeText = Annotated[str, Meta(pattern=r"\S")]
ReadOutcome = Literal["done", "partly", "failed", "dropped", "talk"]

# How a reader names types, beside the names of the registry.
TYPE_OF = {
    "rule": "requirement",
    "correction": "requirement",
    "environment": "fact",
    "command": "procedure",
    "error_fix": "error_pattern",
}

SPEAKERS = {"assistant": "agent", "output": "tool"}


class ReadItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename={"from_": "from", "is_": "is"}):
    """A part of a reading."""


class ReadMemory(ReadItem, frozen=True, kw_only=True):
    """What a later session should know; `ends` are earlier memories that it replaces."""

    text: SomeText
    type: str
    evidence: Annotated[tuple[SomeText, ...], Meta(min_length=1)]
    by: Literal["user", "agent", "tool"] = "agent"
    about: tuple[str, ...] = ()
    scope: Literal["project", "global"] = "project"
    since: str | None = None
    until: str | None = None
    ends: tuple[SomeText, ...] = ()


class ReadEnding(ReadItem, frozen=True, kw_only=True):
    """An earlier memory that became untrue or never was one, without a successor."""

    known: SomeText
    why: str = ""
    evidence: tuple[SomeText, ...] = ()


class ReadEdit(ReadItem, frozen=True, kw_only=True):
    """An earlier memory that is half wrong or badly said, and its new text."""

    known: SomeText
    text: SomeText
    evidence: tuple[SomeText, ...] = ()


class ReadAgain(ReadItem, frozen=True, kw_only=True):
    """A known rule that was said again, broken again, or proved right."""

    known: SomeText
    how: Literal["said", "broken", "confirmed"] = "said"
    evidence: Annotated[tuple[SomeText, ...], Meta(min_length=1)]


class ReadOpen(ReadItem, frozen=True, kw_only=True):
    """What is left to do, who does it and until when, as far as somebody said so."""

    text: SomeText
    who: str = ""
    due: str = ""


class ReadThing(ReadItem, frozen=True, kw_only=True):
    """A named thing that will matter again: its other names, and what it is."""

    name: SomeText
    kind: str = ""
    also: tuple[str, ...] = ()
    is_: str = ""
    same_as: str = ""


class ReadRelation(ReadItem, frozen=True, kw_only=True):
    """What is said of two things; `memory` counts the memories of this reading from 0."""

    from_: SomeText
    how: SomeText
    to: SomeText
    memory: int | None = None
    since: str | None = None
    until: str | None = None


class ReadCause(ReadItem, frozen=True, kw_only=True):
    """A cause that was established, by an outcome or by the user's word."""

    cause: SomeText
    effect: SomeText
    evidence: tuple[SomeText, ...] = ()


class ReadQuestion(ReadItem, frozen=True, kw_only=True):
    """Two memories of which a person should say which one holds."""

    a: SomeText
    b: SomeText
    ask: str = ""


class ProposedLine(ReadItem, frozen=True, kw_only=True):
    """A line that every session of the project should begin with, and the memories it rests on."""

    text: SomeText
    from_: Annotated[tuple[SomeText, ...], Meta(min_length=1)]


class Reading(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a reader makes of one session.

    A memory is named by `<session>#<index>`, by its place among the memories of that session's reading, or by its
    global id. Evidence are records of the transcript. `brief` is the whole brief after this session; None when the
    reader gives none.
    """

    session: str
    at: str = ""
    title: str = ""
    summary: str = ""
    outcome: ReadOutcome = "talk"
    open: tuple[ReadOpen, ...] = ()
    done: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    memories: tuple[ReadMemory | None, ...] = ()  # None where one was refused: the others keep their numbers
    gone: tuple[ReadEnding, ...] = ()
    edits: tuple[ReadEdit, ...] = ()
    again: tuple[ReadAgain, ...] = ()
    things: tuple[ReadThing, ...] = ()
    relations: tuple[ReadRelation, ...] = ()
    because: tuple[ReadCause, ...] = ()
    questions: tuple[ReadQuestion, ...] = ()
    brief: tuple[ProposedLine, ...] | None = None


class CheckedReading(NamedTuple):
    """A reading and what of it was refused; `is_partial` when it broke off and only its beginning could be read."""

    reading: Reading
    refused: list[Rejection]
    is_partial: bool = False


LISTS: dict[str, type[ReadItem]] = {
    "gone": ReadEnding,
    "edits": ReadEdit,
    "again": ReadAgain,
    "things": ReadThing,
    "relations": ReadRelation,
    "because": ReadCause,
    "questions": ReadQuestion,
    "open": ReadOpen,
    "brief": ProposedLine,
}
MOST = dict.fromkeys(LISTS, MOST_ITEMS) | {"brief": MOST_LINES}
KNOWN_FIELDS = frozenset(Reading.__struct_fields__)


def check_reading(answer: object, session: str) -> CheckedReading:
    """A reading of this session from JSON that was read already, or from a text that holds it somehow.

    What is no reading at all, or one of another session, is `BadOutput`.
    """
    given, is_partial = find_document(answer) if isinstance(answer, str) else (answer, False)
    if not isinstance(given, dict) or not given.keys() & (KNOWN_FIELDS - {"session", "at"}):
        raise BadOutput("the answer is no reading")
    if (named := given.get("session", session)) != session:
        raise BadOutput(f"this is a reading of another session: {str(named)[:60]!r}")
    refused: list[Rejection] = []
    memories = read_items(given, "memories", ReadMemory, refused, MOST_MEMORIES)
    lists: dict[str, Any] = {
        name: tuple(one for one in read_items(given, name, kind, refused, MOST[name]) if one)
        for name, kind in LISTS.items()
    }
    if is_partial or not isinstance(given.get("brief"), list):
        lists["brief"] = None  # a brief that breaks off is no brief
    reading = Reading(
        session=session,
        at=_moment(given.get("at")) or "",
        title=_line(given.get("title"), 120),
        summary=_line(given.get("summary"), LONGEST_SUMMARY),
        outcome=_outcome(given.get("outcome")),
        topics=_lines(given.get("topics")),
        done=_lines(given.get("done")),
        memories=tuple(memories),
        **lists,
    )
    return CheckedReading(reading, refused, is_partial)


# -- one item -------------------------------------------------------------------------------------------------------

OfReading = TypeVar("OfReading", bound=ReadItem)


def read_items(
    given: dict[str, Any], name: str, kind: type[OfReading], refused: list[Rejection], most: int = MOST_ITEMS
) -> list[OfReading | None]:
    """The items of a list, None for each that was refused."""
    rows = given.get(name)
    if not isinstance(rows, list):
        if rows is not None:
            refused.append(Rejection(f"{name} is no list", str(rows)[:80]))
        return []
    found: list[OfReading | None] = []
    for row in rows[:most]:
        one = _item(row, kind)
        if isinstance(one, Rejection):
            refused.append(Rejection(f"{name}: {one.reason}", one.excerpt))
        found.append(None if isinstance(one, Rejection) else one)
    if len(rows) > most:
        refused.append(Rejection(f"{name}: {len(rows)} are more than {most}", str(rows[most])[:80]))
    return found


def _item(row: object, kind: type[OfReading]) -> OfReading | Rejection:
    plain = {"text": row} if kind is ReadOpen and isinstance(row, str) else row
    if kind is ReadMemory and isinstance(row, dict):  # who spoke, as the transcript names it
        plain = row | {"by": SPEAKERS.get(str(row.get("by")), row.get("by"))}
    excerpt = str(row.get("text", row) if isinstance(row, dict) else row)[:80]
    try:
        one = msgspec.convert(_tidy(plain), kind)
    except msgspec.ValidationError as wrong:
        return Rejection(str(wrong), excerpt)
    problem = next(_problems(one), None)
    return Rejection(problem, "" if "secret" in problem else excerpt) if problem else one


def _tidy(value: object) -> object:
    """Texts in one line; nulls and what nobody asked for are left out."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        return [_tidy(one) for one in value]
    if isinstance(value, dict):
        return {name: _tidy(one) for name, one in value.items() if one is not None}
    return value


def _problems(item: ReadItem) -> Iterator[str]:
    """What is wrong with an item beyond its form; the first is enough."""
    if any(redact_text(text)[1] for text in _texts(msgspec.to_builtins(item))):
        yield "it holds a secret"
    match item:
        case ReadMemory(type=type_, since=since, until=until):
            if TYPE_OF.get(type_, type_) not in TYPES:
                yield f"unknown type {type_[:40]!r}"
            if any(moment and not _moment(moment) for moment in (since, until)):
                yield f"no date: {since or until!r}"
    match item:
        case ReadMemory(text=text) | ReadEdit(text=text):
            if len(text) > MAX_CONTENT:
                yield f"longer than {MAX_CONTENT} characters"
        case ProposedLine(text=text):
            if len(text) > LONGEST_LINE:
                yield f"longer than {LONGEST_LINE} characters"


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _line(value: object, longest: int) -> str:
    return redact_text(" ".join(value.split())[:longest])[0] if isinstance(value, str) else ""


def _lines(value: object) -> tuple[str, ...]:
    found = (_line(one, 120) for one in value[:MOST_ITEMS]) if isinstance(value, list) else ()
    return tuple(dict.fromkeys(one for one in found if one))


def _outcome(value: object) -> ReadOutcome:
    known: tuple[ReadOutcome, ...] = get_args(ReadOutcome)
    return next((one for one in known if one == value), "talk")


def _moment(value: object) -> str | None:
    try:
        return moments.parse(value, "") if isinstance(value, str) and value[:4].isdigit() else None
    except NousError:
        return None


# -- the document in an answer --------------------------------------------------------------------------------------

_decoder = json.JSONDecoder()
FARTHEST = 4000  # characters of other words before the document
TRIES = 200


def find_document(text: str, fields: frozenset[str] = KNOWN_FIELDS) -> tuple[Any, bool]:
    """The JSON object with some of these fields in a text, and whether it had to be mended because it breaks off."""
    text = text.strip().removeprefix("\ufeff")
    for start in (at for at, mark in enumerate(text[:FARTHEST]) if mark == "{"):
        try:
            value, _ = _decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and value.keys() & fields:
            return value, False
    if (begin := text.find("{")) >= 0 and (mended := _mend(text[begin:])) is not None:
        return mended, True
    raise BadOutput("the answer holds no JSON")


def _mend(text: str) -> Any:
    """As much of an object that breaks off as is whole; None when nothing is."""
    for end, closing in list(_cuts(text))[: -TRIES - 1 : -1]:
        try:
            value = json.loads(text[:end] + closing)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) and value else None
    return None


def _cuts(text: str) -> Iterable[tuple[int, str]]:
    """Where an object could be cut off after something whole, and the brackets that would be missing there."""
    closing: list[str] = []
    in_text = is_escaped = False
    for at, mark in enumerate(text):
        if in_text:
            in_text, is_escaped = is_escaped or mark != '"', mark == "\\" and not is_escaped
        elif mark == '"':
            in_text = True
        elif mark in "{[":
            closing.append("}" if mark == "{" else "]")
        elif mark in "}]" and closing:
            closing.pop()
            yield at + 1, "".join(reversed(closing))
        elif mark == ",":
            yield at, "".join(reversed(closing))


def memory_type(named: str) -> str:
    """The type of the registry that a reader's word stands for."""
    return TYPE_OF.get(named, named)
