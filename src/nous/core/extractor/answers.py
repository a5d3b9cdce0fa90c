# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""What the user answered when the client's own dialogue asked: a decision, with what was offered and not taken."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nous.core.extraction import RULE
from nous.core.extractor.story import PlacedLearning, learn
from nous.core.session import Answer, Story

# An answer that leaves it open, asks back, or only steers the dialogue.
_IDLE = re.compile(
    r"^\W*(?:you decide|your call|up to you|whatever|no preference|not sure|unsure|skip|next|continue|proceed|done|more|other|later|none|"
    r"nothing|ready|go on|move on|yes|no|ok|okay|looks good|approve[ds]?|correct|hm+|(?:it|this|that) (?:would |all )?depends?|entscheide du|à toi de|tú decides|你决定|都行)\b",
    re.I,
)
_STEERS = re.compile(
    r"\b(?:more questions?|next (?:area|topic|step|section)|move (?:on|to)|ready to|shall (?:i|we) (?:proceed|continue|start)|"
    r"(?:do you want|would you like|should (?:i|we)) (?:me )?(?:to )?(?:do|discuss|explore|cover|review|tackle|work on|start|begin|proceed)\b[^?]{0,60}\?|work on (?:it|this|that) now)",
    re.I,
)
LONGEST_NOTE = 260


def from_answers(story: Story) -> Iterator[PlacedLearning]:
    """A question the assistant asked and what the user chose or wrote."""
    for one in story.answers:
        if _says_something(one):
            # A label that was picked is the assistant's word, and so is the question of any answer.
            tainted = bool(story.taint(one.at, f"{one.question} {one.answer}", proven=one.is_own))
            yield learn(
                story, one.at, _wording(one), "decision", 0.85, temporal_confidence="high", tainted=tainted,
                reasons=(f"{RULE}answered when asked",),
            )  # fmt: skip


def _says_something(one: Answer) -> bool:
    answer = one.answer.strip()
    if not answer or "[secret:" in answer or "?" in answer or "？" in answer:
        return False
    return not (_IDLE.match(answer) or _STEERS.search(one.question) or _STEERS.search(answer))


def _wording(one: Answer) -> str:
    content = f"{one.question.strip()} {one.answer.strip().rstrip('.')}"
    lost = [
        label for label in one.offered if label and label.lower() not in one.answer.lower() and not _IDLE.match(label)
    ]
    return f"{content} (not {', '.join(lost[:3])})" if lost and len(content) < LONGEST_NOTE else content
