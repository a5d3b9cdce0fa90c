"""What the assistant's words teach when something confirms them: causes found, proposals accepted, reports, answers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nous.core.compare.change import is_change
from nous.core.extractor import cues, names
from nous.core.extractor.assertions import is_order
from nous.core.extractor.prompts import is_agreement, is_command, is_no_answer, open_question, opening
from nous.core.extractor.replaced import replaced_words
from nous.core.extractor.sentences import Sentence, finish, needs_context, shorten, spoken, strip_lead_in
from nous.core.extractor.shapes import answers, facts, moment, rules
from nous.core.extractor.story import Draft, learn
from nous.core.session import Story

MAX_INSIGHTS = 5
MAX_SUMMED_UP = 6  # sentences of a reply that asks whether it got things right


def from_outcomes(story: Story) -> Iterator[Draft]:
    """Answers to questions, accepted proposals, and the insights that ended an investigation."""
    yield from _answers(story)
    yield from _replies(story)
    yield from _picked(story)
    yield from _named(story)
    yield from _accepted(story)
    yield from _confirmed(story)
    yield from _insights(story)
    yield from _reverted(story)


def _answers(story: Story) -> Iterator[Draft]:
    """A question the assistant asked and what the user chose."""
    for one in story.answers:
        if "[secret:" in one.answer:
            continue
        lost = [label for label in one.offered if label and label.lower() not in one.answer.lower()]
        content = f"{one.question} {one.answer.rstrip('.')}"
        # A label that was picked is the assistant's word, and so is the question of any answer.
        tainted = bool(story.taint(one.at, content, proven=one.is_own))
        if lost and len(content) < 260:
            content += f" (not {', '.join(lost[:3])})"
        yield learn(story, one.at, content, "decision", 0.85, temporal_confidence="high", tainted=tainted)


def _replies(story: Story) -> Iterator[Draft]:
    """A question the assistant put in words and the user's short answer to it."""
    for at in story.prompts:
        turn = story.turns[at]
        answer = turn.text.strip()
        if turn.agent_id or not 2 < len(answer) < 70 or "\n" in answer or is_command(answer):
            continue
        question = open_question(story, at)
        if not question:
            continue
        said = spoken(answer)
        if len(said) != 1 or said[0].asks or "[secret:" in answer or is_no_answer(said[0]):
            continue
        content = f"{question} {strip_lead_in(answer)}"
        yield learn(story, at, content, "decision", 0.65, tainted=bool(story.taint(at, content)))


def _picked(story: Story) -> Iterator[Draft]:
    """One of the options that the assistant had listed, chosen by its place: "the second one", "2, since ..."."""
    for at in story.prompts:
        said = spoken(story.turns[at].text)
        reply = story.last_reply(at)
        if story.turns[at].agent_id or not said or said[0].asks or cues.RECALLED.search(reply):
            continue
        pick, *reason = answers.WHY.split(said[0].text, maxsplit=1)
        options = _options(reply) if len(pick) <= 70 else []
        chosen = _choice(pick, len(options)) if 1 < len(options) < 6 else None
        if chosen is None:
            continue
        content = _choice_words(story, at, options, chosen)
        content += f", since {reason[0].rstrip('. ')}" if reason and len(content) + len(reason[0]) < 380 else ""
        yield learn(story, at, content, "decision", 0.75, tainted=bool(story.taint(at, content)))


def _named(story: Story) -> Iterator[Draft]:
    """One of the things that the assistant had named, chosen by its name and taken into use: "then ClosedXML"."""
    for at in story.prompts:
        said = spoken(story.turns[at].text)
        name = strip_lead_in(said[0].text).rstrip(".! ") if said else ""
        run = story.next_run(at)
        if story.turns[at].agent_id or run is None or not answers.NAME_ONLY.match(name) or said[0].asks:
            continue
        told = [one.text for one in spoken(story.last_reply(at)) if name.lower() in one.text.lower()]
        if told and name.lower() in run.command.lower() and not run.failed:
            content = f"Decision: {name} ({shorten(told[-1].rstrip('. '), 200)})"
            yield learn(story, run.done, content, "decision", 0.7, tainted=bool(story.taint(at, content)))


_OPTION = re.compile(r"^\s*(?:[-*•]|\*{0,2}(?:option |variant )?(?:\d|[a-e])[.):]\*{0,2})\s+(\S.*)$", re.M | re.I)


_OPTION_INLINE = re.compile(
    r"(?:^|[\s(])[1-5a-e][.)]\s+(\S.{3,80}?)(?=[,;.]?\s+(?:or )?[1-5a-e][.)]\s|[.;?!](?:\s|$)|$)"
)


def _options(reply: str) -> list[str]:
    """The items of the list that a reply offers, without decoration."""
    listed = _OPTION.findall(reply) if answers.OFFERS.search(reply) else []
    return [re.sub(r"\*\*|__", "", item).strip() for item in listed or _OPTION_INLINE.findall(reply)][:6]


def _choice(answer: str, offered: int) -> int | None:
    """Which of so many options an answer points to."""
    found = answers.PICK_ONE.match(answer)
    if not found:
        return None
    word = found["which"].lower().removeprefix("第")
    place = offered - 1 if word in ("last", "letzte", "dernier", "dernière", "последн") else answers.ORDINALS.get(word)
    return place if place is not None and place < offered else None


def _choice_words(story: Story, at: int, options: list[str], chosen: int) -> str:
    """The chosen option in the assistant's words, with those that lost and the question."""
    name = _head(options[chosen])
    restated = next((one.text for one in spoken(story.reaction(at))[:2] if name.lower() in one.text.lower()), "")
    lost = ", ".join(_head(one) for place, one in enumerate(options) if place != chosen)
    text = shorten(restated if 12 < len(restated) < 160 else options[chosen], 160).rstrip(". ")
    asked = opening(story.last_prompt(at))
    note = f"; asked: {asked.text}" if asked and len(asked.text) < 120 and needs_subject(text, asked.text) else ""
    return f"Decision: {text} (not {shorten(lost, 80)}{note})"


def _head(option: str) -> str:
    """The name of an option: what stands before its explanation."""
    return re.split(r"[:—–(,;.]| - ", option, maxsplit=1)[0].strip(" *`") or option


def _accepted(story: Story) -> Iterator[Draft]:
    """A proposal of the assistant that the user agreed to in so many words."""
    for at in story.prompts:
        turn = story.turns[at]
        if (
            turn.agent_id
            or not story.acted_before(at)
            or not is_agreement(turn.text)
            or cues.DECISION.search(turn.text)
        ):
            continue
        reply = story.last_reply(at)
        proposal = next(
            (one for one in spoken(reply) if cues.PROPOSAL.search(one.masked) and len(one.text) < 260), None
        )
        if proposal is None or cues.RECALLED.search(reply) or len(reply) > 2500:
            continue
        asked = opening(story.last_prompt(at))
        content = "Decision: " + strip_lead_in(proposal.text).rstrip("?")
        if asked and len(content) + len(asked.text) < 330 and needs_subject(content, asked.text):
            content = f"{content.rstrip('. ')} (asked: {asked.text})"
        yield learn(story, at, content, "decision", 0.7, tainted=bool(story.taint(at, content)))


def _confirmed(story: Story) -> Iterator[Draft]:
    """What the assistant summed up as changed and asked about, when the user says yes."""
    for at in story.prompts:
        said = spoken(story.last_reply(at)) if not story.turns[at].agent_id else ()
        if not said or not said[-1].asks or len(said) > MAX_SUMMED_UP or not is_agreement(story.turns[at].text):
            continue
        for place, one in enumerate(said):
            if one.asks or not is_change(one.text) or cues.PROPOSAL.search(one.masked):
                continue
            replaced = replaced_words(one.text, said, place) or ""
            content = strip_lead_in(one.text)
            yield learn(
                story,
                at,
                content,
                "fact",
                0.7,
                slot=names.slot(content),
                replaces=replaced,
                temporal_confidence="high",
                tainted=bool(story.taint(at, content)),
            )


def needs_subject(content: str, asked: str) -> bool:
    """Whether the question adds words that the proposal lacks."""
    have = set(re.findall(r"\w{4,}", content.lower()))
    return bool(set(re.findall(r"\w{4,}", asked.lower())) - have)


def _insights(story: Story) -> Iterator[Draft]:
    """Causes and explanations in the last reply of an exchange and in subagents' reports, unless the user objected."""
    taken = 0
    for at, turn in enumerate(story.turns):
        if taken >= MAX_INSIGHTS or turn.kind not in ("reply", "report") or not _ends_exchange(story, at):
            continue
        if turn.kind == "reply" and not cues.INSIGHT.may_occur(turn.text):
            continue
        if cues.RECALLED.search(turn.text) or _was_rejected(story, at):
            continue
        for content in _told(story, at):
            taken += 1
            tainted = bool(story.taint(at, content))
            if tainted and rules.ORDER.search(content):
                continue
            yield learn(story, at, content, "module_insight", 0.6 * (0.7 if tainted else 1.0), tainted=tainted)


def _reverted(story: Story) -> Iterator[Draft]:
    """What the assistant tried, found wanting and took back."""
    for at, turn in enumerate(story.turns):
        if turn.kind != "reply" or not cues.REVERTED.search(turn.text) or cues.RECALLED.search(turn.text):
            continue
        said = spoken(turn.text)
        place = next((place for place, one in enumerate(said) if cues.REVERTED.search(one.masked)), -1)
        told = [one.text for one in said[max(0, place - 1) : place + 1] if not one.asks]
        if place < 0 or not told or not answers.DRAWBACK.search(" ".join(told)) or _was_rejected(story, at):
            continue
        content = _with_topic(story, at, " ".join(told))
        tainted = bool(story.taint(at, content))
        yield learn(story, at, content, "dead_end", 0.6 * (0.7 if tainted else 1.0), tainted=tainted)


def _ends_exchange(story: Story, at: int) -> bool:
    turn = story.turns[at]
    if turn.kind == "report":
        return True
    following = story.turns[at + 1 : at + 2]
    return not following or following[0].kind in ("prompt", "compaction", "interrupt")


def _was_rejected(story: Story, at: int) -> bool:
    for turn in story.turns[at + 1 : at + 3]:
        if turn.kind == "prompt":
            return bool(cues.CORRECTION.search(turn.text[:300]))
    return False


def _told(story: Story, at: int) -> Iterator[str]:
    """The sentence of a reply that states the cause, with the one before it where it points back."""
    said = spoken(story.turns[at].text)
    for place, one in enumerate(said):
        if (
            one.asks
            or not cues.INSIGHT.search(one.masked)
            or moment.BUSY.search(one.text)
            or moment.EMPTY_TALK.match(one.text)
            or not 35 < len(one.text) < 320
            or "[secret:" in one.text
        ):
            continue
        text = one.text
        if needs_context(strip_lead_in(text)) and place and len(said[place - 1].text) + len(text) < 380:
            text = said[place - 1].text + " " + text
        following = said[place + 1] if place + 1 < len(said) else None
        if following and len(text) < 90 and (story.turns[at].kind == "report" or is_order(following.masked)):
            text = _with_next(text, following)
        yield _with_topic(story, at, text)
        return
    if story.turns[at].kind == "report":
        found = next((one for one in said if _is_finding(one)), None)
        yield from [_with_topic(story, at, found.text)] if found else []


def _with_next(text: str, following: Sentence) -> str:
    """A short finding together with the sentence that explains it."""
    if following.asks or moment.BUSY.search(following.text) or len(text) + len(following.text) > 300:
        return text
    return f"{finish(text)} {following.text}"


def _is_finding(one: Sentence) -> bool:
    """Whether a sentence of a report states something concrete about the thing that was looked at."""
    if one.asks or not 30 < len(one.text) < 260 or "[secret:" in one.text or moment.NEXT_MOVE.match(one.text):
        return False
    if moment.COUNTED.match(one.text) or moment.TALLY.match(one.text):
        return False
    if moment.BUSY.search(one.text) or moment.SELF.match(one.text) or not facts.CONCRETE.search(one.text):
        return False
    return bool(facts.STATE_VERB.search(one.text) or facts.IDENTITY.search(one.text))


def _with_topic(story: Story, at: int, text: str) -> str:
    """The cause together with the question it answers, when that is short."""
    start = story.exchange_start(at)
    turn = story.turns[start]
    asked = opening(turn.text) if turn.kind == "prompt" and not turn.agent_id else None
    if asked and not (asked.asks or cues.TASK.match(asked.masked) or cues.PROBLEM.search(asked.masked)):
        asked = None
    if asked and len(asked.text) < 90 and len(text) < 260 and needs_subject(text, asked.text):
        return f"{text.rstrip('. ')} (about: {asked.text.rstrip('.?! ')})"
    return text
