"""A note that a model imagines, to search with: read strictly, and never kept."""

from __future__ import annotations

from typing import Any

import msgspec

from nous.core.likeness import tokens
from nous.errors import BadOutput

LONGEST = 600
NOTE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"note": {"type": "string"}},
    "required": ["note"],
    "additionalProperties": False,
}


class _Imagined(msgspec.Struct, forbid_unknown_fields=True):
    note: str


def parse_note(answer: Any) -> str:
    """The note in an answer; one without words is refused."""
    try:
        read = msgspec.json.decode(answer, type=_Imagined) if isinstance(answer, str) else None
        said = read or msgspec.convert(answer, _Imagined)
    except (msgspec.ValidationError, msgspec.DecodeError) as wrong:
        raise BadOutput(f"the note is not what was asked for: {wrong}") from None
    note = " ".join(said.note.split())[:LONGEST]
    if not tokens(note):
        raise BadOutput("the note says nothing")
    return note
