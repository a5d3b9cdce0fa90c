"""What happened and why: the log as chains of cause and effect, and what changed in what we believed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from nous.errors import NotFound
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import (
    BriefLineEdited,
    BriefLineKept,
    BriefLinePlaced,
    BriefWritten,
    Contradicted,
    Edge,
    EntityMerged,
    EntityRejected,
    EntityRenamed,
    EntitySplit,
    Erased,
    Extracted,
    InterventionNoted,
    Payload,
    ProjectTidied,
    ProjectTrusted,
    Recorded,
    Reinforced,
    Rescoped,
    Reviewed,
    RulesApplied,
    SessionObserved,
    SessionRead,
    Superseded,
    Tombstone,
    Undone,
    Weakened,
)
from nous.kernel.memory.memory import Memory

if TYPE_CHECKING:
    from nous.kernel.stores import Browse, Memories

LogChange = Literal["learned", "ended", "returned", "changed", "erased"]


class LogEntry(NamedTuple):
    """An event, how deep it stands below its cause, the memory it is about (None: there is none), and what it says."""

    event: Recorded
    depth: int
    memory_id: int | None
    said: str


class Belief(NamedTuple):
    """What became of one memory between two moments, and the events that did it."""

    memory_id: int
    change: LogChange
    before: Memory | None
    after: Memory | None
    events: list[Recorded]


# -- the log --------------------------------------------------------------------------------------------------------


def entries(
    log: Events, project_id: str | None, since: str | None, limit: int, last: int | None = None
) -> list[LogEntry]:
    """The latest events, up to the last that counts, each below the one that caused it."""
    after = log.before(since) if since else 0
    return _tree(log, log.between(after, log.last_id() if last is None else last, project_id, limit))


def story(log: Events, memories: Memories, memory_id: int, last: int | None = None) -> list[LogEntry]:
    """Everything that happened to a memory up to the last event that counts: what caused it, what it caused, and so on
    in both directions."""
    memory = memories.get(memory_id)
    if memory is None:
        raise NotFound(f"there is no memory #{memory_id}")
    found = {event.event_id: event for event in log.of_learning(memory.learning_id)}
    causes = _missing((event.parent_event_id for event in found.values()), found)
    while causes:
        above = log.by_id(causes)
        found |= {event.event_id: event for event in above}
        causes = _missing((event.parent_event_id for event in above), found)
    effects = log.caused_by(found)
    while fresh := [event for event in effects if event.event_id not in found]:
        found |= {event.event_id: event for event in fresh}
        effects = log.caused_by([event.event_id for event in fresh])
    return _tree(log, [found[number] for number in sorted(found) if last is None or number <= last])


def _missing(numbers: Iterable[int | None], known: dict[int, Recorded]) -> list[int]:
    return [number for number in numbers if number is not None and number not in known]


def _tree(log: Events, events: Sequence[Recorded]) -> list[LogEntry]:
    """Events in order, each cause followed by its effects."""
    here = {event.event_id for event in events}
    below: dict[int | None, list[Recorded]] = {}
    for event in events:
        below.setdefault(event.parent_event_id if event.parent_event_id in here else None, []).append(event)
    numbers = numbers_of(log, events)
    found = []
    waiting = [(event, 0) for event in reversed(below.get(None, ()))]
    while waiting:
        event, depth = waiting.pop()
        found.append(LogEntry(event, depth, numbers.get(event.learning_id), describe_event(event.payload, numbers)))
        waiting += [(effect, depth + 1) for effect in reversed(below.get(event.event_id, ()))]
    return found


def numbers_of(log: Events, events: Iterable[Recorded]) -> dict[str, int]:
    """The memory number of every learning that events are about or speak of."""
    asked = {learning for event in events for learning in (event.learning_id, *_others(event.payload)) if learning}
    return {learning: number for learning, (number, _) in log.births(asked).items()}


def _others(payload: Payload) -> tuple[str, ...]:
    """The other learnings that a payload names."""
    match payload:
        case Superseded(superseded_by=other) | Contradicted(contradicted_with=other) | Edge(target=other):
            return (other,)
        case Reviewed(item=item):
            return tuple(item.split(":")[1:])
        case _:
            return ()


def describe_event(payload: Payload, numbers: dict[str, int]) -> str:
    """What an event says, in one line; other learnings by the number of their memory."""
    named = next(iter(_others(payload)), "")
    other = f"#{numbers[named]}" if named in numbers else named
    match payload:
        case Tombstone():
            said = "(erased)"
        case SessionObserved(calls=calls, prompts=prompts, kind=kind):
            said = f"{kind}: {prompts} prompts, {calls} calls, {len(payload.sightings)} things seen"
        case SessionRead(title=title, outcome=outcome):
            said = f"{title}: {outcome}"
        case BriefWritten(lines=lines):
            said = f"{len(lines)} lines"
        case BriefLineEdited(line=line, text=text):
            said = f"{line.text} → {text}"
        case BriefLinePlaced(line=line, place=place):
            said = f"{place}. {line.text}"
        case BriefLineKept(line=line):
            said = line.text
        case ProjectTidied(groups=groups, memories=count):
            said = f"{count} memories gone through, {len(groups)} groups"
        case InterventionNoted(state="raised", observer=who, text=text):
            said = f"raised by {who}: {text}"
        case InterventionNoted(state=state, session=session, outcome=outcome):
            said = f"{state} in session {session[:8]}" + (f": {outcome}" if outcome else "")
        case Extracted(content=content):
            said = content
        case Reinforced(reinforcement_delta=delta) | Weakened(reinforcement_delta=delta):
            said = f"strength {delta:+g}"
        case Contradicted(contradiction_multiplier=factor):
            said = f"by {other}, strength × {factor:g}"
        case Superseded():
            said = f"by {other}"
        case Erased(erased_events=events):
            said = f"the payload of {', '.join(map(str, events))} is gone"
        case Undone(undone_events=events):
            said = f"without {', '.join(map(str, events))}"
        case Reviewed(item=item, action=action, until=until):
            said = f"{_local(item, numbers)}: {action}" + (f" until {until[:10]}" if until else "")
        case Rescoped(scope=scope):
            said = f"scope {scope}"
        case EntityMerged(name=name, into_name=into):
            said = f"{name} is {into}"
        case EntityRenamed(name=name, to=to):
            said = f"{name} is called {to}"
        case EntitySplit(name=name, apart_name=apart, learnings=learnings):
            said = f"{apart} is not {name}" + (f" in {len(learnings)} memories" if learnings else "")
        case ProjectTrusted(level=level):
            said = f"trust level {level}"
        case RulesApplied(version=version):
            said = f"the rules of {version} went through what older ones had kept"
        case EntityRejected(name=name):
            said = f"{name} is no entity"
        case Edge(relation=relation):
            said = f"{relation} {other}"
        case _:
            said = ""
    return f"{said} ({payload.reason})".strip() if payload.reason else said


def _local(item: str, numbers: dict[str, int]) -> str:
    """An item of the review queue as it is called here: by the numbers of its memories."""
    kind, *parts = item.split(":")
    known = [str(numbers.get(part, part)) for part in parts]
    return ":".join((kind, *(sorted(known, key=_as_number) if kind in ("conflict", "duplicate") else known)))


def _as_number(text: str) -> tuple[int, str]:
    return (int(text) if text.isdecimal() else 0), text


# -- what changed ---------------------------------------------------------------------------------------------------


def changes(log: Events, memories: Memories, earlier: int, later: int, project_id: str | None) -> list[Belief]:
    """What became of each memory between two events, in the order in which it last changed."""
    events = log.between(earlier, later, project_id)
    by_learning: dict[str, list[Recorded]] = {}
    for event in events:
        by_learning.setdefault(event.learning_id, []).append(event)
    born = log.births(by_learning)
    numbers = [number for number, _ in born.values()]
    before = {memory.id: memory for memory in memories.by_id(numbers, earlier)}
    after = {memory.id: memory for memory in memories.by_id(numbers, later)}
    found = []
    for learning, happened in by_learning.items():
        number, is_erased = born.get(learning, (0, False))
        change = "erased" if is_erased else _change(before.get(number), after.get(number))
        if change:
            found.append(Belief(number, change, before.get(number), after.get(number), happened))
    return sorted(found, key=lambda belief: belief.events[-1].event_id)


def turned(memories: Memories, browse: Browse, earlier: str, later: str, project_id: str | None) -> list[Belief]:
    """What began to be true between two moments, then what ceased to be, whenever it was learned."""
    rows = browse.turned(project_id, earlier, later)
    known = {memory.id: memory for memory in memories.by_id([number for number, _ in rows])}
    begun = [Belief(number, "learned", None, known[number], []) for number, holds in rows if holds]
    ended = [Belief(number, "ended", known[number], None, []) for number, holds in rows if not holds]
    return [*begun, *ended]


def _change(before: Memory | None, after: Memory | None) -> LogChange | None:
    was, is_now = _is_held(before), _is_held(after)
    if before is None or after is None:
        return "learned" if after else "ended" if was else None
    if before.version == after.version:
        return None
    if was != is_now:
        return "returned" if is_now else "ended"
    return "changed"


def _is_held(memory: Memory | None) -> bool:
    return memory is not None and memory.status == "active"
