"""Dossiers: what is known of a named thing, a module or a project, on one page of Markdown, every line with its memory.

A dossier is put together, not written: its sentences are memories, its order is theirs. It names the event up to which
it knows, and is stale as soon as later events touch what it speaks of. The graph stays the truth; a dossier is a
photograph of it, and is made anew in maintenance once somebody asked for it.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from nous.core.memory import Memory
from nous.core.observations import Truth, day
from nous.core.packing import neutral
from nous.core.types import HEADINGS, TYPES
from nous.core.worth import worth
from nous.errors import NotFound
from nous.recall.profiles import Related, listing, profile
from nous.stores import Stores
from nous.stores.database import EVERY
from nous.stores.dossiers import DossierRow
from nous.stores.tidyings import StoredTidying

Subject = Literal["entity", "module", "project"]
MOST = 40  # lines of a section
BY_WHOM = {"user_review": "by hand", "agent": "by an assistant", "consolidation": "in several pieces"}


class Dossier(NamedTuple):
    """A page about something, the event up to which it knows, and the memories it cites."""

    subject: Subject
    name: str
    project_id: str
    event_id: int
    made_at: str
    text: str
    memories: tuple[int, ...]


class Matter(NamedTuple):
    """What a dossier is made of."""

    title: str
    summary: str
    told: list[Memory]
    truths: Sequence[Truth] = ()
    related: Sequence[Related] = ()


def dossier(stores: Stores, project_id: str, name: str, now: str) -> Dossier:
    """The page about an entity, a module or, without a name, the project: as it was tidied, where it was."""
    subject, matter = _matter(stores, project_id, name, now)
    event_id = stores.events.last_id()
    tidied = stores.tidyings.of_project(project_id) if subject == "project" else None
    lines = [*_header(subject, matter, project_id, event_id, now, tidied.reader if tidied else "")]
    lines += _tidied(tidied, matter.told) if tidied else ()
    lines += _body(stores, matter, now, is_tidied=tidied is not None)
    numbers = tuple(sorted(memory.id for memory in matter.told))
    return Dossier(subject, name, project_id, event_id, now, "\n".join(lines) + "\n", numbers)


def _tidied(tidied: StoredTidying, told: Sequence[Memory]) -> Iterator[str]:
    """The page that a tidying wrote, as far as all that a line rests on still holds, and the groups."""
    held = {one.learning_id: one.id for one in told if one.status == "active" and not (one.tainted or one.disputed)}
    fallen = 0
    for section in tidied.page:
        lines = [line for line in section.lines if all(one in held for one in line.sources)]
        fallen += len(section.lines) - len(lines)
        if lines:
            yield from ("", f"## {neutral(section.heading)}", "")
            yield from (f"- {neutral(one.text)} {_cited(held[name] for name in one.sources)}" for one in lines)
    if fallen:
        yield from ("", f"{fallen} lines fell because something they rest on changed; `nous tidy` writes them anew.")
    groups = [(group, [held[one] for one in group.members if one in held]) for group in tidied.groups]
    if any(members for _, members in groups):
        yield from ("", "## Subjects", "")
        for group, members in groups:
            about = f": {neutral(group.about)}" if group.about else ""
            if members:
                yield f"- **{neutral(group.label)}**{about} {_cited(members)}"


def is_stale(stores: Stores, row: DossierRow, now: str) -> bool:
    """Whether later events touch what a kept dossier speaks of."""
    try:
        _, matter = _matter(stores, row.project_id, row.name, now)
    except NotFound:
        return True
    changed = any(memory.version > row.event_id for memory in matter.told)
    return changed or {memory.id for memory in matter.told} != set(row.memories)


def _matter(stores: Stores, project_id: str, name: str, now: str) -> tuple[Subject, Matter]:
    if not name:
        return "project", _of_project(stores, project_id, now)
    if entity := stores.entities.resolve(project_id, name):
        found = profile(stores, entity, project_id, now)
        told = [memory for memory in found.timeline if memory.status != "archived"]
        return "entity", Matter(found.entity.name, found.summary, told, found.truths, found.related)
    told = _of_module(stores, project_id, name)
    if told:
        return "module", Matter(name, f"{name}: named in {len(told)} memories.", told)
    raise NotFound(f"nothing here is called {name!r}, and no memory is about such a file", hint="`nous entity list`")


def _of_module(stores: Stores, project_id: str, path: str) -> list[Memory]:
    """Memories about a file, or about any file below a directory."""
    wanted = posixpath.normpath(path.strip().rstrip("/")) if path.strip() else ""
    told = stores.memories.listing(project_id, status=None, limit=EVERY)
    return [one for one in told if one.status != "archived" and any(_is_in(file, wanted) for file in one.files)]


def _is_in(file: str, wanted: str) -> bool:
    path = file.lstrip("@")
    return path == wanted or path.startswith(f"{wanted}/") or path.endswith(f"/{wanted}") or f"/{wanted}/" in path


def _of_project(stores: Stores, project_id: str, now: str) -> Matter:
    told = stores.memories.listing(project_id, status=None, limit=EVERY, with_global=False)
    told = [memory for memory in told if memory.status != "archived"]
    if not told:
        raise NotFound("nothing is known of this project yet")
    named = [one for one in listing(stores, project_id) if one.mentions > 1][:12]
    related = [Related(name=one.name, how=one.kind, times=one.mentions) for one in named]
    active = sum(memory.status == "active" for memory in told)
    return Matter(project_id, f"{active} memories hold now, {len(told) - active} held before.", told, (), related)


# -- the page -------------------------------------------------------------------------------------------------------


def _header(subject: Subject, matter: Matter, project_id: str, event_id: int, now: str, by: str = "") -> Iterator[str]:
    yield "---"
    yield f"dossier: {subject}"
    yield f"of: {neutral(matter.title)}"
    yield f"project: {neutral(project_id)}"
    yield f"made_from_event: {event_id}"
    yield f"made_at: {now}"
    yield f"made_by: {by or 'assembled from memories, without a model'}"
    yield "---"
    yield ""
    yield f"# {neutral(matter.title)}"
    if matter.summary:
        yield from ("", matter.summary)


def _body(stores: Stores, matter: Matter, now: str, *, is_tidied: bool = False) -> Iterator[str]:
    held = [memory for memory in matter.told if memory.status == "active"]
    held.sort(key=lambda one: (-worth(one, now), one.id))
    if matter.truths:
        yield from ("", "## What is said of it", "")
        yield from (f"- {neutral(_stated(truth))} {_cited(truth.memories)}" for truth in matter.truths)
    if not is_tidied:
        yield from _now(held)
    yield from _history([memory for memory in matter.told if memory.status == "superseded"], matter.told, now)
    yield from _conflicts(held)
    yield from _speakers(stores, held)
    if matter.related:
        yield from ("", "## Together with", "")
        yield from (f"- {neutral(one.name)} ({one.how}, {one.times})" for one in matter.related)


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


def _speakers(stores: Stores, held: Sequence[Memory]) -> Iterator[str]:
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


def _stated(truth: Truth) -> str:
    return f"{truth.subject} {truth.predicate.replace('_', ' ')} {truth.text}"


def _cited(numbers: Iterable[int]) -> str:
    return " ".join(f"[Memory #{number}]" for number in numbers)
