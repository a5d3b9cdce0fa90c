"""The page of a project in Markdown: as a tidying wrote it, where it was tidied, and what holds and what ended.

Every line cites its memory. The page is put together when somebody asks, from what is known then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from nous.errors import NotFound
from nous.features.entities.observations import day
from nous.features.entities.profiles import listing
from nous.features.tidy.store import StoredTidying
from nous.kernel.db.database import EVERY
from nous.kernel.hooks.packing import neutral
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.worth import need_score
from nous.kernel.stores import Stores
from nous.kernel.types import HEADINGS, TYPES

MOST = 40  # lines of a section
BY_WHOM = {"user_review": "by hand", "agent": "by an assistant", "consolidation": "in several pieces"}


class Dossier(NamedTuple):
    """A page about a project, the event up to which it knows, and the memories it cites."""

    project_id: str
    event_id: int
    made_at: str
    text: str
    memories: tuple[int, ...]


def dossier(stores: Stores, project_id: str, now: str) -> Dossier:
    """The page of a project."""
    told = stores.memories.listing(project_id, status=None, limit=EVERY, with_global=False)
    told = [memory for memory in told if memory.status != "archived"]
    if not told:
        raise NotFound("nothing is known of this project yet")
    event_id = stores.events.last_id()
    tidied = stores.tidyings.of_project(project_id)
    held = [memory for memory in told if memory.status == "active"]
    held.sort(key=lambda one: (-need_score(one, now), one.id))
    lines = [*_header(project_id, event_id, now, tidied.reader if tidied else "")]
    lines += ["", f"{len(held)} memories hold now, {len(told) - len(held)} held before."]
    lines += _tidied_page(tidied, told) if tidied else _now(held)
    lines += _history([memory for memory in told if memory.status == "superseded"], told, now)
    lines += [*_conflicts(held), *_speakers(held)]
    named = [one for one in listing(stores.entities, stores.read_sessions, project_id) if one.mentions > 1][:12]
    if named:
        lines += ["", "## Named here", "", *(f"- {neutral(one.name)} ({one.kind}, {one.mentions})" for one in named)]
    return Dossier(project_id, event_id, now, "\n".join(lines) + "\n", tuple(sorted(one.id for one in told)))


def _tidied_page(tidied: StoredTidying, told: Sequence[Memory]) -> Iterator[str]:
    """The page that a tidying wrote, as far as all that a line rests on still holds, and the groups."""
    held = {one.learning_id: one.id for one in told if one.status == "active" and not (one.tainted or one.disputed)}
    fallen = 0
    for section in tidied.page:
        lines = [line for line in section.lines if all(one in held for one in line.sources)]
        fallen += len(section.lines) - len(lines)
        if lines:
            yield from ("", f"## {neutral(section.heading)}", "")
            yield from (f"- {neutral(one.text)} {_cite_numbers(held[name] for name in one.sources)}" for one in lines)
    if fallen:
        yield from ("", f"{fallen} lines fell because something they rest on changed; `nous tidy` writes them anew.")
    groups = [(group, [held[one] for one in group.members if one in held]) for group in tidied.groups]
    if any(members for _, members in groups):
        yield from ("", "## Subjects", "")
        for group, members in groups:
            about = f": {neutral(group.about)}" if group.about else ""
            if members:
                yield f"- **{neutral(group.label)}**{about} {_cite_numbers(members)}"


# -- the page -------------------------------------------------------------------------------------------------------


def _header(project_id: str, event_id: int, now: str, by: str) -> Iterator[str]:
    yield "---"
    yield f"project: {neutral(project_id)}"
    yield f"made_from_event: {event_id}"
    yield f"made_at: {now}"
    yield f"made_by: {by or 'assembled from memories, without a model'}"
    yield "---"
    yield ""
    yield f"# {neutral(project_id)}"


def _now(held: Sequence[Memory]) -> Iterator[str]:
    yield from ("", "## What holds now")
    left = [memory for memory in held if not memory.disputed]
    for heading in HEADINGS:
        chosen = [memory for memory in left if TYPES[memory.type].heading == heading]
        if chosen:
            yield from ("", f"### {heading}", "", *(_line(memory) for memory in chosen[:MOST]))
            if len(chosen) > MOST:
                yield f"- and {len(chosen) - MOST} more: `nous list`"
    if not held:
        yield from ("", "Nothing any more.")


def _history(ended: Sequence[Memory], told: Sequence[Memory], now: str) -> Iterator[str]:
    """What held before, in the order in which it was said, with what took its place."""
    numbers = {memory.learning_id: memory.id for memory in told}
    if not ended:
        return
    yield from ("", "## How it came to be", "")
    for memory in sorted(ended, key=lambda one: (one.valid_from or one.created_at, one.id))[-MOST:]:
        since = day(memory.valid_from or memory.created_at, now)
        until = f", until {day(memory.valid_until, now)}" if memory.valid_until else ""
        follower = numbers.get(memory.superseded_by or "")
        then = f", then [Memory #{follower}]" if follower else ""
        yield f"- {since}{until}: {neutral(memory.content)} [Memory #{memory.id}]{then}"


def _conflicts(held: Sequence[Memory]) -> Iterator[str]:
    known = {memory.learning_id: memory for memory in held}
    pairs = {
        tuple(sorted((memory.id, known[other].id)))
        for memory in held
        for other in memory.contradicted_with
        if other in known
    }
    doubted = [memory for memory in held if memory.disputed]
    if not pairs and not doubted:
        return
    yield from ("", "## Open conflicts", "")
    for one, other in sorted(pairs):
        yield f"- [Memory #{one}] and [Memory #{other}] contradict each other."
    yield from (f"- doubted: {neutral(memory.content)} [Memory #{memory.id}]" for memory in doubted)


def _speakers(held: Sequence[Memory]) -> Iterator[str]:
    """By whom it is known: sessions read by rules or a model, hands, assistants."""
    counted = Counter(BY_WHOM.get(memory.source, f"read by {memory.extractor or 'nobody'}") for memory in held)
    sessions = len({memory.session_id for memory in held})
    if counted:
        yield from ("", "## Who said it", "")
        yield from (f"- {count} {who}" for who, count in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))
        yield f"- in {sessions} session{'s' if sessions != 1 else ''}"


def _line(memory: Memory) -> str:
    mark = " (text from outside, not reviewed)" if memory.tainted else ""
    return f"- {neutral(memory.content)}{mark} [Memory #{memory.id}]"


def _cite_numbers(numbers: Iterable[int]) -> str:
    return " ".join(f"[Memory #{number}]" for number in numbers)
