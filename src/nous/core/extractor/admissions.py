"""What the assistant admitted to have got wrong, with the words of the user that made it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nous.core.extractor import cues
from nous.core.extractor.sentences import Sentence, spoken, strip_lead_in
from nous.core.extractor.shapes import complaints, facts
from nous.core.extractor.statements import is_pasted, is_unreal
from nous.core.extractor.story import Draft, learn
from nous.core.session import Story


def lesson(story: Story, at: int, said: Sequence[Sentence]) -> Iterator[Draft]:
    """What the assistant admitted to have got wrong, with the words of the user that made it."""
    reaction = story.reaction(at)
    if not said or not cues.CONCEDES.match(reaction) or not story.acted_before(at):
        return
    if len(story.turns[at].text) < 12 or is_unreal(said[0].masked):
        return
    admitted = _admission(reaction)
    if not admitted or not any(_is_critical(one) for one in said[:3]):
        return
    asked = next((one.text for one in said if facts.CONCRETE.search(one.masked) and len(one.text) < 140), said[0].text)
    content = (
        admitted
        if len(asked) > 160 or "[secret:" in asked or is_pasted(asked)
        else f"{admitted.rstrip('. ')} (the user: “{asked}”)"
    )
    decided = story.reaction_at(at)
    evidence = (story.turns[at].uuid, story.turns[decided].uuid)
    tainted = bool(story.taint(decided, admitted))
    yield learn(story, decided, content, "preference", 0.55, evidence=evidence, tainted=tainted)


def _is_critical(one: Sentence) -> bool:
    """Whether a sentence finds fault, if only by its question mark: "did you run it?!"."""
    if (
        "?!" in one.text
        or "!?" in one.text
        or cues.CORRECTION.search(one.masked)
        or complaints.POLITE.search(one.masked)
    ):
        return True
    return bool(complaints.COMPLAINT.search(one.masked) or complaints.FAULT.search(one.masked))


def _admission(reaction: str) -> str:
    """The sentence of a concession that says what was wrong or what is right."""
    for one in spoken(reaction)[:4]:
        text = re.sub(
            r"^.{0,12}you(?:'re| are) (?:\w+ )?(?:right|correct)\b(?: (?:to|on|that|about|and|-|–|—)\b)?[\s,.!:—–-]*",
            "",
            strip_lead_in(one.text),
            flags=re.I,
        )
        if (
            one.asks
            or not 30 < len(text) < 260
            or complaints.PLANS.match(text)
            or text.endswith(":")
            or not complaints.NORMATIVE.search(text)
        ):
            continue
        return text
    return ""
