"""Episodes of kept sessions, in time, with what they taught and what led to what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise, product
from typing import NamedTuple

from msgspec.structs import replace

from nous.core.episodes import OF_TYPES, Episode, Happening, episodes
from nous.core.likeness import tokens
from nous.core.memory import Memory
from nous.core.outside import uncommon
from nous.core.telling import source
from nous.stores import Row, Stores

SURE = 0.8  # from here on a link is a fact, below it a guess
MOST_LINKS = 50


class Cause(NamedTuple):
    """One episode led to another: from which record to which, why, and how sure that is."""

    source: str
    target: str
    why: str
    confidence: float


def of_session(stores: Stores, session_id: str) -> list[Episode]:
    """The episodes of a session's own transcript, with what the memories that it taught say happened."""
    row = stores.transcripts.session(session_id)
    if row is None:
        return []
    own = [turn for turn in stores.transcripts.turns(session_id) if not turn.agent_id]
    found = _as_written(stores, episodes(own, row["project_id"]))
    taught = list(stores.memories.by_learning(stores.events.of_session(session_id)).values())
    if found and (read := stores.read_sessions.get(session_id)):
        found = [_as_read(found, read)]
        taught = [one for one in taught if one.status == "active"]
    return [replace(one, happenings=(*one.happenings, *_taught(one, taught, found))) for one in found]


def _as_written(stores: Stores, found: Sequence[Episode]) -> list[Episode]:
    """The episodes, in a model's words where one wrote of them as they are now."""
    kept = stores.told.of_session(found[0].session_id) if found else {}
    return [
        replace(one, summary=kept[one.uuid].summary, by=kept[one.uuid].by)
        if one.uuid in kept and kept[one.uuid].source == source(one)
        else one
        for one in found
    ]


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
        open_ends=tuple(read["open"]),
        happenings=(),
        reasons=(),
        by=read["reader"],
    )


def _taught(one: Episode, memories: Iterable[Memory], found: Sequence[Episode]) -> Iterator[Happening]:
    """Decisions, wishes and corrections that memories of this stretch tell of."""
    for memory in memories:
        at = memory.valid_from or memory.created_at
        inside = next((each for each in reversed(found) if each.began <= at), found[0])
        kind = "correction" if memory.replaces else OF_TYPES.get(memory.type)
        if inside.uuid == one.uuid and kind and memory.status != "erased":
            yield Happening(kind, memory.content, memory.evidence[-1] if memory.evidence else "", memory.id)


def timeline(
    stores: Stores,
    project_id: str | None,
    *,
    branch: str | None = None,
    after: str | None = None,
    before: str | None = None,
    limit: int = 20,
) -> list[Episode]:
    """The latest episodes of a project, oldest first: the chain of what was done, on one branch or on all."""
    found: list[Episode] = []
    for row in stores.transcripts.sessions(project_id, 10 * limit):
        if (after and row["last_at"] < after) or (before and row["first_at"] >= before):
            continue
        told = of_session(stores, row["session_id"])
        found += [one for one in told if _is_in(one, branch, after, before)]
        if len(found) >= limit:
            break
    return sorted(found, key=lambda one: (one.began, one.uuid))[-limit:]


def _is_in(one: Episode, branch: str | None, after: str | None, before: str | None) -> bool:
    return (
        (branch is None or one.branch in ("", branch))
        and (after is None or one.ended >= after)
        and (before is None or one.began < before)
    )


def causes(stores: Stores, chain: Sequence[Episode]) -> list[Cause]:
    """What led to what in a chain of episodes: an error that ended later, a file that failed and was mended, work that
    was taken back, or that somebody said so. Certain links follow from errors; the others are guesses."""
    links = [*_by_errors(stores, chain), *_by_files(chain), *_by_words(chain)]
    best: dict[tuple[str, str], Cause] = {}
    for link in sorted(links, key=lambda one: -one.confidence):
        best.setdefault((link.source, link.target), link)
    return list(best.values())[:MOST_LINKS]


def _by_errors(stores: Stores, chain: Sequence[Episode]) -> Iterator[Cause]:
    """The same error in an earlier episode, and the later one in which it ended."""
    sessions = {one.session_id for one in chain}
    rows = sorted(stores.exchanges.errors_of(sessions))
    for mark, met in groupby(rows, key=lambda row: row[0]):
        told = [(at, uuid, ended, session) for _, at, uuid, ended, session in met]
        for (at, _, ended, session), (later, _, over, other) in pairwise(told):
            source, target = _at(chain, session, at), _at(chain, other, later)
            if source and target and source.uuid != target.uuid and not ended and over:
                yield Cause(source.uuid, target.uuid, f"the same error ({mark[:6]}), ended by {over}", 0.9)


def _at(chain: Sequence[Episode], session_id: str, moment: str) -> Episode | None:
    inside = [one for one in chain if one.session_id == session_id and one.began <= moment]
    return inside[-1] if inside else None


def _by_files(chain: Sequence[Episode]) -> Iterator[Cause]:
    """What failed at the end of an episode and was worked on in the next with the same files; and work taken back."""
    for before, after in pairwise(chain):
        shared = set(before.files) & set(after.files)
        if before.failing and shared and not set(before.failing) & set(after.failing):
            yield Cause(before.uuid, after.uuid, f"`{before.failing[-1]}` failed; {sorted(shared)[0]} was mended", 0.7)
        elif after.reverts and shared:
            yield Cause(before.uuid, after.uuid, f"changes in {sorted(shared)[0]} were taken back", 0.7)


def _by_words(chain: Sequence[Episode]) -> Iterator[Cause]:
    """Who said "because of the psycopg upgrade" means the latest earlier episode that was about both words of it."""
    for at, after in enumerate(chain):
        for reason, before in product(after.reasons, reversed(chain[:at])):
            told = " ".join((before.goal, *before.files, *before.commits))
            if len({*tokens(reason)} & {*tokens(told)}) > 1 and (names := uncommon(reason) & uncommon(told)):
                yield Cause(before.uuid, after.uuid, f"it was said to be because of {sorted(names)[0]}", 0.6)
                break
