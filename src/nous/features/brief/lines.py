"""The brief of a project as lines of a packet: those that still stand, with the memories they rest on."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from nous.core.events import BriefLine
from nous.core.extraction import STANDING
from nous.core.likeness import jaccard, tokens
from nous.core.memory import Memory
from nous.core.packing import Entry, estimate_tokens, neutral
from nous.core.types import HEADINGS, TYPES
from nous.core.worth import entries, entry, is_by_hand, is_injectable, topic_words
from nous.stores import Stores

# Of text; citations come on top. A brief may have 500 tokens; our counter is cautious, and 600 of its own are taken
# for that many (assumed, not measured: docs/decisions/0197).
MOST_LINES, MOST_TOKENS = 12, 600
MOST_WORK = 2
AGAIN = 0.6  # the share of words at which one of two lines is enough
MOST_CITED = 8
STATED = 0.7  # the share of a clause's words that memories have which say it
WHOLE = 5  # words of a clause that can stand without the others
_POINTS = re.compile(r"(?:they|it|its|this|that|these|those|then|there)\b", re.I)
_CLAUSE = re.compile(r";\s+|(?<=[.!?])\s+(?=[A-Z`])")
MONTH = 7
WORK = HEADINGS[-1]


def brief_entries(stores: Stores, memories: Iterable[Memory], project_id: str, now: str, branch: str) -> list[Entry]:
    """What a session of a project begins with: its brief, then the last work; nothing when it has no brief."""
    brief = stores.briefs.of_project(project_id)
    if brief is None or not brief.lines:
        return []
    known = {memory.learning_id: memory for memory in memories}
    lines = standing_lines(brief.lines, known, now, branch)
    cited = {one for line in lines for one in line.sources}
    shown = [_entry(line, [known[one] for one in line.sources]) for line in lines]
    beside = [one for name, one in known.items() if name not in cited and _leads(one, brief.at)]
    found = [*entries(beside, now, branch), *shown, *_work(known.values(), now, branch)]
    return [one._replace(worth=float(-place)) for place, one in enumerate(found)]


def _leads(memory: Memory, brief_at: str) -> bool:
    """Whether a memory comes before the brief: a person stands for it, or it is a rule said since then.

    What a model concluded is in its brief, or is not meant to be.
    """
    said_at = memory.last_said_at or memory.valid_from or memory.created_at
    return is_by_hand(memory) or (STANDING in memory.tags and said_at > brief_at)


def standing_lines(
    lines: Iterable[BriefLine], known: Mapping[str, Memory], now: str, branch: str = ""
) -> list[BriefLine]:
    """The lines whose memories may still be shown, each thing once, as many as a brief may have."""
    found: list[BriefLine] = []
    room = MOST_TOKENS
    for whole in lines:
        line = _as_far_as_it_stands(whole, known, now, branch)
        price = estimate_tokens(line.text)
        is_new = line.text and not any(_says_again(line, other) for other in found)
        if is_new and price <= room and len(found) < MOST_LINES:
            found.append(line)
            room -= price
    return found


def _as_far_as_it_stands(line: BriefLine, known: Mapping[str, Memory], now: str, branch: str) -> BriefLine:
    """A line without the clauses that rest on memories which may not be shown now; empty when none is left.

    What somebody forgot, disputed or ended takes the whole line with it. Where a memory only waits for review, a clause
    stays whose words stand in the memories that may be shown, and no better in the one that may not.
    """
    sources = [known.get(one) for one in line.sources]
    shown = [one for one in sources if one is not None and is_injectable(one, now, branch)]
    waiting = [one for one in sources if one is not None and one not in shown and one.status == "active"]
    if len(shown) == len(sources):
        return line
    if not shown or len(shown) + len(waiting) < len(sources) or any(one.disputed for one in waiting):
        return BriefLine("", ())
    said, unsaid = _words_of(shown), _words_of(waiting)
    kept = [part for part in _CLAUSE.split(line.text) if _is_stated(part, said, unsaid)]
    text = " ".join(part if part[-1] in ".!?" else f"{part};" for part in kept).rstrip(";")
    return BriefLine(text, tuple(one.learning_id for one in shown))


def _words_of(memories: Iterable[Memory]) -> frozenset[str]:
    return frozenset(word for one in memories for word in tokens(one.content))


def _is_stated(clause: str, said: Collection[str], unsaid: Collection[str]) -> bool:
    words = frozenset(tokens(clause))
    stated = len(words & frozenset(said))
    is_whole = len(clause.split()) >= WHOLE and not _POINTS.match(clause)
    return is_whole and stated >= STATED * len(words) and stated >= len(words & frozenset(unsaid))


def _says_again(line: BriefLine, other: BriefLine) -> bool:
    """Whether a line rests on the same memories as another and has most of its words."""
    return line.sources == other.sources and jaccard(tokens(line.text), tokens(other.text)) >= AGAIN


def _entry(line: BriefLine, sources: list[Memory]) -> Entry:
    newest = max((one.valid_from or one.created_at)[:MONTH] for one in sources)
    cited = ", ".join(f"#{one.id}" for one in sources[:MOST_CITED])
    text = f"- {neutral(line.text)} [Memory {cited}: {newest}]"
    first, *others = (one.id for one in sources)
    return Entry(
        id=first,
        type=_type(sources),
        line=text,
        tokens=estimate_tokens(text),
        worth=0.0,
        words=sorted(topic_words(line.text, *(file for one in sources for file in one.files))),
        files=(),
        beside=tuple(others),
    )


def _type(sources: list[Memory]) -> str:
    """The type under whose heading a line stands: that of its first memory, but never that of work."""
    return next((one.type for one in sources if TYPES[one.type].heading != WORK), "fact")


def _work(memories: Iterable[Memory], now: str, branch: str) -> list[Entry]:
    """The last work and what it left open."""
    states = [one for one in memories if one.type == "work_state" and is_injectable(one, now, branch)]
    latest = sorted(states, key=lambda one: (one.valid_from or one.created_at, one.id), reverse=True)
    return [entry(one, now, branch) for one in latest[:MOST_WORK]]
