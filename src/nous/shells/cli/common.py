"""What every command shares: its options, how it opens the memory, how it prints."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import click
import msgspec

from nous.app import Nous, Quote
from nous.config import load_settings
from nous.core.events import is_global_id
from nous.core.memory import Memory
from nous.core.packing import clean

Command = Callable[..., None]


class Scope(msgspec.Struct, frozen=True):
    """Which memories a command speaks of, and how it prints."""

    project: str | None
    all_projects: bool
    as_json: bool


def common(command: Command) -> Command:
    """Give a command `--json`, `--project` and `--all-projects`, collected in one `Scope`."""

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
    @click.option("--project", metavar="PATH|ID", help="Another project than that of the current directory.")
    @click.option("--all-projects", is_flag=True, help="Not only one project.")
    @wraps(command)
    def wrapped(project: str | None, all_projects: bool, as_json: bool, **values: Any) -> None:
        command(Scope(project, all_projects, as_json), **values)

    return wrapped


@contextmanager
def opened(*, readonly: bool = False) -> Iterator[Nous]:
    """The user's memory for the time of one command."""
    settings = load_settings(os.environ)
    with Nous.open(settings=settings, readonly=readonly and os.path.exists(settings.db_path)) as nous:
        yield nous


class MemoryId(click.ParamType[int]):
    """A memory by its number here (`12`, `#12`) or by its global id, which is the same on every device."""

    name = "id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The memory's number here."""
        given = str(value).strip().removeprefix("#")
        if given.isdigit():
            return int(given)
        if not is_global_id(given):
            self.fail(f"{value!r} is no number of a memory and no global id", param, ctx)
        with opened(readonly=True) as nous:
            return nous.number(given)


MEMORY_ID = MemoryId()


def emit(scope: Scope, data: Any, lines: Callable[[], Iterator[str]]) -> None:
    """Print data as JSON, or as lines for a person."""
    if scope.as_json:
        click.echo(_ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", msgspec.json.encode(data).decode()))
        return
    for line in lines():
        say(line)


def say(line: str, *, err: bool = False) -> None:
    """Print a line for a person: on a terminal broken between words, and aligned below where its text begins."""
    stream = sys.stderr if err else sys.stdout
    for one in line.split("\n"):
        one = one[: len(one) - len(one.lstrip(" "))] + clean(one.lstrip(" "))
        for part in fitted(one, shutil.get_terminal_size().columns) if stream.isatty() else [one]:
            click.echo(part, err=err)


# What JSON leaves as it is and a terminal obeys or hides; as an escape it is the same text.
_ESCAPED = re.compile("[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


_COLUMN = re.compile(r"(?<!\s)\s{2,}(?=\S)")
FAR_RIGHT = 40  # a text that begins further right than this is no column to align to


def fitted(line: str, width: int) -> list[str]:
    """A line as lines of at most some characters. No word is broken, so one that is longer stands out."""
    if len(line) <= width:
        return [line]
    margin = len(line) - len(line.lstrip())
    columns = [found.end() for found in _COLUMN.finditer(line) if found.end() <= min(FAR_RIGHT, width // 2)]
    indent = columns[-1] if columns and columns[-1] > margin else margin + 2
    # The first line is kept as it is, with its columns; what follows is filled below its text.
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        expand_tabs=False,
    )


def memory_fields(memory: Memory) -> dict[str, Any]:
    """A memory as the documented JSON fields."""
    return {
        "id": memory.id,
        "content": memory.content,
        "type": memory.type,
        "kind": memory.kind,
        "scope": memory.scope,
        "status": memory.status,
        "confidence": round(memory.confidence, 4),
        "strength": round(memory.strength, 4),
        "project_id": memory.project_id,
        "session_id": memory.session_id,
        "branch": memory.branch,
        "valid_from": memory.valid_from,
        "valid_until": memory.valid_until,
        "created_at": memory.created_at,
        "evidence": memory.evidence,
        "files": memory.files,
        "anchors": msgspec.to_builtins(memory.anchors),
        "concepts": memory.concepts,
        "entities": memory.entities,
        "relations": msgspec.to_builtins(memory.relations),
        "tags": memory.tags,
        "slot": memory.slot,
        "replaces": memory.replaces,
        "last_said_at": memory.last_said_at,
        "ref": memory.ref,
        "pinned": memory.pinned,
        "confirmed": memory.confirmed,
        "tainted": memory.tainted,
        "superseded_by": memory.superseded_by,
        "contradicted_with": memory.contradicted_with,
        "learning_id": memory.learning_id,
        "global_id": memory.learning_id,
        "extractor": memory.extractor,
        "source": memory.source,
    }


def memory_line(memory: Memory) -> str:
    """A memory on one line of a terminal."""
    marks = "".join(f" [{mark}]" for mark in _marks(memory))
    when = (memory.valid_from or memory.created_at)[:10]
    return f"#{memory.id:<5} {memory.type:<14} {when}  {clean(memory.content)}{marks}"


def unknown_here(nous: Nous, scope: Scope, found: str) -> Iterator[str]:
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
        yield f"{found}: this project ({here.id}) has {_many(known, 'memory', 'memories')}"
    if elsewhere and not scope.all_projects:
        projects = len({row["project_id"] for row in counts if row["project_id"] != here.id})
        more = f"{_many(elsewhere, 'memory', 'memories')} in {_many(projects, 'other project', 'other projects')}"
        yield f"  {more}: `--all-projects` looks there too, `nous project list` names them"
    if not known:
        unread = sum(file.new > 0 for file in nous.work.transcripts())
        yield "  " + (
            f"{_many(unread, 'transcript', 'transcripts')} on disk not read yet: `nous backfill` learns from them"
            if unread
            else "sessions are learned from as they happen while the daemon runs: `nous status` says whether it does"
        )


def _many(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def quoted(said: Iterable[Quote]) -> Iterator[str]:
    """The words that a memory was learned from, one line each."""
    for quote in said:
        if quote.text:
            moment = quote.at[:16].replace("T", " ")
            yield f'  {"said":<12}  {moment} by {quote.who}, session {quote.session_id[:8]}: "{quote.text}"'
        else:
            yield f"  {'said':<12}  in record {quote.uuid[:8]}, which is not kept"


def session_name(memory: Memory) -> str:
    """The session that a memory comes from, as `nous session show` takes it."""
    return f"session {memory.session_id[:8]}" if memory.session_id else "no session"


def _marks(memory: Memory) -> list[str]:
    found = {
        "pinned": memory.pinned,
        "confirmed": memory.confirmed,
        "global": memory.scope == "global",
        "unreviewed outside text": memory.tainted,
        memory.status: memory.status != "active",
    }
    return [mark for mark, holds in found.items() if holds]
