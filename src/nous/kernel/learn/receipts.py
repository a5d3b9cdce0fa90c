"""Matching receipts with what transcripts show: was it taken in, was it cited?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from nous.kernel.capture.transcript import Turn

if TYPE_CHECKING:
    from nous.kernel.stores import Accesses, Injections

_CITATION = re.compile(r"Memory #(\d+)")
_EXCHANGE = re.compile(r"\[Exchange ([\w-]{8,40}):")


def cited_numbers(text: str) -> set[int]:
    """The memory numbers that a text cites."""
    return {int(number) for number in _CITATION.findall(text)}


def note(accesses: Accesses, injections: Injections, turns: Iterable[Turn], now: str) -> None:
    """Note which injections a transcript shows and which memories and earlier exchanges the assistant cites."""
    for turn in turns:
        numbers = cited_numbers(turn.text) if turn.kind in ("injection", "reply") else set()
        exchanges = set(_EXCHANGE.findall(turn.text)) if turn.kind == "reply" else set()
        if not numbers and not exchanges and turn.kind != "injection":
            continue
        context = f"{turn.session_id}/{turn.agent_id}" if turn.agent_id else turn.session_id
        if turn.kind == "injection":
            injections.acknowledge(context, numbers, turn.at or now)
        else:
            injections.reference(context, numbers, turn.at or now)
            injections.reference_exchanges(context, exchanges, turn.at or now)
            accesses.note(numbers, turn.at or now)
