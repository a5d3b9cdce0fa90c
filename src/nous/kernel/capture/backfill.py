"""Learning from everything that is already on disk, with the same contract as live capture."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from nous.identity import identify
from nous.kernel.capture.files import Files
from nous.kernel.capture.intake import CaptureRules, Intake, Taken, cut_back, group, list_transcripts
from nous.kernel.capture.queue import is_dead
from nous.kernel.capture.sessions import cut
from nous.kernel.capture.tail import Line, on_disk, read_new
from nous.kernel.learn.learn import Learned, WorkerOptions, learn_all
from nous.kernel.log.events import Source
from nous.kernel.stores import Stores

PEEK_BYTES = 256 * 1024
FIRST_BYTES = 2_000_000  # are read before the first packets are made
PORTION_BYTES = 16_000_000  # and so many between two makings
SAMPLE_FILES = 20
SAMPLE_BYTES = 1_000_000
CHARACTERS_PER_TOKEN = 4
PATIENCE = 90.0  # seconds
_CWD = re.compile(rb'"cwd": ?("(?:[^"\\]|\\.)*")')


class Chosen(NamedTuple):
    """A transcript to read, and how much of it is new."""

    path: str
    size: int
    new: int


class Progress(NamedTuple):
    """How far a backfill has come; `packets` were made of it, `troubles` could not be done now."""

    files: int
    done: int
    size: int
    read: int
    taken: Taken = Taken()
    outcome: Learned = Learned()
    packets: int = 0
    troubles: tuple[str, ...] = ()

    def plus(self, other: Progress) -> Progress:
        """With what was read next of the same files."""
        return self._replace(
            done=self.done + other.done,
            read=self.read + other.read,
            taken=self.taken.plus(other.taken),
            outcome=self.outcome.plus(other.outcome),
        )

    @property
    def share(self) -> float:
        """The part of the new bytes that is read."""
        return self.read / self.size if self.size else 1.0


class Estimate(NamedTuple):
    """What a backfill would read, before anything is read."""

    files: int
    sessions: int
    size: int
    new: int
    tokens: int


def backfill(
    stores: Stores,
    files: list[Chosen],
    worker: str,
    clock: Callable[[], str],
    *,
    rules: CaptureRules = CaptureRules(),
    options: WorkerOptions = WorkerOptions(),
    source: Source = "historical_backfill",
    patience: float = PATIENCE,
) -> Iterator[Progress]:
    """Read and learn file by file; safe to stop anywhere and to start again.

    `patience`: so many seconds units are waited for that another worker holds.
    """
    intake = Intake(stores, clock, rules)
    total = sum(file.new for file in files)
    taken, outcome, read = Taken(), Learned(), 0
    stores.queue.sweep(clock(), is_dead)
    try:
        for done, file in enumerate(files, 1):
            taken = taken.plus(intake.try_in(file.path, source))
            outcome = outcome.plus(learn_all(stores, worker, clock, options))
            read += file.new
            yield Progress(len(files), done, total, read, taken, outcome)
        outcome = outcome.plus(_finish(stores, worker, clock, options, patience))
        yield Progress(len(files), len(files), total, total, taken, outcome)
    finally:
        stores.queue.give_back(worker, clock())


def _finish(stores: Stores, worker: str, clock: Callable[[], str], options: WorkerOptions, patience: float) -> Learned:
    """Learn what is left. Units that another worker holds or that wait for their session are waited for."""
    outcome = learn_all(stores, worker, clock, options)
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        counts = stores.queue.counts()
        if not counts.get("processing") and not counts.get("pending"):
            break
        time.sleep(0.05)
        stores.queue.sweep(clock(), is_dead)
        outcome = outcome.plus(learn_all(stores, worker, clock, options))
    return outcome


# choosing
def in_portions(files: Sequence[Chosen], here: str = "") -> Iterator[list[Chosen]]:
    """Transcripts in reading order, in portions that are learned together: the project `here` first, then that last
    worked in. What is large is read from its newest sessions back; within a portion the older ones come first."""
    folders = group(files, lambda file: file.path)
    ours = next((folder for folder in folders if here and project_of(folder[-1].path) == here), None)
    for nth, folder in enumerate(sorted(folders, key=lambda one: one is not ours)):
        first = next(cut_back(folder, _new, FIRST_BYTES)) if not nth else []
        yield from (
            portion
            for portion in (first, *cut_back(folder[: len(folder) - len(first)], _new, PORTION_BYTES))
            if portion
        )


def _new(file: Chosen) -> int:
    return file.new


def choose(
    files: Files, pattern: str, since: float | None = None, project_id: str | None = None, limit: int | None = None
) -> list[Chosen]:
    """Transcripts to read, oldest first: changed since a moment (epoch seconds), of one project, the newest so many."""
    chosen: list[Chosen] = []
    for path, stat in reversed(list_transcripts(pattern)):
        if since is not None and stat.st_mtime < since:
            break
        if project_id is not None and project_of(path) != project_id:
            continue
        if limit is not None and len(chosen) >= limit:
            break
        known = files.get(path)
        same = known and (known.device, known.inode) == (stat.st_dev, stat.st_ino)
        new = stat.st_size - known.read_offset if known and same else stat.st_size
        chosen.append(Chosen(path, stat.st_size, new if new >= 0 else stat.st_size))
    return chosen[::-1]


def project_of(path: str) -> str | None:
    """The project that a transcript's first records name."""
    try:
        with open(on_disk(path), "rb") as file:
            named = _CWD.search(file.read(PEEK_BYTES))
        return identify(json.loads(named[1])).id if named else None
    except (OSError, ValueError):
        return None


def _sample_head(path: str) -> Iterator[Line]:
    try:
        yield from read_new(on_disk(path), 0)
    except OSError:  # it is gone, or not ours to read
        return


def estimate(files: list[Chosen]) -> Estimate:
    """How much there is to read and, from a sample, how many tokens a model would have to."""
    new = [file for file in files if file.new > 0]
    read = said = 0
    for file in new[:: max(1, len(new) // SAMPLE_FILES)][:SAMPLE_FILES]:
        for stretch in cut(_sample_head(file.path), 0):
            read += stretch.end - stretch.start
            said += stretch.characters
            if stretch.end > SAMPLE_BYTES:
                break
    unread = sum(file.new for file in new)
    tokens = int(unread * said / read / CHARACTERS_PER_TOKEN) if read else 0
    sessions = sum("subagents" not in file.path.split(os.sep) for file in new)
    return Estimate(len(files), sessions, sum(file.size for file in files), unread, tokens)
