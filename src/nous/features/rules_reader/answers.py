"""What the user answered when the client's own dialogue asked: a decision, with what was offered and not taken."""

from __future__ import annotations

from collections.abc import Iterator

from nous.kernel.capture.session import Answer, Story
from nous.kernel.learn.story import PlacedLearning, learn
from nous.kernel.log.extraction import RULE
from nous.language.lexicon import pattern

LONGEST_NOTE = 260


def from_answers(story: Story) -> Iterator[PlacedLearning]:
    """A question the assistant asked and what the user chose or wrote."""
    for one in story.answers:
        if _says_something(one):
            # A label is the assistant's word, and so is the question; who picked it made it theirs, unless it takes up
            # what a text from outside says.
            told = f"{one.question} {one.answer}"
            doubt = story.taint(one.at, told, proven=True) if one.is_own else story.doubt_of_pick(one.at, told)
            tainted = bool(doubt)
            yield learn(
                story, one.at, _wording(one), "decision", 0.85, temporal_confidence="high", tainted=tainted,
                reasons=(f"{RULE}answered when asked",),
            )  # fmt: skip


def _says_something(one: Answer) -> bool:
    answer = one.answer.strip()
    if not answer or "[secret:" in answer or "?" in answer or "？" in answer:
        return False
    return not (pattern("turns.idle").match(answer) or any(map(pattern("turns.steers").search, (one.question, answer))))


def _wording(one: Answer) -> str:
    content = f"{one.question.strip()} {one.answer.strip().rstrip('.')}"
    others = (label for label in one.offered if label and label.lower() not in one.answer.lower())
    lost = [label for label in others if not pattern("turns.idle").match(label)]
    return f"{content} (not {', '.join(lost[:3])})" if lost and len(content) < LONGEST_NOTE else content
