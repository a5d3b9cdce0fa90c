"""What a session showed enters the log, and what enough sessions showed becomes a memory that waits for a sign."""

from __future__ import annotations

import datetime
import re
import uuid
from collections.abc import Sequence

import msgspec

from nous.core.events import SessionObserved
from nous.core.extraction import Learning, Rejection, check
from nous.core.memory import Memory
from nous.core.placing import PROPOSED
from nous.core.promotion import NOVEL, TOGETHER, Recurring, cap_of, learning_of
from nous.core.scratchpad import observed
from nous.core.sighting import QUORUM
from nous.core.signals import NAMED, PROPOSING
from nous.core.transcript import Turn
from nous.providers import Embeddable, Embedder
from nous.remember.introduce import NAMESPACE, Origin, event, next_clock
from nous.remember.learn import Learned, candidates, take_up
from nous.remember.projection import catch_up
from nous.remember.recurrence import OBSERVER, SOURCE
from nous.stores import Stores
from nous.stores.database import Row
from nous.stores.observations import module_of
from nous.stores.sayings import Due

STEADY = 5  # sessions after which only every fifth one strengthens what is known
EVIDENCE = 12  # records that a promoted memory names
NEEDED, MOST_FILES = 0.8, 5  # the share of a module's sessions that open a file it needs, and how many are named
EVERY_MODULE = "*"  # in the log of syntheses, the weekly look at all of them
TIED, MOST_TIES = 3, 20  # sessions that change two modules from which they may be tied, and pairs that are looked at
SYNTHESES = (5, 10, 20, 50, 100)  # sessions of a module after which it is looked at as a whole
WELL_KNOWN = 101  # sessions up to which it is counted how many saw a thing
ALIKE = 0.85  # cosine above which two agents say the same
SPEAKING = tuple(signal.name for signal in NAMED.values() if signal.is_on or signal.name in PROPOSING)
_BARE = re.compile(r"(?:python|pip|pytest)[\d.]{0,5} |(?:python|pip|pytest)$")
_records = msgspec.json.Decoder(list[str])


def note_observation(stores: Stores, embedder: Embedder, due: Due, turns: Sequence[Turn], now: str) -> SessionObserved:
    """Write what a session showed into the log and the read models. Part of a transaction."""
    seen = observed(turns, lambda one, other: cosines(embedder, one, [other])[0] > ALIKE)
    moment = seen.ended_at or now
    origin = Origin(due.project_id, due.session_id, SOURCE, moment, OBSERVER)
    learning_id = str(uuid.uuid5(NAMESPACE, f"observed:{due.session_id}"))
    key = f"observed:{due.session_id}:{due.turns}"
    clock = next_clock(stores, due.session_id)
    stores.events.append([event(origin, learning_id, "SessionObserved", key, seen, clock)], now)
    catch_up(stores, now)
    return seen


def promote(stores: Stores, embedder: Embedder, due: Due, seen: SessionObserved, now: str) -> Learned:
    """Make memories of what this session and enough others showed; what is known already grows surer."""
    total = Learned()
    room = cap_of(seen.kind)
    recent = stores.observations.count(due.project_id)
    agents = {(one.signal, one.subject): one.agents for one in seen.sightings}
    for row in stores.observations.recurring(due.project_id, due.session_id, SPEAKING, WELL_KNOWN):
        if room <= 0:
            break
        together = agents.get((row["signal"], row["subject"]), 0)
        is_seldom = row["sessions"] < NAMED[row["signal"]].sessions and together < QUORUM
        if is_seldom or _is_known_for_long(row["sessions"]):
            continue
        if row["signal"] == "command_told" and _BARE.match(row["subject"]) and _has_environment(stores, due):
            continue
        recurring = _recurring(stores, row, due.project_id, recent)._replace(agents=together)
        learning = learning_of(recurring)
        if learning is None or isinstance(check(learning), Rejection):
            continue
        outcome = _take_up(stores, embedder, learning, recurring, due, now)
        room -= outcome.learned
        total = total.plus(outcome)
    return total.plus(synthesise(stores, due, seen, now))


def _has_environment(stores: Stores, due: Due) -> bool:
    """Whether a project's Python is one of its own: a bare `python` that is only spoken of may be another one."""
    return bool(stores.observations.seen(due.project_id, "interpreter"))


def _is_known_for_long(sessions: int) -> bool:
    """Whether not every session has to say so."""
    return sessions >= WELL_KNOWN or (sessions > STEADY and sessions % STEADY > 0)


def synthesise(stores: Stores, due: Due, seen: SessionObserved, now: str) -> Learned:
    """Look at a module as a whole when it has had 5, 10, 20, 50 or 100 sessions: which files its work needs."""
    total = Learned()
    for module in sorted({module_of(file.path) for file in seen.files}):
        sessions = stores.observations.sessions_in(due.project_id, module, SYNTHESES[-1] + 1)
        if sessions not in SYNTHESES or not stores.observations.synthesised(due.project_id, module, sessions, now):
            continue
        files = stores.observations.files_of_module(due.project_id, module, NEEDED * sessions)
        if len(files) >= 2:
            made = _needed(stores, module, files[:MOST_FILES], due, now)
            stores.observations.generated(due.project_id, module, sessions, made.learned)
            total = total.plus(made)
    return total.plus(_weekly(stores, due, seen, now))


def _weekly(stores: Stores, due: Due, seen: SessionObserved, now: str) -> Learned:
    """Once in a week of a project's sessions: which modules change together."""
    total = Learned()
    week = _week(seen.ended_at or now)
    if not stores.observations.synthesised(due.project_id, EVERY_MODULE, week, now):
        return total
    for one, other, both, of in stores.observations.modules_together(due.project_id, TIED, MOST_TIES):
        if both < TOGETHER * of:
            continue
        said = f"When `{one}` changes, `{other}` usually changes too ({both} of {of} sessions)."
        learning = Learning(content=said, type="causal_dependency", evidence=(due.session_id,), confidence=0.48)
        origin = Origin(due.project_id, due.session_id, SOURCE, seen.ended_at or now, OBSERVER)
        known = _known_tie(stores, learning, due.project_id)
        made, _ = take_up(stores, learning, origin, f"weekly:{due.project_id}:{week}:{one}:{other}", now, again=known)
        total = total.plus(made)
    stores.observations.generated(due.project_id, EVERY_MODULE, week, total.learned)
    return total


def _known_tie(stores: Stores, learning: Learning, project_id: str) -> int | None:
    """The memory that ties two modules already, whatever its numbers."""
    names = _names(learning.content)
    near = (one for one in candidates(stores, learning, project_id) if one.status == "active")
    return next((one.id for one in near if one.type == learning.type and _names(one.content) == names), None)


def _week(moment: str) -> int:
    """The number of a week; moments without a date are in none."""
    try:
        return datetime.date.fromisoformat(moment[:10]).toordinal() // 7
    except ValueError:
        return 0


def _needed(stores: Stores, module: str, files: Sequence[str], due: Due, now: str) -> Learned:
    """What a module's work needs, as a memory that prefetch lists use and no start shows."""
    said = f"Work in `{module}` usually needs {', '.join(f'`{path}`' for path in files)}."
    learning = Learning(
        content=said[:390], type="prefetch_pattern", evidence=(due.session_id,), files=tuple(files), confidence=0.48
    )
    origin = Origin(due.project_id, due.session_id, SOURCE, now, OBSERVER)
    return take_up(stores, learning, origin, f"synthesis:{due.project_id}:{module}:{due.session_id}", now)[0]


def _recurring(stores: Stores, row: Row, project_id: str, recent: int) -> Recurring:
    shown = stores.observations.shown_by(project_id, row["signal"], row["subject"], EVIDENCE)
    evidence = dict.fromkeys(record for one in shown for record in _records.decode(one["evidence"]))
    moments = sorted(one["started_at"] for one in shown if one["started_at"]) or [""]
    of = recent
    if row["signal"] == "co_access":
        of = max(stores.observations.sessions_with(project_id, path) for path in row["subject"].split("\n"))
    told = (row["signal"], row["subject"], row["said"], row["sessions"], of)
    others = tuple(one["said"] for one in shown)
    return Recurring(*told, tuple(evidence)[:EVIDENCE], others, moments[0], moments[-1])


def _take_up(stores: Stores, embedder: Embedder, learning: Learning, seen: Recurring, due: Due, now: str) -> Learned:
    index = uuid.uuid5(NAMESPACE, f"{due.project_id}:{seen.signal}:{seen.subject}:{due.session_id}")
    origin = Origin(due.project_id, due.session_id, SOURCE, seen.last_at or now, OBSERVER)
    known = _known(stores, embedder, learning, due.project_id, seen)
    marks = {"tags": (PROPOSED,)} if seen.signal in PROPOSING else {}
    outcome, _ = take_up(stores, learning, origin, f"promoted:{index}", now, marks, again=known.id if known else None)
    return outcome


def _known(stores: Stores, embedder: Embedder, learning: Learning, project_id: str, seen: Recurring) -> Memory | None:
    """The active memory that says the same: made of the same sighting, word for word, or nearly so by its vector."""
    near = [one for one in candidates(stores, learning, project_id) if one.status == "active" and not one.tainted]
    same = next((one for one in near if one.content == learning.content or _is_made_of(one, learning, seen)), None)
    if same:
        return same
    named = [one for one in near if _names(one.content) == _names(learning.content)]
    scores = cosines(embedder, learning.content, [one.content for one in named]) if named else []
    nearest = max(zip(scores, named, strict=True), key=lambda pair: pair[0], default=None)
    return nearest[1] if nearest and nearest[0] >= NOVEL else None


def _is_made_of(memory: Memory, learning: Learning, seen: Recurring) -> bool:
    """Whether a memory was made of a sighting that has been seen again since: its words may have grown meanwhile."""
    begins = learning.content.split("`")[0] == memory.content.split("`")[0]
    return memory.extractor == OBSERVER and begins and bool(set(memory.evidence) & set(seen.evidence))


def cosines(embedder: Embedder, text: str, others: Sequence[str]) -> list[float]:
    """How near other texts are to one, by their vectors."""
    vectors = embedder.documents([Embeddable(said) for said in (text, *others)])
    mine, *theirs = (memoryview(vector).cast("f").tolist() for vector in vectors)
    return [sum(a * b for a, b in zip(mine, other, strict=True)) for other in theirs]


def _names(text: str) -> set[str]:
    """What stands in code marks: two sentences that differ there say different things however alike they are."""
    return set(text.split("`")[1::2])
