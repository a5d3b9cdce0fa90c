"""Learning from everything that is already on disk, with the same contract as live capture."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from nous.core.events import Source
from nous.identity import Project, identify
from nous.remember.capture import Taken, find_transcripts, take_in
from nous.remember.learn import Outcome, learn_next
from nous.stores import Stores

PEEK_BYTES = 256 * 1024
_CWD = re.compile(rb'"cwd": ?("(?:[^"\\]|\\.)*")')


class Progress(NamedTuple):
    """How far a backfill has come."""

    files: int
    done: int
    taken: Taken
    outcome: Outcome


def backfill(
    stores: Stores,
    files: list[str],
    worker: str,
    clock: Callable[[], str],
    source: Source = "historical_backfill",
) -> Iterator[Progress]:
    """Read and learn file by file; safe to stop anywhere and to start again."""
    taken, outcome = Taken(), Outcome()
    projects: dict[str, Project] = {}
    stores.queue.sweep(clock())
    for done, path in enumerate(files, 1):
        got = take_in(stores, path, source, clock, projects)
        taken = Taken(*(a + b for a, b in zip(taken, got, strict=True)))
        while (learned := learn_next(stores, worker, clock)) is not None:
            outcome = outcome.plus(learned)
        yield Progress(len(files), done, taken, outcome)
    while (learned := learn_next(stores, worker, clock)) is not None:
        outcome = outcome.plus(learned)
    yield Progress(len(files), len(files), taken, outcome)


def choose(pattern: str, since: float | None, project_id: str | None) -> list[str]:
    """Transcripts to read: changed since a moment (epoch seconds), of one project or of all."""
    chosen = find_transcripts(pattern)
    if since is not None:
        chosen = [path for path in chosen if os.stat(path).st_mtime >= since]
    if project_id is not None:
        chosen = [path for path in chosen if project_of(path) == project_id]
    return chosen


def project_of(path: str) -> str | None:
    """The project that a transcript's first records name."""
    with open(path, "rb") as file:
        found = _CWD.search(file.read(PEEK_BYTES))
    return identify(json.loads(found[1])).id if found else None
