"""The command about named things: what is known of one, which there are, and what a person says about names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click
import msgspec

from nous.app import Nous
from nous.features import operation
from nous.features.entities.operations import Names, OneName
from nous.kernel.views import MemoryView
from nous.shells.cli.common import MEMORY_ID, CommandScope, common, emit, many, memory_line, open_memory

SHOWN = 20
SHOWN_NAMES = 8
# What a person says about names: what it takes, and what is said afterwards.
ACTS = {
    "merge": ("NAME INTO", "{0} is {1} from now on"),
    "rename": ("NAME NEW-NAME", "{0} is called {1} from now on"),
    "split": ("NAME OTHER", "{1} is not {0}"),
    "reject": ("NAME", "{0} is no named thing"),
}


@click.command()
@click.argument("words", nargs=-1, metavar="[NAME | list | merge A B | rename A B | split A B | reject A]")
@click.option("--memory", "memories", type=MEMORY_ID, multiple=True, help="With split: a memory that means OTHER.")
@click.option("--into-project", metavar="PATH|ID", help="With merge: the project of INTO, when it is another one.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="With list: how many.")
@common
def entity(scope: CommandScope, words: tuple[str, ...], limit: int, **more: Any) -> None:
    """Show what Nous knows about NAME: now, before, and how it is related.

    `list` lists all names. `nous undo` reverts a merge, rename, split or reject. A name that is one of these words is
    shown with `nous debug entity -- show NAME`.
    """
    with open_memory() as nous:
        where: dict[str, Any] = {"project": nous.project(scope.project).id, "all_projects": scope.all_projects}
        if not words or words == ("list",):
            found = operation("entities.list").call(nous, Names(limit=limit, **where))
            data = {"entities": found["items"], "total": found["total"]}
            emit(scope, data, lambda: _list_lines(found, scope.all_projects))
        elif words[0] in ACTS and len(words) > 1:
            _decide(nous, scope, words[0], words[1:], more)
        else:
            name = " ".join(words[1:] if words[0] == "show" and len(words) > 1 else words)
            shown = operation("entities.get").call(nous, OneName(name=name, **where))
            profile = shown.pop("entity") | shown
            emit(scope, profile, lambda: _profile_lines(profile))


def _decide(nous: Nous, scope: CommandScope, name: str, given: tuple[str, ...], more: dict[str, Any]) -> None:
    takes, done = ACTS[name]
    if len(given) != len(takes.split()):
        raise click.UsageError(f"`nous debug entity {name}` takes {takes}: put a name of several words in quotes")
    special = {"merge": {"into_project": more["into_project"]}, "split": {"memories": more["memories"]}}
    number = getattr(nous, f"{name}_entity" if name != "merge" else "merge_entities")(
        *given, project=scope.project, **special.get(name, {})
    )
    said = done.format(*given)
    emit(scope, {"event_id": number, "said": said}, lambda: iter([said, f"`nous undo {number}` takes it back"]))


def _list_lines(found: dict[str, Any], with_project: bool) -> Iterator[str]:
    if not found["items"]:
        yield "nothing here has a name yet"
    for one in found["items"]:
        also = f"  (also {_some(one['aliases'])})" if one["aliases"] else ""
        where = f"  {one['project_id']}" if with_project else ""
        yield f"{one['mentions']:>5}  {one['kind']:<9}  {one['first_seen'][:10]}  {one['name']}{also}{where}"
    if found["total"] > len(found["items"]):
        yield f"and {found['total'] - len(found['items'])} more: --limit shows them"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:SHOWN_NAMES])
    return f"{shown} and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else shown


def _profile_lines(one: dict[str, Any]) -> Iterator[str]:
    yield f"{one['name']}  ({one['kind']})"
    if one["aliases"]:
        yield f"  also  {_some(one['aliases'])}"
    named = many(one["mentions"], "memory", "memories")
    yield f"  named in {named}, {one['first_seen'][:10]} to {one['last_seen'][:10]}"
    if one["elsewhere"]:
        yield f"  the name stands in other projects too: {', '.join(one['elsewhere'])}"
    if one["summary"]:
        yield f"  {one['summary']}"
    if one["truths"]:
        yield "what is said of it"
    for truth in one["truths"]:
        cited = ", ".join(f"#{number}" for number in truth["memories"])
        yield f"  {truth['subject']} {truth['predicate'].replace('_', ' ')} {truth['text']}  [{cited}]"
    yield from _memory_lines("what holds now", one["memories"][:SHOWN])
    yield from _memory_lines("what held before", [row for row in one["timeline"] if row["status"] == "superseded"])
    if one["related"]:
        yield "together with"
    yield from (f"  {other['name']}  ({other['how']}, {other['times']})" for other in one["related"])


def _memory_lines(title: str, memories: Sequence[dict[str, Any]]) -> Iterator[str]:
    if memories:
        yield title
    yield from (f"  {memory_line(msgspec.convert(memory, MemoryView))}" for memory in memories)
