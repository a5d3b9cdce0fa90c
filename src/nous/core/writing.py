"""What a model wrote from notes: sentences, each with the notes it rests on. One that rests on none is not taken."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from nous.core.likeness import tokens
from nous.core.packing import neutral
from nous.errors import BadOutput

MOST = 20
LONGEST = 400
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "notes": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["text", "notes"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sentences"],
    "additionalProperties": False,
}


class _Sentence(msgspec.Struct):
    text: str
    notes: tuple[int, ...]


class _Page(msgspec.Struct):
    sentences: tuple[_Sentence, ...]


def parse_sentences(answer: Any, known: Collection[int]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The sentences of an answer that cite notes which were given, in order; an answer without any is refused."""
    try:
        page = msgspec.json.decode(answer, type=_Page) if isinstance(answer, str) else msgspec.convert(answer, _Page)
    except (msgspec.ValidationError, msgspec.DecodeError) as wrong:
        raise BadOutput(f"the page is not what was asked for: {wrong}") from None
    found = []
    for one in page.sentences[:MOST]:
        text = neutral(" ".join(one.text.split()))[:LONGEST]
        cited = tuple(dict.fromkeys(number for number in one.notes if number in known))
        if tokens(text) and cited and len(cited) == len(set(one.notes)):
            found.append((text, cited))
    if not found:
        raise BadOutput("no sentence of the page cites what it rests on")
    return tuple(found)
