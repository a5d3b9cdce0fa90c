"""Small changes to a JSON text that leave every other character of it as it was.

A settings file belongs to its owner: the order of its keys, the indentation, the line ends, a missing last newline. So
a change here is an `Edit`, a few characters put in or taken out at one place, and it can be undone exactly. Positions
count characters; a key that occurs twice means its last occurrence, as it does to every reader of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NoReturn

import msgspec

BLANK = "\ufeff \t\r\n"
DECODER = json.JSONDecoder()


class NotJson(ValueError):
    """The text is not JSON, or an object was expected where something else is."""


class Edit(msgspec.Struct, frozen=True):
    """At `start`, the text `removed` becomes the text `inserted`."""

    start: int
    removed: str
    inserted: str


class Member(msgspec.Struct, frozen=True):
    """One `"key": value` of an object: where it starts, where its value starts, and where it ends."""

    key: str
    start: int
    value: int
    end: int


class Object(msgspec.Struct, frozen=True):
    """Where an object opens and closes, and its members between."""

    opens: int
    closes: int
    members: tuple[Member, ...]

    def find(self, key: str) -> Member | None:
        """The member that counts for this key."""
        return next((each for each in reversed(self.members) if each.key == key), None)


def parse(text: str) -> Any:
    """The value of a JSON text; a blank one is an empty object, as the client reads an empty settings file."""
    if not text.strip(BLANK):
        return {}
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error) or "it is nested too deeply") from None


def _refuse(name: str) -> NoReturn:
    """`NaN` and `Infinity` are Python's idea, and no JSON."""
    raise NotJson(f"{name} is not a JSON value")


def apply(text: str, edit: Edit) -> str:
    """The text after one edit."""
    return text[: edit.start] + edit.inserted + text[edit.start + len(edit.removed) :]


def undo(text: str, edits: Sequence[Edit]) -> str:
    """The text before these edits, which were made one after the other."""
    for edit in reversed(edits):
        text = apply(text, Edit(edit.start, edit.inserted, edit.removed))
    return text


def get(text: str, path: Sequence[str]) -> Any:
    """The value at a path of keys, or None where there is none."""
    value = parse(text)
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def put(text: str, path: Sequence[str], value: Any) -> Edit:
    """The edit that puts a value at a path of keys, in the style of the text around it."""
    if not text.strip(BLANK):
        return Edit(len(text), "", json.dumps(_nest(path, value), indent=2, ensure_ascii=False) + "\n")
    here = _root(text)
    for depth, key in enumerate(path):
        member = here.find(key)
        if member is None:
            return _insert(text, here, key, _nest(path[depth + 1 :], value))
        if depth == len(path) - 1:
            return Edit(member.value, text[member.value : member.end], json.dumps(value, ensure_ascii=False))
        here = _object(text, member.value, key)
    raise NotJson("a path needs at least one key")


def drop(text: str, path: Sequence[str]) -> Edit | None:
    """The edit that takes the member at a path out again, or None where there is none."""
    if not text.strip(BLANK):
        return None
    here = _root(text)
    for key in path[:-1]:
        member = here.find(key)
        if member is None or text[member.value] != "{":
            return None
        here = _object(text, member.value, key)
    member = here.find(path[-1])
    return None if member is None else _remove(text, here, member)


def _root(text: str) -> Object:
    parse(text)  # from here on the text is known to be JSON, so the scan needs no checks
    return _object(text, _skip(text, 0), None)


def _object(text: str, opens: int, name: str | None) -> Object:
    """The object that opens at a position of a text known to be JSON."""
    if text[opens] != "{":
        raise NotJson(f"{json.dumps(name)} is not an object" if name else "it is not an object")
    members = []
    at = _skip(text, opens + 1)
    while text[at] != "}":
        key, end = DECODER.raw_decode(text, at)
        value = _skip(text, _skip(text, end) + 1)
        end = DECODER.raw_decode(text, value)[1]
        members.append(Member(key, at, value, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return Object(opens, at, tuple(members))


def _skip(text: str, at: int) -> int:
    while text[at] in BLANK:
        at += 1
    return at


def _nest(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _insert(text: str, here: Object, key: str, value: Any) -> Edit:
    """The edit that adds one member at the end of an object."""
    if not here.members:
        lead, tail = _lead_of_empty(text, here)
        member = _render(key, value, lead, _unit(text))
        return Edit(here.opens + 1, text[here.opens + 1 : here.closes], lead + member + tail)
    last = here.members[-1]
    # A member's lead is the white space between the bracket or comma before it and its key.
    before = text[: last.start]
    lead = before[len(before.rstrip(BLANK)) :]
    return Edit(last.end, "", "," + (lead or " ") + _render(key, value, lead, _unit(text)))


def _lead_of_empty(text: str, here: Object) -> tuple[str, str]:
    """White space before the first member of a still empty object, and after it."""
    unit = _unit(text)
    if unit is None:
        return "", ""
    line = text[text.rfind("\n", 0, here.opens) + 1 : here.opens].lstrip("\ufeff")
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    end = "\r\n" if "\r\n" in text else "\n"
    return end + indent + unit, end + indent


def _unit(text: str) -> str | None:
    """One step of indentation, or None when the text stands on one line."""
    root = _object(text, _skip(text, 0), None)
    if not root.members:
        return "  "
    lead = text[root.opens + 1 : root.members[0].start]
    return (lead.rpartition("\n")[2] or "  ") if "\n" in lead else None


def _render(key: str, value: Any, lead: str, unit: str | None) -> str:
    """A member whose further lines stand under its first."""
    if "\n" not in lead:
        unit = None
    whole = json.dumps(value, indent=unit, ensure_ascii=False)
    line_end = ("\r\n" if "\r\n" in lead else "\n") + lead.rpartition("\n")[2]
    return f"{json.dumps(key, ensure_ascii=False)}: " + whole.replace("\n", line_end)


def _remove(text: str, here: Object, member: Member) -> Edit:
    """The edit that removes one member together with one comma."""
    at = here.members.index(member)
    if len(here.members) == 1:
        start, end = here.opens + 1, here.closes
    elif at == len(here.members) - 1:
        start, end = here.members[at - 1].end, member.end
    else:
        start, end = member.start, here.members[at + 1].start
    return Edit(start, text[start:end], "")
