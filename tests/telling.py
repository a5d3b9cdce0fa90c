"""A prompt as a learning, whether or not the reader would keep it: for tests of what follows."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from nous.core.extraction import Learning
from nous.core.extractor.said import rule
from nous.core.language.sentences import sentences
from nous.core.session import Story
from nous.core.transcript import Turn


def told(turns: Sequence[Turn], at: int, sure: float = 0.8) -> Learning:
    """What the longest sentence of the prompt at a place says."""
    said = sentences(turns[at].text)
    longest = max(range(len(said)), key=lambda place: len(said[place].text))
    return replace(rule(Story(turns), at, said, longest, "order").learning, confidence=sure)
