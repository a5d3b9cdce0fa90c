"""Whether a text that was made from what was said still stands: it follows the memories that say the same.

Exchanges, summaries and open ends are words of an earlier day. When a memory that they state was forgotten, disputed or
replaced since, nobody is told of it unasked, and whoever looks at the record is told what became of it. What readers
tidy away among themselves (a draft that a better one replaced, a file that is gone) is no reason for either.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from nous.kernel.log.event_store import Events
from nous.kernel.memory.decay import FADED
from nous.kernel.memory.memory import Memory
from nous.kernel.types import MARKS as MARKS
from nous.kernel.types import Standing as Standing
from nous.language.likeness import tokens
from nous.language.provenance import uncommon

if TYPE_CHECKING:
    from nous.kernel.stores import Memories

STATED = 0.8  # the share of a memory's words that a text has which says it
PART = 5  # telling words of a sentence that can be known as a part of a long memory
NEAR = 20  # memories that a text is compared with
UNDONE = 200  # of what was undone, the latest
BY_HAND = "user_review"
ALWAYS: tuple[Standing, ...] = ("forgotten", "disputed")
GRAVEST: tuple[Standing, ...] = (*ALWAYS, "replaced", "held")
# How the reasons end for which readers archive what nobody took back, and what a file says no longer.
_TIDIED = (" did not keep it", " no longer finds it")
_GONE = re.compile(r"no longer in \S{1,200}\.\w{1,8}")
_SENTENCES = re.compile(r"[.!?;:\n→“”]+")


def standing_of_memory(memory: Memory) -> Standing:
    """What became of a memory; nothing when it holds, or when only readers tidied it away."""
    if memory.status == "archived":
        return "" if _is_tidied(memory.archived_reason or "") else "forgotten"
    if memory.status == "superseded":
        return "replaced"
    if memory.disputed:
        return "disputed"
    return "held" if memory.tainted else ""


def _is_tidied(reason: str) -> bool:
    return reason.startswith(FADED) or reason.endswith(_TIDIED) or _GONE.fullmatch(reason) is not None


def standing(
    log: Events, memories: Memories, text: str, project_id: str, session_id: str = "", records: Iterable[str] = ()
) -> Standing:
    """What became of what a text says, by its words; with records of a session also of what was learned from them.

    What was forgotten or disputed counts whatever else it says; what was replaced or is held only where nothing of it
    holds.
    """
    said = [set(tokens(text)), *(set(tokens(one)) for one in _SENTENCES.split(text))]
    near = memories.by_id(memories.find_worded(text, NEAR, project_id))
    # The state of work is written anew after every session: what it left open is not replaced with it.
    near = [one for one in near if one.type != "work_state" or one.status != "superseded"]
    stated = {_fate(log, memories, one) for one in near if _states(said, one.content)}
    stated |= _learned_from(log, memories, session_id, set(records)) if session_id else set()
    if not stated and any(_states(said, text) for text in memories.undone(project_id, UNDONE)):
        return "undone"
    found = [one for one in GRAVEST if one in stated]
    return found[0] if found and (found[0] in ALWAYS or "" not in stated) else ""


def is_withheld(
    log: Events, memories: Memories, text: str, project_id: str, session_id: str = "", records: Iterable[str] = ()
) -> bool:
    """Whether a line may not be told unasked: what it says no longer holds, or waits for review."""
    return standing(log, memories, text, project_id, session_id, records) != ""


def is_about_gone(log: Events, memories: Memories, text: str, project_id: str) -> bool:
    """Whether a text shares a name and another word with what a person took back or doubts: it speaks of that."""
    if not uncommon(text):
        return False
    near = memories.by_id(memories.find_worded(text, NEAR, project_id))
    fates = {_fate(log, memories, one) for one in near if _shares_name(text, one.content)}
    is_gone = not fates.isdisjoint(ALWAYS) or ("replaced" in fates and "" not in fates)
    return is_gone or any(_shares_name(text, one) for one in memories.undone(project_id, UNDONE))


def _shares_name(text: str, content: str) -> bool:
    return bool(uncommon(text) & uncommon(content)) and len({*tokens(text)} & {*tokens(content)}) > 1


def with_mark(log: Events, memories: Memories, text: str, project_id: str, *, is_outside: bool = False) -> str:
    """A text of a record, with what became of what it says; or that its session read text `is_outside`.

    A single word ("done") tells nobody what to do.
    """
    found = standing(log, memories, text, project_id) if text else ""
    mark = MARKS[found] or (MARKS["held"] if is_outside and " " in text.strip() else "")
    return f"{text} ({mark})" if mark else text


def _fate(log: Events, memories: Memories, memory: Memory) -> Standing:
    """What became of a memory, as far as it concerns the words it was learned from: the same in better words holds."""
    found = standing_of_memory(memory)
    if found == "forgotten" and not _is_by_hand(log, memory):
        return "replaced"  # a session ended it
    if found == "replaced" and memory.superseded_by:
        better = memories.by_learning([memory.superseded_by]).get(memory.superseded_by)
        if better and set(better.evidence) & set(memory.evidence):
            return standing_of_memory(better)
    return found


def _is_by_hand(events: Events, memory: Memory) -> bool:
    ends = [one for one in events.of_learning(memory.learning_id) if one.event_type == "LearningArchived"]
    return bool(ends) and ends[-1].source == BY_HAND


def _learned_from(log: Events, memories: Memories, session_id: str, records: set[str]) -> set[Standing]:
    """What a person took back or doubts of what was learned from some records, in whatever words."""
    learned = memories.by_learning(log.of_session(session_id)).values()
    fates = {_fate(log, memories, one) for one in learned if records & set(one.evidence) and standing_of_memory(one)}
    return {one for one in fates if one in ALWAYS}


def _states(said: Iterable[Collection[str]], content: str) -> bool:
    """Whether a text, or a sentence of it, has the words of a memory, or a sentence is a part of a long one."""
    words = set(tokens(content))
    if not words:
        return False
    whole, *sentences = said
    if len(words & set(whole)) >= STATED * len(words):
        return True
    return any(len(one) >= PART and len(words & set(one)) >= STATED * len(one) for one in sentences)
