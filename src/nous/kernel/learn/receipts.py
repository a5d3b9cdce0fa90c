"""Matching receipts with what transcripts show: was it taken in, was it cited?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from nous.kernel.capture.transcript import Turn

if TYPE_CHECKING:
    from nous.kernel.stores import Accesses, Injections

_CITATION = re.compile(r"Memory #(\d+)")
_CITED = re.compile(r"Memory #\d|\[Exchange ")
_EXCHANGE = re.compile(r"\[Exchange ([\w-]{8,40}):")


def cited_numbers(text: str) -> set[int]:
    """The memory numbers that a text cites."""
    return {int(number) for number in _CITATION.findall(text)}


def note(accesses: Accesses, injections: Injections, turns: Iterable[Turn], now: str) -> None:
    """Note which injections a transcript shows and which memories and earlier exchanges the assistant cites."""
    for turn in turns:
        context = f"{turn.session_id}/{turn.agent_id}" if turn.agent_id else turn.session_id
        at = turn.at or now
        if turn.kind == "injection":
            injections.acknowledge(context, cited_numbers(turn.text), at)
        elif turn.kind == "reply" and _CITED.search(turn.text):
            numbers = cited_numbers(turn.text)
            injections.reference(context, numbers, at)
            injections.reference_exchanges(context, set(_EXCHANGE.findall(turn.text)), at)
            accesses.note(numbers, at)
