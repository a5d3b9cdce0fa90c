"""What the user's own words teach: rules, preferences, corrections, decisions, facts, traps, dead ends.

Structure comes first. A sentence is judged by what it is (a statement, a question, a task, a quotation), by what the
assistant had just done, and only then by its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from nous.core.extractor import cues, names, shapes
from nous.core.extractor.domain import is_code_like, is_trade
from nous.core.extractor.sentences import (
    Sentence,
    finish,
    mask,
    needs_context,
    sentence,
    shorten,
    spoken,
    strip_lead_in,
    strip_tail,
)
from nous.core.extractor.slots import PRODUCTS
from nous.core.extractor.standing import is_generic, is_open_order, is_rule_of_thumb, is_way_of_working
from nous.core.extractor.story import Draft, Story, learn
from nous.core.extractor.uptake import disowned, old_value, taken_up
from nous.core.likeness import STOP_WORDS, tokens

MAX_PER_PROMPT = 6
MAX_ASIDE = 140  # characters up to which a sentence that corrects is about one thing


class Verdict(NamedTuple):
    """What a sentence is and how sure that is."""

    type: str
    confidence: float


@lru_cache(maxsize=1024)
def _is_pasted(text: str) -> bool:
    """Whether a sentence is a piece of somebody's terminal rather than speech."""
    return any(mark in text for mark in shapes.PASTED) or bool(shapes.PASTED_LINE.search(text))


def from_words(story: Story) -> Iterator[Draft]:
    """What every prompt and every refusal of the session teaches."""
    for at, turn in enumerate(story.turns):
        if turn.kind in ("prompt", "denial") and turn.text and not turn.agent_id and not is_command(turn.text):
            yield from _from_prompt(story, at)


class Setting(NamedTuple):
    """How a prompt stands in its session: what preceded it and how the assistant took it."""

    corrects: bool  # the user refuses, stops or contradicts what was done
    follows_work: bool  # the assistant had done or said something before
    told: bool  # the assistant only took note: the prompt was information, not an order
    noted: bool = False  # it said so, nothing was done, and the talk went on
    used: bool = False  # its next words or changes take the sentence up


def _before(story: Story, at: int, said: Sequence[Sentence]) -> Setting:
    """The setting as it was when the user spoke."""
    follows = story.acted_before(at)
    stopped = story.turns[at].kind == "denial" or story.was_stopped(at)
    return Setting(stopped or (follows and _is_correction(said)), follows, False)


def _after(story: Story, at: int, setting: Setting) -> Setting:
    """The setting once the assistant has answered: it conceded, or took note, or went to work."""
    reaction = story.reaction(at)
    if not reaction:
        return setting
    acknowledged = bool(cues.ACKNOWLEDGES.match(reaction))
    only_talk = story.is_talk(at) and not shapes.ANNOUNCES.match(reaction)
    return Setting(
        corrects=setting.corrects or (setting.follows_work and bool(cues.CONCEDES.match(reaction))),
        follows_work=setting.follows_work,
        told=((acknowledged or len(reaction) < 160) and only_talk) or bool(cues.NOTES.match(reaction)),
        noted=acknowledged and only_talk and story.is_closed(at),
    )


Stage = tuple[Setting, int]


def _stages(story: Story, at: int, said: Sequence[Sentence]) -> list[Stage]:
    """What could be known when: as the user spoke, when the assistant had answered, when the next prompt closed it."""
    before = _before(story, at, said)
    after = _after(story, at, before)
    heard = after._replace(noted=False)
    stages: list[Stage] = [(before, at), (heard, story.reaction_at(at)), (after, story.next_prompt(at))]
    return [stage for place, stage in enumerate(stages) if stage[0] not in [one for one, _ in stages[:place]]]


def _first_verdict(story: Story, at: int, one: Sentence, stages: list[Stage]) -> tuple[Verdict | None, Setting, int]:
    """The earliest verdict, so that a session read piece by piece is judged as if read at once."""
    for setting, decided in stages:
        if verdict := judge(one, setting):
            return verdict, setting, decided
    used = taken_up(story, at, one) if not one.asks else -1
    if used >= 0:
        setting = stages[-1][0]._replace(told=True, used=True)
        return judge(one, setting), setting, used
    return None, *stages[0]


def _from_prompt(story: Story, at: int) -> Iterator[Draft]:
    said = _apart(_without_secrets(spoken(story.turns[at].text)))
    stages = _stages(story, at, said)
    taken: dict[int, Draft] = {}
    for place, one in enumerate(said):
        verdict, setting, decided = _first_verdict(story, at, one, stages)
        if verdict is None or len(taken) >= MAX_PER_PROMPT or _is_dismissed(said, place):
            continue
        if place - 1 not in taken and not setting.corrects and _details_task(said, place):
            continue
        draft = _draft(story, at, said, place, verdict, setting.corrects, decided)
        if _is_hollow(draft.learning.content):
            continue
        last = taken.get(place - 1)
        if last and draft.learning.content.rstrip(".! ").lower() in last.learning.content.lower():
            continue  # the last sentence took this one along
        if last and last.learning.content.rstrip(".! ") in draft.learning.content:
            del taken[place - 1]  # this sentence points back to the last one and now contains it
        taken[place] = draft
    if taken and not (all(_is_plain_fact(draft) for draft in taken.values()) and list(_new_value(story, at, said))):
        yield from taken.values()
    else:
        drafts = (
            list(_new_value(story, at, said)) or list(_switched(story, at, said)) or list(_dictated(story, at, said))
        )
        yield from drafts or _lesson(story, at, said)


def _is_plain_fact(draft: Draft) -> bool:
    """Whether a draft says no more than a new value does that is read together with the old one."""
    return draft.learning.type == "fact" and not draft.learning.replaces and not draft.learning.slot


def _is_dismissed(said: Sequence[Sentence], place: int) -> bool:
    """Whether the next words make light of this sentence: "Jo says we should ship on Mondays. as if"."""
    return place + 1 < len(said) and bool(shapes.DISMISSAL.match(said[place + 1].masked))


def _details_task(said: Sequence[Sentence], place: int) -> bool:
    """Whether a sentence only goes on about what was just ordered: "Add an endpoint. It answers 202."."""
    text = strip_lead_in(said[place].text)
    if not place or not needs_context(text) or is_way_of_working(text):
        return False
    before = strip_lead_in(said[place - 1].masked)
    return bool(cues.TASK.match(before)) and not _is_standing(before)


def _without_secrets(said: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, and of those that held a secret the clauses that do not."""
    kept: list[Sentence] = []
    for one in said:
        if "[secret:" in one.text:
            clauses = (part.strip() for part in shapes.JOINTS.split(one.text) if "[secret:" not in part)
            kept += [sentence(part) for part in clauses if len(part.split()) > 3]
        else:
            kept.append(one)
    return kept


def _apart(said: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, with an order and the rule that it is given with as two: "add it, and keep controllers thin"."""
    kept: list[Sentence] = []
    for one in said:
        whole = one.asks or one.text != one.masked or not cues.TASK.match(one.masked)
        joint = None if whole else shapes.RULE_AFTER.search(one.text)
        parts = (one.text[: joint.start()], one.text[joint.end() :]) if joint else ()
        kept += [sentence(part, one.under) for part in parts] or [one]
    return kept


def _is_correction(said: Sequence[Sentence]) -> bool:
    """Whether a prompt begins by refusing what was just done."""
    return any(cues.CORRECTION.search(one.masked) for one in said[:2])


# -- when the next command follows the user's words ------------------------------------------------------------------


def _switched(story: Story, at: int, said: Sequence[Sentence]) -> Iterator[Draft]:
    """A refusal of a few words, when the next command uses the program they name instead of the refused one."""
    refused = _refused(story, at)
    run = story.next_run(at)
    if not refused or run is None or len(story.turns[at].text) > 200:
        return
    named = _new_words(refused, run.command)
    for one in said:
        word = next((word for word in re.findall(r"[\w.+-]{2,}", one.text) if word.lower().strip(".") in named), "")
        if not word or one.asks or cues.ONE_OFF.search(one.masked):
            continue
        content = f"{strip_lead_in(one.text).rstrip('. ')} (not `{refused}`)"
        evidence = (story.turns[at].uuid, story.turns[run.at].uuid)
        yield learn(story, run.at, content, "preference", 0.7, evidence=evidence, replaces=refused.split()[0])
        return


def _dictated(story: Story, at: int, said: Sequence[Sentence]) -> Iterator[Draft]:
    """A statement that names the very command which is run next: "it is ./gradlew check since march"."""
    run = story.next_run(at)
    command = " ".join(run.command.split()) if run else ""
    if run is None or run.failed or len(command) < 6 or not re.search(r"[ /]", command):
        return
    for one in said:
        plain = strip_lead_in(one.text)
        if command not in plain.replace("`", "") or one.asks or cues.TASK.match(plain) or cues.ONE_OFF.search(plain):
            continue
        if len(plain) > len(command) + 8:
            evidence = (story.turns[at].uuid, story.turns[run.done].uuid)
            replaced = replaced_words(one.text, said, 0)
            yield learn(story, run.done, plain, "procedure", 0.75, evidence=evidence, replaces=replaced)
            return


def _new_value(story: Story, at: int, said: Sequence[Sentence]) -> Iterator[Draft]:
    """Another value of the same shape than the assistant had just named, when it gave in: "no, we're on 2024-10"."""
    before = story.last_reply(at)
    for one in said if before else ():
        idle = cues.HYPOTHETICAL.search(one.masked) or cues.ONE_OFF.search(one.masked)
        if one.asks or idle or cues.TASK.match(strip_lead_in(one.masked)):
            continue
        for new in shapes.VALUE.findall(one.text):
            old = next((value for value in shapes.VALUE.findall(before) if _shape(value) == _shape(new)), new)
            taken = _takes_up(story, at, new, old) if old != new and old not in one.text else -1
            subject = _before_value(before, old) if taken >= 0 else ""
            if subject and not shapes.NO_SUBJECT.search(subject):
                content = f"{subject}: {strip_tail(strip_lead_in(one.text)).rstrip('. ')} (no longer {old})"
                evidence = tuple(dict.fromkeys((story.turns[at].uuid, story.turns[taken].uuid)))
                slot = names.slot(f"{subject} is {new}")
                yield learn(story, taken, content, "fact", 0.75, evidence=evidence, slot=slot, replaces=old)
                return


def _takes_up(story: Story, at: int, new: str, old: str) -> int:
    """Where the assistant, before the user speaks again, repeats the new value and not the old one; -1 if nowhere."""
    for place in range(at + 1, min(at + 12, len(story.turns))):
        turn = story.turns[place]
        if turn.kind in ("prompt", "compaction"):
            return -1
        if turn.kind == "reply" and new in turn.text:
            return place if old not in turn.text or cues.CONCEDES.match(turn.text) else -1
    return -1


def _shape(value: str) -> str:
    return re.sub(r"\d", "9", value)


def _before_value(text: str, value: str) -> str:
    """The words that name what a value is of: "Admin API version" in "you use Admin API version 2023-04"."""
    words = re.findall(r"[A-Za-z][\w./-]+", re.split(r"[.,:;!?]\s", text[: text.find(value)])[-1])[-4:]
    while words and (
        words[0].lower() in STOP_WORDS or words[0].lower() in ("set", "run", "pinned", "latest", "currently")
    ):
        words = words[1:]
    while words and words[-1].lower() in STOP_WORDS:
        words = words[:-1]
    return " ".join(words)


def _new_words(before: str, after: str) -> set[str]:
    """The names in a command that the one before did not have, without options and numbers."""
    words = [set(re.findall(r"[a-z][\w.+-]+", command.lower())) for command in (before, after)]
    return {word for word in words[1] - words[0] if word not in STOP_WORDS}


# -- when the assistant concedes -------------------------------------------------------------------------------------


def _lesson(story: Story, at: int, said: Sequence[Sentence]) -> Iterator[Draft]:
    """What the assistant admitted to have got wrong, with the words of the user that made it."""
    reaction = story.reaction(at)
    if not said or not cues.CONCEDES.match(reaction) or not story.acted_before(at):
        return
    if (
        len(story.turns[at].text) < 12
        or cues.HEARSAY.search(said[0].masked)
        or cues.HYPOTHETICAL.search(said[0].masked)
    ):
        return
    admitted = _admission(reaction)
    if not admitted or not any(_is_critical(one) for one in said[:3]):
        return
    asked = next((one.text for one in said if shapes.CONCRETE.search(one.masked) and len(one.text) < 140), said[0].text)
    content = (
        admitted
        if len(asked) > 160 or "[secret:" in asked or _is_pasted(asked)
        else f"{admitted.rstrip('. ')} (the user: “{asked}”)"
    )
    decided = story.reaction_at(at)
    evidence = (story.turns[at].uuid, story.turns[decided].uuid)
    yield learn(story, decided, content, "preference", 0.55, evidence=evidence, tainted=story.is_tainted(at - 1))


def _is_critical(one: Sentence) -> bool:
    """Whether a sentence finds fault, if only by its question mark: "did you run it?!"."""
    if "?!" in one.text or "!?" in one.text or cues.CORRECTION.search(one.masked) or shapes.POLITE.search(one.masked):
        return True
    return bool(shapes.COMPLAINT.search(one.masked) or shapes.FAULT.search(one.masked))


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
            or shapes.PLANS.match(text)
            or text.endswith(":")
            or not shapes.NORMATIVE.search(text)
        ):
            continue
        return text
    return ""


# -- judging a sentence ----------------------------------------------------------------------------------------------


def judge(one: Sentence, setting: Setting) -> Verdict | None:
    """What a sentence of the user is worth remembering as, or None."""
    text = strip_lead_in(one.masked)
    if "[secret:" in one.text or _is_pasted(one.text) or _is_idle(text, one):
        return None
    verdict = _weigh(one, text, setting)
    if verdict is None or cues.HEARSAY.search(one.masked):
        return None
    return None if verdict.confidence < 0.9 and cues.HYPOTHETICAL.search(one.masked) else verdict


def _weigh(one: Sentence, text: str, setting: Setting) -> Verdict | None:
    if one.under and shapes.RULES_AHEAD.search(one.under) and not one.asks:
        return Verdict(_type_of(text, "requirement"), 0.8)
    if cues.REPEATED.match(one.masked):
        return Verdict(_type_of(text, "requirement"), 0.85)
    if shapes.INDIRECT.search(text):
        return Verdict("preference", 0.9)
    if shapes.KNOWN_RIGHT.match(text):
        return Verdict("fact", 0.65)
    if one.asks or cues.QUESTION.search(text):
        return _judge_question(one, text, setting)
    if cues.REMEMBER.search(one.masked):
        return Verdict(_type_of(text, "fact"), 0.92)
    if cues.ONE_OFF.search(text) and not cues.GLOBAL.search(text):
        return None
    return _judge_statement(text, setting)


def _is_idle(text: str, one: Sentence) -> bool:
    if cues.SMALLTALK.match(one.masked):
        return True
    words = len(re.findall(r"\w+", text))
    return (words < 3 and text.isascii() and not shapes.DECIDED.match(text)) or len(text) < 4


def _judge_question(one: Sentence, text: str, setting: Setting) -> Verdict | None:
    """A question teaches only when it is a complaint in disguise: "shouldn't this live in docs?"."""
    if shapes.ASKS_TO_STOP.match(text):
        return Verdict("preference", 0.75)
    if not one.asks and any(shapes.STRONG.search(part) or shapes.OUR_WAY.match(part) for part in _clauses(text)[1:]):
        return Verdict("requirement", 0.65)
    if not shapes.POLITE.search(one.masked) or not shapes.CRITIC.search(text) or len(text) > 260:
        return None
    if shapes.AT_ONCE.search(text):
        return None
    return Verdict("preference", 0.6 if setting.corrects else 0.55)


def _clauses(text: str) -> list[str]:
    return re.split(r", |: |; ", text)


def _judge_statement(text: str, setting: Setting) -> Verdict | None:
    if (
        shapes.STATE_LINE.match(text)
        or shapes.SEEN.match(text)
        or shapes.COUNTED.match(text)
        or shapes.UNSETTLED.match(text)
        or (shapes.OFF_TOPIC.search(text) and not is_code_like(text))
        or (shapes.LOOK_OF.match(text) and not setting.corrects and not shapes.CONCRETE.search(text))
    ):
        return None
    head, _, tail = text.partition(": ")
    task = bool(cues.TASK.match(text) or (len(head) < 25 and cues.TASK.match(tail)))
    task = task and not shapes.NOUN_OR_VERB.match(text)
    if task and (clause := shapes.CLAUSE.search(text)) and cues.RULE.search(text[clause.end() :]):
        task = False  # an order that gives a standing rule as its reason is the rule
    strong = bool(shapes.STRONG.search(text))
    return (
        _as_trap(text, strong, task)
        or _as_choice(text, strong, task)
        or _as_rule(text, strong, task, setting)
        or _as_complaint(text, task, setting)
        or _as_command(text, setting)
        or (None if task else _as_fact(text, setting) or _as_farewell(text))
    )


def _as_trap(text: str, strong: bool, task: bool) -> Verdict | None:
    if cues.DEAD_END.search(text) and not task and not shapes.I_TRIED.match(text):
        return Verdict("dead_end", 0.75)
    if shapes.I_RATHER.match(text):
        return None
    if shapes.DESPITE.search(text) and shapes.CONCRETE.search(text) and not task:
        return Verdict("gotcha", 0.7)
    if shapes.OTHERWISE.search(text) and not task:
        return Verdict("gotcha", 0.75)
    if task or not cues.GOTCHA.search(text) or not (strong or shapes.CONCRETE.search(text)):
        return None
    if shapes.WARNING.search(text) or not cues.PROBLEM.search(text):
        return Verdict("gotcha" if not shapes.WE_USE.match(text) else "requirement", 0.8)
    return None


def _as_choice(text: str, strong: bool, task: bool) -> Verdict | None:
    if shapes.TAKES_OUT.match(text):
        return Verdict("decision", 0.7)
    if not cues.DECISION.search(text) or not _is_choice(text) or shapes.SELF_REPORT.match(text):
        return None
    if task and not strong and not shapes.LETS_DO.match(text):
        return None
    return Verdict("decision", 0.8)


def _as_rule(text: str, strong: bool, task: bool, setting: Setting) -> Verdict | None:
    everywhere = bool(cues.GLOBAL.search(text))
    if strong and (not task or everywhere or _is_standing(text)):
        return Verdict(_type_of(text, "requirement"), 0.85)
    if everywhere and not task:
        return Verdict(_type_of(text, "preference"), 0.85)
    if task and _is_standing(text):
        return Verdict(_type_of(text, "requirement"), 0.75)
    if shapes.USE_REASON.match(text) and is_trade(text):
        return Verdict(_type_of(text, "requirement"), 0.65)
    if shapes.EVERYTHING.match(text) and shapes.MEASURE.search(text):
        return Verdict("requirement", 0.65)
    if shapes.HABITUAL.match(text) and (setting.noted or "QUOTED" in text or shapes.MEASURE.search(text)):
        return Verdict(_type_of(text, "requirement"), 0.65)
    if cues.PREFERENCE.search(text) and (not task or setting.corrects) and not shapes.NOT_MINE.search(text):
        return Verdict("preference", 0.75)
    if shapes.UNWANTED.search(text) and not shapes.TRANSIENT.search(text.replace("again", "")):
        return Verdict("preference", 0.7)
    if is_way_of_working(text) or is_rule_of_thumb(text) or _is_wish(text, setting):
        return Verdict(_type_of(text, "requirement"), 0.65)
    if shapes.STEP.match(text):
        return None
    if (
        cues.RULE.search(text)
        and (not task or setting.corrects or shapes.WEAK_DONT.match(text))
        and not shapes.NOT_RULE.search(text)
    ):
        return Verdict(_type_of(text, "requirement"), 0.7 if setting.corrects else 0.65)
    if (shapes.SO_DO.match(text) or shapes.HOW_TO.match(text)) and not shapes.TRANSIENT.search(text):
        return Verdict(_type_of(text, "requirement"), 0.65)
    if shapes.GENERAL.match(text) and not shapes.TRANSIENT.search(text):
        return Verdict(_type_of(text, "requirement"), 0.6)
    if len(text) > 40 and not shapes.ORDERED.match(text) and (shapes.SHOULD.search(text) or shapes.WISH.match(text)):
        return Verdict("requirement", 0.6)
    return None


def _is_wish(text: str, setting: Setting) -> bool:
    """Whether an order is meant for good: it says so, or it has no single object and was merely noted."""
    wished = shapes.FOR_ME.match(text)
    order = text[wished.end() :] if wished else text
    if not wished and not setting.noted:
        return False
    return is_open_order(order) or (bool(shapes.IMPERATIVE.match(order)) and _is_standing(order))


def _as_command(text: str, setting: Setting) -> Verdict | None:
    """How something is run, said to be noted and not to be done at once."""
    slot = names.slot(text) if setting.told else None
    return Verdict("requirement", 0.7) if slot and slot.endswith("|command") else None


def _as_complaint(text: str, task: bool, setting: Setting) -> Verdict | None:
    if shapes.HABIT.search(text):
        return Verdict("fact", 0.7)
    if setting.follows_work and shapes.COMPLAINT.search(text) and not task and len(text) > 25:
        return Verdict("preference", 0.6)
    if setting.corrects and _is_instruction(text):
        return Verdict("preference", 0.6)
    if setting.corrects and len(text) < 80 and shapes.OUR_WAY.match(text):
        return Verdict("requirement", 0.65)
    if setting.corrects and shapes.KIND_OF_PROJECT.match(text):
        return Verdict("requirement", 0.75)
    return None


def _as_fact(text: str, setting: Setting) -> Verdict | None:
    if _is_fact(text) or (shapes.CHANGE.search(text) and not shapes.SELF.match(text)):
        return Verdict(_type_of(text, "fact"), 0.7)
    if (setting.corrects or setting.used) and len(text) < MAX_ASIDE and any(map(_tells, _clauses(text))):
        return Verdict(_type_of(text, "fact"), 0.6)
    if setting.told and (setting.used or not setting.corrects) and _is_told(text, setting):
        return Verdict(_type_of(text, "fact"), 0.6)
    return None


def _as_farewell(text: str) -> Verdict | None:
    """That something known by name is no longer used: "solr was retired", "hemos cambiado de yarn a pnpm"."""
    if shapes.SELF.match(text) or shapes.TRANSIENT.search(text) or cues.PROBLEM.search(text) or len(text) > MAX_ASIDE:
        return None
    if shapes.WHENEVER.search(text):
        return None
    found = (*shapes.LEFT.finditer(text), *shapes.OLD_FIRST.finditer(text), *shapes.REPLACES.finditer(text))
    named = (group for match in found for group in match.groups() if group)
    is_known = any(name.lower() in PRODUCTS or shapes.CAMEL.search(name) for name in named)
    return Verdict("decision", 0.65) if is_known else None


def _tells(clause: str) -> bool:
    """Whether a clause of a correction says what a thing does or has."""
    idle = shapes.SELF.match(clause) or shapes.TRANSIENT.search(clause) or shapes.OPENS_BACK.match(clause)
    if idle or cues.PROBLEM.search(clause) or cues.TASK.match(clause) or shapes.PAST.search(clause):
        return False
    return len(clause.split()) > 3 and bool(shapes.STATE_VERB.search(clause))


def _is_told(text: str, setting: Setting) -> bool:
    """Whether a sentence that the assistant took note of, or took up, is a plain statement about something."""
    words = len(re.findall(r"\w+", text))
    if not (text.isascii() and shapes.VERB.search(text)) and not shapes.VERB_ELSEWHERE.search(text):
        return False
    if text.isascii() and words < 4:
        return False
    if (
        cues.STATE.search(text)
        or not (setting.used or is_trade(text) or (setting.noted and _states(text)))
        or shapes.PAST.search(text)
    ):
        return False
    return not (
        (cues.TASK.match(text) and not shapes.NOUN_OR_VERB.match(text))
        or cues.PROBLEM.search(text)
        or shapes.SELF.match(text)
        or shapes.TRANSIENT.search(text)
        or shapes.SCREEN.search(text)
        or shapes.OPENS_BACK.match(text)
    )


def _is_choice(text: str) -> bool:
    """Whether a sentence that sounds like a decision names what was decided, and not just the next step."""
    return not shapes.NEXT_STEP.match(text)


def _is_standing(text: str) -> bool:
    """Whether an order holds beyond the moment."""
    return bool(shapes.STANDING.search(text))


def _is_instruction(text: str) -> bool:
    """Whether words that follow a refusal say concretely how to do it instead."""
    return bool(shapes.INSTRUCTS.match(text)) and bool(shapes.CONCRETE.search(text) or shapes.REASONED.search(text))


@lru_cache(maxsize=1024)
def _is_fact(text: str) -> bool:
    """Whether a sentence states how a thing is, of a thing that has a name, and not how something just went."""
    if any(names.slot(clause) and not cues.PROBLEM.search(clause) for clause in text.split(", ")[1:]):
        return True
    if shapes.SELF.match(text) or shapes.TRANSIENT.search(text) or shapes.SCREEN.search(text):
        return False
    head, _, tail = text.partition(": ")
    if tail and len(head) < 40 and _is_fact(tail):
        return True
    if shapes.CONTRASTS.search(text):
        return True
    first, *others = shapes.DEFINITE_CLAUSE.split(text)
    if any(_is_fact(clause) for clause in others):
        return True
    first = first.split(", ", 1)[0]
    if first != text and _is_fact(first):
        return True
    if " because " in text and _states(text.split(" because ", 1)[1]) and is_trade(text):
        return True
    if cues.PROBLEM.search(text) and not shapes.RECURS.search(text):
        return False
    if shapes.NUMBERED.match(text):
        return False
    if names.slot(text) or (": " in text and names.slot(text.split(": ", 1)[1])):
        return True
    return is_trade(text) and (is_generic(text) or _states(text))


def states_something(text: str) -> bool:
    """Whether a sentence tells a rule or a fact, so that it is no aim of its own."""
    return bool(shapes.STRONG.search(text)) or _is_fact(text) or is_rule_of_thumb(text)


def _states(clause: str) -> bool:
    """Whether a clause says of a definite thing what it does, or by name what it is."""
    if not shapes.DEFINITE.match(clause):
        return False
    if shapes.STATE_VERB.search(clause) or shapes.ROUTINE.search(clause):
        return True
    named = shapes.CONCRETE.search(clause) or shapes.CONTRAST.search(clause)
    return bool(shapes.IDENTITY.search(clause)) and bool(named)


def _type_of(text: str, otherwise: str) -> str:
    """The type that the wording gives, for sentences that were taken for another reason."""
    if cues.PREFERENCE.search(text) or shapes.MANNERS.search(text):
        return "preference"
    if cues.GOTCHA.search(text):
        return "gotcha"
    if cues.DECISION.search(text) and otherwise != "fact":
        return "decision"
    if shapes.PLACEMENT.search(text):
        return "architecture"
    if otherwise == "fact" and cues.RULE.search(text) and shapes.STRONG.search(text):
        return "requirement"
    return otherwise


# -- wording --------------------------------------------------------------------------------------------------------


def _is_hollow(content: str) -> bool:
    """Whether a sentence says too little without the conversation: pronouns and hardly a word of its own."""
    words = tokens(content)
    if names.slot(content):
        return False
    if (
        shapes.SAYS_ENOUGH.search(content)
        or shapes.UNWANTED.search(content)
        or (len(words) == 1 and shapes.ONE_NAME.match(content))
    ):
        return False
    return content.isascii() and (len(words) < 2 or (len(words) < 4 and bool(shapes.POINTS.search(mask(content)))))


def _draft(
    story: Story, at: int, said: Sequence[Sentence], place: int, verdict: Verdict, corrects: bool, decided: int
) -> Draft:
    core = strip_tail(strip_lead_in(said[place].text))
    content = _with_context(story, at, said, place, core)
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
        slot=_slot(_impersonal(core, story.turns[at].cwd)),
        replaces=replaced,
        scope="global" if everywhere else "project",
        scope_confidence=0.9 if everywhere else 0.6,
        temporal_confidence="high",
        suggested_target=replaced,
    )


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
    if place == 0 and asked and (len(tokens(core)) < 6 or shapes.PREPOSITION.match(core)):
        return f"{asked} {core}"
    if needs_context(core) and place and not is_way_of_working(core):
        before = strip_lead_in(said[place - 1].text)
        if (
            (not said[place - 1].asks or shapes.CONCRETE.search(before))
            and len(before) + len(core) < 380
            and len(re.findall(r"\w+", before)) > 2
        ):
            return f"{before.rstrip('.!; ')}: {core}" if not before.endswith((".", "!")) else f"{before} {core}"
    if place and len(tokens(core)) < 4 and _is_fragment(said[place - 1]):
        return f"{said[place - 1].text.rstrip('.!; ')}: {core}"
    if place and shapes.CHANGED.search(core) and _is_reason(said[place - 1], core):
        return f"{strip_lead_in(said[place - 1].text).rstrip('.!; ')}: {core}"
    refused = _refused(story, at)
    if refused and len(core) < 200 and not _names_it(core, refused):
        return f"{core.rstrip('. ')} (not `{refused}`)"
    if shapes.ABSENT.search(core) and (instead := _used_instead(story, at, said, place)):
        return f"{core.rstrip('. ')}: use {instead}"
    return core


def _used_instead(story: Story, at: int, said: Sequence[Sentence], place: int) -> str:
    """The word after "there is no X" that the next command takes up."""
    run = story.next_run(at)
    if run is None or place + 1 >= len(said):
        return ""
    earlier = " ".join(one.command for one in story.runs if one.at < at)
    named = _new_words(earlier, run.command) | set(re.findall(r"[a-z]{3,}", run.command.lower()))
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
    words = len(re.findall(r"\w+", before.text))
    return (
        not before.asks
        and 1 < words < 6
        and not cues.SMALLTALK.match(before.masked)
        and not cues.TASK.match(before.masked)
    )


def _is_reason(before: Sentence, core: str) -> bool:
    """Whether the sentence before a change says why: a short statement, neither a question nor an order."""
    text = strip_lead_in(before.text)
    words = len(re.findall(r"\w+", text))
    if before.asks or not 3 < words < 22 or len(text) + len(core) > 300 or cues.SMALLTALK.match(before.masked):
        return False
    return not cues.TASK.match(text) and "[secret:" not in text and not _is_pasted(text)


def _with_successor(content: str, said: Sequence[Sentence], place: int) -> str:
    """What was dropped together with the few words after it that say what takes its place."""
    if not shapes.DROPS.search(content) or place + 1 >= len(said) or len(content) > 180:
        return content
    following = said[place + 1]
    words = len(re.findall(r"\w+", following.text))
    idle = following.asks or cues.SMALLTALK.match(following.masked) or cues.TASK.match(following.masked)
    if idle or not 2 < words < 18 or cues.STATE.search(following.masked):
        return content
    return f"{content.rstrip('.! ')}. {finish(following.text)}"


def _as_dead_end(story: Story, at: int, content: str) -> str:
    """What was given up, with the finding that ended it, from the assistant's last words."""
    found = [one for one in spoken(story.last_reply(at)) if not one.asks and 20 < len(one.text) < 180]
    shared = [one.text for one in found if set(tokens(one.text)) & set(tokens(content))]
    return f"{content.rstrip('. ')} ({shared[-1].rstrip('. ')})" if shared and len(content) < 180 else content


def _refused(story: Story, at: int) -> str:
    """The command that the user refused or stopped right before these words."""
    turn = story.turns[at]
    if turn.kind == "denial":
        calls = [
            one for one in story.turns[max(0, at - 12) : at] if one.kind == "tool_call" and one.tool_id == turn.tool_id
        ]
        return _call_text(calls[-1].input) if calls else ""
    if not story.was_stopped(at):
        return ""
    calls = [one for one in story.turns[max(0, at - 4) : at] if one.kind == "tool_call"]
    return _call_text(calls[-1].input) if calls else ""


def _call_text(given: dict[str, object]) -> str:
    command = given.get("command")
    return shorten(command.splitlines()[0], 80) if isinstance(command, str) and command.strip() else ""


def _names_it(core: str, refused: str) -> bool:
    return refused.split()[0].lower() in core.lower()


def _as_decision(story: Story, at: int, content: str) -> str:
    """A decision with its subject and the alternative that lost, taken from the question it answers."""
    if len(content) > 220 or not (cues.AGREE.match(story.turns[at].text.strip()) or shapes.LETS.match(content)):
        return content
    asked = spoken(story.last_prompt(at))
    if not asked or not asked[-1].asks or not story.acted_before(at):
        return content
    lost = _loser(asked[-1].text, content)
    about = next((one.text for one in asked if not one.asks and len(one.text) < 140), "")
    note = "; ".join(part for part in (strip_lead_in(about).rstrip(". "), f"not {lost}" if lost else "") if part)
    return f"Decision: {content.rstrip('. ')} ({note})" if note else content


def _loser(question: str, content: str) -> str:
    found = shapes.ALTERNATIVES.search(question)
    if not found:
        return ""
    for one in (found[1], found[2]):
        name = one.strip().split()[-1] if len(one.split()) > 3 else one.strip()
        if name.lower() not in content.lower():
            return name
    return ""


def replaced_words(text: str, said: Sequence[Sentence], place: int) -> str | None:
    """The words for what this sentence says is no longer so, or None."""
    around = said[place - 1].text + " " + text if place else text
    matches = (*shapes.REPLACES.finditer(text), *shapes.OLD_FIRST.finditer(around), *shapes.LEFT.finditer(around))
    found = [next((group for group in match.groups() if group), "") for match in matches]
    olds = [old.strip("`.,") for old in found if _is_name(old.lower())]
    if not olds and place and shapes.CHANGED.search(text):  # "they killed the contract. flags live in our table now"
        olds = [old for old in [replaced_words(said[place - 1].text, said[:1], 0)] if old]
    if olds:
        return " ".join(dict.fromkeys(olds))[:120]
    if shapes.CHANGED.search(text) or shapes.TURNED.search(text) or cues.CORRECTION.search(mask(around)):
        return ""
    return None


def _is_name(old: str) -> bool:
    return old in PRODUCTS or (old not in STOP_WORDS and not shapes.NO_NAME.match(old))


def is_command(text: str) -> bool:
    """Whether a prompt is a command to the client, such as "/model"."""
    return bool(shapes.CLIENT_COMMAND.match(text))


def is_agreement(text: str) -> bool:
    """Whether a prompt is nothing but consent."""
    said = spoken(text)
    return (
        bool(said) and len(text) < 120 and bool(cues.AGREE.match(said[0].masked)) and not any(one.asks for one in said)
    )


def opening(text: str) -> Sentence | None:
    """The first sentence of a prompt, for learners that need the user's aim."""
    said = spoken(text)
    return said[0] if said else sentence(text) if text.strip() else None
