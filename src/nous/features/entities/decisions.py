"""Deciding about names: what is one, what is two, what it is called, what is none. Every decision is an event."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from nous.errors import Misuse, NotFound, NousError
from nous.features.entities.model import LONGEST
from nous.kernel.log.event_store import Events
from nous.kernel.log.events import (
    EntityMerged,
    EntityRejected,
    EntityRenamed,
    EntitySplit,
    Event,
    EventType,
    Payload,
    Writer,
    make_event,
)
from nous.kernel.memory.memory import Memory
from nous.language.naming import entity_id, normal

if TYPE_CHECKING:
    from nous.kernel.stores import Entities, ReadSessions, Stores

BY_HAND = "by-hand"


def find_entity(entities: Entities, read_sessions: ReadSessions, project_id: str, name: str) -> str:
    """The entity that a name stands for, or a sentence that says what is near."""
    entity = entities.resolve(project_id, name)
    if entity is not None:
        return entity
    form = normal(name)
    for thing in read_sessions.things(project_id):  # by another name that a reading knows
        if form in map(normal, thing.also) and (entity := entities.resolve(project_id, thing.name)):
            return entity
    if form and entities.is_rejected(entities.root(entity_id(project_id, form))):
        raise NotFound(f"{name!r} was said to be no entity", hint="see `nous debug log`; `nous undo` takes it back")
    known = {normal(one.name): one.name for one in entities.spellings(project_id)}
    near = [known[one] for one in get_close_matches(form, known, 3)] if form else []
    hint = f"do you mean {' or '.join(near)}?" if near else "`nous debug entity list` names those of this project"
    raise NotFound(f"nothing here is called {name!r}", hint=hint)


def merge(stores: Stores, project_id: str, name: str, into: str, into_project: str | None = None) -> Event:
    """That one entity is another; what both are called now leads to the second."""
    other = into_project or project_id
    source, target = (
        find_entity(stores.entities, stores.read_sessions, project_id, name),
        find_entity(stores.entities, stores.read_sessions, other, into),
    )
    if source == target:
        raise NousError(f"{name!r} and {into!r} are one already")
    said = EntityMerged(name=name, into=target, into_name=into, into_project=None if other == project_id else other)
    return _event(stores.events, source, "EntityMerged", said, project_id)


def rename(stores: Stores, project_id: str, name: str, to: str) -> Event:
    """That an entity is called otherwise; whoever uses the new name means it."""
    entity = find_entity(stores.entities, stores.read_sessions, project_id, name)
    shown = " ".join(to.split())
    if not normal(shown) or len(shown) > LONGEST:
        raise Misuse(f"{to[:40]!r} cannot be a name", hint=f"a name has letters, and at most {LONGEST} characters")
    holder = stores.entities.resolve(project_id, shown)
    if holder not in (None, entity):
        raise NousError(f"{shown!r} is another entity", hint=f"`nous debug entity merge {name!r} {shown!r}` joins them")
    return _event(stores.events, entity, "EntityRenamed", EntityRenamed(name=name, to=shown), project_id)


def split(stores: Stores, project_id: str, name: str, apart: str, memories: Sequence[Memory] = ()) -> Event:
    """That a name stood for two things. With memories, these mean `apart`; else `apart` is no longer part of `name`."""
    entity = find_entity(stores.entities, stores.read_sessions, project_id, name)
    form = normal(apart)
    if not form:
        raise Misuse(f"{apart!r} cannot be a name")
    own = entity_id(project_id, form)
    members = stores.entities.members(entity)
    if not memories:
        if own == entity or own not in members:
            hint = "name the memories that mean the other one with --memory" if own == entity else None
            raise NousError(f"{apart!r} is no other name of {name!r}", hint=hint)
        said = EntitySplit(name=name, apart=own, apart_name=apart)
        return _event(stores.events, entity, "EntitySplit", said, project_id)
    if own in members:
        raise NousError(f"{apart!r} is a name of {name!r}", hint="give the other thing a name of its own")
    naming = {row.learning_id: row for row in stores.entities.mentions(members)}
    if strange := [memory for memory in memories if memory.learning_id not in naming]:
        raise NousError(f"memory #{strange[0].id} does not name {name!r}")
    by_entity = naming[memories[0].learning_id].entity_id
    said = EntitySplit(name=name, apart=own, apart_name=apart, learnings=tuple(one.learning_id for one in memories))
    return _event(stores.events, by_entity, "EntitySplit", said, project_id)


def reject(stores: Stores, project_id: str, name: str) -> Event:
    """That a name is no entity; memories keep it as a word."""
    entity = find_entity(stores.entities, stores.read_sessions, project_id, name)
    return _event(stores.events, entity, "EntityRejected", EntityRejected(name=name), project_id)


def _event(events: Events, entity: str, event_type: EventType, said: Payload, project_id: str) -> Event:
    key = f"{BY_HAND}:{event_type}:{entity}:{events.last_id()}"
    return make_event(event_type, entity, said, key, project_id=project_id, by=Writer("", "user_review"))
