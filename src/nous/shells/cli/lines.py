"""Answers for a person, where lines say more than the data: one function for each operation that has a command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from nous.kernel.log.extraction import RULE, Anchor
from nous.kernel.recall.withheld import MARKS
from nous.kernel.views import (
    Answered,
    ExchangeHit,
    Hits,
    Memories,
    MemoryDetails,
    MemoryHit,
    MemoryView,
    Written,
    entry_fields,
    written_memories,
)
from nous.shells.cli.common import (
    CommandScope,
    exchange_lines,
    many,
    memory_line,
    quote_lines,
    say,
    session_name,
    unknown_here,
)

if TYPE_CHECKING:
    from nous.app import Nous
    from nous.features.code.operations import Touched
    from nous.features.history.operations import Between, Happened
    from nous.features.memories.operations import (
        Ask,
        Judging,
        Listing,
        Marking,
        Missed,
        One,
        Reasoned,
        Recall,
        Related,
        Rewording,
        Telling,
    )
    from nous.features.sessions.operations import Receipts
    from nous.kernel.asking import Present
    from nous.kernel.log.history import LogEntry

SECRET = "[secret:"

# -- finding --------------------------------------------------------------------------------------------------------


def hits(nous: Nous, scope: CommandScope, asked: Recall, gives: Hits) -> Iterator[str]:
    """What answers, with what each score is made of when that is asked."""
    if not gives.items:
        yield from unknown_here(nous, scope, "nothing found")
    yield from _hits(gives.items, scope.all_projects)


def _hits(found: Iterable[MemoryHit | ExchangeHit], with_project: bool) -> Iterator[str]:
    for hit in found:
        if isinstance(hit, MemoryHit):
            project = f" [{hit.project_id}]" if with_project else ""
            yield memory_line(hit) + project + "".join(f" [{mark}]" for mark in hit.stale)
        exchange = hit if isinstance(hit, ExchangeHit) else hit.exchange
        if exchange:
            yield from exchange_lines(exchange, with_project=with_project)
        if isinstance(hit, ExchangeHit) and hit.memory:
            yield f"         learned from it: {memory_line(hit.memory)}"
        if isinstance(hit.shares, dict) and isinstance(hit.found_by, tuple):
            if exchange and exchange.topics:
                yield f"       topics: {', '.join(exchange.topics)}"
            yield f"       score {hit.score:.3f}, found by {', '.join(hit.found_by)}"
            shares = sorted(hit.shares.items(), key=lambda pair: -abs(pair[1]))
            yield "       " + ", ".join(f"{part} {share:+.3f}" for part, share in shares)


def answer(nous: Nous, scope: CommandScope, asked: Ask, gives: Answered) -> Iterator[str]:
    """The sentences with their citations, then what they cite; the hits where there are none."""
    if not gives.sentences:
        yield f"note: {gives.reason}"
        yield from _hits(gives.hits, scope.all_projects)
        return
    places = {hit.id: at for at, hit in enumerate(gives.hits, 1)}
    for one in gives.sentences:
        yield f"{one.text} {' '.join(f'[{places[name]}]' for name in one.cites)}"
    yield ""
    for at in sorted({places[name] for one in gives.sentences for name in one.cites}):
        yield f"[{at}]"
        yield from _hits([gives.hits[at - 1]], scope.all_projects)


def why_not(nous: Nous, scope: CommandScope, asked: Missed, gives: dict[str, Any]) -> Iterator[str]:
    """The reason, and the figures behind it."""
    yield f"#{gives['id']}: {gives['reason']}"
    if gives["rank"] is not None:
        yield f"  rank {gives['rank']}, score {gives['score']:.3f}; the last one returned has {gives['needed']:.3f}"
    if gives["matched"]:
        yield f"  words that match: {', '.join(gives['matched'])}"
    if gives["missing"]:
        yield f"  words it lacks: {', '.join(gives['missing'])}"
    for part, share in sorted(gives["shares"].items(), key=lambda pair: -abs(pair[1])):
        yield f"  {part:<12} {share:+.3f}"


# -- reading --------------------------------------------------------------------------------------------------------


def memories(nous: Nous, scope: CommandScope, asked: Listing, gives: Memories) -> Iterable[str]:
    """One line for each."""
    return map(memory_line, gives.items) if gives.items else unknown_here(nous, scope, "no memories")


def flat(gives: dict[str, Any]) -> dict[str, Any]:
    """A memory and the words it was learned from as one object."""
    return msgspec.structs.asdict(gives["memory"]) | {"said": gives["said"]}


# Where a memory holds, as a person says it.
SCOPES = {"project": "this project", "global": "all of your projects", "module": "one module", "team": "a team"}


def details(nous: Nous, scope: CommandScope, asked: One, gives: dict[str, Any]) -> Iterator[str]:
    """A memory with everything known about it."""
    memory: MemoryView = gives["memory"]
    yield memory_line(memory)
    yield from quote_lines(gives["said"])
    names = {name: f"#{other.id} {other.content}" for name, other in gives["others"].items()}
    facts = {
        "holds for": SCOPES.get(memory.scope, memory.scope),
        "trust": f"confidence {memory.confidence:.2f}, strength {memory.strength:.2f}",
        "project": memory.project_id,
        "branch": memory.branch,
        "true from": (memory.valid_from or memory.created_at)[:10],
        "true until": (memory.valid_until or "")[:10],
        "learned": f"{memory.created_at[:10]} by {_learned_by(memory)} in {session_name(memory)}",
        "said again": (memory.last_said_at or "")[:10],
        "replaced by": names.get(memory.superseded_by or "", ""),
        "contradicts": "; ".join(names.get(name, "a memory that is gone") for name in memory.contradicted_with),
        "files": ", ".join(memory.files),
        "anchored to": ", ".join(_place(anchor) for anchor in memory.anchors),
        "says": "; ".join(f"{one.subject} {one.predicate.replace('_', ' ')} {one.object}" for one in memory.relations),
        "concepts": ", ".join(memory.concepts),
        "entities": ", ".join(memory.entities),
        "tags": ", ".join(memory.tags),
        "subject": memory.slot.replace("|", ": ") if memory.slot else "",
        "ref": memory.ref,
        "archived": gives["archived_reason"],
    }
    yield from (f"  {name:<12}  {value}" for name, value in facts.items() if value)


def _place(anchor: Anchor) -> str:
    """A place in the code as a person names it."""
    symbol = f" {anchor.symbol}" if anchor.symbol else ""
    return anchor.file + symbol + (f" at {anchor.commit[:8]}" if anchor.commit else "")


def explanation(gives: MemoryDetails) -> dict[str, Any]:
    """A memory and what explains it as one object."""
    return msgspec.structs.asdict(gives.memory) | {"said": gives.said} | gives.explanation


def render_explanation(nous: Nous, scope: CommandScope, asked: One, gives: MemoryDetails) -> Iterator[str]:
    """Where a memory comes from, what became of it and what it hangs together with."""
    memory, found = gives.memory, gives.explanation
    yield memory_line(memory)
    yield from quote_lines(gives.said)
    yield f"  learned by {_learned_by(memory)} in {session_name(memory)}"
    if found["reasons"]:
        yield f"  {_why(found['reasons'])}"
    if found["asked"]:
        yield f"  answers: {found['asked']}"
    for trace in found["code"]:
        yield f"  speaks of {trace.line()}" + (": held back" if trace.is_gone else "")
    yield from _standing(memory, found)
    for change in found["changes"]:
        moment = change.at[:19].replace("T", " ")
        whose = f" (session {change.session_id[:8]})" if change.session_id not in ("", memory.session_id) else ""
        yield f"  {moment}  {_happened(change.event_type)}" + (f": {change.reason}" if change.reason else "") + whose
    if found["replaces"]:
        yield "  replaces " + ", ".join(f"#{number}" for number in found["replaces"])
    if found["replaced_by"]:
        yield "  replaced by " + ", ".join(f"#{number}" for number in found["replaced_by"])
    for said in memory.relations:
        yield f"  says: {said.subject} {said.predicate.replace('_', ' ')} {said.object}"
    for one in found["causes"]:
        yield f"  because: {one.cause} → {one.effect}"
    for link in found["links"]:
        arrow = "->" if link.direction == "out" else "<-"
        where = f"#{link.memory_id} {link.content}" if link.memory_id else "a memory that is gone"
        where += f" [{MARKS[link.standing]}]" if link.standing else ""
        yield f"  {arrow} {link.relation} ({link.status}, {link.weight:.2f}) {where}"
    if found["effect"].get("injected"):
        yield f"  {count_shown(found['effect'])}"


def _learned_by(memory: MemoryView) -> str:
    """Rules, a model or a person, as one says it."""
    name, _, model = memory.extractor.partition("/")
    if model:
        return f"a model ({model})"
    return "the rules" if name.startswith("rules-") else {"by-hand": "hand"}.get(name, name) or memory.source


def _happened(event_type: str) -> str:
    """An event of the log as a person says it: LearningPinned is `pinned`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", event_type.removeprefix("Learning")).lower()
    return {"extracted": "learned", "superseded": "replaced", "archived": "taken out of use"}.get(words, words)


def _why(reasons: Sequence[str]) -> str:
    """What spoke for keeping it: a rule, or marks."""
    rules = [one.removeprefix(RULE) for one in reasons if one.startswith(RULE)]
    return f"kept by a rule: {'; '.join(rules)}" if rules else f"kept because of: {', '.join(reasons)}"


def _standing(memory: MemoryView, found: dict[str, Any]) -> Iterator[str]:
    """Strength and confidence, each with where it comes from."""
    fading, use, need = found["fading"], found["use"], found["need"]
    yield f"  strength {memory.strength:.2f}: how useful it has proved"
    pace = f"half-life {fading.half_life:g} days since {fading.since[:10]}" if fading.half_life else "it does not fade"
    yield f"  confidence {fading.confidence:.2f}: {memory.confidence:.2f} when learned, {fading.kept:.0%} left ({pace})"
    yield from (f"    {reason}" for reason in fading.reasons)
    if use.accesses:
        often = "once" if use.accesses == 1 else f"{use.accesses} times"
        yield f"  used {often}, last {(use.last_at or '')[:10]}"
    yield (f"  not shown at session start: {need.refused}" if need.refused else "  can be shown when a session starts")


def related(nous: Nous, scope: CommandScope, asked: Related, gives: dict[str, Any]) -> Iterator[str]:
    """Each memory below the one that leads to it."""
    if not gives["items"]:
        yield "nothing is related to it"
    for one in gives["items"]:
        arrow = "->" if one["outward"] else "<-"
        memory = memory_line(msgspec.convert(one["memory"], MemoryView))
        yield f"{'  ' * one['depth']}{arrow} {one['relation']} {one['nearness']:.2f}  {memory}"


def dossier(nous: Nous, scope: CommandScope, asked: Present, gives: dict[str, Any]) -> Iterator[str]:
    """The page."""
    yield from gives["text"].splitlines()


def impact(nous: Nous, scope: CommandScope, asked: Touched, gives: Any) -> Iterator[str]:
    """Who calls, extends and imports a piece of code, and who may."""
    from nous.features.code.codebase import render_impact

    yield from render_impact(gives)


# -- writing --------------------------------------------------------------------------------------------------------


def render_kept(nous: Nous, scope: CommandScope, asked: Telling, gives: Written) -> Iterator[str]:
    """What was kept, and whose word it is."""
    [memory] = written_memories(nous, gives)
    if memory.source == "agent":
        doubt = ", and shown to sessions once a person keeps it in `nous review`" if memory.tainted else ""
        say(f"note: kept as an agent's word, for this project only{doubt}", err=True)
    if SECRET in memory.content and SECRET not in asked.text:
        say("note: a secret was removed from it: secrets are never kept", err=True)
    yield f"{'already known' if gives.told else 'remembered'} as #{memory.id}: {memory.content}"


def render_corrected(nous: Nous, scope: CommandScope, asked: Rewording, gives: Written) -> Iterator[str]:
    """What stands in whose place, or beside it."""
    new, *old = written_memories(nous, gives)
    if old and old[0].status == "active":
        yield f"kept beside #{asked.id}, `nous review` asks which one holds: {memory_line(new)}"
    else:
        yield f"#{asked.id} is now {memory_line(new)}"


def render_confirmed(nous: Nous, scope: CommandScope, asked: Marking, gives: Written) -> Iterator[str]:
    """The memory as it is now."""
    yield f"confirmed {memory_line(written_memories(nous, gives)[0])}"


def render_pinned(nous: Nous, scope: CommandScope, asked: Marking, gives: Written) -> Iterator[str]:
    """The memory as it is now."""
    yield f"pinned {memory_line(written_memories(nous, gives)[0])}"


def render_disputed(nous: Nous, scope: CommandScope, asked: Reasoned, gives: Written) -> Iterator[str]:
    """The memory as it is now."""
    yield f"disputed {memory_line(written_memories(nous, gives)[0])}"


def render_outcome(nous: Nous, scope: CommandScope, asked: Judging, gives: Written) -> Iterator[str]:
    """What came of it, and whether that was new."""
    again = "" if gives.told["counted"] else " (this session had said so before)"
    yield f"{asked.signal}: {memory_line(written_memories(nous, gives)[0])}{again}"


# -- the past -------------------------------------------------------------------------------------------------------


def log_data(gives: Sequence[LogEntry]) -> dict[str, Any]:
    """Events with what they say."""
    return {"events": [entry_fields(entry) for entry in gives]}


def log(nous: Nous, scope: CommandScope, asked: Happened, gives: Sequence[LogEntry]) -> Iterator[str]:
    """Events, each below the one that caused it."""
    if not gives:
        yield from unknown_here(nous, scope, "nothing happened")
    for entry in gives:
        event = entry.event
        branch = "   " * (entry.depth - 1) + "└─ " if entry.depth else ""
        about = (
            f"#{entry.memory_id}"
            if entry.memory_id is not None
            else "(gone)"
            if event.learning_id and event.event_type.startswith("Learning")
            else ""
        )
        moment = event.transaction_time[:19].replace("T", " ")
        cause = f"  <- event {event.parent_event_id}" if event.parent_event_id and not entry.depth else ""
        yield f"{event.event_id:>6}  {moment}  {branch}{event.event_type} {about}  {entry.said}{cause}".rstrip()


SIGNS = {"learned": "+", "ended": "-", "returned": "+", "changed": "~", "erased": "x"}


def diff(nous: Nous, scope: CommandScope, asked: Between, gives: dict[str, Any]) -> Iterator[str]:
    """Each memory that changed: what it says, what is different, and the events that did it."""
    changed = f"{gives['total']} changed" if gives["items"] else "nothing changed"
    yield f"from {gives['from']} to {gives['to']}: {changed}"
    for one in gives["items"]:
        before, after = one["before"] or {}, one["after"] or {}
        yield f"{SIGNS[one['change']]} #{one['id']} {one['change']}: {(after or before).get('content') or '(erased)'}"
        for name in after if before else ():
            if before[name] != after[name] and name != "version":
                yield f"      {name}: {_short(before[name])} -> {_short(after[name])}"
        yield from (f"      {_event_line(event)}" for event in one["events"])
    if gives["next"]:
        yield f"only the first {asked.limit}: --limit shows more"


def _event_line(event: dict[str, Any]) -> str:
    """Event, time, session and cause; the words of a new memory stand above it already."""
    said = "" if event["type"] == "LearningExtracted" else event["said"]
    cause = f", because of event {event['parent_event_id']}" if event["parent_event_id"] else ""
    moment = event["time"][:19].replace("T", " ")
    return f"event {event['event_id']} {moment} {event['type']} {said}".rstrip() + (
        f" [session {event['session_id'][:8]}]{cause}"
    )


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{len(value)} items" if isinstance(value, list | tuple | dict) else str(value)


def receipts(nous: Nous, scope: CommandScope, asked: Receipts, gives: dict[str, Any]) -> Iterator[str]:
    """What was shown when, with a star where the model cited it."""
    if "effect" in gives:
        yield count_shown(gives["effect"])
    elif not gives["items"]:
        yield "no session has been shown anything yet"
    for row in gives["items"]:
        seen = "in the transcript" if row["acknowledged_at"] else "not in the transcript yet"
        numbers = " ".join(f"#{one['memory_id']}{'*' * bool(one['referenced_at'])}" for one in row["memories"])
        what = f"{row['hook']}:{row['trigger']} {row['characters']} characters"
        yield f"{row['created_at'][:19]} {what}, {seen}: {numbers}".rstrip(": ")
        yield from map(_exchange, row["exchanges"])


def _exchange(row: dict[str, Any]) -> str:
    """An earlier exchange that was shown: how it is cited, what it was about, and how to read it."""
    record = row["uuid"][:13]
    cited = f"  Exchange {record}{'*' * bool(row['referenced_at'])}"
    if not row["session_id"]:
        return f"{cited}, which is not kept"
    return f"{cited}  {row['at'][:10]}  {row['label']}  `nous session show {row['session_id']} --at {record}`"


def count_shown(effect: dict[str, Any]) -> str:
    """How often a memory was shown and what came of it, in words."""
    return (
        f"shown {many(effect['injected'], 'time', 'times')}, found in the transcript {effect['acknowledged']}, "
        f"cited by the model {effect['referenced']}"
    )
