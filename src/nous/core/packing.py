"""From memories to the few lines a model gets: what is worth its place, in an order and wording a model follows.

Standard library only: the last step runs inside a hook, on entries that were prepared before.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from nous.core.types import HEADINGS, TYPES

HARD_LIMIT_UTF16 = 10_000
MAX_LINES = 40
FIT = 0.6
LEAD = "What earlier sessions taught (Nous memory; what the user says now comes first):"


class Entry(NamedTuple):
    """A memory, ready to be shown: its line, its price and what speaks for it.

    `words` are the lower-case words that tie it to files and topics; `files` those it warns about.
    """

    id: int
    type: str
    line: str
    tokens: int
    worth: float
    words: Sequence[str]
    files: Sequence[str]


class Packet(NamedTuple):
    """Text for the model and the memories it stands for. Same entries, same bytes."""

    text: str
    memory_ids: tuple[int, ...]


def estimate_tokens(text: str) -> int:
    """Roughly how many tokens a text costs: four plain characters each, fewer of other scripts."""
    plain = len(text) if text.isascii() else sum(character < "\x80" for character in text)
    return math.ceil(plain / 4 + (len(text) - plain) / 1.5)


def pack(
    entries: Iterable[Entry], budget: int, *, focus: Collection[str] = (), seen: Collection[int] = (), lead: str = LEAD
) -> Packet:
    """The packet that fits a budget of tokens, a number of lines and the client's hard limit.

    `focus` are words of what the session is about (changed files, say): entries that share them come first. Each type
    has a share of lines; what one type leaves unused, the next best entries of any type take.
    """
    fresh = [entry for entry in entries if entry.id not in seen]
    wanted = frozenset(focus)
    ranked = sorted(fresh, key=lambda entry: (-entry.worth - _fit(entry, wanted), -entry.id))
    chosen = _within(_fair(ranked, wanted), budget - estimate_tokens(lead))
    return Packet(render(chosen, lead), tuple(entry.id for entry in chosen))


def _fit(entry: Entry, focus: frozenset[str]) -> float:
    return FIT if focus and not focus.isdisjoint(entry.words) else 0.0


def _fair(ranked: Sequence[Entry], focus: frozenset[str]) -> list[Entry]:
    """First what fits the session and every type's own share, then the rest, each by worth."""
    used: dict[str, int] = {}
    first: list[Entry] = []
    rest: list[Entry] = []
    for entry in ranked:
        within = used.get(entry.type, 0) < TYPES[entry.type].surface
        (first if within or _fit(entry, focus) else rest).append(entry)
        used[entry.type] = used.get(entry.type, 0) + 1
    return first + rest


def _within(entries: Sequence[Entry], budget: int) -> list[Entry]:
    """As many entries, in order, as the limits allow; a long one that does not fit makes room for a shorter one."""
    chosen: list[Entry] = []
    units = 200
    headings: set[str] = set()
    for entry in entries:
        heading = TYPES[entry.type].heading
        price = entry.tokens + 1 + (0 if heading in headings else 4)
        size = len(entry.line.encode("utf-16-le")) // 2 + 1
        if price > budget or units + size > HARD_LIMIT_UTF16 or len(chosen) >= MAX_LINES:
            continue
        chosen.append(entry)
        headings.add(heading)
        budget -= price
        units += size
    return chosen


def render(entries: Sequence[Entry], lead: str = LEAD) -> str:
    """The entries under plain headings; nothing when there are none."""
    lines: list[str] = []
    for heading in HEADINGS:
        under = [entry.line for entry in entries if TYPES[entry.type].heading == heading]
        if under:
            lines += [f"## {heading}", *under]
    return "\n".join([lead, *lines]) if lines else ""
