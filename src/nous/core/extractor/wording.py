"""How a judged sentence is put so that it can be read without the conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nous.core.extractor import cues, grammar, names
from nous.core.extractor.assertions import is_order
from nous.core.extractor.cue import is_english
from nous.core.extractor.prompts import open_question
from nous.core.extractor.reference import resolved
from nous.core.extractor.replaced import names_it, new_words, refused_command, replaced_words
from nous.core.extractor.sentences import (
    Sentence,
    finish,
    mask,
    needs_context,
    spoken,
    strip_lead_in,
    strip_tail,
    word_count,
)
from nous.core.extractor.shapes import answers, changes, context, facts, moment, rules
from nous.core.extractor.standing import is_way_of_working
from nous.core.extractor.statements import is_pasted, states_something
from nous.core.extractor.story import Draft, learn
from nous.core.extractor.uptake import disowned, old_value, recited
from nous.core.extractor.verdicts import Verdict, is_for_now
from nous.core.likeness import STOP_WORDS, tokens
from nous.core.session import Story


def is_hollow(content: str) -> bool:
    """Whether a sentence says too little without the conversation: pronouns and hardly a word of its own."""
    words = tokens(content)
    if names.slot(content):
        return False
    if (
        context.SAYS_ENOUGH.search(content)
        or rules.UNWANTED.search(content)
        or (len(words) == 1 and context.ONE_NAME.match(content))
    ):
        return False
    return content.isascii() and (len(words) < 2 or (len(words) < 4 and bool(context.POINTS.search(mask(content)))))


def draft_of(
    story: Story, at: int, said: Sequence[Sentence], place: int, verdict: Verdict, corrects: bool, decided: int
) -> Draft:
    """What is learned from the sentence at a place of a prompt, once it is judged."""
    core = strip_tail(strip_lead_in(said[place].text))
    named = _named(said, place, core)
    content = named if named and states_something(said[place - 1].text) else _with_context(story, at, said, place, core)
    if verdict.type in ("decision", "dead_end"):
        content = _with_successor(content, said, place)
    if verdict.type == "decision":
        content = _as_decision(story, at, content)
    elif verdict.type == "dead_end":
        content = _as_dead_end(story, at, content)
    everywhere = bool(cues.GLOBAL.search(said[place].masked))
    replaced = replaced_words(said[place].text, said, place)
    replaced = replaced or old_value(story, at, said[place]) or disowned(story, at) or replaced
    return learn(
        story,
        decided,
        content,
        verdict.type,
        verdict.confidence + (0.05 if corrects and verdict.confidence < 0.85 else 0.0),
        evidence=tuple(dict.fromkeys((story.turns[at].uuid, story.turns[decided].uuid))),
        slot=_slot(_impersonal(named or core, story.turns[at].cwd)),
        replaces=replaced,
        scope="global" if everywhere else "project",
        scope_confidence=0.9 if everywhere else 0.6,
        temporal_confidence="high",
        recited=recited(story, at, is_changed=bool(replaced)) or replaced,
    )


def _named(said: Sequence[Sentence], place: int, core: str) -> str | None:
    """The sentence with its "it" replaced by the one thing that the sentence before speaks of."""
    if not place or said[place].under or said[place - 1].asks:
        return None
    return resolved(strip_lead_in(said[place - 1].text), core)


def _slot(text: str) -> str | None:
    """The slot of a sentence, or of the one clause of it that has any."""
    return names.slot(text) or next((slot for part in text.split(", ")[1:] if (slot := names.slot(part))), None)


def _impersonal(text: str, cwd: str) -> str:
    """The sentence with the project called "the project", so that its name does not make another subject of it."""
    name = cwd.rstrip("/").rsplit("/", 1)[-1]
    return (
        re.sub(rf"(?i)\b{re.escape(name)}\b", "the project", text)
        if len(name) > 3 and name.lower() in text.lower()
        else text
    )


def _with_context(story: Story, at: int, said: Sequence[Sentence], place: int, core: str) -> str:
    """The sentence with the one before it where it points back, and with what was refused where it is terse."""
    if said[place].under:
        return core
    asked = _question_before(story, at)
    if place == 0 and asked and (len(tokens(core)) < 6 or context.PREPOSITION.match(core) or _answers(story, at, core)):
        return f"{asked} {_with_rest(core, said)}"
    if place and (needs_context(core) or _goes_on(core)) and not is_way_of_working(core):
        before = strip_lead_in(said[place - 1].text)
        if (
            (not said[place - 1].asks or facts.CONCRETE.search(before))
            and len(before) + len(core) < 380
            and word_count(before) > 2
        ):
            return f"{before.rstrip('.!; ')}: {core}" if not before.endswith((".", "!")) else f"{before} {core}"
    if place and len(tokens(core)) < 4 and _is_fragment(said[place - 1]):
        return f"{said[place - 1].text.rstrip('.!; ')}: {core}"
    if place == 1 and _is_counter(story, at, said[0]):
        return f"{strip_lead_in(said[0].text).rstrip('.!; ')}: {core}"
    if place and changes.CHANGED.search(core) and _is_reason(said[place - 1], core):
        return f"{strip_lead_in(said[place - 1].text).rstrip('.!; ')}: {core}"
    if place == 0 and len(tokens(core)) < 12 and _leans(core) and (spoke := _spoken_of(story, at)):
        return f"{core.rstrip('. ')} (about: {spoke})"
    refused = refused_command(story, at)
    if refused and len(core) < 200 and not names_it(core, refused):
        return f"{core.rstrip('. ')} (not `{refused}`)"
    if context.ABSENT.search(core) and (instead := _used_instead(story, at, said, place)):
        return f"{core.rstrip('. ')}: use {instead}"
    return core


def _with_rest(core: str, said: Sequence[Sentence]) -> str:
    """An answer of a word or two with the sentence after it, which says why."""
    if word_count(core) > 3 or len(said) < 2 or said[1].asks or is_order(strip_lead_in(said[1].masked)):
        return core
    return f"{core.rstrip('. ')}. {finish(said[1].text)}"


def _leans(core: str) -> bool:
    """Whether a sentence has no subject of its own, or none that can be understood without what was said before."""
    if not is_english(core):
        return False
    clause = grammar.read(core)
    return needs_context(core) or (not is_order(core) and (clause is None or not clause.subject))


def _goes_on(core: str) -> bool:
    """Whether a sentence has left its subject to the one before it: "applies to every figure in this repo"."""
    clause = grammar.read(core) if is_english(core) else None
    return clause is not None and not clause.subject and clause.tense == "present" and clause.verb != "be"


def _answers(story: Story, at: int, core: str) -> bool:
    """Whether a sentence is nothing without the lasting question before it."""
    return _leans(core) and bool(open_question(story, at))


def _spoken_of(story: Story, at: int) -> str:
    """What the assistant had just said of its own doing, when it was one short sentence.

    What it said of the world is left out: a user who answers it most often says that it is wrong.
    """
    said = spoken(story.last_reply(at))
    is_short = len(said) == 1 and 15 < len(said[0].text) < 120
    return said[0].text.rstrip(".!? ") if is_short and said[0].text.startswith(("I ", "I'")) else ""


def _used_instead(story: Story, at: int, said: Sequence[Sentence], place: int) -> str:
    """The word after "there is no X" that the next command takes up."""
    run = story.next_run(at)
    if run is None or place + 1 >= len(said):
        return ""
    earlier = " ".join(one.command for one in story.runs if one.at < at)
    named = new_words(earlier, run.command) | set(re.findall(r"[a-z]{3,}", run.command.lower()))
    words = re.findall(r"[\w.+-]{3,}", said[place + 1].text)
    fresh = (word for word in words if word.lower() not in STOP_WORDS and word.lower() not in earlier.lower())
    return next((word for word in fresh if word.lower() in named), "")


def _question_before(story: Story, at: int) -> str:
    """The question that this prompt answers: the assistant's, or the user's own that found no answer."""
    reply = spoken(story.last_reply(at)) if story.was_asked(at) or len(story.last_reply(at)) < 60 else ()
    if reply and reply[-1].asks and 15 < len(reply[-1].text) < 160:
        return reply[-1].text
    asked = spoken(story.last_prompt(at))
    idle = bool(reply) and len(reply) == 1 and len(reply[0].text) < 60
    return asked[-1].text if idle and asked and asked[-1].asks and 15 < len(asked[-1].text) < 160 else ""


def _is_fragment(before: Sentence) -> bool:
    """Whether the sentence before is a few words that only the next one completes: "four spaces, please."."""
    words = word_count(before.text)
    return (
        not before.asks
        and 0 < words < 6
        and not cues.SMALLTALK.match(before.masked)
        and not cues.TASK.match(before.masked)
    )


def _is_counter(story: Story, at: int, first: Sentence) -> bool:
    """Whether a few words name what to take instead of what the assistant said it did: "for_each. count renumbers"."""
    text = strip_lead_in(first.masked)
    if not _spoken_of(story, at) or not _is_fragment(first) or not is_english(text) or grammar.read(text) is not None:
        return False
    return not cues.AGREE.match(first.masked) and not moment.THANKS.match(text) and not is_for_now(text)


def _is_reason(before: Sentence, core: str) -> bool:
    """Whether the sentence before a change says why: a short statement, neither a question nor an order."""
    text = strip_lead_in(before.text)
    words = word_count(text)
    if before.asks or not 3 < words < 22 or len(text) + len(core) > 300 or cues.SMALLTALK.match(before.masked):
        return False
    return not cues.TASK.match(text) and "[secret:" not in text and not is_pasted(text)


def _with_successor(content: str, said: Sequence[Sentence], place: int) -> str:
    """What was dropped together with the few words after it that say what takes its place."""
    if not changes.DROPS.search(content) or place + 1 >= len(said) or len(content) > 180:
        return content
    following = said[place + 1]
    words = word_count(following.text)
    idle = following.asks or cues.SMALLTALK.match(following.masked) or cues.TASK.match(following.masked)
    if idle or not 2 < words < 18 or cues.STATE.search(following.masked):
        return content
    return f"{content.rstrip('.! ')}. {finish(following.text)}"


def _as_dead_end(story: Story, at: int, content: str) -> str:
    """What was given up, with the finding that ended it, from the assistant's last words."""
    found = [one for one in spoken(story.last_reply(at)) if not one.asks and 20 < len(one.text) < 180]
    shared = [one.text for one in found if set(tokens(one.text)) & set(tokens(content))]
    return f"{content.rstrip('. ')} ({shared[-1].rstrip('. ')})" if shared and len(content) < 180 else content


def _as_decision(story: Story, at: int, content: str) -> str:
    """A decision with its subject and the alternative that lost, taken from the question it answers."""
    if len(content) > 220 or not (cues.AGREE.match(story.turns[at].text.strip()) or rules.LETS.match(content)):
        return content
    asked = spoken(story.last_prompt(at))
    if not asked or not asked[-1].asks or not story.acted_before(at):
        return content
    lost = _loser(asked[-1].text, content)
    about = next((one.text for one in asked if not one.asks and len(one.text) < 140), "")
    note = "; ".join(part for part in (strip_lead_in(about).rstrip(". "), f"not {lost}" if lost else "") if part)
    return f"Decision: {content.rstrip('. ')} ({note})" if note else content


def _loser(question: str, content: str) -> str:
    found = answers.ALTERNATIVES.search(question)
    if not found:
        return ""
    for one in (found[1], found[2]):
        name = one.strip().split()[-1] if len(one.split()) > 3 else one.strip()
        if name.lower() not in content.lower():
            return name
    return ""
