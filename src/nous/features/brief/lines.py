"""The brief of a project as lines of a packet: those that still stand, with the memories they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nous.core.events import BriefLine
from nous.core.memory import Memory
from nous.core.packing import Entry, estimate_tokens, neutral
from nous.core.trust import USUAL, TrustLevel
from nous.core.types import HEADINGS, TYPES
from nous.core.worth import entry, is_injectable, topic_words
from nous.stores import Stores

# Of text; citations come on top. A brief may have 500 tokens; our counter is cautious, and 600 of its own are taken
# for that many (assumed, not measured: docs/decisions/0196).
MOST_LINES, MOST_TOKENS = 12, 600
MOST_WORK = 2
FIRST = 100.0  # above every worth: the brief comes in its own order, whatever the session works on
STEP = 4.0  # more than a fit to the files of a session adds
MOST_CITED = 8
MONTH = 7
WORK = HEADINGS[-1]


def brief_entries(
    stores: Stores, memories: Iterable[Memory], project_id: str, now: str, branch: str, trust: TrustLevel = USUAL
) -> list[Entry]:
    """What a session of a project begins with: its brief, then the last work; nothing when it has no brief."""
    brief = stores.briefs.of_project(project_id)
    if brief is None or not brief.lines:
        return []
    known = {memory.learning_id: memory for memory in memories}
    lines = standing_lines(brief.lines, known, now, branch, trust)
    shown = [_entry(line, [known[one] for one in line.sources], nth) for nth, line in enumerate(lines)]
    return [*shown, *_work(known.values(), now, branch, trust)]


def standing_lines(
    lines: Iterable[BriefLine], known: Mapping[str, Memory], now: str, branch: str = "", trust: TrustLevel = USUAL
) -> list[BriefLine]:
    """The lines of which every memory may still be shown, as many as a brief may have."""
    found: list[BriefLine] = []
    room = MOST_TOKENS
    for line in lines:
        sources = [known.get(one) for one in line.sources]
        stands = all(one is not None and is_injectable(one, now, branch, trust) for one in sources)
        price = estimate_tokens(line.text)
        if stands and price <= room and len(found) < MOST_LINES:
            found.append(line)
            room -= price
    return found


def _entry(line: BriefLine, sources: list[Memory], nth: int) -> Entry:
    newest = max((one.valid_from or one.created_at)[:MONTH] for one in sources)
    cited = ", ".join(f"#{one.id}" for one in sources[:MOST_CITED])
    text = f"- {neutral(line.text)} [Memory {cited}: {newest}]"
    first, *others = (one.id for one in sources)
    return Entry(
        id=first,
        type=_type(sources),
        line=text,
        tokens=estimate_tokens(text),
        worth=FIRST - STEP * nth,
        words=sorted(topic_words(line.text, *(file for one in sources for file in one.files))),
        files=(),
        beside=tuple(others),
    )


def _type(sources: list[Memory]) -> str:
    """The type under whose heading a line stands: that of its first memory, but never that of work."""
    return next((one.type for one in sources if TYPES[one.type].heading != WORK), "fact")


def _work(memories: Iterable[Memory], now: str, branch: str, trust: TrustLevel) -> list[Entry]:
    """The last work and what it left open."""
    states = [one for one in memories if one.type == "work_state" and is_injectable(one, now, branch, trust)]
    latest = sorted(states, key=lambda one: (one.valid_from or one.created_at, one.id), reverse=True)
    return [entry(one, now, branch) for one in latest[:MOST_WORK]]
