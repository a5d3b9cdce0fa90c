"""From a reading to events: what is new, what it ends and edits, the state of work, and the brief.

Everything is written in one transaction and names the event of the reading as its cause, so that one undo takes the
whole reading back. What a reading says of authority is not believed: see `records`.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from nous import moments
from nous.features.model_reader.records import SessionRecords
from nous.kernel.capture.transcript import Turn
from nous.kernel.learn import names
from nous.kernel.learn.compose import as_many, shorten
from nous.kernel.learn.introduce import NAMESPACE, Origin, event, introduction, next_clock
from nous.kernel.learn.learn import Learned, candidates, note_refused
from nous.kernel.learn.reading import (
    MOST_LINES,
    CheckedReading,
    ReadEdit,
    Reading,
    ReadMemory,
    ReadOpen,
    ReadQuestion,
    ReadRelation,
    memory_type,
)
from nous.kernel.learn.relearn import says_the_same
from nous.kernel.log.clocks import tick
from nous.kernel.log.events import (
    Archived,
    BriefLine,
    BriefWritten,
    Contradicted,
    EstablishedCause,
    Event,
    EventType,
    NamedThing,
    Payload,
    Reinforced,
    SaidBy,
    SessionRead,
    Source,
    Superseded,
    Undone,
)
from nous.kernel.log.extraction import (
    BY_RULES,
    MAX_RELATIONS,
    Learning,
    Rejection,
    Triple,
    check,
    family,
    normal_concepts,
    relation_problem,
)
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.recall.worth import counts_as_users, is_by_hand, start_text
from nous.language.likeness import jaccard, tokens

if TYPE_CHECKING:
    from nous.kernel.stores import Events, Memories, Stores

SOURCE: Source = "fs_reconcile"  # a later look at what was captured before
SURE: dict[str, float] = {"user": 0.85, "tool": 0.75, "agent": 0.65}
HELD_FACTOR = 0.7
MAX_TITLE, MAX_OPEN = 100, 200  # characters of last work
AGAIN = 0.1  # what a rule gains that was said again, broken again or proved right
REPEATED = 0.7  # the share of a line's words that its memories must say, where it may not say more than they
HALF = 0.5  # of them, where none of its words came from outside alone
ALIKE = 0.2  # the share of words from which on a draft of the rules lives on in a memory of the reading
MERGED_AGAIN = 5  # tidyings that a memory is followed through
_PATH = re.compile(r"(?<![\w.@~/-])[~.@]?/?(?:[A-Za-z_.-][\w.@-]+/)+(?:[A-Za-z_.-][\w.@*-]*)?")
_BRANCH_OR_ROUTE = re.compile(
    r"(?:feat|feature|fix|hotfix|bugfix|chore)/[^/.]+|/(?!(?:home|Users|usr|var|opt|etc|mnt|srv|tmp|root|data|media)/)[^.]*"
)
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")


class ReadSession(NamedTuple):
    """A stretch of a session that was read: its turns, those before it, and the last moment that the reader saw."""

    session_id: str
    project_id: str
    turns: Sequence[Turn]
    earlier: Sequence[Turn] = ()
    at: str = ""


def take_in(stores: Stores, session: ReadSession, checked: CheckedReading, version: str, now: str) -> Learned:
    """Write what a reading means; in the caller's transaction. The same stretch read again changes nothing."""
    catch_up(stores, now)
    intake = _Intake(stores, session, checked, version, now)
    return intake.run()


def brief_id(session_id: str) -> str:
    """The stream of the brief that the reading of a session leaves."""
    return str(uuid.uuid5(NAMESPACE, f"brief:{session_id}"))


def reading_id(session_id: str) -> str:
    """The stream of the readings of a session."""
    return str(uuid.uuid5(NAMESPACE, f"reading:{session_id}"))


class _New(NamedTuple):
    """A memory that the reading introduces."""

    learning_id: str
    text: str
    by: SaidBy
    held: str | None
    evidence: tuple[str, ...]


class _Intake:
    """One reading on its way into the log."""

    def __init__(self, stores: Stores, session: ReadSession, checked: CheckedReading, version: str, now: str):
        self.stores, self.session, self.version, self.now = stores, session, version, now
        self.reading, self.is_partial = checked.reading, checked.is_partial
        self.records = SessionRecords([*session.earlier, *session.turns])
        self.at = session.at or max((turn.at for turn in session.turns), default="") or now
        self.until = session.turns[-1].uuid if session.turns else ""
        place = session.turns[-1].cwd if session.turns else ""
        self.origin = Origin(session.project_id, session.session_id, SOURCE, self.at, version, place=place)
        self.clock = next_clock(stores.events, session.session_id)
        self.cause = 0
        self.drafted: set[int] = set()
        self.events: list[Event] = []
        self.new: dict[str, _New] = {}
        self.successors: dict[str, _New] = {}  # of memories that this reading edits or replaces, by what it calls them
        self.total = Learned(projects=frozenset({session.project_id} if session.project_id else ()))
        for one in checked.refused:
            self.refuse(one.reason, one.excerpt)

    def run(self) -> Learned:
        if not self.begin():
            return Learned()
        drafts = self.drafts()
        self.drafted = {one.id for one in drafts}
        self.take_back(drafts)
        first = count_read(self.stores.events, self.stores.memories, self.session.session_id)
        for nth, memory in enumerate(self.reading.memories):
            if memory is not None:
                self.introduce(memory, f"{self.session.session_id}#{first + nth}", nth)
        for gone in self.reading.gone:
            self.end(gone.known, gone.evidence, gone.why or "the session made it untrue")
        for edit in self.reading.edits:
            self.edit(edit)
        for again in self.reading.again:
            if known := self.find(again.known):
                how = again.how if again.how == "confirmed" else f"{again.how} again"
                self.strengthen(known, how, again.evidence)
        for question in self.reading.questions:
            self.question(question)
        self.note_work()
        for draft in drafts:
            self.replace_draft(draft)
        self.append()
        self.write_brief()
        return self.total

    # -- events ----------------------------------------------------------------------------------------------------

    def begin(self) -> bool:
        """Write that the session was read; False when exactly this was read before."""
        read = self.reading
        said = SessionRead(
            reader=self.version,
            until=self.until,
            title=read.title,
            summary=read.summary,
            outcome=read.outcome,
            open=tuple(map(_open_end, read.open)),
            done=tuple(one for one in read.done if "!" in one),
            topics=read.topics,
            things=tuple(NamedThing(one.name, one.kind, one.also, one.is_) for one in read.things),
            causes=tuple(self.causes()),
        )
        key = f"reading:{self.session.session_id}:{self.until}"
        one = event(self.origin, reading_id(self.session.session_id), "SessionRead", key, said, self.clock)
        [number] = self.stores.events.append([one], self.now)
        self.cause = number or 0
        return number is not None

    def causes(self) -> Iterator[EstablishedCause]:
        """What the user or a result here established as the cause of what; the agent's word alone proves none."""
        for one in self.reading.because:
            cited, texts = self.own(one.evidence), (one.cause, one.effect)
            if self.records.says(cited, *texts) or self.records.shows(cited, *texts):
                yield EstablishedCause(one.cause, one.effect, cited)
            else:
                self.refuse("because: neither the user nor a result here proves it", one.cause)

    def write(self, learning_id: str, kind: EventType, said: Payload, at: str = "", key: str = "") -> None:
        """Plan an event of this reading, once for a learning and a kind."""
        self.clock = tick(self.clock, self.session.session_id)
        key = key or f"reading:{self.session.session_id}:{self.until}:{kind}:{learning_id}"
        origin = self.origin._replace(valid_from=at or self.at)
        self.events.append(event(origin, learning_id, kind, key, said, self.clock, cause=self.cause))

    def append(self) -> None:
        self.stores.events.append(self.events, self.now)
        self.events = []
        catch_up(self.stores, self.now)

    def refuse(self, reason: str, excerpt: str) -> None:
        one = Rejection(reason, excerpt[:80])
        note_refused(
            self.stores.rejections, one, self.session.project_id, self.session.session_id, self.version, self.now
        )
        self.total = self.total.plus(Learned(rejected=1))

    def own(self, evidence: Iterable[str]) -> tuple[str, ...]:
        """Those of the cited records that are this session's."""
        return tuple(dict.fromkeys(uuid for uuid in evidence if uuid in self.records.known))

    # -- new memories ----------------------------------------------------------------------------------------------

    def introduce(self, memory: ReadMemory, ref: str, nth: int) -> None:
        evidence = self.own(memory.evidence)
        if not evidence:
            self.refuse("the evidence is not in this session", memory.text)
            return
        ended = [one for one in map(self.find, memory.ends) if one]
        by = self.records.author(evidence, memory.by)
        held = self.held(memory.text, evidence, by, *(one.content for one in ended))
        learning = self.learning(memory, evidence, by, held, nth)
        same = self.find_same(learning, by)
        if same is None:
            self.born(learning, ref, by, held, memory.text)
        else:
            self.new[ref] = _New(same.learning_id, same.content, by, held, evidence)
            self.strengthen(same, "said again", () if held else evidence, _said_again(ref))
        for known in memory.ends:
            if same is None or self.find(known) != same:
                self.end(known, evidence, "a newer value", self.new.get(ref))

    def find_same(self, learning: Learning, by: SaidBy) -> Memory | None:
        """The memory in use that says what a reading says once more, with no less authority."""
        near = candidates(self.stores.memories, learning, self.session.project_id)
        sound = (
            one
            for one in near
            if one.status == "active" and one.id not in self.drafted and one.type != "work_state"
            if not one.disputed and (learning.tainted or not one.tainted) and (by != "user" or counts_as_users(one))
            if (one.branch, one.valid_until) == (learning.branch, learning.valid_until)
        )
        return next((one for one in sound if says_the_same(learning, one)), None)

    def learning(
        self, memory: ReadMemory, evidence: tuple[str, ...], by: SaidBy, held: str | None, nth: int
    ) -> Learning:
        relations = [one for one in self.reading.relations if one.memory == nth]
        text = f"{memory.text} {' '.join(memory.about)}".casefold()
        things = [one.name for one in self.reading.things if one.name.casefold() in text]
        ends = [name for one in relations for name in (one.from_, one.to)]
        begins = _date(memory.since) or self.records.when(evidence) or self.at
        until = _date(memory.until)
        return Learning(
            content=memory.text,
            type=memory_type(memory.type),
            evidence=evidence,
            concepts=normal_concepts(memory.about or names.concepts(memory.text)),
            entities=tuple(dict.fromkeys((*things, *ends)))[:10],
            relations=tuple(_triples(relations))[:MAX_RELATIONS],
            files=tuple(dict.fromkeys(name for name in memory.about if _is_file(name)))[:10],
            confidence=round(SURE[by] * (HELD_FACTOR if held else 1.0), 3),
            slot=None if held else names.slot(memory.text),
            branch=self.records.branch(evidence),
            tainted=held is not None,
            valid_from=begins,
            valid_until=until if until and until > begins else None,
        )

    def born(self, learning: Learning, ref: str, by: SaidBy, held: str | None, text: str) -> None:
        """Plan the event that introduces a learning, if it keeps the contract."""
        if isinstance(bad := check(learning), Rejection):
            self.refuse(bad.reason, bad.excerpt)
            return
        self.clock = tick(self.clock, self.session.session_id)
        origin = self.origin._replace(valid_from=learning.valid_from or self.at, by_user=by == "user")
        key = f"reading:{self.session.session_id}:{self.until}:{ref}"
        one = introduction(learning, origin, key, self.clock, cause=self.cause, ref=ref, by=by, reason=held)
        self.events.append(one)
        self.new[ref] = _New(one.learning_id, text, by, held, learning.evidence)
        self.total = self.total.plus(Learned(learned=1))

    def held(self, text: str, evidence: Iterable[str], by: SaidBy, *besides: str) -> str | None:
        """Why a memory waits until a person looked at it; None when it need not."""
        evidence = list(evidence)
        if invented := self.records.find_invented(text, *besides):
            return f"it waits: it names {invented[:60]!r}, which the session does not"
        if not self.records.is_tainted:
            return None
        is_users = by == "user" and self.records.is_users(text, evidence)
        if is_users or self.records.is_own(text, evidence, orders=by == "user"):
            return None
        return "it waits: the session read text from outside, and neither the user nor a result here says so"

    # -- what is known ---------------------------------------------------------------------------------------------

    def find(self, known: str) -> Memory | None:
        """The memory that a reference means, while it is in use."""
        memories, project_id = self.stores.memories, self.session.project_id
        if "#" in known:
            if found := memories.by_ref(known, project_id) or self.merged(memories.ended_by_ref(known, project_id)):
                return found
            [same] = memories.by_learning(self.stores.events.with_key(_said_again(known))).values() or [None]
            return same and (self.find(same.learning_id) or memories.by_ref(same.ref or "", project_id))
        memory = memories.by_learning([known]).get(known)
        return memory if memory is None or memory.status == "active" else self.merged([memory])

    def merged(self, ended: Iterable[Memory]) -> Memory | None:
        """The memory that a tidying made of one that ended; a newer value is another memory."""
        for memory in ended:
            for _ in range(MERGED_AGAIN):
                into = memory.superseded_by or ""
                found = self.stores.memories.by_learning([into]).get(into)
                if found is None or family(found.extractor) != "tidy":
                    break
                if found.status == "active":
                    return found
                memory = found
        return None

    def target(self, known: str) -> Memory | None:
        """The memory that a reading may change; why not, is noted."""
        memory = self.find(known)
        if memory is None:
            self.refuse(f"{known[:60]!r} is no memory in use", known)
        elif self.is_newer(memory):
            self.refuse("it is newer than this session", memory.content)
        else:
            return memory
        return None

    def end(self, known: str, evidence: Iterable[str], why: str, by: _New | None = None) -> None:
        """End a memory, with or without a successor, as far as what the reading rests on allows it."""
        memory = self.target(known)
        if memory is None:
            return
        texts = (memory.content, by.text) if by else (memory.content,)
        cited = self.own(evidence)
        match self.force(memory, cited, texts):
            case "acts" if by and by.held and not self.records.says(cited, memory.content):
                self.refuse("what takes its place waits itself", memory.content)
            case "acts":
                if by and not by.held:
                    self.successors[known] = by
                for one in (memory, *self.other_versions(memory)):
                    self.close(one, why, by)
                self.total = self.total.plus(Learned(superseded=1))
            case "asks" if by:
                self.ask(memory.learning_id, by.learning_id, why)
            case "asks" | "doubts":
                self.write(memory.learning_id, "LearningDisputed", Payload(reason=f"{why}, says {self.version}"))
            case reason:
                self.refuse(reason, memory.content)

    def close(self, memory: Memory, why: str, by: _New | None) -> None:
        """A memory is over; what takes its place is named, unless that waits itself."""
        if by and not by.held:
            said = Superseded(superseded_by=by.learning_id, reason=why)
            self.write(memory.learning_id, "LearningSuperseded", said)
        else:
            self.write(memory.learning_id, "LearningArchived", Archived(reason=why))

    def other_versions(self, memory: Memory) -> list[Memory]:
        """Memories under the same reference that an edit left standing: a doubted word of the user ends with its edit.

        What a person set stays, and so does what is newer than this session.
        """
        same = self.stores.memories.all_by_ref(memory.ref, self.session.project_id) if memory.ref else []
        others = (one for one in same if one.id != memory.id and not is_by_hand(one))
        return [one for one in others if not self.is_newer(one)]

    def is_newer(self, memory: Memory) -> bool:
        """Whether something was said of a memory after this session."""
        return (memory.last_said_at or memory.valid_from or "") > self.at

    def force(self, memory: Memory, evidence: tuple[str, ...], texts: Iterable[str]) -> str:
        """What a reading may do to a memory: `acts`, `doubts`, `asks`; else why it may do nothing."""
        texts = tuple(texts)
        is_said = self.records.says(evidence, *texts)
        is_shown = self.records.shows(evidence, *texts)
        if is_by_hand(memory):
            return "asks" if is_said or is_shown else "a person set it, and neither the user nor an outcome says so"
        if is_said:
            return "acts"
        if self.records.is_tainted and not is_shown and not memory.tainted:  # what waits nobody was told
            return "the session read text from outside, and the user does not say so"
        if not counts_as_users(memory):
            return "acts"
        return "doubts" if is_shown else "it is the user's word, and neither the user nor an outcome says so"

    def ask(self, one: str, other: str, why: str) -> None:
        """Both stay, and a person says which one holds."""
        for mine, theirs in ((one, other), (other, one)):
            said = Contradicted(contradicted_with=theirs, contradiction_multiplier=1.0, reason=why)
            self.write(mine, "LearningContradicted", said)

    def question(self, question: ReadQuestion) -> None:
        """Two memories that cannot both hold: a person is asked which one does, unless outside text may want it so."""
        one, other = self.source(question.a), self.source(question.b)
        if one is None or other is None or one.learning_id == other.learning_id:
            self.refuse("question: it is not about two memories in use", question.ask or question.a)
        elif self.records.is_tainted:
            self.refuse("question: the session read text from outside", question.ask or one.text)
        else:
            self.ask(one.learning_id, other.learning_id, question.ask or "Which one holds?")

    def edit(self, edit: ReadEdit) -> None:
        """Say a memory in other words: the new text takes its place, and its name."""
        memory = self.target(edit.known)
        if memory is None or memory.content == edit.text:
            return
        evidence = self.own(edit.evidence)
        force = self.force(memory, evidence, (memory.content, edit.text))
        if force not in ("acts", "asks", "doubts"):
            self.refuse(force, edit.text)
            return
        is_said = bool(self.records.user_turns(evidence))
        by: SaidBy = "tool" if force == "acts" and memory.by == "tool" else "agent"
        if is_said and counts_as_users(memory):
            by = "user"
        invented = self.records.find_invented(edit.text, memory.content)
        held = f"it waits: it names {invented[:60]!r}, which the session does not" if invented else None
        ref = memory.ref or f"{self.session.session_id}#{memory.learning_id}"
        self.born(self.edited(memory, edit.text, evidence, by, held), ref, by, held, edit.text)
        new = self.new.get(ref)
        if new is None or held:
            return
        if force == "acts":
            self.successors[edit.known] = new
            for one in (memory, *(self.other_versions(memory) if is_said else ())):
                self.close(one, "said better", new)
        elif force == "asks":
            self.ask(memory.learning_id, new.learning_id, "a reading says it otherwise")
        else:
            said = Payload(reason=f"an outcome speaks against it: {edit.text}")
            self.write(memory.learning_id, "LearningDisputed", said)

    def edited(self, memory: Memory, text: str, evidence: tuple[str, ...], by: SaidBy, held: str | None) -> Learning:
        return Learning(
            content=text,
            type=memory.type,
            evidence=tuple(dict.fromkeys((*memory.evidence, *evidence))),
            concepts=normal_concepts((*names.concepts(text), *memory.concepts)),
            entities=memory.entities,
            relations=memory.relations,
            files=memory.files,
            symbols=memory.symbols,
            confidence=SURE[by],
            scope=memory.scope,
            slot=None if held else names.slot(text),
            branch=memory.branch,
            tainted=memory.tainted or held is not None,
            valid_from=self.records.when(evidence) or self.at,
            valid_until=memory.valid_until,
        )

    def strengthen(self, memory: Memory, how: str, evidence: Iterable[str], key: str = "") -> None:
        own = self.own(evidence)
        if not own or set(own) <= set(memory.evidence):
            return
        said = Reinforced(reinforcement_delta=AGAIN, evidence=own, reason=how)
        self.write(memory.learning_id, "LearningReinforced", said, at=self.records.when(own), key=key)
        self.total = self.total.plus(Learned(repeated=1))

    # -- what the session leaves -----------------------------------------------------------------------------------

    def note_work(self) -> None:
        """The state of work takes the place of the one before on its branch, and of what parts before this one left."""
        read, last = self.reading, self.session.turns[-1:]
        if not read.title or not last:
            return
        branch = last[0].branch or None
        ref = f"work:{branch or ''}"
        here = self.stores.memories.by_ref(ref, self.session.project_id)
        if here and (here.valid_from or "") > self.at:
            return
        mine = _kept_of(self.stores.events, self.stores.memories, self.session.session_id)
        parts = {one.learning_id: one for one in mine if one.type == "work_state" and one.status == "active"}
        before = parts | ({here.learning_id: here} if here else {})
        session = self.stores.read_sessions.get(self.session.session_id)
        text = _where_it_stands(read, session["left"] if session else list(map(_open_end, read.open)))
        evidence = (last[0].uuid,)
        held = self.held(text, evidence, "agent")
        learning = Learning(
            content=text,
            type="work_state",
            evidence=evidence,
            concepts=normal_concepts((*read.topics, *names.concepts(read.title))),
            confidence=SURE["agent"],
            branch=branch,
            tainted=held is not None,
            valid_from=self.at,
        )
        self.born(learning, ref, "agent", held, text)
        if new := self.new.get(ref):
            said = Superseded(superseded_by=new.learning_id, reason="work went on")
            for learning_id in before:
                self.write(learning_id, "LearningSuperseded", said)

    def drafts(self) -> list[Memory]:
        """What readers without a model had kept of these records: it ends in the reading. A person's things stay.

        Half an answer, or one that does not even say what the session was about, was not given with care: it replaces
        nothing.
        """
        if self.is_partial or not (self.reading.title or self.reading.summary):
            return []
        here = {turn.uuid for turn in self.session.turns}
        known = sorted(self.stores.memories.visible(self.session.project_id), key=lambda one: one.id)
        mine = (one for one in known if family(one.extractor) in BY_RULES and not is_by_hand(one))
        return [one for one in mine if one.evidence and set(one.evidence) <= here]

    def stays(self, draft: Memory) -> bool:
        """Whether a draft stays although the reading passes over it: text from outside may have asked for silence."""
        return self.records.is_tainted and bool(start_text(draft))

    def take_back(self, drafts: Sequence[Memory]) -> None:
        """Undo what drafts did to memories of readers and people: the reading says itself what it ends of these."""
        going = [draft.id for draft in drafts if not self.stays(draft)]
        effects: dict[str, list[int]] = {}
        for one in self.stores.events.caused_by(going) if going else ():
            effects.setdefault(one.learning_id, []).append(one.event_id)
        known = self.stores.memories.by_learning(effects)
        for learning_id, numbers in effects.items():
            memory = known.get(learning_id)
            if memory and memory.id not in going and family(memory.extractor) not in BY_RULES:
                why = f"{self.version} read the session"
                self.write(learning_id, "EventsUndone", Undone(undone_events=tuple(numbers), reason=why))
        self.append()

    def replace_draft(self, memory: Memory) -> None:
        words = tokens(memory.content)
        near = [one for one in self.new.values() if set(one.evidence) & set(memory.evidence) and not one.held]
        best = max(near, key=lambda one: jaccard(words, tokens(one.text)), default=None)
        if best and jaccard(words, tokens(best.text)) >= ALIKE:
            said = Superseded(superseded_by=best.learning_id, reason=f"{self.version} says it better")
            self.write(memory.learning_id, "LearningSuperseded", said)
        elif not self.stays(memory):
            why = f"{self.version} read the session and did not keep it"
            self.write(memory.learning_id, "LearningArchived", Archived(reason=why))

    # -- the brief -------------------------------------------------------------------------------------------------

    def write_brief(self) -> None:
        """Write the project's brief anew, unless a later session's reading wrote one."""
        proposed = self.reading.brief
        old = self.stores.briefs.of_project(self.session.project_id)
        if proposed is None or (old and old.at > self.at):
            return
        known = {one.text: one for one in old.lines} if old else {}
        tried = [(one, self.line(one.text, one.from_, known)) for one in proposed]
        lines = [line for _, line in tried if line]
        refused = {name for one, line in tried if line is None for name in self.sources(one.from_)}
        for one in known.values():  # what is left out may have been talked out of the brief, or was worded too freely
            is_kept = self.records.is_tainted or not refused.isdisjoint(one.sources)
            if is_kept and not any(_says_anew(line, one) for line in lines) and all(map(self.find, one.sources)):
                lines.append(one)
        said = BriefWritten(reader=self.version, lines=tuple(lines[:MOST_LINES]))
        key = f"brief:{self.session.session_id}:{self.until}"
        self.write(brief_id(self.session.session_id), "BriefWritten", said, key=key)
        self.append()

    def line(self, text: str, sources: Sequence[str], known: dict[str, BriefLine]) -> BriefLine | None:
        """A line with the learnings it rests on; None when it may not stand, and why is noted."""
        found = [one for one in map(self.source, sources) if one]
        if not found:
            self.refuse("brief: it rests on no memory in use", text)
            return None
        if text not in known:
            if invented := self.records.find_invented(text, *known, *(one.text for one in found)):
                self.refuse(f"brief: it names {invented[:60]!r}, which neither the session nor its memories do", text)
                return None
            if self.records.is_tainted and not self.is_vouched(text, found, sources):
                self.refuse("brief: the session read text from outside, and the user does not say so", text)
                return None
        trusted = [one for one in found if not one.held]
        rests_on = trusted if _repeats(text, trusted) else found  # what it does not need, it does not fall with
        return BriefLine(text, tuple(dict.fromkeys(one.learning_id for one in rests_on)))

    def source(self, known: str) -> _New | None:
        """A memory that a line rests on, of this reading or of an earlier one."""
        if later := self.successors.get(known) or self.new.get(known):
            return later
        memory = self.find(known)
        if memory is None:
            return None
        by: SaidBy = "user" if memory.by == "user" else "agent"
        held = "a person has to look at it" if memory.tainted else None
        return _New(memory.learning_id, memory.content, by, held, memory.evidence)

    def sources(self, names: Iterable[str]) -> set[str]:
        """The learnings that a line means, as far as they are in use."""
        return {one.learning_id for one in map(self.source, names) if one}

    def is_vouched(self, text: str, found: Sequence[_New], sources: Iterable[str]) -> bool:
        """Whether a line after text from outside rests on the user, or only repeats what was trusted before.

        Of a line that also rests on what waits, a session is shown the clauses that the other memories say.
        """
        if all(one.held for one in found):
            return False
        said = {word for one in found for word in tokens(one.text)}
        return _repeats(text, found, HALF if self.records.is_free(text, said) else REPEATED) or any(
            one.by == "user" for one in self.mine(sources)
        )

    def mine(self, sources: Iterable[str]) -> Iterator[_New]:
        return (self.new[one] for one in sources if one in self.new)


def count_read(log: Events, memories: Memories, session_id: str) -> int:
    """How many memories earlier readings of a session introduced: the numbers of the next go on from there."""
    mine = (one.ref for one in _kept_of(log, memories, session_id) if one.ref)
    count = max((_place_of(ref, session_id) for ref in mine), default=-1) + 1
    while log.with_key(_said_again(f"{session_id}#{count}")):
        count += 1
    return count


def _said_again(ref: str) -> str:
    """The key of the event by which a reading's memory strengthened the one that said so before."""
    return f"reading:again:{ref}"


def _kept_of(log: Events, memories: Memories, session_id: str) -> Iterable[Memory]:
    """Every memory that a session had a say in."""
    return memories.by_learning(log.of_session(session_id)).values()


def _where_it_stands(read: Reading, left: Sequence[str]) -> str:
    """The last work in a line: what it was, how it ended, and open ends, each whole."""
    told = f"Last work: {shorten(read.title, MAX_TITLE)} ({read.outcome})."
    if not left:
        return told
    ends = [one.rstrip(". ") for one in left]
    shown = as_many(ends, "; ", MAX_OPEN)
    more = len(ends) - 1 - sum(one in shown for one in ends[1:])
    return f"{told} Open: {shown}" + (f"; {more} more" if more else "") + "."


def _open_end(one: ReadOpen) -> str:
    """What is left to do, with who does it and until when."""
    more = ", ".join(part for part in (one.who, one.due and f"until {one.due}") if part)
    return f"{one.text} ({more})" if more else one.text


def _is_file(name: str) -> bool:
    """Whether a subject is a path: "lib/a.ex", "docs/", but neither "30/60" nor a branch nor a route of a server."""
    is_path = bool(_ENDING.search(name[-12:]) or _PATH.fullmatch(name))
    return is_path and " " not in name and not _BRANCH_OR_ROUTE.fullmatch(name)


def _says_anew(line: BriefLine, old: BriefLine) -> bool:
    """Whether a line takes the place of an old one: the same words, or on the same memories."""
    return line.text == old.text or not set(line.sources).isdisjoint(old.sources)


def _repeats(text: str, found: Iterable[_New], most: float = REPEATED) -> bool:
    """Whether a text says hardly more than these memories do."""
    said = {word for one in found for word in tokens(one.text)}
    words = set(tokens(text))
    return len(words & said) >= most * len(words)


def _place_of(ref: str, session_id: str) -> int:
    """The number of a memory among those of a session's readings; -1 when it is none of them."""
    session, _, number = ref.rpartition("#")
    return int(number) if session == session_id and number.isdecimal() else -1


def _date(given: str | None) -> str | None:
    return moments.parse(given, "") if given else None


def _triples(relations: Iterable[ReadRelation]) -> Iterator[Triple]:
    """What is said of two things, as far as it can be kept."""
    for one in relations:
        said = Triple(one.from_, "_".join(re.findall(r"[a-z0-9]+", one.how.lower())), one.to)
        if relation_problem(said) is None:
            yield said
