"""What a subagent found out: the sentence of its report that names a cause and a place.

Agents say much that sounds like a finding; of causes picked out of plain replies one in ten was worth keeping on real
projects. A report is what the agent was sent for, and a cause with a place or a figure in it is what it brings back.
The session that sent it cannot tell what it read, so there a report counts as text from outside; in the agent's own
file everything that it read is on record, and what it concludes from the project alone needs no person to look at it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nous.core.extraction import RULE
from nous.core.extractor import cues
from nous.core.extractor.compose import strip_lead_in
from nous.core.extractor.story import PlacedLearning, learn
from nous.core.language.sentences import Sentence, sentences
from nous.core.session import Story

MOST = 3  # findings of one session
_PLACED = re.compile(r"\d|`|\w\(\)|\w[._/]\w")


def from_reports(story: Story) -> Iterator[PlacedLearning]:
    """The first cause that each report names; after outside text it waits for a person."""
    for at in _reports(story):
        found = next(filter(_is_finding, sentences(story.turns[at].text)), None)
        if found:
            content = strip_lead_in(found.text)
            is_own = bool(story.turns[at].agent_id)
            tainted = bool(story.taint(at, content)) if is_own else story.is_tainted(at)
            yield learn(
                story, at, content, "module_insight", 0.42 if tainted else 0.6,
                tainted=tainted, reasons=(f"{RULE}a subagent's finding",),
            )  # fmt: skip


def _reports(story: Story) -> list[int]:
    """Where reports stand: those that came back, and in a subagent's own file the words it ends with."""
    last = len(story.turns) - 1
    own = [last] if story.turns and story.turns[last].agent_id and story.turns[last].kind == "reply" else []
    return [at for at, turn in enumerate(story.turns) if turn.kind == "report"][:MOST] + own


def _is_finding(one: Sentence) -> bool:
    if one.asks or "[secret:" in one.text or not 30 < len(one.text) < 300:
        return False
    return bool(cues.INSIGHT.search(one.text) and _PLACED.search(one.text))
