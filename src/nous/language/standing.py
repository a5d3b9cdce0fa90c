"""Sentences that are said as something that lasts: rules, practices, bans, conventions, wishes for how to work.

Read one by one, never message by message: a good rule is often one sentence between orders. The rows stand in
`lexicon/standing.toml`; what matches none of them is no rule here, however much it may matter (decision 34).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from nous.language.lexicon import pattern, words
from nous.language.likeness import tokens
from nous.language.sentences import Sentence, sentences
from nous.language.until import is_for_a_time, waits_each_time, without_expiry, without_waiting

SHORTEST, LONGEST = 12, 320  # bytes and characters of a sentence that can be a rule
LONGEST_STATEMENT = 160
STATED = "stated"
FEWEST = 2  # words by which two rules can be compared
APPROVAL = "approval"
SAME = 0.75  # the share of words at which one is enough
ROWS = (
    "standing.asked_to_remember",
    "standing.announced",
    "standing.order",
    "standing.lasting",
    "standing.ask",
    "standing.decision",
    "standing.instead",
    "standing.preference",
    "standing.command",
    "standing.practice",
    "standing.convention",
    "standing.generic",
    "standing.modal",
    "standing.occasion",
    "standing.ban",
    "standing.value",
    "standing.given_up",
    "standing.avoided",
    "standing.placed",
    "standing.settled",
    "standing.kept_so",
    "standing.project_is",
    "standing.machine",
    "standing.taste",
    "standing.warning",
    "plain.corrected",
    "plain.contrast",
    "plain.chosen",
    "plain.universal",
    "plain.in_language",
    "plain.when_done",
    "plain.surroundings",
    "plain.of_a_kind",
    "plain.equals",
    "plain.of_all",
)
FOR_A_TIME = "for_a_time"  # the row of a rule that says until when it holds
AGAINST = (
    "standing.points",
    "standing.once",
    "standing.pasted",
    "standing.hearsay",
    "standing.courtesy",
    "standing.heralds",
    "standing.product",
    "standing.toil",
)


def standing_row(one: Sentence) -> str:
    """The row by which a sentence is a standing rule; empty when it is none."""
    is_fit = (
        len(one.text) <= LONGEST
        and len(one.text.encode()) >= SHORTEST
        and not one.text.endswith((":", "：", "...", "…"))
    )
    if one.asks or one.is_odd or not is_fit:
        return ""
    row = _row(f"{one.under.rstrip(':： ')}: {one.text}" if _is_announced(one) else one.text)
    return row or (STATED if not one.is_item and is_statement(one.text) else "")


@lru_cache(maxsize=4096)
def is_statement(text: str) -> bool:
    """Whether a sentence says how something that it names is, plainly and in the present, and nothing of the moment.

    Of the 6,151 sentences of users of 23 real projects a dozen do; of 480 that a stranger wrote as sayings, half.
    """
    if len(text) > LONGEST_STATEMENT or not pattern("plain.states").search(text):
        return False
    against = ("plain.orders", "plain.passing", "plain.off", "standing.refers", "standing.moment", *AGAINST)
    names = (
        pattern("plain.anchors").search(text, 1)
        or pattern("standing.work").search(text)
        or pattern("plain.about_software").search(text)
    )
    return bool(names) and not any(pattern(name).search(text) for name in against)


def _is_announced(one: Sentence) -> bool:
    """Whether a sentence is an item of a list that is announced as rules."""
    return one.is_item and bool(pattern("standing.announced").match(f"{one.under.rstrip(':： ')}: x"))


@lru_cache(maxsize=4096)
def _row(text: str) -> str:
    if is_for_a_time(text):
        held = without_expiry(text)
        return "" if any(pattern(name).search(held) for name in AGAINST if name != "standing.once") else FOR_A_TIME
    lasting = without_waiting(text)  # who waits until Monday every time says no rule for once
    if any(pattern(name).search(lasting if name == "standing.once" else text) for name in AGAINST):
        return ""
    is_off = pattern("plain.off").search(text)
    rows = (name for name in ROWS if not (is_off and name.startswith("plain.")))
    found = (name.partition(".")[2] for name in rows if pattern(name).search(text))
    row = next((name for name in found if name in words("standing.sure") or not _is_of_a_moment(text)), "")
    row = row or ("order" if waits_each_time(text) else "")
    return "" if row not in words("standing.opened") and pattern("standing.refers").search(text) else row


def _is_of_a_moment(text: str) -> bool:
    return bool(pattern("standing.moment").search(text))


@lru_cache(maxsize=32_768)  # packets are made anew after each session, over all memories of a project
def standing_text(text: str, *, widely: bool = True) -> str:
    """The sentences of a text that are standing rules, as one line; `widely`: those that every session can need."""
    found = ((one.text, standing_row(one)) for one in sentences(text))
    return " ".join(said for said, row in found if row and (not widely or is_wide(row, said)))


@lru_cache(maxsize=4096)
def is_wide(row: str, text: str) -> bool:
    """Whether every session can need a rule: it is said with force, or speaks of what every session does."""
    if row in words("standing.narrow") or (row == STATED and "://" in text):  # where a page is, a prompt asks for
        return False
    return row in words("standing.wide") or bool(pattern("standing.work").search(text))


@lru_cache(maxsize=4096)
def is_about_work(text: str) -> bool:
    """Whether a rule speaks of what an agent's work is made of: names, tests, commits, commands, not code as such."""
    return bool(pattern("standing.work").search(pattern("standing.general").sub(" ", text)))


def is_told_command(text: str) -> bool:
    """Whether a text tells a command that works by what it is for."""
    return bool(pattern("standing.works").match(text))


def in_folder(text: str) -> str:
    """The folder in which a command that works has to be run; empty for the project's own."""
    found = pattern("standing.folder").search(text)
    return (found[1] or found[2]) if found else ""


def is_same_task(text: str, others: Iterable[str]) -> bool:
    """Whether one of other lines tells already what a command is for: in the whole project, or in the same folder.

    A way round what fails says nothing new beside the environment that it runs in.
    """
    task = _task(text)
    told = [(_task(other), in_folder(other), other) for other in others]
    if task == "fails":
        return any(
            known == "Python runs" and right in other for known, _, other in told for right in _QUOTED.findall(text)[1:]
        )
    return bool(task) and any(known == task and where in ("", in_folder(text)) for known, where, _ in told)


def _task(text: str) -> str:
    found = pattern("standing.works").match(text)
    task = (found[1] or ("fails" if text.startswith("`") else "")) if found else ""
    return _ALSO.get(task, task)


_ALSO = {"Check the style": "Lint", "Migrate": "Run migrations"}
_QUOTED = re.compile(r"`([^`]+)`")
_REFUSED = re.compile(r" \(not `[^`]*`\)")  # what was refused when a rule was said


def is_same_rule(one: str, other: str) -> bool:
    """Whether one of two rules says nothing that the other does not: plainly the same words, verbs of change alike.

    That something is to be asked first is one rule, however it is put.
    """
    if is_told_command(one) and is_told_command(other):
        return one == other  # commands have most words in common, and `is_same_task` tells what they are for
    mine, theirs = _telling(one), _telling(other)
    fewer, more = sorted((mine, theirs), key=len)
    if len(fewer) < FEWEST:
        return mine == theirs and mine <= {APPROVAL}
    return fewer <= more or len(fewer & more) >= SAME * len(fewer | more)


@lru_cache(maxsize=4096)
def _telling(text: str) -> frozenset[str]:
    """The words of a rule that tell it from others."""
    alike, empty = (frozenset(tokens(" ".join(words(name)))) for name in ("standing.same", "standing.asking"))
    said = tokens(_REFUSED.sub("", text))
    found = frozenset("change" if word in alike else word for word in said if word not in empty)
    if found.isdisjoint(approval := frozenset(tokens(" ".join(words("standing.approval"))))):
        return found
    return found - approval - frozenset(tokens(" ".join(words("standing.approving")))) | {APPROVAL}
