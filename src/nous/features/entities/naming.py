"""Named things: what is known of them, and what a person says of their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from nous.features.entities import decisions as names
from nous.features.entities.profiles import Entity, Profile, listing, profile
from nous.kernel.learn.discretion import redact_payload
from nous.kernel.log.events import Event
from nous.kernel.memory.projection import catch_up

if TYPE_CHECKING:
    from nous.app import Nous


def entity(nous: Nous, name: str, *, project: str | None = None, all_projects: bool = False) -> Profile:
    """What is known of a named thing: what holds of it, what held before, and what it hangs together with."""
    where = nous.project(project).id
    _take_in(nous)
    return profile(
        nous.stores,
        names.find_entity(nous.stores.entities, nous.stores.read_sessions, where, name),
        None if all_projects else where,
        nous.clock(),
    )


def entities(nous: Nous, *, project: str | None = None, all_projects: bool = False) -> Sequence[Entity]:
    """The named things of a project, the most named first."""
    _take_in(nous)
    return listing(nous.stores.entities, nous.stores.read_sessions, None if all_projects else nous.project(project).id)


def _take_in(nous: Nous) -> None:
    """Bring the read models up to date: those of names are younger than some logs."""
    if not nous.is_readonly:
        catch_up(nous.stores, nous.clock())


def merge_entities(
    nous: Nous,
    name: str,
    into: str,
    *,
    project: str | None = None,
    into_project: str | None = None,
) -> int:
    """Say that a name means another named thing; the event's number, for `undo`."""
    where, other = nous.project(project).id, nous.project(into_project).id if into_project else None
    return _say_of_name(nous, names.merge(nous.stores, where, name, into, other))


def rename_entity(nous: Nous, name: str, to: str, *, project: str | None = None) -> int:
    """Say what a named thing is called; the event's number."""
    return _say_of_name(nous, names.rename(nous.stores, nous.project(project).id, name, to))


def split_entity(nous: Nous, name: str, apart: str, *, memories: Iterable[int] = (), project: str | None = None) -> int:
    """Say that a name stands for two things; the event's number. In these memories it means `apart`."""
    chosen = [nous.peek(number) for number in memories]
    return _say_of_name(nous, names.split(nous.stores, nous.project(project).id, name, apart, chosen))


def reject_entity(nous: Nous, name: str, *, project: str | None = None) -> int:
    """Say that a name is no named thing; the event's number."""
    return _say_of_name(nous, names.reject(nous.stores, nous.project(project).id, name))


def _say_of_name(nous: Nous, event: Event) -> int:
    words = redact_payload(event.payload)
    said = msgspec.structs.replace(event, payload=words, session_id=nous.session_id)
    with nous.decision() as now:
        [number] = nous.stores.events.append([said], now)
        catch_up(nous.stores, now)
    assert number is not None
    return number
