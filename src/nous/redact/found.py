"""What redaction took out of a text."""

from __future__ import annotations

from collections import Counter

from nous.redact.values import bare

OPEN, SHUT = "\ue000", "\ue001"  # a placeholder wears these while rules run: no pattern takes it for a value


class Removals(Counter[str]):
    """How many of each kind were removed; in memory only also what, so that it is known when it comes again."""

    def __init__(self) -> None:  # a counter's own beginning costs more than looking at most texts
        self.taken: set[str] = set()
        self.spans: list[str] = []

    def take(self, kind: str, value: str) -> str:
        """Note a removal; what stands in the value's place."""
        self[kind] += 1
        self.taken.add(bare(value))
        quote = value[0] if len(value) > 1 and value[0] in "\"'`" and value[-1] == value[0] else ""
        return f"{quote}{OPEN}{kind}{SHUT}{quote}"
