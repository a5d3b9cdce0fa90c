"""A prompt as a learning, whether or not the reader would keep it: for tests of what follows."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from nous.features.rules_reader.said import rule
from nous.kernel.capture.session import Story
from nous.kernel.capture.transcript import Turn
from nous.kernel.log.extraction import Learning
from nous.language.sentences import sentences


def told(turns: Sequence[Turn], at: int, sure: float = 0.8) -> Learning:
    """What the longest sentence of the prompt at a place says."""
    said = sentences(turns[at].text)
    longest = max(range(len(said)), key=lambda place: len(said[place].text))
    return replace(rule(Story(turns), at, said, longest, "order").learning, confidence=sure)
