"""What every command shares: its options, how it opens the memory, how it prints."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
import msgspec

from nous import files, paths
from nous.config import load_settings
from nous.errors import NotFound
from nous.kernel.hooks.packing import clean
from nous.kernel.log.events import as_number, is_global_id
from nous.kernel.memory.memory import Memory
from nous.kernel.sharing import is_circle
from nous.kernel.types import MARKS
from nous.kernel.views import ExchangeView, MemoryView
from nous.kernel.views import memory_fields as memory_fields
from nous.shells.cli.actions import admit, current_speaker
from nous.shells.cli.printing import put
from nous.shells.cli.printing import say as say

if TYPE_CHECKING:
    from nous.app import Nous
    from nous.app.following import Followed
    from nous.kernel.recall.quotes import Quote

Command = Callable[..., None]
HOST: ContextVar[Nous | None] = ContextVar("host", default=None)  # the memory of the daemon that runs a command


class CommandScope(msgspec.Struct, frozen=True):
    """Which memories a command speaks of, and how it prints."""

    project: str | None
    all_projects: bool
    as_json: bool


def common(command: Command) -> Command:
    """Give a command `--json`, `--project` and `--all-projects`, collected in one `CommandScope`."""

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
    @click.option("--project", metavar="PATH|ID", help="Another project than that of the current directory.")
    @click.option("--all-projects", is_flag=True, help="Every project, not only this one.")
    @wraps(command)
    def wrap_command(project: str | None, all_projects: bool, as_json: bool, **values: Any) -> None:
        admit(click.get_current_context(), values | {"as_json": as_json})
        if project and not os.path.isdir(project):
            project = _resolve_project(project)
        command(CommandScope(project, all_projects, as_json), **values)

    return wrap_command


def _resolve_project(given: str) -> str:
    """The project of a name or a path that is no folder; an unknown one is looked for as it is given, with a note."""
    from nous.kernel import projects

    with open_memory(readonly=True) as nous:
        try:
            return projects.find(nous.stores.memories, nous.stores.cache, nous.stores.projects, given)
        except NotFound as unknown:
            say(f"note: {unknown}; {unknown.hint}", err=True)
    return given


@contextmanager
def open_memory(*, readonly: bool = False) -> Iterator[Nous]:
    """The user's memory for the time of one command."""
    if (hosting := HOST.get()) is not None:
        yield hosting
        return
    from nous.app import open_to_answer

    settings = load_settings(os.environ)
    with open_to_answer(settings, readonly=readonly and os.path.exists(settings.db_path)) as nous:
        nous.speaker = current_speaker()
        yield nous


class MemoryId(click.ParamType[int]):
    """A memory by its number here (`12`, `#12`) or by its global id, which is the same on every device."""

    name = "id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The memory's number here."""
        given = str(value).strip().removeprefix("#")
        if (number := as_number(given)) is not None:
            return number
        if not is_global_id(given):
            self.fail(f"{value!r} is neither the number of a memory nor a global id", param, ctx)
        with open_memory(readonly=True) as nous:
            return nous.number(given)


MEMORY_ID = MemoryId()


class OutFile(click.Path):
    """A file to write that is none of Nous and no database: a mistyped name must not cost the memories."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        given = os.path.realpath(value)
        is_ours = given.startswith(os.path.realpath(paths.data_dir(os.environ)) + os.sep)
        if os.path.isfile(given) and (is_ours or files.is_database(given)):
            self.fail(f"{value} belongs to Nous or is a database; write to another file", param, ctx)
        return super().convert(value, param, ctx)


OUT_FILE = OutFile(dir_okay=False, writable=True)
FORCE = click.option("--force", is_flag=True, help="Replace FILE when it exists.")


def emit(scope: CommandScope, data: Any, lines: Callable[[], Iterator[str]]) -> None:
    """Print data as JSON, or as lines for a person."""
    if scope.as_json:
        put(_ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", msgspec.json.encode(data).decode()))
        return
    for line in lines():
        say(line)


# What JSON leaves as it is and a terminal obeys or hides; as an escape it is the same text.
_ESCAPED = re.compile("[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def exchange_lines(found: ExchangeView, *, with_project: bool = False) -> Iterator[str]:
    """An exchange that recall found, for a person: when and where, the passage, and how to read on."""
    doubt = ", after reading text from outside" if found.tainted else ""
    doubt += f", {MARKS[found.standing]}" if found.standing else ""
    project = f" in {found.project_id}" if with_project else ""
    read_on = f"`nous session show {found.session_id} --at {found.id[:13]}`"
    yield f"       {'exchange':<14} {found.created_at[:10]}{project}{doubt}: {read_on}"
    yield from (f"         {line}" for line in found.content.splitlines())


def memory_line(memory: Memory | MemoryView) -> str:
    """A memory on one line of a terminal; with who told of it, where that is known."""
    marks = "".join(f" [{mark}]" for mark in _marks(memory))
    marks += f" [by {memory.author}]" if isinstance(memory, MemoryView) and memory.author else ""
    when = (memory.valid_from or memory.created_at)[:10]
    return f"#{memory.id:<5} {memory.type:<14} {when}  {clean(memory.content)}{marks}"


def unknown_here(nous: Nous, scope: CommandScope, found: str) -> Iterator[str]:
    """Why a search in a project found nothing, and what to do about it; `found` says what was looked for."""
    here = nous.project(scope.project)
    counts = [row for row in nous.stores.memories.counts() if row["status"] == "active"]
    known = sum(row["memories"] for row in counts if row["project_id"] == here.id)
    elsewhere = sum(row["memories"] for row in counts) - known
    if scope.all_projects or not counts:
        yield found if counts else f"{found}: nothing is learned yet, in any project"
    elif nous.stores.projects.get(here.id) is None:
        yield f"{found}: Nous has never learned from a session in {here.root or here.id}"
    else:
        yield f"{found}: this project ({here.id}) has {many(known, 'memory', 'memories')}"
    if elsewhere and not scope.all_projects:
        projects = len({row["project_id"] for row in counts if row["project_id"] != here.id})
        more = f"{many(elsewhere, 'memory', 'memories')} in {many(projects, 'other project', 'other projects')}"
        yield f"  {more}: `--all-projects` looks there too, `nous admin project list` names them"
    if not known:
        unread = sum(file.new > 0 for file in nous.work.transcripts())
        yield "  " + (
            f"{many(unread, 'transcript', 'transcripts')} on disk not read yet: `nous backfill` learns from them"
            if unread
            else "sessions are learned from as they happen while the daemon runs: `nous status` says whether it does"
        )


def many(number: int, one: str, more: str) -> str:
    """A number of things: "1 memory", "2 memories"."""
    return f"{number} {one if number == 1 else more}"


def size_text(size: int) -> str:
    """Bytes in the unit that fits: 900 B, 12 kB, 3.6 MB."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"


def go_on(yes: bool) -> None:
    """Ask at a terminal before what was just said is done; nobody is asked elsewhere, nor with --yes."""
    if not yes and sys.stdin.isatty():
        click.confirm("Go on?", default=True, abort=True, err=True)


def quote_lines(said: Iterable[Quote]) -> Iterator[str]:
    """The words that a memory was learned from, one line each, and how to read the exchanges they stand in."""
    places: dict[str, str] = {}
    for quote in said:
        if quote.text:
            moment = quote.at[:16].replace("T", " ")
            yield f'  {"said":<12}  {moment} by {quote.who}, session {quote.session_id[:8]}: "{quote.text}"'
            places.setdefault(quote.exchange, f"nous session show {quote.session_id} --at {quote.exchange[:13]}")
        else:
            yield f"  {'said':<12}  in record {quote.uuid[:8]}, which is not kept"
    yield from (f"  {'in':<12}  `{command}`" for exchange, command in places.items() if exchange)


def session_name(memory: Memory | MemoryView) -> str:
    """The session that a memory comes from, as `nous session show` takes it."""
    return f"session {memory.session_id[:8]}" if memory.session_id else "no session"


def _marks(memory: Memory | MemoryView) -> list[str]:
    found = {
        "pinned": memory.pinned,
        "confirmed": memory.confirmed,
        "global": memory.scope == "global",
        memory.project_id.replace(":", " ", 1): is_circle(memory.project_id),
        "unreviewed outside text": memory.tainted,
        "disputed": memory.disputed,
        memory.status: memory.status != "active",
    }
    return [mark for mark, holds in found.items() if holds]


def note_troubles(followed: Followed) -> None:
    """Say what could not be done after something was learned; what was learned is kept."""
    for trouble in followed.troubles:
        say(f"note: {trouble.line()}", err=True)
