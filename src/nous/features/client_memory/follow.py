"""Following the client's memory files: what is new, edited or deleted there becomes so here, as an agent's word.

Nothing is ever written there. What a person forgot here stays forgotten, and what a person pinned or confirmed stays
when its file goes.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from nous import moments
from nous.features.client_memory.files import MemoryFile, MemoryText, memory_files, owners_of, read_memory
from nous.features.client_memory.writers import Writers
from nous.kernel.capture.intake import CaptureRules
from nous.kernel.learn.introduce import AGENT, Origin, introduction, next_clock
from nous.kernel.learn.learn import candidates
from nous.kernel.learn.relearn import judge
from nous.kernel.log.events import Archived, EventType, Payload, Superseded, Writer, make_event
from nous.kernel.log.extraction import Learning
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores
from nous.redact import redact_contacts, redact_text

EXTRACTOR = "client-memory-1"
TAG = "client-memory"
PREFIX = "client-memory:"
SESSION = "client-memory"
CONFIDENCE = 0.6  # of an agent's own word
GONE = "its file was deleted"

Marks = dict[str, tuple[int, int]]


class ClientMemory:
    """The client's memory files over one open store; `marks` remembers which were read, so that a look costs a stat."""

    def __init__(self, stores: Stores, clock: Callable[[], str], rules: CaptureRules = CaptureRules()):
        self.stores = stores
        self.clock = clock
        self.rules = rules
        self.marks: Marks = {}

    def follow(self, projects: str, since: float | None = None) -> Counter[str]:
        """What became of files that changed: how many were taken, updated, restored, retired or left out, by word.

        Files that were last written before `since` are history that nobody wanted to be read.
        """
        found = list(memory_files(projects))
        roots = {row["project_id"]: row["root"] for row in self.stores.cache.projects()}
        owners = {PREFIX + file.name: owners_of(file.slug, roots) for file in found}
        done: Counter[str] = Counter()
        writers = Writers(projects)
        for file in found:
            whose = owners[PREFIX + file.name]
            if self.marks.get(file.path) != file.mark and (since is None or file.modified >= since):
                done[self._take(file, whose, writers)] += 1
                if whose:  # the project of another one may yet become known
                    self.marks[file.path] = file.mark
        if os.path.isdir(projects):
            done["retired"] += self._retire_missing(owners)
        return +done

    # one file
    def _take(self, file: MemoryFile, owners: Sequence[str], writers: Writers) -> str:
        """What became of a file, in a few words."""
        if len(owners) != 1:
            return "of several projects" if owners else "of no known project"
        [project_id] = owners
        if self.rules.ignored and self.rules.ignored.covers(file.path):
            return "ignored"
        said = read_memory(file, self._clean)
        ref = PREFIX + file.name
        old = self.stores.memories.by_ref(ref, project_id)
        if said is None:
            return "retired" if old and self._retire(old) else "empty"
        if old is not None and old.content == said.text:
            return "unchanged"
        if old is not None and (old.pinned or old.confirmed):
            return "kept as it was"
        return self._write(file, said, project_id, ref, old, bool(writers.doubt(file, said.text)))

    def _clean(self, text: str) -> str:
        cleaned = redact_text(text)[0]
        return redact_contacts(cleaned) if self.rules.contacts else cleaned

    def _write(
        self, file: MemoryFile, said: MemoryText, project_id: str, ref: str, old: Memory | None, tainted: bool
    ) -> str:
        now = self.clock()
        written = min(now, moments.text(datetime.fromtimestamp(file.modified, UTC)))
        digest = hashlib.sha256(said.text.encode()).hexdigest()[:16]
        learning = Learning(
            content=said.text,
            type=said.type,
            evidence=(f"{ref}:{digest}",),
            confidence=CONFIDENCE,
            valid_from=written,
            tainted=tainted,
        )
        if (
            old is None
            and judge(learning, written, candidates(self.stores.memories, learning, project_id)).repeats is not None
        ):
            return "known"
        origin = Origin(project_id, SESSION, AGENT, max(written, old.valid_from or "" if old else ""), EXTRACTOR)
        key, clock = f"{PREFIX}{project_id}:{ref}:{digest}", next_clock(self.stores.events, SESSION)
        with self.stores.db.transaction():
            event = introduction(
                learning, origin, key, clock, ref=ref, tags=(TAG,), by="agent", cause=old.id if old else None
            )
            [number] = self.stores.events.append([event], now)
            result = ("updated" if old else "taken") if number else self._again(event.learning_id)
            if old is not None:
                self._mark(old, "LearningSuperseded", Superseded(superseded_by=event.learning_id), number)
            catch_up(self.stores, now)
        return result

    def _again(self, learning_id: str) -> str:
        """A file says again what it said before: that is back, unless somebody forgot it."""
        memory = self.stores.memories.by_learning([learning_id]).get(learning_id)
        if memory is None or (memory.archived_reason != GONE and memory.status != "superseded"):
            return "forgotten"
        self._mark(memory, "LearningRestored", Payload(reason="the file says it again"))
        return "restored"

    # files that are gone
    def _retire_missing(self, owners: Mapping[str, Sequence[str]]) -> int:
        """Retire what no file says any more, and what lies in a folder that turned out to be of several projects."""
        active = self.stores.memories.with_ref_prefix(PREFIX)
        return sum(self._retire(memory) for memory in active if not _is_held(memory, owners))

    def _retire(self, memory: Memory) -> bool:
        """Whether a memory whose file is gone left the active ones: what a person wants stays."""
        if memory.pinned or memory.confirmed:
            return False
        self._mark(memory, "LearningArchived", Archived(reason=GONE))
        catch_up(self.stores, self.clock())
        return True

    def _mark(self, memory: Memory, kind: EventType, payload: Payload, cause: int | None = None) -> None:
        event = make_event(
            kind,
            memory.learning_id,
            payload,
            f"{PREFIX}{kind}:{memory.learning_id}:{memory.version}",
            project_id=memory.project_id,
            by=Writer(SESSION, AGENT),
            at=self.clock(),
            cause=cause or memory.id,
        )
        self.stores.events.append([event], self.clock())


def _is_held(memory: Memory, owners: Mapping[str, Sequence[str]]) -> bool:
    """Whether a file still says what a memory says, as far as one can tell."""
    whose = owners.get(memory.ref or "")
    return whose is not None and (not whose or list(whose) == [memory.project_id])
