"""What is known of a named thing: what it is called, what holds of it, what held before, what it hangs together with.

Nothing of it is stored. It is read out of mentions, observations and memories at the moment somebody asks, so it is
never older than the log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from nous.features.entities.observations import Stated, Truth, day, truths
from nous.features.entities.store import MentionRow, Spelling
from nous.kernel.hooks.packing import neutral
from nous.kernel.log.events import NamedThing
from nous.kernel.memory.consolidation import EXTRACTOR
from nous.kernel.memory.memory import Memory
from nous.kernel.recall.worth import need_score
from nous.language.naming import is_product, normal

if TYPE_CHECKING:
    from nous.features.brief.store import ReadSessions
    from nous.features.entities.store import Entities
    from nous.kernel.memory.memories import Memories
    from nous.kernel.stores import Stores

SUMMARISED = 3  # mentions needed before there is something to sum up
MOST_MEMORIES = 200
MOST_RELATED = 12


class Entity(msgspec.Struct, frozen=True, kw_only=True):
    """A named thing in one line: what it is called, what sort of thing it is, how often and since when it is named."""

    id: str
    name: str
    kind: str
    project_id: str
    aliases: tuple[str, ...] = ()
    mentions: int = 0
    first_seen: str = ""
    last_seen: str = ""
    what: str = ""


class Related(msgspec.Struct, frozen=True, kw_only=True):
    """Another entity, and how: by a relation that was stated, or because memories name both."""

    name: str
    how: str
    times: int


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is known of one entity. `memories` hold now, `timeline` is all that was said, oldest first."""

    entity: Entity
    summary: str
    truths: tuple[Truth, ...]
    memories: tuple[Memory, ...]
    timeline: tuple[Memory, ...]
    related: tuple[Related, ...]
    elsewhere: tuple[str, ...] = ()


def listing(entity_store: Entities, read_sessions: ReadSessions, project_id: str | None) -> list[Entity]:
    """The entities of a project, or of all, the most named first. Public names that two projects share are one."""
    grouped: dict[str, list[Spelling]] = {}
    for one in entity_store.spellings(project_id):
        grouped.setdefault(one.entity_id, []).append(one)
    names = {entity: naming.name for entity, naming in entity_store.namings(grouped).items() if naming.name}
    found = _coalesce(grouped) if project_id is None else grouped
    entities = [_entity(entity, spellings, names.get(entity)) for entity, spellings in found.items()]
    known = {name: _read_things(read_sessions, name) for name in {one.project_id for one in entities}}
    entities = [_as_read(known[one.project_id], one) for one in entities]
    return sorted(entities, key=lambda one: (-one.mentions, one.name.casefold(), one.project_id))


def _coalesce(grouped: dict[str, list[Spelling]]) -> dict[str, list[Spelling]]:
    """Entities of all projects: what everybody knows by its name is one, what a project named stays in it."""
    first: dict[str, str] = {}
    found: dict[str, list[Spelling]] = {}
    for entity, spellings in grouped.items():
        public = next((normal(one.name) for one in spellings if is_product(one.name)), None)
        found.setdefault(first.setdefault(public, entity) if public else entity, []).extend(spellings)
    return found


def _entity(entity: str, spellings: Sequence[Spelling], called: str | None) -> Entity:
    often: Counter[str] = Counter()
    mine: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for one in spellings:
        often[one.name] += one.mentions
        mine[one.name] += one.mentions * one.own
        kinds[one.kind] += one.mentions * (1 if one.kind == "concept" else 2)
    name = called or most_common(mine)
    others = sorted((other for other in often if other != name), key=lambda other: (-often[other], other))
    return Entity(
        id=entity,
        name=name,
        kind=most_common(kinds),
        project_id=spellings[0].project_id,
        aliases=tuple(others),
        mentions=sum(often.values()),
        first_seen=min(one.first_seen for one in spellings),
        last_seen=max(one.last_seen for one in spellings),
    )


def most_common(counted: Counter[str]) -> str:
    """The most frequent of some names; of equals the first in the alphabet."""
    return min(counted, key=lambda name: (-counted[name], name))


def profile(stores: Stores, entity_id: str, project_id: str | None, now: str) -> Profile:
    """What is known of an entity, for somebody in a project: its own memories, and of others what holds everywhere."""
    members = stores.entities.members(entity_id)
    rows = stores.entities.mentions(members)
    rows, elsewhere = _with_global(stores.memories, stores.entities, rows, members, project_id)
    told = _telling_memories(stores.memories, rows)
    entity = _describe_entities(stores.entities, entity_id, [row for row in rows if row.memory_id in told])
    entity = _as_read(_read_things(stores.read_sessions, entity.project_id), entity)
    stated = _stated_values(stores.memories, stores.entities, members, told)
    held = sorted(
        (one for one in told.values() if one.status == "active"), key=lambda one: (-need_score(one, now), -one.id)
    )
    held = held[:MOST_MEMORIES]
    found = truths((one for one, _ in stated), now)
    return Profile(
        entity=entity,
        summary=_summary(entity, found, held, now) if entity.mentions >= SUMMARISED or entity.what else "",
        truths=tuple(found),
        memories=tuple(held),
        timeline=tuple(sorted(told.values(), key=lambda one: (one.valid_from or one.created_at, one.id))),
        related=tuple(_related_entities(stores.entities, members, told, stated, entity)),
        elsewhere=tuple(elsewhere),
    )


def _with_global(
    memories: Memories, entities: Entities, rows: list[MentionRow], members: Sequence[str], project_id: str | None
) -> tuple[list[MentionRow], list[str]]:
    """The mentions, with those of other projects whose memories hold everywhere; and the projects that name it too."""
    forms = {row.form for row in rows}
    others = {entity: project for form in forms for entity, project in entities.spelt(form) if entity not in members}
    more = entities.mentions(sorted(others)) if others else []
    if project_id is None:
        return [*rows, *more], []
    scopes = {memory.id: memory.scope for memory in memories.by_id([row.memory_id for row in more])}
    shared = [row for row in more if scopes.get(row.memory_id) == "global"]
    return [*rows, *shared], sorted({others[entity] for entity in others})


def _telling_memories(memories: Memories, rows: Iterable[MentionRow]) -> dict[int, Memory]:
    """The memories of mentions; what became part of another that is in use is told by that one."""
    found = memories.by_id(list(dict.fromkeys(row.memory_id for row in rows)))
    wholes = {memory.learning_id for memory in found if memory.extractor == EXTRACTOR and memory.status == "active"}
    return {one.id: one for one in found if one.status != "erased" and one.superseded_by not in wholes}


def _describe_entities(entities: Entities, entity_id: str, rows: Sequence[MentionRow]) -> Entity:
    spellings = [
        Spelling(entity_id, row.project_id, row.name, row.kind, 1, row.said_at, row.said_at, row.entity_id == entity_id)
        for row in rows
    ] or [Spelling(entity_id, "", entity_id, "concept", 0, "", "")]
    naming = entities.namings([entity_id]).get(entity_id)
    return _entity(entity_id, spellings, naming.name if naming else None)


def _read_things(read_sessions: ReadSessions, project_id: str) -> dict[str, NamedThing]:
    """What readings of a project say of things, by each of their names; the latest reading counts."""
    found: dict[str, NamedThing] = {}
    for thing in read_sessions.things(project_id):
        for name in (thing.name, *thing.also):
            found.setdefault(normal(name), thing)
    return found


def _as_read(things: Mapping[str, NamedThing], entity: Entity) -> Entity:
    """An entity with what the latest reading says it is, of what kind, and by which other names."""
    thing = next((things[name] for name in map(normal, (entity.name, *entity.aliases)) if name in things), None)
    if thing is None:
        return entity
    named = (*entity.aliases, thing.name, *thing.also)
    also = tuple(dict.fromkeys(name for name in named if name != entity.name))
    return msgspec.structs.replace(entity, what=thing.what, kind=thing.kind or entity.kind, aliases=also)


def _stated_values(
    memories: Memories, entities: Entities, members: Sequence[str], told: dict[int, Memory]
) -> list[tuple[Stated, str | None]]:
    """What is said of an entity, with the end that its memory has; what somebody forgot says nothing."""
    rows = entities.observations(members)
    ids = {row.memory_id for row in rows}
    known = told | {memory.id: memory for memory in memories.by_id(sorted(ids - told.keys()))}
    numbers = {memory.learning_id: memory.id for memory in known.values()}
    mine = set(members)
    found = []
    for row in rows:
        memory = known.get(row.memory_id)
        if memory is None or memory.status in ("archived", "erased") or memory.tainted or memory.disputed:
            continue
        until = memory.valid_until or ("" if memory.status == "superseded" else None)
        follower = numbers.get(memory.superseded_by or "")
        stated = Stated(row.subject, row.predicate, row.object, row.said_at, until, row.memory_id, follower)
        other = row.target_id if row.entity_id in mine else row.entity_id
        found.append((stated, other))
    return found


def _related_entities(
    entities: Entities,
    members: Sequence[str],
    told: dict[int, Memory],
    stated: Sequence[tuple[Stated, str | None]],
    entity: Entity,
) -> list[Related]:
    """What it hangs together with: by stated relations first, then by being named together."""
    names = {normal(name) for name in (entity.name, *entity.aliases)}
    by_relation: Counter[tuple[str, str]] = Counter()
    for one, other in stated:
        outward = normal(one.subject) in names
        if other and one.until is None:
            verb = one.predicate.replace("_", " ")
            by_relation[(one.object, verb) if outward else (one.subject, f"{verb} this")] += 1
    found = [Related(name=name, how=how, times=times) for (name, how), times in by_relation.most_common(MOST_RELATED)]
    seen = {normal(one.name) for one in found}
    for _, name, times in entities.beside(members, list(told), MOST_RELATED):
        if normal(name) not in seen:
            found.append(Related(name=name, how="named together", times=times))
    return found[:MOST_RELATED]


def _summary(entity: Entity, known: Sequence[Truth], held: Sequence[Memory], now: str) -> str:
    """A few sentences put together from what is known; nothing in them is anybody's guess."""
    article = "an" if entity.kind[0] in "aeiou" else "a"
    kind = "" if entity.kind == "concept" else f", {article} {entity.kind}"
    what = f": {neutral(entity.what).rstrip('.')}. It is" if entity.what else ":"
    said = (
        f"{neutral(entity.name)}{kind}{what} named in {entity.mentions} memories since {day(entity.first_seen, now)}."
    )
    holds = [
        f"{neutral(one.subject)} {one.predicate.replace('_', ' ')} {neutral(one.text)}." for one in known[:3] if one.now
    ]
    best = next((one for one in held if not one.tainted and not one.disputed), None)
    first = [f"{neutral(best.content).rstrip('.')} [Memory #{best.id}]."] if best else []
    return " ".join([said, *holds, *first])
