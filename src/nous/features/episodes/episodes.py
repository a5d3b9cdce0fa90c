"""Episodes of kept sessions, in time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from nous.features.episodes.model import DerivedEvent, Episode, episodes
from nous.kernel.capture.authorship import in_own_voice
from nous.kernel.recall.withheld import with_mark
from nous.kernel.stores import Row, Stores
from nous.language.likeness import tokens

if TYPE_CHECKING:
    from nous.kernel.stores import Events, Memories


def of_session(stores: Stores, session_id: str) -> list[Episode]:
    """The episodes of a session's own transcript."""
    row = stores.transcripts.session(session_id)
    if row is None:
        return []
    own = [turn for turn in stores.transcripts.turns(session_id) if not turn.agent_id]
    found = episodes(own, row["project_id"])
    read = stores.read_sessions.get(session_id)
    if found and read:
        found = [replace(_as_read(found, read), derived=tuple(_derive_parts(stores.events, stores.memories, read)))]
    doubt = bool(stores.exchanges.tainted_in(session_id))
    said = (
        {word for turn in in_own_voice(own) if turn.kind == "prompt" for word in tokens(turn.text)} if doubt else None
    )
    return [_as_it_stands(stores.events, stores.memories, one, said) for one in found]


def _as_it_stands(log: Events, memories: Memories, one: Episode, said: Collection[str] | None) -> Episode:
    """An episode whose texts say what became since of what they tell, or that it had read text from outside.

    What a memory says of which nobody has to take a look first stands as it is, and so does what has no word that the
    user had not `said`; None of a session that read nothing from outside.
    """

    def mark_text(text: str, is_own: bool = False) -> str:
        is_outside = said is not None and not is_own and not set(tokens(text)).issubset(said)
        return with_mark(log, memories, text, one.project_id, is_outside=is_outside)

    ends = tuple(mark_text(end) for end in one.open_ends)
    derived = tuple(replace(event, text=mark_text(event.text, bool(event.memory_id))) for event in one.derived)
    told = replace(one, goal=mark_text(one.goal), summary=mark_text(one.summary), outcome=mark_text(one.outcome))
    return replace(told, open_ends=ends, derived=derived)


DERIVED = {"decision": "decision", "preference": "preference_stated", "requirement": "rule_stated"}


def _derive_parts(log: Events, memories: Memories, read: Row) -> Iterator[DerivedEvent]:
    """What was settled and what is to do: only from memories of the reading and its open ends."""
    kept = memories.by_learning(log.of_session(read["session_id"])).values()
    for one in sorted(kept, key=lambda one: one.id):
        is_own = (one.ref or "").startswith(f"{read['session_id']}#") and one.status in ("active", "superseded")
        if is_own and not one.tainted and one.type in DERIVED and one.by == "user":
            yield DerivedEvent(kind=DERIVED[one.type], text=one.content, memory_id=one.id)
    for text in read["left"]:
        yield DerivedEvent(kind="commitment" if text.endswith(")") and "until" in text else "action_item", text=text)


def _as_read(found: Sequence[Episode], read: Row) -> Episode:
    """A session as the model that read it tells it: one episode, without what rules guessed of its words."""
    return replace(
        found[0],
        ended=found[-1].ended,
        goal=read["title"],
        summary=f"{read['title']} → {read['summary']}" if read["summary"] else read["title"],
        exchanges=sum(one.exchanges for one in found),
        files=tuple(dict.fromkeys(file for one in found for file in one.files)),
        passed=tuple(dict.fromkeys(name for one in found for name in one.passed)),
        failing=found[-1].failing,
        commits=tuple(name for one in found for name in one.commits),
        outcome=read["outcome"],
        open_ends=tuple(read["left"]),
        by=read["reader"],
    )
