"""What was said around a memory. An episode is part of a sequence: alone it often says "Yes, last Friday", and only the
question before it tells what about. So the text index knows, for episodes of one session, the question each of them
answers, two neighbours before and one after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from nous.kernel.memory.memories import TextRow
from nous.kernel.memory.sequences import Sequences
from nous.language.text import is_question

if TYPE_CHECKING:
    from nous.kernel.stores import Vectors

BEFORE = 2
AFTER = 1

SaidAt = tuple[int, str]


def with_context(sequences: Sequences, rows: Mapping[int, TextRow], told: Mapping[int, str]) -> dict[int, TextRow]:
    """The new rows with what is said around them; known neighbours learn of the new ones."""
    found = dict(rows)
    sessions: dict[str, list[int]] = {}
    for number, session_id in sorted(told.items()):
        sessions.setdefault(session_id, []).append(number)
    for session_id, numbers in sessions.items():
        known = sequences.before(session_id, numbers[0], BEFORE + AFTER)
        told_here = [*known, *((number, rows[number].content) for number in numbers)]
        for at, (number, _) in enumerate(told_here):
            asked, context = surroundings(told_here, at)
            if at >= len(known):
                found[number] = replace(found[number], asked=asked, context=context)
            elif at >= len(known) - AFTER:
                sequences.set_context(number, asked, context)
        sequences.join(session_id, numbers)
    return found


def forget_told(sequences: Sequences, vectors: Vectors, number: int) -> None:
    """Take an erased memory out of everything its neighbours say about it."""
    session_id = sequences.leave(number)
    vectors.drop(number)
    if session_id is None:
        return
    before = sequences.before(session_id, number, BEFORE + AFTER)
    after = sequences.after(session_id, number, BEFORE + AFTER)
    around = [*before, *after]
    for at in range(max(0, len(before) - AFTER), min(len(around), len(before) + BEFORE)):
        sequences.set_context(around[at][0], *surroundings(around, at))


def surroundings(told: Sequence[SaidAt], at: int) -> tuple[str, str]:
    """The question that one of these answers, and the words around it."""
    before = [words for _, words in told[max(0, at - BEFORE) : at]]
    after = [words for _, words in told[at + 1 : at + 1 + AFTER]]
    asked = before[-1] if before and is_question(before[-1]) else ""
    return asked, " ".join([*before, *after])
