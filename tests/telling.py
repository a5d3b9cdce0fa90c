"""A prompt as a learning, whether or not the reader would keep it: for tests of what follows."""

from __future__ import annotations

from collections.abc import Sequence

from nous.core.extraction import Learning
from nous.core.extractor.decide import weigh
from nous.core.extractor.features import Setting
from nous.core.extractor.said import Passage, draft_of
from nous.core.language.sentences import sentences
from nous.core.session import Story
from nous.core.transcript import Turn


def told(turns: Sequence[Turn], at: int, sure: float = 0.8) -> Learning:
    """What the prompt at a place says, kept as one passage."""
    text = turns[at].text
    weighed = weigh(sentences(text), Setting(1, "Done."), len(text))
    best = max(range(len(weighed)), key=lambda place: weighed[place].chance)
    return draft_of(Story(turns), at, weighed, Passage(0, len(weighed) - 1, best, sure)).learning
