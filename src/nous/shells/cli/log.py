"""The command that takes decisions back."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from nous.app import Nous
from nous.errors import Misuse
from nous.kernel.log import history
from nous.kernel.log.events import Recorded
from nous.kernel.memory.memory import Memory
from nous.kernel.views import event_fields
from nous.shells.cli.common import CommandScope, common, emit, memory_fields, memory_line, open_memory, say

if TYPE_CHECKING:
    from nous.kernel.log.undo import Undoing

GONE = "a memory that is gone"
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@click.command()
@click.argument("events", metavar="[EVENT]...", type=int, nargs=-1)
@click.option("--last", type=click.IntRange(1), default=1, show_default=True, help="Undo this many decisions.")
@click.option("--yes", is_flag=True, help="Do not ask before touching another project.")
@common
def undo(scope: CommandScope, events: tuple[int, ...], last: int, yes: bool) -> None:
    """Undo events and what they caused. Without numbers: your last decision in this project.

    Nothing is deleted: an undo is an event too, and can be undone. What belongs to another project is undone only after
    asking, or with --yes or --all-projects.
    """
    with open_memory() as nous:
        where: dict[str, Any] = {"project": scope.project, "all_projects": scope.all_projects}
        chosen = nous.undoable(events, last=last, **where)
        if not (yes or scope.all_projects):
            _ask_about_others(nous, scope, chosen)
        done = nous.undo(events, last=last, **where)
        numbers = history.numbers_of(nous.stores.events, done.undone)
        now = nous.stores.memories.by_learning({event.learning_id for event in done.undone})
    data = {
        "undone": [event_fields(event, history.describe_event(event.payload, numbers)) for event in done.undone],
        "undone_by": done.undone_by,
        "memories": [memory_fields(memory) for memory in now.values()],
    }
    emit(scope, data, lambda: _undone_lines(done, numbers, now))


def _ask_about_others(nous: Nous, scope: CommandScope, chosen: Sequence[Recorded]) -> None:
    """Go on only if everything is of this project, or somebody says that it is meant."""
    here = nous.project(scope.project).id
    others = [event for event in chosen if event.project_id != here]
    if not others:
        return
    numbers = history.numbers_of(nous.stores.events, others)
    if scope.as_json or not sys.stdin.isatty():
        names = ", ".join(sorted({event.project_id for event in others}))
        raise Misuse(
            f"event {others[0].event_id} belongs to another project ({names})",
            hint="add --yes if it is meant, or --project to name that project",
        )
    for event in others:
        say(f"in {event.project_id}: {_undoing(event, numbers)}", err=True)
    click.confirm("This is another project. Take it back?", abort=True, err=True)


def _undoing(event: Recorded, numbers: dict[str, int]) -> str:
    """An event that is taken back, on one line."""
    memory = f"#{numbers[event.learning_id]}" if event.learning_id in numbers else GONE
    name = _CAPITAL.sub(" ", event.event_type).lower().replace("learning", memory)
    told = history.describe_event(event.payload, numbers)
    return f"event {event.event_id}, {name}" + (f": {told}" if told else "")


def _undone_lines(done: Undoing, numbers: dict[str, int], now: dict[str, Memory]) -> Iterator[str]:
    for event in done.undone:
        yield f"undid {_undoing(event, numbers)}"
    for learning in dict.fromkeys(event.learning_id for event in done.undone if event.learning_id):
        if learning in now:
            yield f"now {memory_line(now[learning])}"
        elif learning in numbers:
            yield f"#{numbers[learning]} now counts as never said"
    yield f"`nous undo {done.undone_by[0]}` brings it back"
