"""What the user's own words teach: sentences said as rules, decisions, values or warnings, each a memory of its own.

Whose words they are is settled before (`language.voices`), and which sentences are said so by `language.standing`.
Everything else that is said stays in the exchanges, where a question finds it (decision 34).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from nous.features.rules_reader.replaced import recited_text, refused_command, replaced_words
from nous.kernel.capture.session import Story
from nous.kernel.learn import names
from nous.kernel.learn.compose import compose_text
from nous.kernel.learn.story import PlacedLearning, learn
from nous.kernel.log.extraction import RULE, STANDING
from nous.language import cues
from nous.language.lexicon import pattern, words
from nous.language.likeness import tokens
from nous.language.sentences import Sentence, sentences
from nous.language.standing import FOR_A_TIME, STATED, is_wide, standing_row
from nous.language.until import find_expiry

PASTED = 2_500  # characters of a message from which on most of it was copied from somewhere
SHORT = 500  # of one in which a plain statement is taken for what holds
CONFIDENCE = 0.9
QUOTES = "'\"`“”"
FEWEST_WORDS = 4  # of a clause that says something alone
_CLAUSE = re.compile(
    r"[,;] |，| [–—-]+ | (?:because|since|so|but|and|then|otherwise|weil|sonst|denn|und|aber|sinon|car|et|mais"
    r"|porque|pero|y|e|mas|ma|perché|bo|ale|protože|иначе|потому что|но) (?=\S+ \S+ )"
)
_THEM = re.compile(r"\bthem\b", re.I)
SECRET, PRIVATE = "[secret:", "[private]"
_JOINT = re.compile(r"[,;] | and | but | und | et | y |[.!] ")

RULE_TYPES = {
    "preference": "preference",
    "command": "procedure",
    "decision": "decision",
    "value": "fact",
    "warning": "gotcha",
    "given_up": "decision",
    "machine": "fact",
    "taste": "preference",
    "chosen": "decision",
    "surroundings": "fact",
    "equals": "fact",
    "stated": "fact",
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
    "given_up": "said as what was given up or chosen",
    "avoided": "says what is not used or done here",
    "placed": "says where a kind of thing belongs",
    "settled": "says what a kind of thing is here",
    "kept_so": "says how a kind of thing is handled",
    "project_is": "says what the project uses",
    "machine": "says what machine, port, branch or version there is",
    "taste": "says how the user wants it",
    "for_a_time": "said as a rule for a time",
    "corrected": "said as a correction",
    "contrast": "says one thing and not another",
    "chosen": "says what is chosen",
    "universal": "said of every one of a kind",
    "in_language": "says in which language",
    "when_done": "says what is run, and when",
    "surroundings": "says where it runs",
    "of_a_kind": "said of a kind of thing",
    "equals": "says which value it has",
    "of_all": "said of all of a kind",
    "stated": "says plainly how it is",
    "value": "says plainly where a thing is or which value it has",
}


def from_words(story: Story) -> Iterator[PlacedLearning]:
    """The rules in every prompt and every refusal of the session."""
    for at, turn in enumerate(story.turns):
        if turn.kind in ("prompt", "denial") and turn.text and not turn.agent_id:
            yield from _from_prompt(story, at)


def _from_prompt(story: Story, at: int) -> Iterator[PlacedLearning]:
    text = story.turns[at].text
    whole = [part for one in sentences(text) for part in _without_secret(one) if part.text.strip() != PRIVATE]
    said = [part for one in _resolve_them(whole) for part in _apart(one)]
    for place, one in enumerate(said):
        is_over = _is_taken_back(said[place + 1 : place + 2])
        if taken_back := None if is_over else instead_of(one):
            what, new = taken_back
            kept = rule(story, at, [new], 0, rule_row(new, len(text)) or "given_up")
            yield kept._replace(learning=msgspec.structs.replace(kept.learning, replaces=what))
        elif not is_over and (row := _row_of(one, len(text)) or _after_refusal(said, place, len(text))):
            yield rule(story, at, said, place, row)


def _row_of(one: Sentence, length: int) -> str:
    """The row of a sentence, or of the clause that it begins with."""
    row = rule_row(one, length)
    is_order = any(pattern(name).search(one.text) for name in ("plain.orders", "standing.points"))
    first = None if row or one.asks or is_order else _CLAUSE.search(one.text)
    is_long = first and len(one.text[: first.start()].split()) >= FEWEST_WORDS
    row = rule_row(one._replace(text=one.text[: first.start()].strip(" ,;:")), length) if first and is_long else row
    return "" if row == STATED and first else row


def _after_refusal(said: Sequence[Sentence], place: int, length: int) -> str:
    """The row of a sentence as what was meant, where the one before only refuses: "No. Dates are kept in UTC"."""
    if not place or not pattern("plain.refuses").match(said[place - 1].text):
        return ""
    one = said[place]
    return rule_row(one._replace(text=f"no, {one.text}"), length)


def _is_taken_back(following: Sequence[Sentence]) -> bool:
    """Whether the sentence after a rule takes it back: "always show a spinner. no wait, scratch that"."""
    return any(pattern("said.takes_back").match(one.text) for one in following)


def instead_of(one: Sentence) -> tuple[str, Sentence] | None:
    """What somebody takes back and the rule for it instead: "forget what I said about tabs: use two spaces"."""
    found = None if one.asks or one.is_odd else pattern("said.instead_of").search(one.text)
    if found is None:
        return None
    named = {name: words for name, words in found.groupdict().items() if words}
    rule_words = next(words for name, words in named.items() if name.startswith("rule"))
    what = next(words for name, words in named.items() if not name.startswith("rule"))
    is_way = pattern("said.way").search(rule_words) and not cues.ONE_OFF.search(rule_words)
    if not (is_way or rule_row(one._replace(text=rule_words))):
        return None
    is_named = set(tokens(what)) <= set(tokens(rule_words))
    whole = rule_words if is_named else f"{rule_words.rstrip(' .!')} (in place of what was said about {what})"
    return what, one._replace(text=whole)


def rule_row(one: Sentence, length: int = 0) -> str:
    """The row by which a sentence of a message is a standing rule; in a long message only the surest count."""
    row = standing_row(one) or ("asked_to_remember" if _asks_to_remember(one) else "")
    if row == "asked_to_remember" and _says_nothing(one.text):
        return ""
    is_unreal = row and (cues.HEARSAY.search(one.text) or cues.HYPOTHETICAL.search(one.text))
    is_sure = row in words("standing.sure") and row not in ("announced", "asked_to_remember") and not one.is_item
    longest = SHORT if row == STATED else PASTED
    return row if not is_unreal and (length < longest or is_sure) else ""


def _asks_to_remember(one: Sentence) -> bool:
    is_lasting = not (one.asks or one.is_odd or cues.ONE_OFF.search(one.text))
    return is_lasting and bool(cues.REMEMBER.search(one.text))


_REMEMBER = re.compile(
    r"^\W{0,3}(?:(?:so|and|also|but|please|now)[, ]+){0,2}(?:remember|don['’]t forget)[,:]? (?:that )?", re.I
)


def _says_nothing(text: str) -> bool:
    """Whether what is to be remembered is a kind word, an announcement, or speaks of what stands elsewhere."""
    said = _REMEMBER.sub("", text)
    against = ("standing.courtesy", "standing.heralds", "standing.refers", "plain.staged")
    return any(pattern(name).search(said) for name in against)


def _apart(one: Sentence) -> Iterator[Sentence]:
    """A sentence, or each of the two rules that one order gives: "end functions with 'a' and methods with 'b'"."""
    if both := pattern("claims.joined_names").match(one.text):
        second = both["second"] if both["second"].startswith(("always", "never")) else f"always {both['second']}"
        for order in (both["first"], f"{second} {both['thing']}"):
            yield one._replace(text=f"{both['lead']}{order}{both['tail']}")
        return
    found = pattern("claims.joined").match(one.text) if sum(map(one.text.count, QUOTES)) > 3 else None
    if found is None:
        yield _without_complaint(one)
        return
    first, other = found["one"], _THEM.sub(lambda _: found["one"].partition(" with ")[0], found["two"])
    for verb, rule in ((found["verb"], first), (found["other_verb"] or found["verb"], other)):
        yield one._replace(text=f"{found['lead']}{verb} {rule}{found['tail']}")


def _without_complaint(one: Sentence) -> Sentence:
    """What holds, without the complaint ahead of it: "you forgot the tenant, every query filters by tenant_id"."""
    found = None if one.asks else pattern("plain.complains").match(one.text)
    if found and (found["where"] or not rule_row(one)):
        rest = _without_complaint(one._replace(text=found["rest"] or found["where"]))
        return rest if rule_row(rest) else one
    return one


def _resolve_them(said: Sequence[Sentence]) -> list[Sentence]:
    """Sentences in which "them" is what the sentence before ends with: "a convention for your names. Start them …"."""
    found: list[Sentence] = []
    for one in said:
        before = found[-1] if found else None
        what = pattern("said.names_what").search(before.text) if before and not before.asks else None
        is_order = what and pattern("said.about_them").match(one.text)
        found.append(one._replace(text=_THEM.sub(what["what"], one.text, count=1)) if what and is_order else one)
    return found


def rule(story: Story, at: int, said: Sequence[Sentence], place: int, row: str) -> PlacedLearning:
    """A sentence that is said as a rule, as a memory of its own."""
    one = said[place]
    around = range(max(0, place - 1), min(len(said), place + 2))
    everywhere = any(_spreads(said, near, place) for near in around)
    replaced = replaced_words(one.text, said, place)
    return learn(
        story, at, _with_refused(story, at, compose_text([one])), type_of(row, one.text), CONFIDENCE,
        slot=_slot(compose_text([one]), story.turns[at].cwd),
        replaces=replaced,
        scope="global" if everywhere else "project",
        scope_confidence=0.9 if everywhere else 0.6,
        temporal_confidence="high",
        valid_until=_valid_until(one.text, story.turns[at].at) if row == FOR_A_TIME else None,
        recited=recited_text(story, at, is_changed=bool(replaced)) or replaced,
        reasons=(f"{RULE}{RULE_REASONS[row]}",), tags=(STANDING,) if is_wide(row, one.text) else (),
    )  # fmt: skip


def _valid_until(text: str, said_at: str) -> str | None:
    """Until when a rule says that it holds, counted from when it was said."""
    expiry = find_expiry(text, said_at) if said_at else None
    return expiry.moment if expiry else None


def type_of(row: str, text: str) -> str:
    """The type of what a row keeps; what was given up is a dead end, however it is put."""
    return "dead_end" if cues.DEAD_END.search(text) else RULE_TYPES.get(row, "requirement")


def _without_secret(one: Sentence) -> Iterator[Sentence]:
    """A sentence, or of one that held a secret the clauses that do not."""
    if SECRET not in one.text:
        yield one
        return
    for part in _JOINT.split(one.text):
        if SECRET not in part and len(part.split()) > 3:
            yield one._replace(text=part.strip())


def _with_refused(story: Story, at: int, content: str) -> str:
    """What is said at a refusal, with the command that was refused."""
    refused = refused_command(story, at)
    if refused and len(content) < 200 and refused.split()[0].lower() not in content.lower():
        return f"{content.rstrip('. ')} (not `{refused}`)"
    return content


def _spreads(said: Sequence[Sentence], near: int, place: int) -> bool:
    """Whether a sentence says of the rule at a place that it holds in all of the person's work: the rule itself, or one
    that opens it or speaks of it ("this applies to all my repos")."""
    one = said[near]
    is_about = near <= place or pattern("said.refers").match(one.text)
    return bool(is_about and not one.asks and cues.GLOBAL.search(compose_text([one])))


def _slot(text: str, cwd: str) -> str | None:
    """The slot of a sentence, or of the one clause of it that has any; the project is called "the project" in it."""
    name = cwd.rstrip("/").rsplit("/", 1)[-1]
    if len(name) > 3:
        text = re.sub(rf"(?i)\b{re.escape(name)}\b", "the project", text)
    return names.slot(text) or next((slot for part in text.split(", ")[1:] if (slot := names.slot(part))), None)
