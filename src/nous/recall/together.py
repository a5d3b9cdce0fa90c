"""Both memories of the past in one answer: what was distilled, and the exchanges themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

RecordKind = Literal["all", "memories", "exchanges"]
RECORDS: tuple[RecordKind, ...] = ("all", "memories", "exchanges")
ONLY_OF_MEMORIES = ("type", "kind", "scope", "tag", "min_confidence")  # filters that no exchange passes

_Memory = TypeVar("_Memory")
_Exchange = TypeVar("_Exchange")


def room_beside(memories: int, limit: int) -> int:
    """How many exchanges have room beside so many memories."""
    return limit - min(memories, max(1, limit // 2))


def together(
    memories: Sequence[_Memory], exchanges: Sequence[_Exchange], limit: int
) -> tuple[list[_Memory], list[_Exchange], list[_Memory]]:
    """What is shown, in this order: the best memories, exchanges, and further memories where these leave room.

    Memories come first and take half of the room: on eight real projects that met as many needs as any other share,
    and what is distilled is sooner read.
    """
    first = list(memories[: limit - room_beside(len(memories), limit)]) if exchanges else list(memories[:limit])
    then = list(exchanges[: limit - len(first)])
    return first, then, list(memories[len(first) : limit - len(then)])
