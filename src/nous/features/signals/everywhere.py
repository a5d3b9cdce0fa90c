"""What a person says in two projects may hold everywhere: a question for them. All else stays in its project."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from nous.features.signals.observed_sessions import PendingSession
from nous.kernel.learn.everywhere import may_hold_everywhere
from nous.kernel.learn.near_misses import NearMiss
from nous.kernel.learn.relearn import is_users_word
from nous.kernel.memory.memory import Memory
from nous.language.compare.differences import text_difference
from nous.language.likeness import jaccard, tokens
from nous.language.sentences import sentences
from nous.providers.words import word_likeness

if TYPE_CHECKING:
    from nous.kernel.capture.transcripts import Transcripts
    from nous.kernel.stores import Memories, Stores

MOST = 50  # memories of one session that are looked at
NEAREST = 10  # by their words, of each
MOST_TURNS = 20_000  # of one session
TEMPLATE = 3  # sentences of a message that two projects have word for word


def note_everywhere(stores: Stores, due: PendingSession, now: str) -> None:
    """Note the rules of a session that its person had said in another project too: `nous review` asks about them.

    Part of a transaction. What is noted is the memory's own words: a project's log never holds those of another.
    """
    mine = stores.memories.by_learning(stores.events.of_session(due.session_id)).values()
    own = [one for one in mine if one.project_id == due.project_id and may_hold_everywhere(one)]
    found = ((memory, _elsewhere(stores.memories, stores.transcripts, memory)) for memory in own[:MOST])
    rows = [_note_pair(memory, other, due, now) for memory, other in found if other]
    if rows:
        stores.near_misses.add(rows)


def _note_pair(memory: Memory, other: Memory, due: PendingSession, now: str) -> NearMiss:
    return NearMiss(
        memory_id=memory.id,
        other_id=None,
        said=memory.content,
        session_id=due.session_id,
        jaccard=round(jaccard(tokens(memory.content), tokens(other.content)), 3),
        decision="everywhere",
        created_at=now,
    )


def _elsewhere(memories: Memories, transcripts: Transcripts, memory: Memory) -> Memory | None:
    """The memory of another project that says the same, when one person said both and did not paste them."""
    mine = _messages(transcripts, memory) if is_users_word(memory) else set()
    numbers = memories.find_worded(memory.content, NEAREST) if mine else []
    others = (one for one in memories.by_id(numbers) if one.project_id != memory.project_id)
    known = (one for one in others if is_users_word(one) and may_hold_everywhere(one) and _say_the_same(memory, one))
    said = (
        one for one in known if (theirs := _messages(transcripts, one)) and not any(map(_is_template, mine & theirs))
    )
    return min(said, key=lambda one: one.id, default=None)


def _say_the_same(memory: Memory, other: Memory) -> bool:
    found = text_difference(memory.content, other.content, word_likeness)
    return found is not None and found.kind == "same"


def _messages(transcripts: Transcripts, memory: Memory) -> set[str]:
    """The messages of a person that a memory rests on; a robot's prompts are none."""
    turns = islice(transcripts.turns(memory.session_id), MOST_TURNS)
    own = (one for one in turns if one.uuid in memory.evidence and one.kind == "prompt")
    return {one.text for one in own if not one.agent_id and not one.headless}


def _is_template(message: str) -> bool:
    """Whether nobody types a message twice: three sentences or more."""
    return len(sentences(message)) >= TEMPLATE
