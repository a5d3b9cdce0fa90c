"""From a tidying to events: merges, endings, edits, questions, groups, page and brief.

Everything is written in one transaction and names the event of the tidying as its cause, so that one undo takes the
whole tidying back. Its reader saw memories and no session, so it has nobody's word but theirs: what a person set is
never touched, and a word of the user is merged or reworded only where it stays in the text.
"""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from nous.features.tidy.tidying import CheckedTidying, ReadMerge
from nous.kernel.learn import names
from nous.kernel.learn.introduce import NAMESPACE, Origin, event, introduction, next_clock
from nous.kernel.learn.learn import note_refused
from nous.kernel.learn.reading import MOST_LINES, ProposedLine, ReadEdit, ReadEnding, ReadQuestion, memory_type
from nous.kernel.log.clocks import tick
from nous.kernel.log.events import (
    Archived,
    BriefLine,
    BriefWritten,
    Contradicted,
    Event,
    EventType,
    MemoryGroup,
    PageSection,
    Payload,
    ProjectTidied,
    SaidBy,
    Source,
    Superseded,
)
from nous.kernel.log.extraction import MAX_RELATIONS, EdgeProposal, Learning, Rejection, check, normal_concepts
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.recall.worth import counts_as_users, is_by_hand
from nous.kernel.stores import Stores
from nous.kernel.types import TYPES
from nous.language.invented import first_invented, plain
from nous.language.likeness import tokens

SOURCE: Source = "fs_reconcile"
SESSION = "tidy"  # in whose name a tidying writes: it belongs to no session
CARRIED = 0.3  # the share of a memory's words that has to stand in what takes its place
KEPT = 0.6  # the same for a word of the user that is only reworded
MOST_KNOWN = 5000


class Tidied(NamedTuple):
    """What a tidying did; `event_id` is what `nous undo` takes, 0 when the same was done before."""

    event_id: int = 0
    merged: int = 0
    ended: int = 0
    edited: int = 0
    asked: int = 0
    groups: int = 0
    lines: int = 0
    refused: int = 0


def tidying_id(project_id: str) -> str:
    """The stream of the tidyings of a project."""
    return str(uuid.uuid5(NAMESPACE, f"tidying:{project_id}"))


def brief_id(project_id: str) -> str:
    """The stream of the briefs that tidyings of a project leave."""
    return str(uuid.uuid5(NAMESPACE, f"brief:tidying:{project_id}"))


def tidy_up(stores: Stores, project_id: str, checked: CheckedTidying, version: str, now: str) -> Tidied:
    """Write what a tidying means; in the caller's transaction. The same tidying again changes nothing."""
    catch_up(stores, now)
    return _Intake(stores, project_id, checked, version, now).run()


class _Intake:
    """One tidying on its way into the log."""

    def __init__(self, stores: Stores, project_id: str, checked: CheckedTidying, version: str, now: str):
        self.stores, self.project_id, self.version, self.now = stores, project_id, version, now
        self.tidying, self.problems = checked.tidying, list(checked.refused)
        rows = stores.memories.listing(project_id, limit=MOST_KNOWN, with_global=False)
        self.known = {one.learning_id: one for one in rows}
        self.seen = plain("\n".join(one.content for one in rows if not one.tainted))
        latest = stores.read_sessions.of_project(project_id, 1)
        self.at = latest[0]["at"] if latest else now
        document = hashlib.sha256(msgspec.json.encode(self.tidying)).hexdigest()[:16]
        self.key = f"tidying:{project_id}:{latest[0]['version'] if latest else 0}:{document}"
        self.origin = Origin(project_id, SESSION, SOURCE, self.at, version)
        self.clock = next_clock(stores.events, SESSION)
        self.cause = 0
        self.planned: list[Callable[[], Event]] = []
        self.became: dict[str, str] = {}  # learnings that were merged or reworded, and what took their place
        self.over: set[str] = set()
        self.counts: Counter[str] = Counter()

    def run(self) -> Tidied:
        for merge in self.tidying.merges:
            self.merge(merge)
        for edit in self.tidying.edits:
            self.edit(edit)
        for gone in self.tidying.gone:
            self.end(gone)
        for question in self.tidying.questions:
            self.ask(question)
        self.write_brief()
        if not self.begin():
            return Tidied()
        self.stores.events.append([make() for make in self.planned], self.now)
        catch_up(self.stores, self.now)
        for one in self.problems:
            note_refused(self.stores.rejections, one, self.project_id, SESSION, self.version, self.now)
        return Tidied(self.cause, refused=len(self.problems), **self.counts)

    # -- events ----------------------------------------------------------------------------------------------------

    def begin(self) -> bool:
        """Write that the project was tidied; False when exactly this was done before."""
        groups, page = tuple(self.groups()), tuple(self.page())
        said = ProjectTidied(reader=self.version, groups=groups, page=page, memories=len(self.known))
        one = event(self.origin, tidying_id(self.project_id), "ProjectTidied", self.key, said, self.clock)
        [number] = self.stores.events.append([one], self.now)
        self.cause = number or 0
        self.counts.update(groups=len(groups))
        return number is not None

    def write(self, learning_id: str, kind: EventType, said: Payload) -> None:
        """Plan an event of this tidying, once for a learning and a kind."""
        key = f"{self.key}:{kind}:{learning_id}"
        self.planned.append(lambda: event(self.origin, learning_id, kind, key, said, self.ticked(), cause=self.cause))

    def ticked(self) -> dict[str, int]:
        self.clock = tick(self.clock, SESSION)
        return self.clock

    def refuse(self, reason: str, excerpt: str) -> None:
        self.problems.append(Rejection(reason, excerpt[:80]))

    # -- what is known ---------------------------------------------------------------------------------------------

    def find(self, known: str) -> Memory | None:
        """The memory in use that a reference means."""
        if "#" not in known:
            return self.known.get(known)
        found = self.stores.memories.by_ref(known, self.project_id)
        return self.known.get(found.learning_id) if found else None

    def open(self, known: str, what: str) -> Memory | None:
        """A memory that a tidying may change; why not, is noted."""
        memory = self.find(known)
        if memory is None:
            self.refuse(f"{what}: {known[:60]!r} is no memory in use", known)
        elif is_by_hand(memory):
            self.refuse(f"{what}: a person set it", memory.content)
        elif memory.tainted:
            self.refuse(f"{what}: a person has to look at it first", memory.content)
        elif memory.learning_id in self.over:
            self.refuse(f"{what}: this tidying ended it already", memory.content)
        else:
            return memory
        return None

    def carries(self, text: str, memory: Memory, least: float) -> bool:
        """Whether a text still has so many of a memory's words."""
        words = set(tokens(memory.content))
        return len(words & set(tokens(text))) >= least * len(words)

    # -- merges and edits ------------------------------------------------------------------------------------------

    def merge(self, merge: ReadMerge) -> None:
        """One memory takes the place of several, if each of them stays recognisable in it."""
        found = [self.open(one, "merge") for one in dict.fromkeys(merge.from_)]
        parts = [one for one in found if one]
        if len(parts) < 2 or len(parts) < len(found):
            return
        if lost := next((one for one in parts if not self.carries(merge.text, one, CARRIED)), None):
            self.refuse("merge: hardly a word of it is left", lost.content)
        elif self.replace(parts, merge.text, memory_type(merge.type) or parts[0].type, "said in one memory"):
            self.counts.update(merged=len(parts))

    def edit(self, edit: ReadEdit) -> None:
        """Say a memory in other words; a word of the user has to keep most of them."""
        memory = self.open(edit.known, "edit")
        if memory is None or memory.content == edit.text:
            return
        if counts_as_users(memory) and not self.carries(edit.text, memory, KEPT):
            self.refuse("edit: it is the user's word, and only a person changes it", memory.content)
        elif self.replace([memory], edit.text, memory.type, "said better"):
            self.counts.update(edited=1)

    def replace(self, parts: Sequence[Memory], text: str, kind: str, why: str) -> bool:
        """Introduce a memory made of others, and end these in it."""
        learning = _made_of(parts, text, kind if kind in TYPES else parts[0].type, self.at)
        if isinstance(bad := check(learning), Rejection):
            self.refuse(bad.reason, bad.excerpt)
            return False
        if invented := first_invented(text, self.seen):
            self.refuse(f"it names {invented[:60]!r}, which no memory does", text)
            return False
        by = _whose(parts)
        ref = parts[0].ref if len(parts) == 1 else None
        key = f"{self.key}:{'+'.join(one.learning_id for one in parts)}"
        origin = self.origin._replace(valid_from=learning.valid_from or self.at, by_user=by == "user")
        made = str(uuid.uuid5(NAMESPACE, key))
        self.planned.append(
            lambda: introduction(learning, origin, key, self.ticked(), cause=self.cause, ref=ref, by=by, reason=why)
        )
        for one in parts:
            self.write(one.learning_id, "LearningSuperseded", Superseded(superseded_by=made, reason=why))
            self.became[one.learning_id] = made
            self.over.add(one.learning_id)
        return True

    # -- endings and questions -------------------------------------------------------------------------------------

    def end(self, gone: ReadEnding) -> None:
        memory = self.open(gone.known, "gone")
        if memory is None:
            return
        if counts_as_users(memory):
            self.refuse("gone: it is the user's word, and only a person ends it", memory.content)
            return
        said = Archived(reason=gone.why or "a tidying found it untrue")
        self.write(memory.learning_id, "LearningArchived", said)
        self.over.add(memory.learning_id)
        self.counts.update(ended=1)

    def ask(self, question: ReadQuestion) -> None:
        """Both stay, and a person says which one holds."""
        one, other = self.find(question.a), self.find(question.b)
        if one is None or other is None or one is other or {one.learning_id, other.learning_id} & self.over:
            self.refuse("question: it is not about two memories in use", f"{question.a} {question.b}")
            return
        if other.learning_id in one.contradicted_with:
            return
        for mine, theirs in ((one, other), (other, one)):
            said = Contradicted(
                contradicted_with=theirs.learning_id,
                contradiction_multiplier=1.0,
                reason=question.ask or "Which one holds?",
            )
            self.write(mine.learning_id, "LearningContradicted", said)
        self.counts.update(asked=1)

    # -- groups, page, brief ---------------------------------------------------------------------------------------

    def sources(self, named: Iterable[str]) -> tuple[str, ...]:
        """The learnings that references stand for after this tidying."""
        found = (one for one in map(self.find, named) if one and not one.tainted)
        now = (self.became.get(one.learning_id, one.learning_id) for one in found)
        return tuple(dict.fromkeys(name for name in now if name not in self.over))

    def groups(self) -> Iterator[MemoryGroup]:
        for group in self.tidying.groups:
            if members := self.sources(group.members):
                yield MemoryGroup(group.label, group.about, members)
            else:
                self.refuse("groups: it has no memory in use", group.label)

    def page(self) -> Iterator[PageSection]:
        for section in self.tidying.page:
            if lines := tuple(line for one in section.lines if (line := self.line(one, "page"))):
                yield PageSection(section.heading, lines)

    def line(self, proposed: ProposedLine, where: str) -> BriefLine | None:
        """A line with the learnings it rests on; None when it may not stand, and why is noted."""
        rests_on = self.sources(proposed.from_)
        if not rests_on:
            self.refuse(f"{where}: it rests on no memory in use", proposed.text)
        elif invented := first_invented(proposed.text, self.seen):
            self.refuse(f"{where}: it names {invented[:60]!r}, which no memory does", proposed.text)
        else:
            return BriefLine(proposed.text, rests_on)
        return None

    def write_brief(self) -> None:
        """Write the project's brief anew; the reading of a later session writes the next."""
        if self.tidying.brief is None:
            return
        lines = tuple(line for one in self.tidying.brief[:MOST_LINES] if (line := self.line(one, "brief")))
        self.counts.update(lines=len(lines))
        if lines:
            self.write(brief_id(self.project_id), "BriefWritten", BriefWritten(reader=self.version, lines=lines))


def _whose(parts: Sequence[Memory]) -> SaidBy:
    """Whose word a memory made of several is: the user's only where all of them are."""
    said = {one.by for one in parts}
    return "user" if all(map(counts_as_users, parts)) else "tool" if said == {"tool"} else "agent"


def _made_of(parts: Sequence[Memory], text: str, kind: str, at: str) -> Learning:
    """The learning that takes the place of several, with everything they rest on and are about."""
    first = parts[0]
    begins = [one.last_said_at or one.valid_from or one.created_at for one in parts]
    branches = {one.branch for one in parts}
    ends = [one.valid_until for one in parts]
    return Learning(
        content=text,
        type=kind,
        evidence=_each(uuid for one in parts for uuid in one.evidence),
        concepts=normal_concepts((*names.concepts(text), *(name for one in parts for name in one.concepts))),
        edges=tuple(EdgeProposal(one.learning_id, "derived_from", confidence=1.0) for one in parts),
        entities=_each(name for one in parts for name in one.entities)[:10],
        relations=tuple(dict.fromkeys(triple for one in parts for triple in one.relations))[:MAX_RELATIONS],
        files=_each(file for one in parts for file in one.files)[:10],
        symbols=_each(name for one in parts for name in one.symbols)[:10],
        confidence=max(one.confidence for one in parts),
        scope=first.scope if len({one.scope for one in parts}) == 1 else "project",
        slot=names.slot(text),
        branch=first.branch if len(branches) == 1 else None,
        valid_from=min(max(begins), at) if begins else at,
        valid_until=max(filter(None, ends)) if all(ends) else None,
    )


def _each(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
