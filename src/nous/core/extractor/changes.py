"""Sentences that teach nothing by themselves and yet may end something known: "cron is out", "you can push now"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nous.core.compare.change import is_change
from nous.core.compare.parts import puts_away
from nous.core.extractor import cues
from nous.core.extractor.compose import strip_lead_in
from nous.core.extractor.replaced import recited, replaced_words
from nous.core.extractor.said import instead_of
from nous.core.extractor.story import PlacedLearning, learn
from nous.core.language.lexicon import pattern
from nous.core.language.sentences import Sentence, sentences
from nous.core.session import Story

LONGEST = 240
_MERGES = re.compile(r"\bgit merge (?:--(?!abort|continue|quit)\S+ )*(?P<branch>[\w./-]+)\s*(?:$|[;&|])", re.M)
_TAKES_BACK = re.compile(r'\bRevert "(?P<title>[^"\n]{3,80})"')
_CLAUSE = re.compile(r"(?:,|;| -|\.)\s+(?:so |and |then |also )*")


def from_changes(story: Story) -> Iterator[PlacedLearning]:
    """What every prompt says has changed, merges and reverts; each is kept only when something known ends with it."""
    yield from _done(story)
    for at, turn in enumerate(story.turns):
        if turn.kind != "prompt" or not turn.text or turn.agent_id:
            continue
        said = sentences(turn.text)
        for place, one in enumerate(said):
            if not instead_of(one) and (content := _told(one)):
                replaced = replaced_words(one.text, said, place) or ""
                for part in _changes(content):
                    yield _hint(story, at, part, 0.6, replaced, recited(story, at) or None)


def _changes(told: str) -> list[str]:
    """What is told of a change, and each half of it where both tell of one: "you can push again, the ban is gone"."""
    halves = _CLAUSE.split(told)
    is_twice = len(halves) == 2 and all(is_change(half) and len(half.split()) > 3 for half in halves)
    return [told, *halves] if is_twice else [told]


def _hint(
    story: Story, at: int, content: str, sure: float, replaced: str = "", told: str | None = None
) -> PlacedLearning:
    return learn(
        story, at, content, "fact", sure,
        replaces=replaced, temporal_confidence="high", recited=told, is_tentative=True,
    )  # fmt: skip


def _done(story: Story) -> Iterator[PlacedLearning]:
    """That a branch was merged, so that what was on it is no longer only there; that a commit was taken back."""
    for run in story.runs:
        if run.failed:
            continue
        if merged := _MERGES.search(run.command):
            yield _hint(story, run.done, f"Branch {merged['branch']} was merged.", 0.7)
        if "git revert" in run.command and (reverted := _TAKES_BACK.search(run.output)):
            yield _hint(story, run.done, f"{reverted['title']} was dropped.", 0.7)


def _told(one: Sentence) -> str:
    """The part of a sentence that tells of a change, without the order that follows from it; nothing when none does."""
    text = strip_lead_in(one.text)
    if one.asks or one.is_odd or len(text) > LONGEST or "[secret:" in text or not is_change(text):
        return ""
    if puts_away(text):  # an order too: what it puts away is over for all
        return text
    if cues.ONE_OFF.search(text):
        return ""
    ends = next((joint.start() for joint in _CLAUSE.finditer(text) if _is_order(text[joint.end() :])), len(text))
    told = text[:ends]
    return "" if _is_order(told) or (len(told.split()) < 3 and told.isascii()) else told


def _is_order(text: str) -> bool:
    return bool(cues.TASK.match(text)) and not pattern("turns.leave").match(text)
