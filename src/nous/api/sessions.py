"""Looking at sessions: which there were, what was said, what was shown, used and learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from nous.api.asking import Paged, PagedNow, Present, moment, paged, place, placed, project_of
from nous.api.fields import memory_fields
from nous.app import MARKS, Nous, with_mark
from nous.core.exchanges import around
from nous.core.memory import Memory
from nous.core.transcript import Turn
from nous.errors import Misuse, NotFound

MOST_TOLD = 5  # memories that a session's card names
MOST_ENDED = 20
NEWEST = 2**62
TALK = {"prompt": "user", "answer": "user", "denial": "user", "reply": "assistant", "report": "agent"}


class OneSession(PagedNow, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One session, by its id or the beginning of it."""

    id: Annotated[str, Meta(min_length=1, description="the id of a session, or its beginning")]


class Transcript(OneSession, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was said in a session."""

    talk: Annotated[bool, Meta(description="leave out tools and thinking")] = False
    at: Annotated[
        str | None, Meta(description="only the exchange with this record, which may be named by its beginning")
    ] = None


def session_found(nous: Nous, beginning: str) -> str:
    """The id of a session, from its beginning."""
    found = nous.stores.transcripts.find(beginning) if beginning else []
    if not found:
        raise NotFound(f"there is no session {beginning!r}", hint="`nous session list --all-projects` names them")
    if len(found) > 1 and beginning not in found:
        raise Misuse(f"several sessions begin with {beginning!r}", hint="give more of the id")
    return beginning if beginning in found else found[0]


def sessions(nous: Nous, asked: Paged) -> dict[str, Any]:
    """Sessions, the latest first."""
    found = nous.stores.browse.sessions(
        project_of(nous, asked),
        asked.limit + 1,
        place(asked.cursor, tuple[str, str]),
        moment(nous, asked.as_of) or moment(nous, asked.as_at),
    )
    page, following = paged(found, asked.limit, lambda row: (row["last_at"], row["session_id"]))
    return {"items": [row | _told(nous, row) for row in page], "next": following}


def _told(nous: Nous, row: Mapping[str, Any]) -> dict[str, Any]:
    """What a session was about and what came of it: in a reader's words, else by what it was first asked."""
    session_id = row["session_id"]
    is_outside = bool(nous.stores.exchanges.tainted_in(session_id))
    read = nous.stores.read_sessions.get(session_id) or {}

    def marked(text: str) -> str:
        found = with_mark(nous.stores, text, row["project_id"])
        return f"{text} ({MARKS['held']})" if is_outside and text and found == text else found

    taught = [one for one in learned(nous, session_id) if one.status == "active" and one.type != "work_state"]
    return {
        "title": marked(read.get("title") or nous.stores.browse.title(session_id)),
        "is_read": bool(read),
        "summary": marked(read.get("summary", "")),
        "outcome": marked(read.get("outcome", "")),
        "open": [marked(one) for one in read.get("open", [])],
        "taught_in_all": len(taught),
        "taught": [
            {"id": one.id, "content": one.content, "tainted": one.tainted, "disputed": one.disputed}
            for one in taught[:MOST_TOLD]
        ],
        "ended": _ended(nous, session_id),
    }


def _ended(nous: Nous, session_id: str) -> list[dict[str, Any]]:
    """What a session ended of what other sessions had taught."""
    asked = {"before": NEWEST, "event_id": NEWEST, "after": 0, "project_id": None, "session_id": session_id}
    kinds = ("LearningSuperseded", "LearningArchived")
    numbers = [one for kind in kinds for one in nous.stores.browse.log(**asked, event_type=kind, limit=MOST_ENDED)]
    names = {event.learning_id for event in nous.stores.events.by_id(numbers)}
    found = nous.stores.memories.by_learning(names).values() if names else ()
    gone = [
        one for one in found if one.status != "active" and one.session_id != session_id and one.type != "work_state"
    ]
    return [{"id": one.id, "content": one.content} for one in sorted(gone, key=lambda one: one.id)][:MOST_TOLD]


def session(nous: Nous, asked: OneSession) -> dict[str, Any]:
    """A session and what came of it: what was done, which memories it was shown, and which it taught."""
    chosen = session_found(nous, asked.id)
    row = nous.stores.transcripts.session(chosen) or {"session_id": chosen, "project_id": ""}
    shown = nous.stores.injections.of_session(chosen)
    known = {memory.id: memory for memory in nous.stores.memories.by_id([row["memory_id"] for row in shown])}
    return {
        "session": row | _told(nous, row),
        "shown": [
            row | {"memory": memory_fields(known[row["memory_id"]])} for row in shown if row["memory_id"] in known
        ],
        "learned": [memory_fields(memory) for memory in learned(nous, chosen)],
        "episodes": msgspec.to_builtins(nous.episodes(chosen)),
    }


def learned(nous: Nous, session_id: str) -> list[Memory]:
    """The memories that a session taught, in the order in which it did."""
    names = nous.stores.events.of_session(session_id)
    found = nous.stores.memories.by_learning(names)
    return sorted(found.values(), key=lambda memory: memory.id)


def transcript(nous: Nous, asked: Transcript) -> dict[str, Any]:
    """What was said, in order; every turn with the numbers of the memories that rest on it."""
    chosen = session_found(nous, asked.id)
    start = (place(asked.cursor, tuple[int]) or (0,))[0]
    if asked.at:
        turns, following = exchange(nous, chosen, asked.at, talk=asked.talk), -1
    else:
        turns, following = nous.stores.browse.turns(chosen, start, asked.limit, frozenset(TALK) if asked.talk else None)
    rests: dict[str, list[int]] = {}
    for memory in learned(nous, chosen):
        for uuid in memory.evidence:
            rests.setdefault(uuid, []).append(memory.id)
    outside = after_outside(nous, chosen, turns)
    items = []
    for turn in turns:
        told: dict[str, Any] = msgspec.to_builtins(turn)
        told |= {"who": TALK.get(turn.kind, "tool"), "learned": rests.get(turn.uuid, [])}
        items.append(told | {"tainted": turn.uuid in outside})
    return {"items": items, "next": placed((following,)) if following >= 0 else None}


def after_outside(nous: Nous, session_id: str, turns: Iterable[Turn]) -> set[str]:
    """The records of an agent that had read text from outside in that exchange."""
    begun, is_outside, found = nous.stores.exchanges.tainted_in(session_id), False, set()
    for turn in turns:
        is_outside = turn.uuid in begun if turn.kind == "prompt" else is_outside
        if is_outside and turn.kind != "prompt":
            found.add(turn.uuid)
    return found


def exchange(nous: Nous, session_id: str, record: str, *, talk: bool = False) -> list[Turn]:
    """The exchange of a session that holds a record, which may be named by its beginning."""
    found = around(list(nous.stores.transcripts.turns(session_id)), record)
    if not found:
        hint = f"`nous session show {session_id}` shows it all"
        raise NotFound(f"session {session_id} has no record {record!r}", hint=hint)
    return [turn for turn in found if not talk or turn.kind in TALK]


def projects(nous: Nous, asked: Present) -> dict[str, Any]:
    """Projects that Nous knows, the latest first, with how much it knows of each."""
    counts: dict[str, int] = {}
    for row in nous.stores.memories.counts():
        if row["status"] == "active":
            counts[row["project_id"]] = counts.get(row["project_id"], 0) + row["memories"]
    seen = {row["project_id"]: row for row in nous.stores.cache.projects()}
    told = nous.stores.browse.session_counts()
    names = [*seen, *sorted(name for name in {*counts, *told} if name not in seen)]
    return {
        "items": [
            {"project_id": name, "root": "", "branch": None, "last_seen": None}
            | seen.get(name, {})
            | {
                "memories": counts.get(name, 0),
                "sessions": told.get(name, 0),
            }
            for name in names
        ],
        "next": None,
    }
