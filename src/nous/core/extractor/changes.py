"""Sentences that teach nothing by themselves and yet may end something known: "cron is out", "you can push now"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nous.core.compare.change import is_change
from nous.core.extractor import cues
from nous.core.extractor.prompts import is_command
from nous.core.extractor.replaced import replaced_words
from nous.core.extractor.sentences import Sentence, spoken, strip_lead_in
from nous.core.extractor.statements import is_pasted, is_unreal
from nous.core.extractor.story import Draft, learn
from nous.core.extractor.uptake import recited
from nous.core.session import Story

LONGEST = 240
# Leave to do something, and what need not be done any more, sound like orders.
_LEAVE = re.compile(
    r"(?:you|we) (?:can|may|don['’]?t (?:need|have) to|need not|needn['’]?t)\b|no need to\b|forget (?:what|about)\b",
    re.I,
)
_MERGES = re.compile(r"\bgit merge (?:--(?!abort|continue|quit)\S+ )*(?P<branch>[\w./-]+)\s*(?:$|[;&|])", re.M)
_TAKES_BACK = re.compile(r'\bRevert "(?P<title>[^"\n]{3,80})"')
_TABLE = re.compile(r"\s\|\s|[+]{2}|[{}<>]\S*[{}<>]")
_CLAUSE = re.compile(r"(?:,|;| -|\.)\s+(?:so |and |then |also )*")


def from_changes(story: Story) -> Iterator[Draft]:
    """What every prompt says has changed, merges and reverts; each is kept only when something known ends with it."""
    yield from _merged(story)
    yield from _reverted(story)
    for at, turn in enumerate(story.turns):
        if turn.kind != "prompt" or not turn.text or turn.agent_id or is_command(turn.text):
            continue
        said = spoken(turn.text)
        for place, one in enumerate(said):
            if content := _told(one):
                replaced = replaced_words(one.text, said, place) or ""
                yield learn(
                    story,
                    at,
                    content,
                    "fact",
                    0.6,
                    replaces=replaced,
                    temporal_confidence="high",
                    recited=recited(story, at) or None,
                    is_tentative=True,
                )


def _merged(story: Story) -> Iterator[Draft]:
    """That a branch was merged: what was said to be on it is no longer only there."""
    for run in story.runs:
        found = None if run.failed else _MERGES.search(run.command)
        if found:
            content = f"Branch {found['branch']} was merged."
            yield learn(
                story, run.done, content, "fact", 0.7, replaces="", temporal_confidence="high", is_tentative=True
            )


def _reverted(story: Story) -> Iterator[Draft]:
    """That a commit was taken back, by its title: what it brought is over."""
    for run in story.runs:
        found = _TAKES_BACK.search(run.output) if "git revert" in run.command and not run.failed else None
        if found:
            content = f"{found['title']} was dropped."
            yield learn(
                story, run.done, content, "fact", 0.7, replaces="", temporal_confidence="high", is_tentative=True
            )


def _told(one: Sentence) -> str:
    """The part of a sentence that tells of a change, without the order that follows from it; nothing when none does."""
    text = strip_lead_in(one.text)
    idle = one.asks or len(text) > LONGEST or "[secret:" in one.text or not is_change(text)
    if idle or is_unreal(one.masked) or cues.ONE_OFF.search(one.masked):
        return ""
    if cues.SMALLTALK.match(one.masked) or is_pasted(one.text) or _TABLE.search(one.text):
        return ""
    ends = next((joint.start() for joint in _CLAUSE.finditer(text) if _is_order(text[joint.end() :])), len(text))
    told = text[:ends]
    return "" if _is_order(told) or (len(told.split()) < 3 and told.isascii()) else told


def _is_order(text: str) -> bool:
    return bool(cues.TASK.match(text)) and not _LEAVE.match(text)
