"""What the user's own words teach: rules, preferences, corrections, decisions, facts, traps, dead ends.

Structure comes first. A sentence is judged by what it is (a statement, a question, a task, a quotation), by what the
assistant had just done, and only then by its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nous.core.extractor import cues
from nous.core.extractor.admissions import lesson
from nous.core.extractor.assertions import is_order
from nous.core.extractor.clauses import apart
from nous.core.extractor.followed import confirmed, dictated, new_value, switched
from nous.core.extractor.prompts import is_command, is_no_answer, open_question
from nous.core.extractor.sentences import Sentence, needs_context, sentence, spoken, strip_lead_in
from nous.core.extractor.setting import Setting, Stage, stages
from nous.core.extractor.shapes import facts, moment, rules
from nous.core.extractor.standing import is_way_of_working
from nous.core.extractor.statements import is_standing
from nous.core.extractor.story import Draft
from nous.core.extractor.uptake import taken_up
from nous.core.extractor.verdicts import Verdict, is_for_now, judge, weighed
from nous.core.extractor.wording import draft_of, is_hollow
from nous.core.likeness import tokens
from nous.core.session import Story

MAX_PER_PROMPT = 6


def from_words(story: Story) -> Iterator[Draft]:
    """What every prompt and every refusal of the session teaches."""
    for at, turn in enumerate(story.turns):
        if turn.kind in ("prompt", "denial") and turn.text and not turn.agent_id and not is_command(turn.text):
            yield from _from_prompt(story, at)


def _first_verdict(
    story: Story, at: int, said: tuple[Sentence, ...], place: int, known: list[Stage]
) -> tuple[Verdict | None, Setting, int]:
    """The earliest verdict, so that a session read piece by piece is judged as if read at once."""
    one = said[place]
    for setting, decided in known:
        if verdict := weighed(judge(one, setting), said, place, setting):
            return verdict, setting, decided
    used = taken_up(story, at, one) if not one.asks else -1
    if used >= 0:
        setting = known[-1][0]._replace(told=True, used=True)
        return weighed(judge(one, setting), said, place, setting), setting, used
    return None, *known[0]


def _from_prompt(story: Story, at: int) -> Iterator[Draft]:
    said = sentences_of(story.turns[at].text)
    known = stages(story, at, said)
    taken: dict[int, Draft] = {}
    for place, one in enumerate(said):
        verdict, setting, decided = _first_verdict(story, at, said, place, known)
        if verdict is None and place == 0 and _is_answer(story, at, one):
            verdict = Verdict("decision", 0.65)
        if verdict is None or len(taken) >= MAX_PER_PROMPT or _is_dismissed(said, place):
            continue
        if place - 1 not in taken and not setting.corrects and _details_task(said, place):
            continue
        if verdict.confidence < 0.65 and _is_to_be_mended(said, place):
            continue
        draft = draft_of(story, at, said, place, verdict, setting.corrects, decided)
        if is_hollow(draft.learning.content):
            continue
        last = taken.get(place - 1)
        if last and draft.learning.content.rstrip(".! ").lower() in last.learning.content.lower():
            continue  # the last sentence took this one along
        if last and last.learning.content.rstrip(".! ") in draft.learning.content:
            del taken[place - 1]  # this sentence points back to the last one and now contains it
        taken[place] = draft
    valued = list(new_value(story, at, said))
    if taken and not (valued and all(_is_plain_fact(draft) for draft in taken.values())):
        yield from taken.values()
    else:
        yield from (draft for draft in taken.values() if not _says_the_same(draft, valued))
        drafts = valued or list(switched(story, at, said)) or list(dictated(story, at, said))
        yield from drafts or list(confirmed(story, at, said)) or lesson(story, at, said)


def _is_answer(story: Story, at: int, one: Sentence) -> bool:
    """Whether a sentence answers what the assistant had asked for good."""
    if one.asks or len(one.text) > 200 or "[secret:" in one.text or not open_question(story, at):
        return False
    if not tokens(one.text) or len(one.text) < 3:
        return False
    return not is_no_answer(one) and not is_order(one.masked) and not is_for_now(one.masked)


def sentences_of(text: str) -> tuple[Sentence, ...]:
    """The sentences of a prompt as they are judged: secrets left out, an order apart from the rule given with it."""
    return tuple(apart(_rules_apart(_without_secrets(spoken(text)))))


def _is_plain_fact(draft: Draft) -> bool:
    """Whether a draft says no more than a new value does that is read together with the old one."""
    return draft.learning.type == "fact" and not draft.learning.replaces and not draft.learning.slot


def _says_the_same(draft: Draft, valued: list[Draft]) -> bool:
    """Whether a fact names a figure that the new value names too."""
    figures = set(facts.VALUE.findall(draft.learning.content))
    return any(figures & set(facts.VALUE.findall(one.learning.content)) for one in valued)


def _is_dismissed(said: Sequence[Sentence], place: int) -> bool:
    """Whether the next words make light of this sentence: "Jo says we should ship on Mondays. as if"."""
    return place + 1 < len(said) and bool(moment.DISMISSAL.match(said[place + 1].masked))


def _is_to_be_mended(said: Sequence[Sentence], place: int) -> bool:
    """Whether a sentence names a fault and the next one asks to mend it: "it clips at 80 %. fix the scaling"."""
    if not cues.PROBLEM.search(said[place].masked) or place + 1 == len(said):
        return False
    return said[place + 1].asks or bool(cues.TASK.match(said[place + 1].masked))


def _details_task(said: Sequence[Sentence], place: int) -> bool:
    """Whether a sentence only goes on about what was just ordered: "Add an endpoint. It answers 202."."""
    text = strip_lead_in(said[place].text)
    if not place or not needs_context(text) or is_way_of_working(text):
        return False
    before = strip_lead_in(said[place - 1].masked)
    is_for_once = cues.TASK.match(before) or cues.ONE_OFF.search(before)
    return bool(is_for_once) and not is_standing(before)


def _without_secrets(said: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, and of those that held a secret the clauses that do not."""
    kept: list[Sentence] = []
    for one in said:
        if "[secret:" in one.text:
            clauses = (part.strip() for part in facts.JOINTS.split(one.text) if "[secret:" not in part)
            kept += [sentence(part) for part in clauses if len(part.split()) > 3]
        else:
            kept.append(one)
    return kept


def _rules_apart(said: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, with an order and the rule that it is given with as two: "add it, and keep controllers thin"."""
    kept: list[Sentence] = []
    for one in said:
        whole = one.asks or one.text != one.masked or not cues.TASK.match(one.masked)
        joint = None if whole else rules.RULE_AFTER.search(one.text)
        parts = (one.text[: joint.start()], one.text[joint.end() :]) if joint else ()
        kept += [sentence(part, one.under) for part in parts] or [one]
    return kept
