"""Conversations of other clients on their way through the queue: read once, redacted, learned like any transcript."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec

from nous.core.chats import Chat
from nous.core.transcript import Turn
from nous.identity import Project
from nous.remember.capture import Intake
from nous.remember.sessions import MOST_CHARACTERS, UNIT_CHARACTERS, digest
from nous.stores.queue import Artifact


class Queued(NamedTuple):
    """What of some conversations is new: in how many something was said, in how many nothing, turns, secrets."""

    sessions: int
    unchanged: int
    turns: int
    secrets: int


def enqueue_chats(intake: Intake, format_: str, chats: Iterable[Chat], place: Project, is_given: bool) -> Queued:
    """Queue what no earlier import has read, a conversation at a time.

    A conversation that has a directory belongs to its project, unless another `is_given`; others belong to `place`.
    """
    secrets: Counter[str] = Counter()
    sizes = [_enqueue(intake, format_, chat, place, is_given, secrets) for chat in chats]
    new = [size for size in sizes if size]
    return Queued(len(new), len(sizes) - len(new), sum(new), secrets.total())


def _enqueue(intake: Intake, format_: str, chat: Chat, place: Project, is_given: bool, secrets: Counter[str]) -> int:
    """The number of turns of a conversation that wait now; one transaction."""
    stores, now = intake.stores, intake.clock()
    records = [list(turns) for _, turns in groupby(chat.turns, key=lambda turn: turn.uuid)]
    begun = {turns[0].uuid: at for at, turns in enumerate(records)}
    with stores.db.transaction():
        turns = intake.fresh(records, secrets)
        if not turns:
            return 0
        project = intake.project_of(turns[0]) if chat.cwd and not is_given else place
        path = f"import:{format_}:{chat.session_id}"
        for unit in _units(turns):
            stores.queue.enqueue(_artifact(path, project, chat.session_id, unit, begun[unit[0].uuid]), now)
        stores.transcripts.see_session(project.id, path, turns)
        if project.root:
            stores.cache.see_project(project.id, project.root, turns[-1].branch or None, turns[-1].at or now)
    return len(turns)


def _units(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """Turns in pieces of a bounded size, cut before a prompt where one comes in time."""
    unit: list[Turn] = []
    size = 0
    for turn in turns:
        if size >= MOST_CHARACTERS or (size >= UNIT_CHARACTERS and turn.kind == "prompt"):
            yield unit
            unit, size = [], 0
        unit.append(turn)
        size += len(turn.text)
    yield unit


def _artifact(path: str, project: Project, session_id: str, unit: list[Turn], start: int) -> Artifact:
    """A piece of a conversation; its place there stands for the place in a file, so that later pieces see it."""
    key = f"{path}:{unit[0].uuid}:{unit[-1].uuid}"
    return Artifact(
        source="historical_backfill",
        project_id=project.id,
        session_id=session_id,
        transcript_path=path,
        file_inode=digest(path.encode())[:16],
        file_offset=start,
        end_offset=start + len({turn.uuid for turn in unit}),
        payload=msgspec.json.encode(unit).decode(),
        idempotency_key=hashlib.sha256(key.encode()).hexdigest(),
    )
