"""Conversations of other clients on their way through the queue: read once, redacted, learned like any transcript."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec

from nous.features.imports.chats import Chat
from nous.identity import Project
from nous.kernel.capture.intake import Intake
from nous.kernel.capture.queue import Artifact
from nous.kernel.capture.sessions import MOST_CHARACTERS, UNIT_CHARACTERS, digest
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn.bisect import bisect_failures, is_resource_error


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
    """The number of turns of a conversation that wait now; a record with which that fails is put aside alone."""
    records = [list(turns) for _, turns in groupby(chat.turns, key=lambda turn: turn.uuid)]
    path = f"import:{format_}:{chat.session_id}"

    def queue(numbers: Sequence[int], found: Counter[str]) -> int:
        chosen = [(number, records[number]) for number in numbers]
        return _enqueue_all(intake, chat, chosen, path, None if chat.cwd and not is_given else place, found)

    try:
        return queue(range(len(records)), secrets)
    except Exception as problem:
        if is_resource_error(problem):
            raise
    aside = bisect_failures(len(records), lambda numbers: intake.rehearse(lambda: queue(numbers, Counter())))
    for number, reason in aside.items():
        intake.stores.records.quarantine(path, _inode(path), number, 1, reason, intake.clock())
    return queue([number for number in range(len(records)) if number not in aside], secrets)


def _enqueue_all(
    intake: Intake,
    chat: Chat,
    records: Sequence[tuple[int, list[Turn]]],
    path: str,
    place: Project | None,
    secrets: Counter[str],
) -> int:
    """Queue records of a conversation, each with its number, in one transaction; without a place, where they say."""
    stores, now = intake.stores, intake.clock()
    begun = {turns[0].uuid: number for number, turns in records}
    with stores.db.transaction():
        turns = intake.fresh([turns for _, turns in records], secrets)
        if not turns:
            return 0
        project = place or intake.project_of(turns[0])
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


def _inode(path: str) -> str:
    """What stands for the number of a file, of which a conversation has none."""
    return digest(path.encode())[:16]


def _artifact(path: str, project: Project, session_id: str, unit: list[Turn], start: int) -> Artifact:
    """A piece of a conversation; its place there stands for the place in a file, so that later pieces see it."""
    key = f"{path}:{unit[0].uuid}:{unit[-1].uuid}"
    return Artifact(
        source="historical_backfill",
        project_id=project.id,
        session_id=session_id,
        transcript_path=path,
        file_inode=_inode(path),
        file_offset=start,
        end_offset=start + len({turn.uuid for turn in unit}),
        payload=msgspec.json.encode(unit).decode(),
        idempotency_key=hashlib.sha256(key.encode()).hexdigest(),
    )
