"""One line that a session begins with: what it says, what it rests on, and how it is shown."""

from __future__ import annotations

from typing import NamedTuple

from nous.features.brief.store import DecidedLine
from nous.kernel.hooks.packing import Entry, estimate_tokens, neutral
from nous.kernel.memory.memory import Memory
from nous.kernel.types import HEADINGS, TYPES

MOST_CITED = 8
MONTH = 7
WORK = HEADINGS[-1]


class StartLine(NamedTuple):
    """A line that a session begins with, the learnings it rests on, and what a person decided about it, if anything."""

    text: str
    sources: tuple[str, ...]
    entry: Entry
    decided: DecidedLine | None = None

    @property
    def is_held(self) -> bool:
        """Whether a person wants the line there, whatever a reader writes."""
        return self.decided is not None and self.decided.state in ("kept", "pinned")

    @property
    def is_pinned(self) -> bool:
        """Whether a person wants the line first."""
        return self.decided is not None and self.decided.state == "pinned"

    @property
    def place(self) -> int:
        """Where a person wants the line; 0 when they did not say."""
        return self.decided.place if self.decided else 0


def line_entry(words: str, sources: list[Memory]) -> Entry:
    """A line of a brief, ready to be shown, with the memories it rests on."""
    newest = max((one.valid_from or one.created_at)[:MONTH] for one in sources)
    cited = ", ".join(f"#{one.id}" for one in sources[:MOST_CITED])
    text = f"- {neutral(words)} [Memory {cited}: {newest}]"
    first, *others = (one.id for one in sources)
    return Entry(
        id=first,
        type=_type(sources),
        line=text,
        tokens=estimate_tokens(text),
        worth=0.0,
        words=(),
        files=(),
        beside=tuple(others),
        until=min((one.valid_until for one in sources if one.valid_until), default=""),
    )


def _type(sources: list[Memory]) -> str:
    """The type under whose heading a line stands: that of its first memory, but never that of work."""
    return next((one.type for one in sources if TYPES[one.type].heading != WORK), "fact")
