# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""What the user's own words teach: passages of a prompt that are likely worth keeping, put so that they stand alone.

Whose words they are is settled before (`language.voices`), how likely they are worth keeping by weights (`decide`).
Here passages are cut out, composed and typed. Two rows have the last word: who asks to be remembered is, and what is
said to hold just once is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from nous.core.extractor import cues, names
from nous.core.extractor.compose import ROOM, composed, strip_lead_in
from nous.core.extractor.decide import Weighed, passage_chance, reasons, shape, type_of, weigh
from nous.core.extractor.features import Features, Setting
from nous.core.extractor.replaced import recited, refused_command, replaced_words
from nous.core.extractor.story import PlacedLearning, learn
from nous.core.language.sentences import Sentence, sentences
from nous.core.likeness import tokens
from nous.core.session import Story

KEEPS = 0.24  # the chance from which a passage is kept
LONE = 0.2  # and a statement that is a whole message: who says one thing alone says it plainly
ALONE = 1.5  # so it counts more
CHOSEN = 2  # words after "let's go with" one of which names the thing
SEED = 0.12  # the chance of a sentence from which a passage is looked at
EXTENDS = 0.07  # and that of a neighbour to be kept with it
PLAIN = 0.45  # the chance of a plain rule or wish, and of what gives a thing its value: half were worth it in real text
LEAST, MORE = 0.36, 0.6  # of how sure a memory is: at least, and with its chance
ASKED_FOR = 0.99  # the chance of what the user asks to be remembered
MOST = 5  # passages of one message
SECRET, PRIVATE = "[secret:", "[private]"
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
# Who says "I", "you" or "please" orders, asks or tells how it goes, and so does who opens with one of these.
_PERSONAL = frozenset(
    """i i'm i'd i've i'll me my you you're your please pls let's lets still ich du mir dein bitte je j'ai tu moi stp yo tú
    mi por favor""".split()  # noqa: SIM905
)
_OPENS = frozenset(
    """can could would will was were are is do does did why where when what how who which if looks so but need ensure
    kannst warum wo wie wenn peux pourquoi où si puedes por qué dónde""".split()  # noqa: SIM905
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


def from_words(story: Story) -> Iterator[PlacedLearning]:
    """What every prompt and every refusal of the session teaches."""
    earlier = 0
    for at, turn in enumerate(story.turns):
        if turn.kind in ("prompt", "denial") and turn.text and not turn.agent_id:
            yield from _from_prompt(story, at, Setting(earlier, story.last_reply(at)))
            earlier += turn.kind == "prompt"


def _from_prompt(story: Story, at: int, setting: Setting) -> Iterator[PlacedLearning]:
    text = story.turns[at].text
    said = [part for one in sentences(text) for part in _without_secret(one) if part.text.strip() != PRIVATE]
    weighed = weigh(said, setting, len(text))
    settled, stopped = partial(_settled, before=setting.before), story.was_stopped(at)
    features, chances = [one.features for one in weighed], [one.chance for one in weighed]
    for passage in chosen(said, features, chances, settled, is_stopped=stopped):
        yield draft_of(story, at, weighed, passage)


def chosen(
    said: Sequence[Sentence],
    features: Sequence[Features],
    chances: Sequence[float],
    settled: Callable[[Sentence, Features], float | None] = lambda *_: None,
    weighed: Callable[[Sequence[float]], float] = passage_chance,
    keeps: float = KEEPS,
    *,
    is_stopped: bool = False,
) -> list[Passage]:
    """The passages of a message that are kept: those whose words settle it, and those that are likely worth it.

    `is_stopped`: the user had just stopped the agent, so that an order tells how it should be.
    """
    fixed = [settled(one, feature) for one, feature in zip(said, features, strict=True)]
    seeds = [max(chance, last or 0.0) if last != 0.0 else 0.0 for chance, last in zip(chances, fixed, strict=True)]
    found: list[Passage] = []
    for one in passages(said, seeds):
        part = slice(one.first, one.last + 1)
        is_plain = len(said) == 1 and one.chance >= LONE and (is_stopped or _states(said[0], features[0]))
        alone = ALONE * one.chance if is_plain else 0.0
        sure = max(weighed(shape(said[part], features[part], seeds[part])), fixed[one.best] or 0.0, alone)
        if sure >= keeps:
            found.append(one._replace(chance=min(sure, ASKED_FOR)))
    return found


def _without_secret(one: Sentence) -> Iterator[Sentence]:
    """A sentence, or of one that held a secret the clauses that do not."""
    if SECRET not in one.text:
        yield one
        return
    for part in _JOINT.split(one.text):
        if SECRET not in part and len(part.split()) > 3:
            yield one._replace(text=part.strip())


def _is_announced(one: Sentence) -> bool:
    """Whether a sentence is an item of a list of rules."""
    return one.is_item and bool(_ANNOUNCED.match(f"{one.under} x"))


def _states(one: Sentence, features: Features) -> bool:
    """Whether a sentence says how something is: no order, no question, no tale. Of the others 6 in 44 were worth it."""
    if one.asks or cues.TASK.match(one.text) or not features.grams:
        return False
    return features.grams[0] not in _OPENS and _PERSONAL.isdisjoint(features.grams)


def _chooses(text: str, before: str) -> bool:
    """Whether a sentence takes something that the agent had just named: "agreed, let's go with sqlite"."""
    text = strip_lead_in(text)
    found = cues.DECISION.search(text)
    return found is not None and not set(tokens(text[found.end() :])[:CHOSEN]).isdisjoint(tokens(before))


def _settled(one: Sentence, features: Features, before: str = "") -> float | None:
    """The chance of a sentence whose words settle it: to be remembered, a rule, a choice, passing, hearsay, a heading.

    `before` are the agent's last words.
    """
    text = one.text
    if not one.asks and (cues.REMEMBER.search(text) or _ANNOUNCED.match(text)):
        return ASKED_FOR
    is_unreal = cues.HEARSAY.search(text) or cues.HYPOTHETICAL.search(text)
    is_passing = cues.ONE_OFF.search(text) and not cues.GLOBAL.search(text)
    if is_unreal or is_passing or text.endswith((":", "：")):
        return 0.0
    if one.asks or one.is_odd:
        return None
    is_plain = _RULE.search(text) or cues.PREFERENCE.search(text) or _chooses(text, before) or _is_announced(one)
    return PLAIN if is_plain or not {"a value", "a relation"}.isdisjoint(features.marks) else None


def passages(
    said: Sequence[Sentence], chances: Sequence[float], keeps: float = SEED, extends: float = EXTENDS
) -> list[Passage]:
    """The passages of a message that may be worth keeping, in their order.

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
            and not _is_announced(said[at])
            and abs(said[at].line - said[edge].line) <= 1
        ]
        if not near:
            return first, last
        at = max(near, key=lambda place: chances[place])
        room -= len(said[at].text) + 1
        first, last = min(first, at), max(last, at)


def draft_of(story: Story, at: int, weighed: Sequence[Weighed], passage: Passage) -> PlacedLearning:
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
        LEAST + MORE * passage.chance,
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
