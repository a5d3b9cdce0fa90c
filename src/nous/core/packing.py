"""From memories to the few lines a model gets: what is worth its place, in an order and wording a model follows.

Standard library only: the last step runs inside a hook, on entries that were prepared before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple

from nous.core.phases import PHASE_SHARES, Phase, share_of
from nous.core.types import HEADINGS, TYPES

HARD_LIMIT_UTF16 = 10_000
MAX_LINES = 40
FIT = 3.0  # log-odds: what the session works on comes before what is merely likely
STACK_FIT = 0.2
PHASED = 0.5  # the part of a packet that goes by the shares of a phase; the rest goes by worth, as without one
LEAD = (
    "What earlier sessions taught (Nous memory; the user's words now come first; rules still apply, old tasks do not):"
)


class Entry(NamedTuple):
    """A memory, ready to be shown: its line, its price and what speaks for it.

    `words` are the lower-case words that tie it to files and topics; `files` those it warns about; `anchors` what it
    speaks of in the code, as `nous.anchors.verdict` takes it; `beside` further memories that its line shows.
    """

    id: int
    type: str
    line: str
    tokens: int
    worth: float
    words: Sequence[str]
    files: Sequence[str]
    anchors: Sequence[Sequence[Any]] = ()
    beside: Sequence[int] = ()


Check = Callable[[Entry], Entry | None]


class Packet(NamedTuple):
    """Text for the model and the memories it stands for. Same entries, same bytes."""

    text: str
    memory_ids: tuple[int, ...]


# Where a tokenizer cuts: short words whole and long ones in pieces, digits one by one, marks in pairs.
_PIECE = re.compile(r"[A-Za-z]{1,6}(?![A-Za-z])|[A-Za-z]{1,4}|\d|[!-/:-@\[-^`{-~]{1,2}|_+|[\u0080-\u2fff]{1,2}")


# -- the way out ----------------------------------------------------------------------------------------------------

# Whole escape sequences, control bytes, and letters that are not seen or turn the direction of those that are.
_UNSEEN = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])"
    r"|[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_BREAKS = re.compile(r"[\n\r\v\f\x85\u2028\u2029]+")
# Marks by which the client tells its own words from others': a memory must not be able to end or begin one.
_TAGS = re.compile(
    r"<(?=/?\s*(?:[a-z]+[-_:][a-z]|system|user|human|assistant|nous|channel|invoke|private|result|thinking)\w*)", re.I
)
_CITATION = re.compile(r"\[(?=Memory\s*#?\w*\s*:)", re.I)
_LAYOUT = re.compile(r"^[\s#>*+=|-]+(?=\S)|`{3,}|~{3,}")


def clean(text: str) -> str:
    """A line that stays a line, whoever wrote it: no unseen letters, no escapes, none of the client's own marks."""
    if text.isascii() and text.isprintable() and "<" not in text:
        return text
    return _TAGS.sub("‹", _BREAKS.sub(" ", _UNSEEN.sub("", text)))


def neutral(text: str) -> str:
    """Words of a memory for a line of its own: clean, without layout, and citing nothing."""
    return _LAYOUT.sub("", _CITATION.sub("(", clean(text)))


def estimate_tokens(text: str) -> int:
    """How many tokens a text costs: what the Llama tokenizer counts, within a quarter for a line, a tenth for a packet.

    Newer tokenizers need fewer, so a budget is kept with them too.
    """
    pieces = float(len(_PIECE.findall(text)))
    if not text.isascii():
        pieces += sum(1.4 if character < "\U00010000" else 4 for character in text if character >= "\u3000")
    return math.ceil(pieces)


def pack(
    entries: Iterable[Entry],
    budget: int,
    *,
    focus: Collection[str] = (),
    stack: Collection[str] = (),
    seen: Collection[int] = (),
    lead: str = LEAD,
    tail: str = "",
    check: Check = lambda entry: entry,
    phase: Phase | None = None,
) -> Packet:
    """The packet that fits a budget of tokens, a number of lines and the client's hard limit.

    `focus` are words of what the session is about (changed files, say): entries that share them come first; `stack` are
    names of what the project is built with, which count a little. `tail` is said after them, at the same expense.
    `check` has the last word on an entry that would be shown: as it is, marked, or not at all. `phase` is what the
    session is known to be doing: what that needs most has a share of the room first.
    """
    fresh = [entry for entry in entries if entry.id not in seen and not any(one in seen for one in entry.beside)]
    wanted, built_with = frozenset(focus), frozenset(stack)
    ranked = sorted(
        fresh, key=lambda entry: (-entry.worth - _fit(entry, wanted) - _fit(entry, built_with, STACK_FIT), -entry.id)
    )
    room = budget - estimate_tokens(lead) - estimate_tokens(tail)
    if phase:
        ranked = shared_out(ranked, phase, PHASED * room)
    chosen = _within(ranked, room, utf16_units(tail), check)
    return Packet(render(chosen, lead, tail), tuple(number for entry in chosen for number in (entry.id, *entry.beside)))


def shared_out(entries: Sequence[Entry], phase: Phase, budget: float) -> list[Entry]:
    """Entries in the order in which a phase wants them: each type within its share first, then what is left."""
    left = {type_: share_of(phase, type_) * budget for type_ in {entry.type for entry in entries}}
    rest = PHASE_SHARES[phase][""] * budget
    first: list[Entry] = []
    later: list[Entry] = []
    for entry in entries:
        if entry.type in PHASE_SHARES[phase] and entry.tokens <= left[entry.type]:
            left[entry.type] -= entry.tokens
            first.append(entry)
        elif entry.type not in PHASE_SHARES[phase] and entry.tokens <= rest:
            rest -= entry.tokens
            first.append(entry)
        else:
            later.append(entry)
    return first + later


def _fit(entry: Entry, focus: frozenset[str], gain: float = FIT) -> float:
    return gain if focus and not focus.isdisjoint(entry.words) else 0.0


def utf16_units(text: str) -> int:
    """How long a text is, as the client counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _within(entries: Sequence[Entry], budget: int, units: int, check: Check) -> list[Entry]:
    """As many entries, in order, as the limits allow; a long one that does not fit makes room for a shorter one."""
    chosen: list[Entry] = []
    units += 200
    headings: set[str] = set()
    for entry in entries:
        heading = TYPES[entry.type].heading
        price = entry.tokens + 1 + (0 if heading in headings else 4)
        if price > budget or len(chosen) >= MAX_LINES or (checked := check(entry)) is None:
            continue
        price += checked.tokens - entry.tokens
        size = utf16_units(checked.line) + 1
        if price > budget or units + size > HARD_LIMIT_UTF16:
            continue
        chosen.append(checked)
        headings.add(heading)
        budget -= price
        units += size
    return chosen


def marked(entry: Entry, mark: str) -> Entry:
    """The entry with a remark before its citation."""
    said, cite, number = entry.line.rpartition(" [Memory #")
    line = f"{said} ({mark}){cite}{number}" if cite else f"{entry.line} ({mark})"
    return entry._replace(line=line, tokens=estimate_tokens(line))


def render(entries: Sequence[Entry], lead: str = LEAD, tail: str = "") -> str:
    """The entries under plain headings, and the tail; nothing when there are neither."""
    lines: list[str] = []
    for heading in HEADINGS:
        under = [clean(entry.line) for entry in entries if TYPES[entry.type].heading == heading]
        if under:
            lines += [f"## {heading}", *under]
    lines += [tail] if tail else []
    return "\n".join([lead, *lines]) if lines else ""
