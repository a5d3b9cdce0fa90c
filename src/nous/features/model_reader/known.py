"""What a reader is shown of what is known: memories that the session could repeat, change or end, with labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from nous.features.brief.store import ReadSessions
from nous.kernel.capture.session import Story
from nous.kernel.capture.transcript import USER_KINDS, Turn
from nous.kernel.log.events import BriefLine
from nous.kernel.log.extraction import BY_RULES, family
from nous.kernel.memory.memories import Memories
from nous.kernel.memory.memory import Memory

if TYPE_CHECKING:
    from nous.kernel.stores import Events, Stores

MOST_KNOWN = 60
PER_TEXT = 48  # memories that the words of one turn may call for
TEXTS = 60  # of the user's and the assistant's turns, the longest, that are searched for
FILES = 40
OPEN_SESSIONS, MOST_OPEN = 5, 12
# Votes of a memory about a file of the session, of one that the brief rests on, of one that rules ended meanwhile.
NAMED_FILE, IN_BRIEF, ENDED_HERE = 40, 25, 1000


class KnownMemories(NamedTuple):
    """What a reader is shown: memories, open ends of earlier sessions, and the brief."""

    memories: list[Memory]
    open: list[tuple[str, str]]
    brief: tuple[BriefLine, ...] = ()

    @property
    def labels(self) -> dict[str, str]:
        """What every label stands for: learnings, and open ends by session and number."""
        known = {f"K{nth}": memory.learning_id for nth, memory in enumerate(self.memories, 1)}
        return known | {f"O{nth}": name for nth, (name, _) in enumerate(self.open, 1)}

    def lines(self) -> str:
        """The memories as a reader sees them."""
        return "\n".join(f"[K{nth}] {_standing(one)}: {one.content}" for nth, one in enumerate(self.memories, 1))

    def open_lines(self) -> str:
        """What earlier sessions left open."""
        return "\n".join(f"[O{nth}] {text}" for nth, (_, text) in enumerate(self.open, 1))

    def brief_lines(self) -> str:
        """The brief as it is, each line with the labels of what it rests on."""
        labels = {memory.learning_id: f"K{nth}" for nth, memory in enumerate(self.memories, 1)}
        return "\n".join(
            f"- {line.text} [{', '.join(labels[one] for one in line.sources if one in labels)}]" for line in self.brief
        )


def _standing(memory: Memory) -> str:
    day = (memory.last_said_at or memory.valid_from or memory.created_at)[:10]
    marks = {"pinned": memory.pinned, "confirmed": memory.confirmed, "doubted": memory.disputed}
    whose = memory.by or ("a person" if memory.source == "user_review" else "")
    parts = (memory.type, day, whose, *(name for name, holds in marks.items() if holds))
    return ", ".join(part for part in parts if part)


def known_memories(stores: Stores, session_id: str, project_id: str, turns: Sequence[Turn]) -> KnownMemories:
    """What a reader of these turns should know of. What rules learned from this very session is none of it."""
    brief = stores.briefs.of_project(project_id)
    votes = _votes(stores.memories, project_id, turns)
    for learning in {source for line in brief.lines for source in line.sources} if brief else ():
        votes[learning] += IN_BRIEF
    visible = {one.learning_id: one for one in stores.memories.visible(project_id)}
    ended = _ended_here(stores.events, stores.memories, session_id)
    visible |= ended
    votes.update(dict.fromkeys(ended, ENDED_HERE))
    wanted = (visible[name] for name, _ in votes.most_common() if name in visible)
    own = (one for one in wanted if one.session_id != session_id or family(one.extractor) not in BY_RULES)
    chosen = [one for one in own if not one.tainted and one.type != "work_state"]  # the open ends say what it would
    return KnownMemories(
        chosen[:MOST_KNOWN], _open_ends(stores.read_sessions, project_id), brief.lines if brief else ()
    )


def _ended_here(log: Events, memories: Memories, session_id: str) -> dict[str, Memory]:
    """What rules took this session to end: the reading decides, so its reader has to see it."""
    drafts = memories.by_learning(log.of_session(session_id)).values()
    effects = log.caused_by([one.id for one in drafts]) if drafts else ()
    ended = memories.by_learning({one.learning_id for one in effects})
    return {name: one for name, one in ended.items() if one.status == "superseded"}


def _votes(memories: Memories, project_id: str, turns: Sequence[Turn]) -> Counter[str]:
    """How much speaks for showing each memory: words of turns, and files and things that the session names."""
    said = sorted((turn.text for turn in turns if turn.kind in (*USER_KINDS, "reply")), key=len, reverse=True)[:TEXTS]
    votes: Counter[int] = Counter()
    for text in dict.fromkeys(said):
        for rank, number in enumerate(memories.find_worded(text[:4000], PER_TEXT, project_id)):
            votes[number] += 60 // (rank + 2)
    found = {memory.id: memory for memory in memories.by_id(list(votes))}
    by_learning = Counter({found[number].learning_id: count for number, count in votes.items() if number in found})
    files = {change.path.rsplit("/", 1)[-1] for change in Story(turns).changes[-FILES:]}
    for memory in memories.visible(project_id) if files else ():
        if any(name.rsplit("/", 1)[-1] in files for name in memory.files):
            by_learning[memory.learning_id] += NAMED_FILE
    return by_learning


def _open_ends(read_sessions: ReadSessions, project_id: str) -> list[tuple[str, str]]:
    """What the last sessions left open and none has closed since, the latest first."""
    rows = read_sessions.of_project(project_id, OPEN_SESSIONS)
    closed = {name for row in rows for name in row["done"]}
    found = [(f"{row['session_id']}!{nth}", text) for row in rows for nth, text in enumerate(row["open"])]
    return [one for one in found if one[0] not in closed][:MOST_OPEN]
