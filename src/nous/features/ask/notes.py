"""What goes to a model that answers, and what comes back: notes, and sentences that cite them."""

from __future__ import annotations

from typing import NamedTuple

import msgspec


class FoundNote(NamedTuple):
    """A hit as the model reads it: its day, whether it is a memory or an exchange, and what it says."""

    day: str
    record: str
    text: str


class CitedSentence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence of an answer, and the numbers of the hits it rests on, from 1."""

    text: str
    notes: tuple[int, ...]
