"""The command about named things: what is known of one, which there are, and what a person says about names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click
import msgspec

from nous.app import Nous
from nous.shells.cli.common import MEMORY_ID, CommandScope, common, emit, many, memory_fields, memory_line, open_memory

if TYPE_CHECKING:
    from nous.features.entities.profiles import Entity, Profile

EntityNames = tuple[str, ...]
SHOWN = 20
SHOWN_NAMES = 8


class Act(msgspec.Struct, frozen=True):
    """Something to say about a name: what it takes, how it is done, and what is said afterwards."""

    takes: str
    least: int
    most: int
    do: Callable[[Nous, CommandScope, EntityNames, dict[str, Any]], int]
    done: str


ACTS: dict[str, Act] = {
    "merge": Act(
        "NAME INTO",
        2,
        2,
        lambda nous, scope, names, more: nous.merge_entities(
            *names, project=scope.project, into_project=more["into_project"]
        ),
        "{0} is {1} from now on",
    ),
    "rename": Act(
        "NAME NEW-NAME",
        2,
        2,
        lambda nous, scope, names, _: nous.rename_entity(*names, project=scope.project),
        "{0} is called {1} from now on",
    ),
    "split": Act(
        "NAME OTHER",
        2,
        2,
        lambda nous, scope, names, more: nous.split_entity(*names, memories=more["memories"], project=scope.project),
        "{1} is not {0}",
    ),
    "reject": Act(
        "NAME",
        1,
        1,
        lambda nous, scope, names, _: nous.reject_entity(*names, project=scope.project),
        "{0} is no named thing",
    ),
}


@click.command()
@click.argument("words", nargs=-1, metavar="[NAME | list | merge A B | rename A B | split A B | reject A]")
@click.option("--memory", "memories", type=MEMORY_ID, multiple=True, help="With split: a memory that means OTHER.")
@click.option("--into-project", metavar="PATH|ID", help="With merge: the project of INTO, when it is another one.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="With list: how many.")
@common
def entity(scope: CommandScope, words: EntityNames, limit: int, **more: Any) -> None:
    """Show what Nous knows about NAME: now, before, and how it is related.

    `list` lists all names. `nous undo` reverts a merge, rename, split or reject. A name that is one of these words is
    shown with `nous debug entity -- show NAME`.
    """
    act = ACTS.get(words[0]) if words else None
    with open_memory() as nous:
        if not words or words == ("list",):
            _list(nous, scope, limit)
        elif act and act.least < len(words):
            _decide(nous, scope, words[0], words[1:], more)
        elif act and len(words) > 1:
            raise click.UsageError(f"`nous debug entity {words[0]}` takes {act.takes}")
        else:
            _show(nous, scope, " ".join(words[1:] if words[0] == "show" and len(words) > 1 else words))


def _decide(nous: Nous, scope: CommandScope, name: str, given: EntityNames, more: dict[str, Any]) -> None:
    act = ACTS[name]
    if not act.least <= len(given) <= act.most:
        raise click.UsageError(f"`nous debug entity {name}` takes {act.takes}: put a name of several words in quotes")
    number = act.do(nous, scope, given, more)
    said = act.done.format(*given)
    emit(scope, {"event_id": number, "said": said}, lambda: iter([said, f"`nous undo {number}` takes it back"]))


def _list(nous: Nous, scope: CommandScope, limit: int) -> None:
    found = nous.entities(project=scope.project, all_projects=scope.all_projects)
    data = {"entities": [msgspec.to_builtins(one) for one in found[:limit]], "total": len(found)}
    emit(scope, data, lambda: _list_lines(found, limit, scope.all_projects))


def _list_lines(found: Sequence[Entity], limit: int, with_project: bool) -> Iterator[str]:
    if not found:
        yield "nothing here has a name yet"
    for one in found[:limit]:
        also = f"  (also {_some(one.aliases)})" if one.aliases else ""
        where = f"  {one.project_id}" if with_project else ""
        yield f"{one.mentions:>5}  {one.kind:<9}  {one.first_seen[:10]}  {one.name}{also}{where}"
    if len(found) > limit:
        yield f"and {len(found) - limit} more: --limit shows them"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:SHOWN_NAMES])
    return f"{shown} and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else shown


def _show(nous: Nous, scope: CommandScope, name: str) -> None:
    found = nous.entity(name, project=scope.project, all_projects=scope.all_projects)
    emit(scope, _profile_fields(found), lambda: _profile_lines(found))


def _profile_fields(found: Profile) -> dict[str, Any]:
    rest: dict[str, Any] = {
        name: msgspec.to_builtins(getattr(found, name)) for name in ("summary", "truths", "related", "elsewhere")
    }
    memories = {name: [memory_fields(one) for one in getattr(found, name)] for name in ("memories", "timeline")}
    fields: dict[str, Any] = msgspec.to_builtins(found.entity)
    return fields | rest | memories


def _profile_lines(found: Profile) -> Iterator[str]:
    one = found.entity
    yield f"{one.name}  ({one.kind})"
    if one.aliases:
        yield f"  also  {_some(one.aliases)}"
    yield f"  named in {many(one.mentions, 'memory', 'memories')}, {one.first_seen[:10]} to {one.last_seen[:10]}"
    if found.elsewhere:
        yield f"  the name stands in other projects too: {', '.join(found.elsewhere)}"
    if found.summary:
        yield f"  {found.summary}"
    if found.truths:
        yield "what is said of it"
    for truth in found.truths:
        cited = ", ".join(f"#{number}" for number in truth.memories)
        yield f"  {truth.subject} {truth.predicate.replace('_', ' ')} {truth.text}  [{cited}]"
    yield from _memory_lines("what holds now", found.memories[:SHOWN])
    yield from _memory_lines("what held before", [memory for memory in found.timeline if memory.status == "superseded"])
    if found.related:
        yield "together with"
    for other in found.related:
        yield f"  {other.name}  ({other.how}, {other.times})"


def _memory_lines(title: str, memories: Sequence[Any]) -> Iterator[str]:
    if memories:
        yield title
    yield from (f"  {memory_line(memory)}" for memory in memories)
