# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""What the user's own words teach: passages of a prompt that are likely worth keeping, put so that they stand alone.

Whose words they are is settled before (`language.voices`), how likely they are worth keeping by weights (`decide`).
Here passages are cut out, composed and typed. Two rows have the last word: who asks to be remembered is, and what is
said to hold just once is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nous.core.extractor import cues, names
from nous.core.extractor.compose import ROOM, composed
from nous.core.extractor.decide import Weighed, reasons, type_of, weigh
from nous.core.extractor.features import Setting
from nous.core.extractor.replaced import recited, refused_command, replaced_words
from nous.core.extractor.story import Draft, learn
from nous.core.language.sentences import Sentence, sentences
from nous.core.session import Story

KEEPS = 0.2  # the chance from which a sentence is kept
EXTENDS = 0.35  # the share of that which a neighbour needs to be kept with it
PLAIN = 0.3  # the chance of a plain rule or wish, and of what gives a thing its value: half were worth it in real text
ASKED_FOR = 0.92  # the chance of what the user asks to be remembered
MOST = 5  # passages of one message
SECRET = "[secret:"
# Who announces a rule means it: "rule for this repo: public functions get type hints".
_ANNOUNCED = re.compile(
    r"^\W{0,3}(?:\w+ ){0,2}(?:rules?|conventions?|polic(?:y|ies)|guidelines?|standards?|decision|regeln?|règles?|reglas?|规则|ルール)\b"
    r"[^.:?!]{0,40}[:：]\s*\S",
    re.I,
)
# The plainest form of a rule, which hardly anybody uses for anything else.
_RULE = re.compile(
    r"^\W{0,3}(?:(?:please|pls|and|but|also|we|i|you|bitte|on|nous|wir|мы) ){0,3}(?:always|never|must (?:always|never|not)|immer|nie(?:mals)?|toujours|siempre|nunca|jamás|sempre|всегда|никогда)\b"
    r"|必须|必ず|总是|一律|禁止|\bне надо\b|\b(?:should|must) (?:always|never)\b",
    re.I,
)
_JOINT = re.compile(r"[,;] | and | but | und | et | y |[.!] ")


# Who says what a sentence is, decides it; else the weights do.
TYPED = (("dead_end", cues.DEAD_END), ("preference", cues.PREFERENCE), ("decision", cues.DECISION))


class Passage(NamedTuple):
    """Neighbouring sentences that are kept together: from which to which, the surest, and its chance."""

    first: int
    last: int
    best: int
    chance: float


def from_words(story: Story) -> Iterator[Draft]:
    """What every prompt and every refusal of the session teaches."""
    earlier = 0
    for at, turn in enumerate(story.turns):
        if turn.kind in ("prompt", "denial") and turn.text and not turn.agent_id:
            yield from _from_prompt(story, at, Setting(earlier, story.last_reply(at)))
            earlier += turn.kind == "prompt"


def _from_prompt(story: Story, at: int, setting: Setting) -> Iterator[Draft]:
    text = story.turns[at].text
    said = [part for one in sentences(text) for part in _without_secret(one)]
    weighed = weigh(said, setting, len(text))
    chances = [_last_word(one) for one in weighed]
    for passage in passages(said, chances):
        yield draft_of(story, at, weighed, passage)


def _without_secret(one: Sentence) -> Iterator[Sentence]:
    """A sentence, or of one that held a secret the clauses that do not."""
    if SECRET not in one.text:
        yield one
        return
    for part in _JOINT.split(one.text):
        if SECRET not in part and len(part.split()) > 3:
            yield one._replace(text=part.strip())


def _last_word(one: Weighed) -> float:
    """The chance of a sentence, unless its words settle it: to be remembered, passing, hearsay or a heading."""
    text = one.sentence.text
    if not one.sentence.asks and (cues.REMEMBER.search(text) or _ANNOUNCED.match(text)):
        return max(one.chance, ASKED_FOR)
    is_unreal = cues.HEARSAY.search(text) or cues.HYPOTHETICAL.search(text)
    is_passing = cues.ONE_OFF.search(text) and not cues.GLOBAL.search(text)
    is_heading = text.endswith((":", "："))
    if is_unreal or is_passing or is_heading:
        return 0.0
    if one.sentence.asks or one.sentence.is_odd:
        return one.chance
    plain = (
        _RULE.search(text)
        or cues.PREFERENCE.search(text)
        or not {"a value", "a relation"}.isdisjoint(one.features.marks)
    )
    return max(one.chance, PLAIN) if plain else one.chance


def passages(
    said: Sequence[Sentence], chances: Sequence[float], keeps: float = KEEPS, extends: float = KEEPS * EXTENDS
) -> list[Passage]:
    """The passages of a message that are worth keeping, in their order.

    The surest sentence takes its neighbours along as long as they are likely too and stand next to it, so that what is
    said in two sentences stays together and can be read alone. Each item of a list of rules is one.
    """
    taken: set[int] = set()
    found: list[Passage] = []
    for best in sorted(range(len(said)), key=lambda at: (-chances[at], at)):
        if chances[best] < keeps or best in taken or len(found) >= MOST:
            continue
        first, last = _grown(said, chances, best, taken, extends)
        taken.update(range(first, last + 1))
        found.append(Passage(first, last, best, chances[best]))
    return sorted(found)


def _grown(
    said: Sequence[Sentence], chances: Sequence[float], best: int, taken: set[int], extends: float
) -> tuple[int, int]:
    first = last = best
    room = ROOM - len(said[best].text)
    while True:
        near = [
            at
            for at, edge in ((first - 1, first), (last + 1, last))
            if 0 <= at < len(said)
            and at not in taken
            and chances[at] >= extends
            and len(said[at].text) < room
            and not said[at].asks
            and said[at].is_item == said[edge].is_item
            and not (said[at].is_item and _ANNOUNCED.match(f"{said[at].under} x"))
            and abs(said[at].line - said[edge].line) <= 1
        ]
        if not near:
            return first, last
        at = max(near, key=lambda place: chances[place])
        room -= len(said[at].text) + 1
        first, last = min(first, at), max(last, at)


def draft_of(story: Story, at: int, weighed: Sequence[Weighed], passage: Passage) -> Draft:
    said = [one.sentence for one in weighed]
    best = weighed[passage.best]
    content = composed(said[passage.first : passage.last + 1])
    refused = refused_command(story, at)
    if refused and len(content) < 200 and refused.split()[0].lower() not in content.lower():
        content = f"{content.rstrip('. ')} (not `{refused}`)"
    everywhere = bool(cues.GLOBAL.search(content))
    replaced = replaced_words(best.sentence.text, said, passage.best)
    return learn(
        story,
        at,
        content,
        next((name for name, cue in TYPED if cue.search(best.sentence.text)), type_of(best.features)),
        0.4 + 0.6 * passage.chance,
        slot=_slot(composed([best.sentence]), story.turns[at].cwd),
        replaces=replaced,
        scope="global" if everywhere else "project",
        scope_confidence=0.9 if everywhere else 0.6,
        temporal_confidence="high",
        recited=recited(story, at, is_changed=bool(replaced)) or replaced,
        reasons=reasons(best.features),
    )


def _slot(text: str, cwd: str) -> str | None:
    """The slot of a sentence, or of the one clause of it that has any; the project is called "the project" in it."""
    name = cwd.rstrip("/").rsplit("/", 1)[-1]
    if len(name) > 3:
        text = re.sub(rf"(?i)\b{re.escape(name)}\b", "the project", text)
    return names.slot(text) or next((slot for part in text.split(", ")[1:] if (slot := names.slot(part))), None)
