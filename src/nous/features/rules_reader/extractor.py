"""The deterministic extractor: what a session teaches, read without any model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from nous.features.rules_reader.answers import from_answers
from nous.features.rules_reader.deeds import from_deeds
from nous.features.rules_reader.said import from_words
from nous.features.rules_reader.state import from_end
from nous.kernel.capture.authorship import in_own_voice
from nous.kernel.capture.session import Story
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn.story import PlacedLearning
from nous.kernel.log.extraction import EXTRACTOR_VERSION as EXTRACTOR_VERSION
from nous.kernel.log.extraction import Learning, Rejection, check
from nous.language.compare.differences import text_difference
from nous.language.likeness import jaccard, tokens
from nous.language.text import calm

SAME = 0.75  # the share of words at which one sentence only repeats another

# A new kind of evidence is one function in this tuple; earlier ones win when two say the same.
LEARNERS = (from_words, from_answers, from_deeds, from_end)


def extract(turns: Sequence[Turn], *, new_from: int = 0) -> list[Learning | Rejection]:
    """What one session file teaches, in its order; only what was decided at or after `new_from` is returned.

    The earlier turns are read as context, so a file that grows can be read piece by piece without learning twice.
    """
    story = Story(in_own_voice([replace(turn, text=calm(turn.text)) if turn.text else turn for turn in turns]))
    drafts = sorted((draft for learner in LEARNERS for draft in learner(story)), key=lambda draft: draft.at)
    drafts = _distinct(drafts)
    found = [(draft.at, check(draft.learning)) for draft in drafts]
    return [one for at, one in found if at >= story.place(new_from)]


class RuleReader:
    """The rules of today, as what reads a whole session again."""

    version = EXTRACTOR_VERSION

    def read(self, session_id: str, project_id: str, turns: Sequence[Turn]) -> list[Learning | Rejection]:
        """What each file of the session teaches: its own transcript and those of its agents."""
        files: dict[str, list[Turn]] = {}
        for turn in turns:
            files.setdefault(turn.agent_id, []).append(turn)
        return [found for told in files.values() for found in extract(told)]


def _distinct(drafts: list[PlacedLearning]) -> list[PlacedLearning]:
    """The drafts without those that only repeat an earlier one.

    Two sets that share three quarters of their words share one of their rarest quarter, so only drafts that meet there
    are compared: a session of thousands of learnings stays linear.
    """
    common = Counter(word for draft in drafts for word in set(tokens(draft.learning.content)))
    kept: list[PlacedLearning] = []
    places: dict[str, list[int]] = {}
    for draft in drafts:
        words = sorted(set(tokens(draft.learning.content)), key=lambda word: (common[word], word))
        rare = words[: len(words) - math.ceil(SAME * len(words)) + 1] or [draft.learning.content]
        met = {place for word in rare for place in places.get(word, ())}
        if any(_same(draft.learning, kept[place].learning) for place in met):
            continue
        for word in rare:
            places.setdefault(word, []).append(len(kept))
        kept.append(draft)
    return kept


def _same(one: Learning, other: Learning) -> bool:
    if one.content == other.content:
        return True
    if jaccard(tokens(one.content), tokens(other.content)) < SAME:
        return False
    found = text_difference(one.content, other.content)
    return found is not None and found.kind == "same"
