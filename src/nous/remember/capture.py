"""From transcript files to the queue: new lines are parsed, cleaned of secrets and cut into work units.

Watching, scanning and backfilling all come through `take_in`. A file's cursor moves only when its unit is learned; what
waits in the queue is not read again, and a record that was read once, in whatever file, is never read twice.
"""

from __future__ import annotations

import fnmatch
import glob
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator
from stat import S_ISREG
from typing import NamedTuple

import msgspec

from nous.core.events import Source
from nous.core.extraction import Rejection
from nous.core.redact import redact_turn
from nous.core.transcript import Turn, parse_line
from nous.identity import Project, identify
from nous.remember.tail import Line, read_new
from nous.stores import Stores
from nous.stores.queue import Artifact

MAX_UNIT_BYTES = 512 * 1024
MAX_QUARANTINED = 100


class Taken(NamedTuple):
    """What taking in one file gave."""

    units: int = 0
    turns: int = 0
    lines: int = 0
    quarantined: int = 0
    size: int = 0
    secrets: int = 0


class Stretch:
    """Turns that are gathered until they make a work unit."""

    def __init__(self, start: int):
        self.start = self.end = start
        self.turns: list[Turn] = []
        self.bad: list[tuple[int, int, str]] = []
        self.lines = self.bytes = 0

    def is_full_before(self, turns: list[Turn]) -> bool:
        """Whether a unit should end here: it is large, and the user is about to speak."""
        return self.bytes >= MAX_UNIT_BYTES and any(turn.kind == "prompt" for turn in turns)


def find_transcripts(pattern: str) -> list[str]:
    """Every transcript file, oldest first; each file once, however many links lead to it."""
    found: dict[tuple[int, int], tuple[int, str]] = {}
    for path in _matching(pattern):
        try:
            stat = os.stat(path)
        except OSError:
            continue
        if S_ISREG(stat.st_mode):
            found.setdefault((stat.st_dev, stat.st_ino), (stat.st_mtime_ns, path))
    return [path for _, path in sorted(found.values())]


def _matching(pattern: str) -> Iterator[str]:
    """Paths that a pattern names. Below `**` links are followed, but no directory is entered twice."""
    root, deep, name = pattern.partition("**")
    if not deep:
        yield from glob.iglob(pattern)
        return
    entered = set()
    for folder, below, files in os.walk(root.rstrip(os.sep) or os.sep, followlinks=True):
        real = os.path.realpath(folder)
        if real in entered:
            below.clear()
            continue
        entered.add(real)
        below.sort()
        yield from (os.path.join(folder, file) for file in sorted(fnmatch.filter(files, os.path.basename(name))))


def take_in(
    stores: Stores, path: str, source: Source, clock: Callable[[], str], projects: dict[str, Project] | None = None
) -> Taken:
    """Queue what a transcript says that was not read before."""
    try:
        stat = os.stat(path)
    except OSError:
        return Taken()
    inode = str(stat.st_ino)
    offset = stores.queue.read_to(path, inode)
    if offset > stat.st_size:
        stores.queue.restart(path, inode)
        offset = 0
    if offset == stat.st_size:
        return Taken()
    total = Taken()
    known: dict[str, Project] = {} if projects is None else projects
    for stretch in _stretches(path, offset):
        taken = _enqueue(stores, path, inode, stretch, source, clock(), known)
        total = Taken(*(a + b for a, b in zip(total, taken, strict=True)))
    return total


def _stretches(path: str, offset: int) -> Iterator[Stretch]:
    stretch = Stretch(offset)
    for line in read_new(path, offset):
        turns, reason = _parse(line)
        if stretch.is_full_before(turns):
            yield stretch
            stretch = Stretch(line.start)
        stretch.turns += turns
        stretch.lines += 1
        stretch.end = line.end
        stretch.bytes += sum(len(turn.text) for turn in turns)
        if reason:
            stretch.bad.append((line.start, line.end - line.start, reason))
    if stretch.end > stretch.start:
        yield stretch


def _parse(line: Line) -> tuple[list[Turn], str]:
    """The turns of a line, or none and the reason why it is put aside."""
    if line.data is None:
        return [], "the line is too long"
    if not line.data.strip():
        return [], ""
    parsed = parse_line(line.data)
    return ([], parsed.reason) if isinstance(parsed, Rejection) else (parsed, "")


def _enqueue(
    stores: Stores, path: str, inode: str, stretch: Stretch, source: Source, now: str, projects: dict[str, Project]
) -> Taken:
    """One transaction: the unit, the records it holds, and the lines that were put aside."""
    secrets: Counter[str] = Counter()
    with stores.db.transaction():
        fresh = stores.queue.unseen(list({turn.uuid for turn in stretch.turns}))
        clean = []
        for turn in stretch.turns:
            if turn.uuid in fresh:
                cleaned, found = redact_turn(turn)
                secrets += found
                clean.append(cleaned)
        stores.queue.see(fresh)
        for start, length, reason in stretch.bad[:MAX_QUARANTINED]:
            stores.queue.quarantine(path, inode, start, length, reason, now)
        if clean:
            project = _project(clean[0], projects)
            stores.queue.enqueue(_artifact(clean, path, inode, stretch, source, project), now)
            stores.cache.see_project(project.id, project.root, clean[-1].branch or None, clean[-1].at or now)
        else:
            _pass_over(stores, path, inode, stretch, source, now)
    return Taken(
        units=int(bool(clean)),
        turns=len(clean),
        lines=stretch.lines,
        quarantined=len(stretch.bad),
        size=stretch.end - stretch.start,
        secrets=secrets.total(),
    )


def _project(turn: Turn, known: dict[str, Project]) -> Project:
    """The project of a turn's directory; looked up once per run."""
    if turn.cwd not in known:
        known[turn.cwd] = identify(turn.cwd) if turn.cwd else Project("unknown-project", "", "")
    return known[turn.cwd]


def _artifact(turns: list[Turn], path: str, inode: str, stretch: Stretch, source: Source, project: Project) -> Artifact:
    key = f"{path}:{inode}:{stretch.start}:{stretch.end}:{turns[0].uuid}:{turns[-1].uuid}"
    return Artifact(
        source=source,
        project_id=project.id,
        session_id=turns[0].session_id,
        transcript_path=path,
        file_inode=inode,
        file_offset=stretch.start,
        end_offset=stretch.end,
        payload=msgspec.json.encode(turns).decode(),
        idempotency_key=hashlib.sha256(key.encode()).hexdigest(),
    )


def _pass_over(stores: Stores, path: str, inode: str, stretch: Stretch, source: Source, now: str) -> None:
    """Nothing new was said here. The cursor moves on, unless earlier units of the file still wait."""
    if stores.queue.cursor(path, inode) == stretch.start:
        stores.queue.promote(path, inode, stretch.end, None, now)
        return
    key = hashlib.sha256(f"{path}:{inode}:{stretch.start}:{stretch.end}:nothing".encode()).hexdigest()
    empty = Artifact(
        source=source,
        project_id="",
        session_id="",
        transcript_path=path,
        file_inode=inode,
        file_offset=stretch.start,
        end_offset=stretch.end,
        payload="[]",
        idempotency_key=key,
    )
    stores.queue.enqueue(empty, now)
