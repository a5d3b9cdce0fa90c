"""What the user's own words teach: passages of a prompt that are likely worth keeping, put so that they stand alone.

Whose words they are is settled before (`language.voices`), how likely they are worth keeping by weights (`decide`).
Here passages are cut out, composed and typed. A few rows stand before the weights (`settled`): what somebody asks to
remember is kept, what is said to hold just once is not, and a plain rule, wish or value counts as half sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from nous.core.extraction import RULE, STANDING
from nous.core.extractor import cues, names
from nous.core.extractor.compose import ROOM, composed, goes_on, plain_type, strip_lead_in
from nous.core.extractor.decide import Weighed, passage_chance, reasons, shape, type_of, weigh
from nous.core.extractor.features import Features, Setting
from nous.core.extractor.replaced import recited, refused_command, replaced_words
from nous.core.extractor.story import PlacedLearning, learn
from nous.core.extractor.triples import triples
from nous.core.language.lexicon import pattern, words
from nous.core.language.sentences import Sentence, sentences
from nous.core.language.standing import FOR_A_TIME, is_wide, standing_row
from nous.core.language.until import find_expiry
from nous.core.likeness import tokens
from nous.core.session import Story
from nous.core.text import STOP_WORDS, plain_words

KEEPS = 0.28  # the chance from which a passage is kept; chosen on seven projects it is the same, whichever is left out
LONE = 0.2  # and a statement that is a whole message: who says one thing alone says it plainly
ALONE = 1.5  # so it counts more
SEED = 0.12  # the chance of a sentence from which a passage is looked at
EXTENDS = 0.07  # and that of a neighbour to be weighed with it
LEAST, MORE = 0.36, 0.6  # of how sure a memory is: at least, and with its chance
ASKED_FOR = 0.99  # the chance of what the user asks to be remembered
PLAIN = 0.45  # the chance of a plain rule or wish, and of what gives a thing its value: half were worth it in real text
SHORT = 160  # characters of a sentence that gives one value
CHOSEN = 2  # words after "let's go with" one of which names the thing
MOST = 5  # passages of one message
PASTED = 2_500  # characters of a message from which on most of it was copied from somewhere
LEAD_IN = 4  # words of a sentence that says nothing without the rule after it
RULE_CONFIDENCE = 0.9  # of what is said as a rule
ANCHORED = 3  # words that say something, from which a sentence with a pronoun may say what it is about
QUOTES = "'\"`“”"
_THEM = re.compile(r"\bthem\b", re.I)
SECRET, PRIVATE = "[secret:", "[private]"
_SAID_BY_HAND = re.compile(r"[^\W\d_]{2}|[^\x00-\u024f]")
_JOINT = re.compile(r"[,;] | and | but | und | et | y |[.!] ")


# Who says what a sentence is, decides it; else the weights do.
TYPED = (("dead_end", cues.DEAD_END), ("decision", cues.DECISION))


RULE_TYPES = {
    "preference": "preference",
    "command": "procedure",
    "decision": "decision",
    "value": "fact",
}  # else a requirement
RULE_REASONS = {
    "order": "said with always or never",
    "lasting": "said to hold from now on",
    "ask": "says when to ask first",
    "decision": "said as a decision",
    "asked_to_remember": "the user asked for it to be remembered",
    "announced": "announced as a rule",
    "modal": "said with must always, must never or keep in mind",
    "occasion": "said of every occasion",
    "practice": "said as what is done here",
    "generic": "said of all of a kind",
    "convention": "says how code and names are written",
    "instead": "says one thing and not another",
    "command": "says by which command",
    "preference": "said as what the user prefers",
    "ban": "said as what must not be done",
    "warning": "said as a warning",
    "for_a_time": "said as a rule for a time",
    "value": "says plainly where a thing is or which value it has",
}


class Passage(NamedTuple):
    """Neighbouring sentences that are kept together: from which to which, the surest, and its chance.

    `rule`: what settled it where the weights alone would not have kept it.
    """

    first: int
    last: int
    best: int
    chance: float
    rule: str = ""


def from_words(story: Story) -> Iterator[PlacedLearning]:
    """What every prompt and every refusal of the session teaches."""
    earlier = 0
    for at, turn in enumerate(story.turns):
        if turn.kind in ("prompt", "denial") and turn.text and not turn.agent_id:
            yield from _from_prompt(story, at, Setting(earlier, story.last_reply(at)))
            earlier += turn.kind == "prompt"


def _from_prompt(story: Story, at: int, setting: Setting) -> Iterator[PlacedLearning]:
    text = story.turns[at].text
    whole = [part for one in sentences(text) for part in _without_secret(one) if part.text.strip() != PRIVATE]
    said = [part for one in _named(whole) for part in _apart(one)]
    rows = [_rule_row(one, len(text)) for one in said]
    for place, row in enumerate(rows):
        if row:
            yield _rule(story, at, said, place, row)
    weighed = weigh(said, setting, len(text))
    features, chances = [one.features for one in weighed], [one.chance for one in weighed]
    taken = {place for place, row in enumerate(rows) if row or _belongs_to_a_rule(said, rows, place)}
    ruled = [(0.0, "") if place in taken else settled(one, setting.before) for place, one in enumerate(said)]
    for passage in chosen(said, features, chances, ruled, is_stopped=story.was_stopped(at)):
        yield draft_of(story, at, weighed, passage)


def _rule_row(one: Sentence, length: int) -> str:
    """The row by which a sentence of a message is a standing rule; in a long message only the surest count."""
    row = standing_row(one)
    return row if length < PASTED or row in words("standing.sure") else ""


def _apart(one: Sentence) -> Iterator[Sentence]:
    """A sentence, or each of the two rules that one order gives: "end functions with 'a' and methods with 'b'"."""
    found = pattern("claims.joined").match(one.text) if sum(map(one.text.count, QUOTES)) > 3 else None
    if found is None:
        yield one
        return
    first, other = found["one"], _THEM.sub(lambda _: found["one"].partition(" with ")[0], found["two"])
    for verb, rule in ((found["verb"], first), (found["other_verb"] or found["verb"], other)):
        yield one._replace(text=f"{found['lead']}{verb} {rule}{found['tail']}")


def _named(said: Sequence[Sentence]) -> list[Sentence]:
    """Sentences in which "them" is what the sentence before ends with: "a convention for your names. Start them …"."""
    found: list[Sentence] = []
    for one in said:
        before = found[-1] if found else None
        what = pattern("said.names_what").search(before.text) if before and not before.asks else None
        is_order = what and pattern("said.about_them").match(one.text)
        found.append(one._replace(text=_THEM.sub(what["what"], one.text, count=1)) if what and is_order else one)
    return found


def _belongs_to_a_rule(said: Sequence[Sentence], rows: Sequence[str], place: int) -> bool:
    """Whether a sentence leads in to the rule after it ("No, not pip."), or only says where the one before it holds."""
    one = said[place]
    leads_in = rows[place + 1 : place + 2] not in ([], [""]) and len(one.text.split()) <= LEAD_IN
    widens = (
        place and rows[place - 1] and pattern("said.refers").match(one.text) and cues.GLOBAL.search(composed([one]))
    )
    return bool(leads_in or widens)


def _rule(story: Story, at: int, said: Sequence[Sentence], place: int, row: str) -> PlacedLearning:
    """A sentence that is said as a rule, as a memory of its own."""
    one = said[place]
    alone = Passage(place, place, place, ASKED_FOR)
    around = range(max(0, place - 1), min(len(said), place + 2))
    everywhere = any(_spreads(said, near, alone) for near in around)
    replaced = replaced_words(one.text, said, place)
    return learn(
        story, at, _with_refused(story, at, composed([one])), RULE_TYPES.get(row, "requirement"), RULE_CONFIDENCE,
        slot=_slot(composed([one]), story.turns[at].cwd),
        replaces=replaced,
        scope="global" if everywhere else "project",
        scope_confidence=0.9 if everywhere else 0.6,
        temporal_confidence="high",
        valid_until=_valid_until(one.text, story.turns[at].at) if row == FOR_A_TIME else None,
        recited=recited(story, at, is_changed=bool(replaced)) or replaced,
        reasons=(f"{RULE}{RULE_REASONS[row]}",), tags=(STANDING,) if is_wide(row, one.text) else (),
    )  # fmt: skip


def _valid_until(text: str, said_at: str) -> str | None:
    """Until when a rule says that it holds, counted from when it was said."""
    expiry = find_expiry(text, said_at) if said_at else None
    return expiry.moment if expiry else None


def chosen(
    said: Sequence[Sentence],
    features: Sequence[Features],
    chances: Sequence[float],
    fixed: Sequence[tuple[float, str] | None] = (),
    weighed: Callable[[Sequence[float]], float] = passage_chance,
    keeps: float = KEEPS,
    *,
    is_stopped: bool = False,
) -> list[Passage]:
    """The passages of a message that are kept: those whose words settle it, and those that are likely worth it.

    `is_stopped`: the user had just stopped the agent, so that an order tells how it should be.
    """
    ruled = [one or (None, "") for one in fixed or [None] * len(said)]
    seeds = [
        max(chance, least or 0.0) if least != 0.0 else 0.0 for chance, (least, _) in zip(chances, ruled, strict=True)
    ]
    found: list[Passage] = []
    for one in passages(said, seeds):
        part = slice(one.first, one.last + 1)
        likely = weighed(shape(said[part], features[part], chances[part]))
        least, rule = ruled[one.best]
        is_asked = least == ASKED_FOR
        if len(said) == 1 and one.chance >= LONE and (is_stopped or _states(said[0], features[0])):
            least, rule = max(least or 0.0, min(ALONE * one.chance, ASKED_FOR)), rule or "a plain statement alone"
        sure = max(weighed(shape(said[part], features[part], seeds[part])), least or 0.0)
        if sure >= keeps and (is_asked or not _points(said[part])):
            first, last = (one.first, one.last) if least else _trimmed(said, seeds, one)
            found.append(Passage(first, last, one.best, min(sure, ASKED_FOR), rule if likely < keeps else ""))
    return found


def _trimmed(said: Sequence[Sentence], chances: Sequence[float], one: Passage) -> tuple[int, int]:
    """A passage without what merely hangs at its ends: nobody would have looked there, or it is small talk.

    Of such sentences ("Great!", "Still an issue.") one in eleven was worth keeping; no fact and no need is lost. What a
    dash joins or what the next sentence speaks of stays.
    """
    first, last = one.first, one.last

    def hangs(at: int) -> bool:
        return chances[at] < SEED or bool(cues.SMALLTALK.match(said[at].text))

    while (
        first < one.best and hangs(first) and not (_leans_on(said[first + 1], said[first]) or goes_on(said[first + 1]))
    ):
        first += 1
    while last > one.best and hangs(last) and not goes_on(said[last]):
        last -= 1
    return first, last


def _points(said: Sequence[Sentence]) -> bool:
    """Whether sentences only point at something that is not in them: "I don't want them.", or an address alone."""
    text = " ".join(f"{one.under} {one.text}" for one in said)
    if not _SAID_BY_HAND.search(pattern("said.quoted").sub(" ", text)):
        return True
    told = plain_words(text)
    return not words("said.points").isdisjoint(told) and len(set(told) - STOP_WORDS) < ANCHORED


def _without_secret(one: Sentence) -> Iterator[Sentence]:
    """A sentence, or of one that held a secret the clauses that do not."""
    if SECRET not in one.text:
        yield one
        return
    for part in _JOINT.split(one.text):
        if SECRET not in part and len(part.split()) > 3:
            yield one._replace(text=part.strip())


def settled(one: Sentence, before: str = "") -> tuple[float, str] | None:
    """The chance of a sentence whose words settle it, and by which rule: to be remembered, a plain rule, wish, choice
    or value, passing, hearsay, a heading. None where the weights have to say it.

    `before` are the agent's last words.
    """
    text = one.text
    if not one.asks and cues.REMEMBER.search(text):
        return ASKED_FOR, "the user asked for it to be remembered"
    if not one.asks and _announces(text):
        return ASKED_FOR, "it was announced as a rule"
    is_passing = cues.ONE_OFF.search(text) and not cues.GLOBAL.search(text)
    is_unreal = cues.HEARSAY.search(text) or cues.HYPOTHETICAL.search(text)
    if is_passing or is_unreal or text.endswith((":", "：")):
        return 0.0, ""
    if one.asks or one.is_odd:
        return None
    plain = next((name for name, holds in _PLAIN if holds(one)), "")
    if not plain and _chooses(text, before):
        plain = "a choice of what the agent had named"
    return (PLAIN, plain) if plain else None


def _announces(text: str) -> bool:
    """Whether a text says that what follows is a rule: "rule for this repo: …", "**Conventions:** …"."""
    return bool(pattern("said.announced").match(plain_type(text))) and not pattern("said.label").match(text)


def _is_announced(one: Sentence) -> bool:
    """Whether a sentence is an item of a list of rules."""
    return one.is_item and _announces(f"{one.under} x")


def _states(one: Sentence, features: Features) -> bool:
    """Whether a sentence says how something is: no order, no question, no tale. Of the others 6 in 44 were worth it."""
    if one.asks or cues.TASK.match(one.text) or not features.grams:
        return False
    return features.grams[0] not in words("said.opens") and words("said.personal").isdisjoint(features.grams)


def _chooses(text: str, before: str) -> bool:
    """Whether a sentence takes something that the agent had just named: "agreed, let's go with sqlite"."""
    text = strip_lead_in(text)
    found = cues.DECISION.search(text)
    return found is not None and not set(tokens(text[found.end() :])[:CHOSEN]).isdisjoint(tokens(before))


_PLAIN: tuple[tuple[str, Callable[[Sentence], object]], ...] = (
    ("a plain rule", lambda one: pattern("said.rule").search(one.text)),
    ("a plain wish", lambda one: cues.PREFERENCE.search(one.text)),
    ("a rule of a list", _is_announced),
    ("a value of a thing", lambda one: len(one.text) < SHORT and (names.slot(one.text) or triples(one.text))),
)


def passages(
    said: Sequence[Sentence], chances: Sequence[float], keeps: float = SEED, extends: float = EXTENDS
) -> list[Passage]:
    """The passages of a message that may be worth keeping, in their order.

    The surest sentence takes its neighbours along as long as they are likely too and stand next to it, so that what is
    said in two sentences stays together and can be read alone.
    """
    taken: set[int] = set()
    found: list[Passage] = []
    for best in sorted(range(len(said)), key=lambda at: (-chances[at], at)):
        if chances[best] < keeps or best in taken or len(found) >= MOST:
            continue
        first, last = _grown(said, chances, best, taken, extends)
        if first and first - 1 not in taken and _leans_on(said[first], said[first - 1]):
            first -= 1
        taken.update(range(first, last + 1))
        found.append(Passage(first, last, best, chances[best]))
    return sorted(found)


def _leans_on(one: Sentence, before: Sentence) -> bool:
    """Whether a sentence begins with a word for what the one before it is about, and that one can be kept with it."""
    is_near = one.line - before.line <= 1 and one.is_item == before.is_item
    opens = next(iter(plain_words(one.text)), "")
    return opens in words("said.points") and is_near and not before.asks and len(before.text) + len(one.text) < ROOM


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
    content = _with_refused(story, at, composed(said[passage.first : passage.last + 1]))
    everywhere = any(_spreads(said, at, passage) for at in range(passage.first, passage.last + 1))
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
        reasons=(f"{RULE}{passage.rule}",) if passage.rule else reasons(best.features),
    )


def _with_refused(story: Story, at: int, content: str) -> str:
    """What is said at a refusal, with the command that was refused."""
    refused = refused_command(story, at)
    if refused and len(content) < 200 and refused.split()[0].lower() not in content.lower():
        return f"{content.rstrip('. ')} (not `{refused}`)"
    return content


def _spreads(said: Sequence[Sentence], at: int, passage: Passage) -> bool:
    """Whether a sentence says of a passage that it holds in all of the person's work: the surest one, or one that opens
    it or speaks of it ("this applies to all my repos")."""
    one = said[at]
    is_about = at == passage.best or at < passage.best or pattern("said.refers").match(one.text)
    return bool(is_about and not one.asks and cues.GLOBAL.search(composed([one])))


def _slot(text: str, cwd: str) -> str | None:
    """The slot of a sentence, or of the one clause of it that has any; the project is called "the project" in it."""
    name = cwd.rstrip("/").rsplit("/", 1)[-1]
    if len(name) > 3:
        text = re.sub(rf"(?i)\b{re.escape(name)}\b", "the project", text)
    return names.slot(text) or next((slot for part in text.split(", ")[1:] if (slot := names.slot(part))), None)
