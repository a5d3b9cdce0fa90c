"""Matching receipts with what transcripts show: was it taken in, was it cited?"""

from __future__ import annotations

import re
from collections.abc import Iterable

from nous.core.transcript import Turn
from nous.stores import Stores

_CITATION = re.compile(r"Memory #(\d+)")


def cited(text: str) -> set[int]:
    """The memory numbers that a text cites."""
    return {int(number) for number in _CITATION.findall(text)}


def note(stores: Stores, turns: Iterable[Turn], now: str) -> None:
    """Note which injections a transcript shows and which memories the assistant cites."""
    for turn in turns:
        if turn.kind not in ("injection", "reply") or "Memory #" not in turn.text:
            continue
        numbers = cited(turn.text)
        context = f"{turn.session_id}/{turn.agent_id}" if turn.agent_id else turn.session_id
        if turn.kind == "injection":
            stores.injections.acknowledge(context, numbers, turn.at or now)
        else:
            stores.injections.reference(context, numbers, turn.at or now)
            stores.accesses.note(numbers, turn.at or now)
