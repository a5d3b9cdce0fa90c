"""Sentences that teach nothing by themselves and yet may end something known: "cron is out", "you can push now"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nous.features.rules_reader.replaced import recited_text, replaced_words
from nous.features.rules_reader.said import instead_of
from nous.kernel.capture.session import Story
from nous.kernel.learn.compose import strip_lead_in
from nous.kernel.learn.parts import puts_away
from nous.kernel.learn.story import PlacedLearning, learn
from nous.language import cues
from nous.language.compare.change import is_change
from nous.language.lexicon import pattern
from nous.language.sentences import Sentence, sentences

LONGEST = 240
_MERGES = re.compile(r"\bgit merge (?:--(?!abort|continue|quit)\S+ )*(?P<branch>[\w./-]+)\s*(?:$|[;&|])", re.M)
_TAKES_BACK = re.compile(r'\bRevert "(?P<title>[^"\n]{3,80})"')
_CLAUSE = re.compile(r"(?:,|;| -|\.)\s+(?:so |and |then |also )*")


def from_changes(story: Story) -> Iterator[PlacedLearning]:
    """What every prompt says has changed, merges and reverts; each is kept only when something known ends with it."""
    yield from _git_changes(story)
    for at, turn in enumerate(story.turns):
        if turn.kind != "prompt" or not turn.text or turn.agent_id:
            continue
        said = sentences(turn.text)
        for place, one in enumerate(said):
            if not instead_of(one) and (content := _changing_part(one)):
                replaced = replaced_words(one.text, said, place) or ""
                for part in _changes(content):
                    yield _hint(story, at, part, 0.6, replaced, recited_text(story, at) or None)


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


def _git_changes(story: Story) -> Iterator[PlacedLearning]:
    """That a branch was merged, so that what was on it is no longer only there; that a commit was taken back."""
    for run in story.runs:
        if run.failed:
            continue
        if merged := _MERGES.search(run.command):
            yield _hint(story, run.done, f"Branch {merged['branch']} was merged.", 0.7)
        if "git revert" in run.command and (reverted := _TAKES_BACK.search(run.output)):
            yield _hint(story, run.done, f"{reverted['title']} was dropped.", 0.7)


def _changing_part(one: Sentence) -> str:
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
