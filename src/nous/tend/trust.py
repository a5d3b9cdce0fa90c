"""Where a project stands on the ladder of trust, and choosing its level. Nothing here changes a level by itself."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from nous.core.events import Event, ProjectTrusted, Writer, make_event
from nous.core.memory import Memory
from nous.core.trust import LEVELS, Flag, Level, Offer, TrustRecord, missing, offer
from nous.stores import Stores
from nous.stores.database import Row


class ProjectTrust(msgspec.Struct, frozen=True, kw_only=True):
    """A project's trust level, what it means, what it rests on, what is missing for the next, and what is offered."""

    project_id: str
    level: Level
    name: str
    means: str
    since: str | None
    sessions: int
    memories: int
    confirmed: int
    flagged: int
    missing: tuple[str, ...]
    offer: Offer | None


def trust_of(stores: Stores, project_id: str, now: str) -> ProjectTrust:
    """Where a project stands. Sessions and judgements count since its level was chosen."""
    level, since = stores.trust.chosen(project_id)
    seen = _progress(stores, project_id, since)
    return ProjectTrust(
        project_id=project_id,
        level=level,
        name=LEVELS[level].name,
        means=LEVELS[level].means,
        since=since or None,
        sessions=seen.sessions,
        memories=seen.memories,
        confirmed=seen.confirmed,
        flagged=len(seen.flags),
        missing=tuple(missing(level, seen)),
        offer=offer(level, seen, now),
    )


def _progress(stores: Stores, project_id: str, since: str) -> TrustRecord:
    rows = [row for row in stores.trust.judged(project_id) if row["at"] > since]
    now = stores.memories.by_learning({row["stream_id"] for row in rows})
    flags = {row["stream_id"]: row for row in rows if _is_wrong(row, now.get(row["stream_id"]))}
    right = {row["stream_id"] for row in rows if row["event_type"] == "LearningConfirmed"} - flags.keys()
    sessions = [row for row in stores.observations.sessions(project_id) if row["prompts"] and row["ended_at"] > since]
    return TrustRecord(
        sessions=len(sessions),
        memories=stores.trust.memories(project_id),
        confirmed=sum(now[name].confirmed for name in right if name in now),
        flags=[Flag(name, row["session_id"], row["at"]) for name, row in flags.items()],
    )


def _is_wrong(row: Row, memory: Memory | None) -> bool:
    """Whether a person called a memory wrong and that still holds: disputed, corrected, or forgotten."""
    if memory is None:
        return False
    match row["event_type"]:
        case "LearningDisputed":
            return memory.disputed
        case "LearningSuperseded":
            return memory.status == "superseded" and row["cause"] == "LearningExtracted"
        case "LearningArchived":
            return memory.status == "archived"
        case _:
            return False


def choose(stores: Stores, project_id: str, level: Level, session_id: str) -> Event:
    """The event that says how far a project's memories are trusted from now on; choosing again answers an offer."""
    known = stores.events.of_learning(project_id)
    key = f"trust:{project_id}:{known[-1].event_id if known else 0}"
    by = Writer(session_id, "user_review")
    return make_event("ProjectTrusted", project_id, ProjectTrusted(level=level), key, project_id=project_id, by=by)


def lines(found: ProjectTrust) -> Iterator[str]:
    """What a person reads about a project's level."""
    yield f"trust level {found.level}, {found.name}, in {found.project_id}"
    yield f"  means    {found.means}"
    since = f" since {found.since[:10]}" if found.since else ""
    yield f"  seen     {found.sessions} sessions{since}, {found.memories} memories"
    yield f"  judged   {found.confirmed} confirmed, {found.flagged} called wrong"
    if found.missing:
        yield f"  missing  for level {found.level + 1}: {'; '.join(found.missing)}"
    elif found.level == 3:
        yield "  missing  nothing leads to level 4 by itself: `nous trust 4` if you want it"
    if said := offered(found):
        yield f"  offer    {said}"


def offered(found: ProjectTrust) -> str | None:
    """An offer in a sentence, with how to take or decline it."""
    if found.offer is None:
        return None
    level, why = found.offer
    take, stay = f"`nous trust {level}`", f"`nous trust {found.level}` keeps {found.name}"
    return f"{why}: {take} makes this project {LEVELS[level].name}, {stay}"
