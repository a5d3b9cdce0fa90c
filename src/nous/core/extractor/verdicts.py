"""What a sentence of the user is worth remembering as: a trap, a choice, a rule, a complaint, a fact, or nothing."""

from __future__ import annotations

import re
from typing import NamedTuple

from nous.core.extractor import cues, names
from nous.core.extractor.assertions import is_mood, is_order
from nous.core.extractor.clauses import is_told_of_one, says_anything
from nous.core.extractor.cue import is_english
from nous.core.extractor.domain import is_code_like, is_trade
from nous.core.extractor.keeping import chance
from nous.core.extractor.sentences import Sentence, strip_lead_in, word_count
from nous.core.extractor.setting import Setting
from nous.core.extractor.shapes import changes, complaints, facts, moment, rules
from nous.core.extractor.slots import PRODUCTS
from nous.core.extractor.standing import is_open_order, is_rule_of_thumb, is_way_of_working
from nous.core.extractor.statements import clauses, is_fact, is_pasted, is_standing, is_told, is_unreal, tells

BEYOND_DOUBT = 0.9  # the confidence of a verdict that no experience overrules
FIRM = 0.7  # the confidence of a pattern that is not loose
ORDERED = 0.92  # the chance from which on what opens like an order is none
MANY = 3  # sentences beyond which somebody thinks aloud


class Odds(NamedTuple):
    """The chances from which on a sentence is taken: without any pattern, with a loose one, with a firm one."""

    bare: float
    loose: float
    firm: float


# Begun where a third of what was taken from unseen writers was worth it, then raised until a long real
# project kept within its bounds.
TO_THE_POINT = Odds(bare=0.78, loose=0.27, firm=0.15)
THINKING_ALOUD = Odds(bare=0.95, loose=0.3, firm=0.1)
MAX_ASIDE = 140  # characters up to which a sentence that corrects is about one thing


class Verdict(NamedTuple):
    """What a sentence is and how sure that is."""

    type: str
    confidence: float


def judge(one: Sentence, setting: Setting) -> Verdict | None:
    """What a sentence of the user is worth remembering as, or None."""
    text = strip_lead_in(one.masked)
    if _is_mute(one, text):
        return None
    if one.under:
        setting = setting._replace(replies=False, told=False, used=False)  # an item of a list answers nothing
    verdict = _weigh(one, text, setting)
    if verdict is None or (cues.HEARSAY.search(one.masked) and not _vouches(text)):
        return None
    return None if verdict.confidence < BEYOND_DOUBT and cues.HYPOTHETICAL.search(one.masked) else verdict


def weighed(verdict: Verdict | None, said: tuple[Sentence, ...], place: int, setting: Setting) -> Verdict | None:
    """The verdict of the patterns in the light of what labelled messages teach about such sentences.

    Knowledge told in passing has no pattern, and a pattern may stand in a request for now; an explicit wish to be
    remembered is beyond doubt.
    """
    if verdict and verdict.confidence >= BEYOND_DOUBT:
        return verdict
    odds = THINKING_ALOUD if len(said) > MANY else TO_THE_POINT
    if verdict:
        needed = odds.firm if verdict.confidence >= FIRM else odds.loose
        return verdict if chance(said, place) >= (needed / 2 if setting.corrects else needed) else None
    one = said[place]
    text = strip_lead_in(one.masked)
    if one.asks or _is_mute(one, text) or is_unreal(one.masked) or _is_of_the_moment(text, setting):
        return None
    likely = chance(said, place)
    if likely < (ORDERED if cues.TASK.match(text) else odds.bare):
        return None
    return Verdict(_type_of(text, "fact"), round(0.4 + 0.3 * likely, 2))


def _vouches(text: str) -> bool:
    """Whether a sentence that tells what others say also says something of its own."""
    return is_english(text) and says_anything(text, cues.HEARSAY)


def _weigh(one: Sentence, text: str, setting: Setting) -> Verdict | None:
    if one.under and rules.RULES_AHEAD.search(one.under) and not one.asks:
        return Verdict(_type_of(text, "requirement"), 0.8)
    if cues.REPEATED.match(one.masked):
        return Verdict(_type_of(text, "requirement"), 0.85)
    if rules.INDIRECT.search(text):
        return Verdict("preference", 0.9)
    if facts.KNOWN_RIGHT.match(text):
        return Verdict("fact", 0.65)
    if one.asks or cues.QUESTION.search(text):
        return _judge_question(one, text, setting)
    if cues.REMEMBER.search(one.masked):
        return Verdict(_type_of(text, "fact"), 0.92)
    if (cues.ONE_OFF.search(text) or is_for_now(text)) and not cues.GLOBAL.search(text):
        return None
    return _judge_statement(text, setting)


def is_for_now(text: str) -> bool:
    """Whether words that sound like a rule are about the moment: a time that passes, a guess, the thing at hand."""
    passing = (moment.PASSING, moment.SUPPOSES, moment.DONT_NOW, moment.PLEADS_NOW)
    return any(shape.search(text) for shape in passing) or _is_passing_order(text)


def _is_passing_order(text: str) -> bool:
    if not is_order(text):
        return bool(moment.TILL.match(text)) and not text.lower().startswith("the ")
    if rules.STRONG.search(text) or is_standing(text):
        return False
    return bool(moment.AT_ONCE.search(text) or moment.TILL.search(text))


def _is_mute(one: Sentence, text: str) -> bool:
    """Whether there is nothing of the user's own in it: a secret, a piece of a terminal, a heading, a greeting."""
    return "[secret:" in one.text or is_pasted(one.text) or one.text.endswith(":") or _is_idle(text, one)


def _is_idle(text: str, one: Sentence) -> bool:
    if cues.SMALLTALK.match(one.masked) or moment.THANKS_FOR.match(text):
        return True
    words = word_count(text)
    return (words < 3 and text.isascii() and not rules.DECIDED.match(text)) or len(text) < 4


def _judge_question(one: Sentence, text: str, setting: Setting) -> Verdict | None:
    """A question teaches only when it is a complaint in disguise: "shouldn't this live in docs?"."""
    if complaints.ASKS_TO_STOP.match(text):
        return Verdict("preference", 0.75)
    if not one.asks and any(rules.STRONG.search(part) or rules.OUR_WAY.match(part) for part in clauses(text)[1:]):
        return Verdict("requirement", 0.65)
    if not complaints.POLITE.search(one.masked) or not complaints.CRITIC.search(text) or len(text) > 260:
        return None
    if moment.AT_ONCE.search(text):
        return None
    return Verdict("preference", 0.6 if setting.corrects else 0.55)


def _judge_statement(text: str, setting: Setting) -> Verdict | None:
    if _is_of_the_moment(text, setting):
        return None
    head, _, tail = text.partition(": ")
    task = bool(cues.TASK.match(text) or (len(head) < 25 and cues.TASK.match(tail)))
    task = task and not moment.NOUN_OR_VERB.match(text)
    if task and (clause := rules.CLAUSE.search(text)) and cues.RULE.search(text[clause.end() :]):
        task = False  # an order that gives a standing rule as its reason is the rule
    strong = bool(rules.STRONG.search(text))
    return (
        _as_trap(text, strong, task)
        or _as_choice(text, strong, task)
        or _as_rule(text, strong, task, setting)
        or _as_complaint(text, task, setting)
        or _as_command(text, setting)
        or (None if task else _as_fact(text, setting) or _as_farewell(text))
    )


def _is_of_the_moment(text: str, setting: Setting) -> bool:
    """Whether a statement is about what is on the screen, what is still open, or nothing of the trade."""
    return bool(
        moment.STATE_LINE.match(text)
        or moment.SEEN.match(text)
        or moment.COUNTED.match(text)
        or moment.UNSETTLED.match(text)
        or (moment.OFF_TOPIC.search(text) and not is_code_like(text))
        or (moment.LOOK_OF.match(text) and not setting.corrects and not facts.CONCRETE.search(text))
    )


def _as_trap(text: str, strong: bool, task: bool) -> Verdict | None:
    if cues.DEAD_END.search(text) and not task and not moment.I_TRIED.match(text):
        return Verdict("dead_end", 0.75)
    if rules.I_RATHER.match(text):
        return None
    if facts.DESPITE.search(text) and facts.CONCRETE.search(text) and not task:
        return Verdict("gotcha", 0.7)
    if facts.OTHERWISE.search(text) and not task:
        return Verdict("gotcha", 0.75)
    if task or not cues.GOTCHA.search(text) or not (strong or facts.CONCRETE.search(text)):
        return None
    if facts.WARNING.search(text) or not cues.PROBLEM.search(text):
        return Verdict("gotcha" if not rules.WE_USE.match(text) else "requirement", 0.8)
    return None


def _as_choice(text: str, strong: bool, task: bool) -> Verdict | None:
    if rules.TAKES_OUT.match(text):
        return Verdict("decision", 0.7)
    if is_order(text) and not (strong or changes.DROPS.search(text) or rules.LETS_DO.match(text)):
        return None
    if not cues.DECISION.search(text) or moment.NEXT_STEP.match(text) or moment.SELF_REPORT.match(text):
        return None
    if task and not strong and not rules.LETS_DO.match(text):
        return None
    return Verdict("decision", 0.8)


def _as_rule(text: str, strong: bool, task: bool, setting: Setting) -> Verdict | None:
    if is_told_of_one(text) or (is_english(text) and is_mood(text)):
        return None
    everywhere = bool(cues.GLOBAL.search(text))
    if strong and (not task or everywhere or is_standing(text)):
        return Verdict(_type_of(text, "requirement"), 0.85)
    if everywhere and not task:
        return Verdict(_type_of(text, "preference"), 0.85)
    if (task or is_order(text)) and is_standing(text):
        return Verdict(_type_of(text, "requirement"), 0.75)
    if rules.USE_REASON.match(text) and is_trade(text):
        return Verdict(_type_of(text, "requirement"), 0.65)
    if rules.EVERYTHING.match(text) and facts.MEASURE.search(text):
        return Verdict("requirement", 0.65)
    if rules.HABITUAL.match(text) and (setting.noted or "QUOTED" in text or facts.MEASURE.search(text)):
        return Verdict(_type_of(text, "requirement"), 0.65)
    if cues.PREFERENCE.search(text) and (not task or setting.corrects) and not rules.NOT_MINE.search(text):
        return Verdict("preference", 0.75)
    if rules.UNWANTED.search(text) and not moment.TRANSIENT.search(text.replace("again", "")):
        return Verdict("preference", 0.7)
    if is_way_of_working(text) or is_rule_of_thumb(text) or _is_wish(text, setting):
        return Verdict(_type_of(text, "requirement"), 0.65)
    if moment.STEP.match(text):
        return None
    if (
        cues.RULE.search(text)
        and (not task or setting.corrects or rules.WEAK_DONT.match(text))
        and not rules.NOT_RULE.search(text)
    ):
        return Verdict(_type_of(text, "requirement"), 0.7 if setting.corrects else 0.65)
    if (rules.SO_DO.match(text) or rules.HOW_TO.match(text)) and not moment.TRANSIENT.search(text):
        return Verdict(_type_of(text, "requirement"), 0.65)
    if rules.GENERAL.match(text) and not re.search(r"\bthere\b", text) and not moment.TRANSIENT.search(text):
        return Verdict(_type_of(text, "requirement"), 0.6)
    if len(text) > 40 and not moment.ORDERED.match(text) and (rules.SHOULD.search(text) or rules.WISH.match(text)):
        return Verdict("requirement", 0.6)
    return None


def _is_wish(text: str, setting: Setting) -> bool:
    """Whether an order is meant for good: it says so, or it has no single object and was merely noted."""
    wished = rules.FOR_ME.match(text)
    order = text[wished.end() :] if wished else text
    if not wished and not setting.noted:
        return False
    return is_open_order(order) or (bool(rules.IMPERATIVE.match(order)) and is_standing(order))


def _as_command(text: str, setting: Setting) -> Verdict | None:
    """How something is run, said to be noted and not to be done at once."""
    slot = names.slot(text) if setting.told else None
    return Verdict("requirement", 0.7) if slot and slot.endswith("|command") else None


def _as_complaint(text: str, task: bool, setting: Setting) -> Verdict | None:
    if facts.HABIT.search(text):
        return Verdict("fact", 0.7)
    if setting.follows_work and complaints.COMPLAINT.search(text) and not task and len(text) > 25:
        return Verdict("preference", 0.6)
    if setting.corrects and _is_instruction(text):
        return Verdict("preference", 0.6)
    if setting.corrects and len(text) < 80 and rules.OUR_WAY.match(text):
        return Verdict("requirement", 0.65)
    if setting.corrects and rules.KIND_OF_PROJECT.match(text):
        return Verdict("requirement", 0.75)
    return None


def _as_fact(text: str, setting: Setting) -> Verdict | None:
    if is_fact(text) or (facts.CHANGE.search(text) and not moment.SELF.match(text)):
        return Verdict(_type_of(text, "fact"), 0.7)
    is_answer = setting.replies and is_english(text) and (is_trade(text) or facts.CONCRETE.search(text))
    is_apt = (setting.corrects or setting.used or is_answer) and not moment.SELF.match(text)
    if is_apt and len(text) < MAX_ASIDE and tells(text, setting.replies):
        return Verdict(_type_of(text, "fact"), 0.6)
    if setting.told and (setting.used or not setting.corrects) and is_told(text, setting):
        return Verdict(_type_of(text, "fact"), 0.6)
    return None


def _as_farewell(text: str) -> Verdict | None:
    """That something known by name is no longer used: "solr was retired", "hemos cambiado de yarn a pnpm"."""
    if moment.SELF.match(text) or moment.TRANSIENT.search(text) or cues.PROBLEM.search(text) or len(text) > MAX_ASIDE:
        return None
    if changes.WHENEVER.search(text) or not _may_name(text):
        return None
    found = (*changes.LEFT.finditer(text), *changes.OLD_FIRST.finditer(text), *changes.REPLACES.finditer(text))
    named = (group for match in found for group in match.groups() if group)
    is_known = any(name.lower() in PRODUCTS or facts.CAMEL.search(name) for name in named)
    return Verdict("decision", 0.65) if is_known else None


def _may_name(text: str) -> bool:
    """Whether a text has any name that is known as one: most have none, and need not be searched for its end."""
    if not text.isascii() or facts.CAMEL.search(text):
        return True
    return not PRODUCTS.isdisjoint(changes.NAME.findall(text.lower()))


def _is_instruction(text: str) -> bool:
    """Whether words that follow a refusal say concretely how to do it instead."""
    is_concrete = facts.CONCRETE.search(text) or complaints.REASONED.search(text)
    return bool(complaints.INSTRUCTS.match(text) and is_concrete) and not is_mood(text)


def _type_of(text: str, otherwise: str) -> str:
    """The type that the wording gives, for sentences that were taken for another reason."""
    if cues.PREFERENCE.search(text) or rules.MANNERS.search(text):
        return "preference"
    if cues.GOTCHA.search(text):
        return "gotcha"
    if cues.DECISION.search(text) and otherwise != "fact":
        return "decision"
    if facts.PLACEMENT.search(text):
        return "architecture"
    if otherwise == "fact" and cues.RULE.search(text) and rules.STRONG.search(text):
        return "requirement"
    return otherwise
