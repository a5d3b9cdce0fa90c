"""Commands that look after the log: verify, replay, backup, restore-backup, purge."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from nous.app import Nous, system_clock
from nous.app.pipeline import CHECKPOINTS
from nous.config import load_settings, mask_password
from nous.features.erasure import purge as purging
from nous.features.service import copies
from nous.kernel.log import integrity
from nous.kernel.memory.projection import projectors
from nous.shells.cli.common import FORCE, MEMORY_ID, CommandScope, common, emit, many, memory_line, open_memory
from nous.shells.daemon import control

if TYPE_CHECKING:
    from nous.kernel.memory.projection import Comparison, Difference

REASON = "purged by the user"


@click.command()
@common
def verify(scope: CommandScope) -> None:
    """Check the whole log, and name every event that was changed, removed or moved."""
    with open_memory() as nous:
        nous.work.check_pages()
        report = integrity.verify(nous.stores)
    data = {
        "ok": report.ok,
        "events": report.events,
        "erased": report.erased,
        "head": report.head,
        "problems": [problem._asdict() for problem in report.problems],
        "more": report.more,
    }
    emit(scope, data, lambda: _verify_lines(report))
    if not report.ok:
        raise click.exceptions.Exit(1)


def _verify_lines(report: integrity.VerifyReport) -> Iterator[str]:
    for problem in report.problems:
        yield f"FAIL {problem.kind}: {problem.said}"
    if report.more:
        yield f"     and {report.more} more"
    erased = f", {report.erased} of them erased" if report.erased else ""
    if report.ok:
        yield f"ok   {many(report.events, 'event', 'events')}{erased}, every hash fits, head {report.head[:16]}"


@click.command()
@click.option("--verify", "only_compare", is_flag=True, help="Change nothing: only compare.")
@click.option(
    "--projector",
    "names",
    multiple=True,
    type=click.Choice([projector.name for projector in projectors()]),
    help="Only this table (repeatable).",
)
@common
def replay(scope: CommandScope, only_compare: bool, names: tuple[str, ...]) -> None:
    """Rebuild the derived tables from the log, or compare them with it."""
    with open_memory() as nous:
        if only_compare:
            found = nous.work.compare(names)
            emit(scope, _comparison_fields(found), lambda: _comparison_lines(found))
            if found.differences:
                raise click.exceptions.Exit(1)
            return
        built, events = nous.work.replay(names)
    emit(
        scope, {"events": events, "projectors": built}, lambda: iter([f"{', '.join(built)}: {events} events replayed"])
    )


def _comparison_fields(found: Comparison) -> dict[str, Any]:
    return {
        "ok": not found.differences,
        "events": found.events,
        "rows": found.rows,
        "differences": [difference._asdict() for difference in found.differences],
    }


def _comparison_lines(found: Comparison) -> Iterator[str]:
    for difference in found.differences:
        yield from _difference(difference)
    rows = ", ".join(f"{number} {table}" for table, number in found.rows.items())
    verdict = "FAIL" if found.differences else "ok  "
    same = "differ from" if found.differences else "equal"
    yield f"{verdict} the read models {same} a replay of {found.events} events ({rows})"


def _difference(found: Difference) -> Iterator[str]:
    key = (found.live or found.replayed or ())[:3]
    if found.live is None:
        yield f"{found.table} {key}: missing"
    elif found.replayed is None:
        yield f"{found.table} {key}: the log knows nothing of it"
    else:
        pairs = zip(found.live, found.replayed, strict=True)
        yield f"{found.table} {key}: " + ", ".join(
            f"{is_now!r}, not {said!r}" for is_now, said in pairs if is_now != said
        )


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@FORCE
@common
def backup(scope: CommandScope, file: str, force: bool) -> None:
    """Copy the database to FILE, also while it is in use, and check the copy."""
    with open_memory() as nous:
        made = nous.backup(file, overwrite=force)
    line = f"{many(made.events, 'event', 'events')}, {made.bytes / 1e6:.1f} MB in {made.path}, read back and verified"
    emit(scope, made._asdict(), lambda: iter([line]))


@click.command("restore-backup")
@click.argument("file", type=click.Path())
@common
def restore_backup(scope: CommandScope, file: str) -> None:
    """Replace the database with the backup FILE, after checking it. The current one is kept."""
    settings = load_settings(os.environ)
    control.nobody_works(settings)
    done = copies.restore_backup(settings, file, system_clock())
    lines = [f"{many(done.events, 'event', 'events')} from {file} are in place"]
    lines += [f"what was there before is in {done.kept}"] if done.kept else []
    emit(scope, done._asdict() | {"path": mask_password(settings.db_path)}, lambda: iter(lines))


@click.command()
@click.argument("ids", metavar="[ID]...", type=MEMORY_ID, nargs=-1)
@click.option("--session", "sessions", multiple=True, help="Everything learned from a session (repeatable).")
@click.option("--match", metavar="TEXT", help="Every memory and every queued turn that contains TEXT.")
@click.option("--yes", is_flag=True, help="Do it. Without this the command only says what it would erase.")
@click.option("--finish", "only_finish", is_flag=True, help="Finish a purge that was interrupted.")
@common
def purge(
    scope: CommandScope,
    ids: tuple[int, ...],
    sessions: tuple[str, ...],
    match: str | None,
    yes: bool,
    only_finish: bool,
) -> None:
    """Erase for good: memories by ID, a whole --project, a --session, or everything that contains a text."""
    if only_finish:
        _finish(scope)
        return
    if sum(map(bool, (ids, sessions, match, scope.project))) != 1:
        raise click.UsageError("say exactly one of: IDs, --project, --session or --match")
    with open_memory() as nous:
        project = nous.project(scope.project).id if scope.project else None
        selection = purging.Selection(ids, project, None, match, sessions)
        if not yes:
            nous.work.catch_up()
            planned = purging.plan(nous.stores, selection)
            emit(scope, _plan_fields(planned), lambda: _plan_lines(planned))
            return
        done = nous.work.purge(selection, _folder(nous), REASON)
    emit(scope, {"dry_run": False} | done._asdict(), lambda: _erasure_lines(done))


def _folder(nous: Nous) -> str:
    return os.path.join(nous.settings.data_dir, CHECKPOINTS)


def _finish(scope: CommandScope) -> None:
    with open_memory() as nous:
        unfinished = len(nous.stores.erasures.list_unfinished())
        removed = purging.finish(
            nous.stores.events, nous.stores.erasures, _folder(nous), nous.settings.data_dir, nous.clock()
        )
    line = f"{unfinished} interrupted, traces wiped" if unfinished else "nothing was interrupted"
    emit(scope, {"dry_run": False, "finished": unfinished, "copies": removed}, lambda: iter([line]))


def _plan_fields(planned: purging.Plan) -> dict[str, Any]:
    return {
        "dry_run": True,
        "memories": [memory.id for memory in planned.memories],
        "events": list(planned.events),
        "items": len(planned.said.items),
        "turns": planned.said.turns,
        "elsewhere": planned.said.elsewhere,
    }


def _plan_lines(planned: purging.Plan) -> Iterator[str]:
    for memory in planned.memories:
        yield f"would erase {memory_line(memory)}"
    memories = many(len(planned.memories), "memory", "memories")
    yield (
        f"{memories}, {many(len(planned.events), 'payload', 'payloads')} in the log, "
        f"{many(planned.said.turns, 'turn', 'turns')} of transcripts ({len(planned.said.items)} queue items)"
    )
    yield from _elsewhere(planned.said.elsewhere)
    yield "nothing was erased yet; --yes erases it, and this cannot be undone"


def _elsewhere(turns: int) -> Iterator[str]:
    """What other sessions say in other words is not erased by a number, and not kept quiet about."""
    if turns:
        yield f"{turns} similar sentences in other sessions remain; `nous admin purge --match TEXT` erases them"


def _erasure_lines(done: purging.Erasure) -> Iterator[str]:
    yield f"erased {many(len(done.memories), 'memory', 'memories')}" + (
        f" (#{', #'.join(map(str, done.memories))})" if done.memories else ""
    )
    yield f"  log        {len(done.events)} payloads replaced by tombstones"
    yield f"  transcripts  {done.turns} turns, waiting ({done.items} queue items) or kept"
    yield f"  copies     {', '.join(done.copies) or 'none'} removed"
    sizes = f"{done.bytes_before / 1e6:.1f} MB -> {done.bytes_after / 1e6:.1f} MB, free pages and WAL wiped"
    yield f"  database   {sizes if done.bytes_before else 'rows replaced on the server'}"
    yield f"  searched   {done.files} files and {done.unpacked} packed pieces of transcripts, unpacked"
    here = "none of those sentences" + (" in the files of this machine" if done.finish_on_server else "")
    yield "  left       " + (f"STILL FOUND in {', '.join(done.remaining)}" if done.remaining else here)
    if done.finish_on_server:
        yield "  server     its table files and write-ahead log still hold the old bytes, and were not searched"
        yield f"             to finish, its administrator runs: {done.finish_on_server}"
        yield "             old write-ahead log, replicas and backups of the server hold them until they are gone"
    if done.names:
        told = f"{', '.join(done.names)}: said beside other things, in code or in other sessions"
        yield f"  names      still stand here, `nous admin purge --match NAME` erases them: {told}"
    yield from _elsewhere(done.elsewhere)
    yield "copies you keep elsewhere are not touched"
