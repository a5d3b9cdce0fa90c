"""Commands about health: status and doctor."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import click
import msgspec

from nous import __version__
from nous.app import Nous, system_clock
from nous.config import Settings, load_settings
from nous.core import moments
from nous.errors import NousError
from nous.shells import daemon, faults
from nous.shells.cli.common import Scope, common, emit, opened
from nous.work import find_transcripts


@click.command()
@click.option("--as-of", metavar="TIME", help="Count what was known then.")
@click.option("--as-at", metavar="TIME", help="Count what was true then.")
@common
def status(scope: Scope, as_of: str | None, as_at: str | None) -> None:
    """Say what is remembered here and whether everything runs."""
    with opened() as nous:
        data = _status(nous, None if scope.all_projects else nous.project(scope.project).id, as_of, as_at)
    emit(scope, data, lambda: _status_lines(data))


def _status(nous: Nous, project_id: str | None, as_of: str | None, as_at: str | None) -> dict[str, Any]:
    then = nous.stores.events.as_of(moments.parse(as_of, nous.clock())) if as_of else None
    counts = nous.stores.memories.counts(as_of=then, as_at=as_at and moments.parse(as_at, nous.clock()))
    held = ("active", "superseded") if as_at else ("active",)  # what is superseded now may have been true then
    mine = [row for row in counts if project_id in (None, row["project_id"])]
    active: Counter[str] = Counter()
    for row in mine:
        if row["status"] in held:
            active[row["type"]] += row["memories"]
    return {
        "version": __version__,
        "project_id": project_id,
        "memories": active.total(),
        "by_type": dict(active.most_common()),
        "by_status": dict(_summed(mine, "status")),
        "all_projects": {"memories": sum(row["memories"] for row in counts if row["status"] in held)}
        | {"projects": len(nous.stores.cache.projects())},
        "events": nous.stores.events.count() if then is None else then,
        "queue": nous.stores.queue.counts(),
        "quarantined": nous.stores.queue.quarantine_count(),
        "daemon": _daemon(nous.settings),
        "faults": [msgspec.to_builtins(fault) for fault in faults.recent(nous.settings.data_dir, nous.clock())],
        "database": {"path": nous.settings.db_path, "bytes": _size(nous.settings.db_path)},
        "transcripts": nous.stores.transcripts.size(),
    }


def _summed(rows: list[dict[str, Any]], column: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for row in rows:
        total[row[column]] += row["memories"]
    return total


def _daemon(settings: Settings) -> dict[str, Any]:
    said = daemon.health(settings.socket_path)
    if said is None and (pid := daemon.holder(settings.data_dir)):
        return {"running": True, "answers": False, "pid": pid, "stopped": daemon.is_stopped(pid)}
    return {"running": said is not None} | (said or {})


def _size(path: str) -> int:
    return sum(os.path.getsize(path + end) for end in ("", "-wal", "-shm") if os.path.exists(path + end))


def _status_lines(data: dict[str, Any]) -> Iterator[str]:
    where = data["project_id"] or "all projects"
    yield f"Nous {data['version']} in {where}"
    kinds = ", ".join(f"{number} {name}" for name, number in data["by_type"].items())
    yield f"  memories   {data['memories']} active" + (f" ({kinds})" if kinds else "")
    every = data["all_projects"]
    yield f"  elsewhere  {every['memories']} active in {every['projects']} projects, {data['events']} events in the log"
    waiting = {state: number for state, number in data["queue"].items() if state != "completed"}
    yield "  queue      " + (", ".join(f"{number} {state}" for state, number in waiting.items()) or "empty")
    if data["quarantined"]:
        yield f"  set aside  {data['quarantined']} unreadable lines (`nous queue --quarantine`)"
    running = data["daemon"]
    yield "  daemon     " + (_running_line(running) if running["running"] else "not running (`nous up`)")
    for fault in data["faults"]:
        yield f"  fault      {msgspec.convert(fault, faults.Fault).line()}"
    yield f"  database   {data['database']['path']} ({data['database']['bytes'] / 1e6:.1f} MB)"
    kept = data["transcripts"]
    yield f"  kept       {kept['sessions']} sessions, redacted and compressed ({kept['bytes'] / 1e6:.1f} MB)"


def _running_line(daemon: dict[str, Any]) -> str:
    if not daemon.get("answers", True):
        pid, how = daemon["pid"], "is stopped" if daemon["stopped"] else "does not answer"
        return f"process {pid} {how} ({_waking(pid, daemon['stopped'])})"
    return f"running (process {daemon['pid']}, {daemon.get('rss_bytes', 0) / 1e6:.0f} MB)"


def _waking(pid: int, is_stopped: bool) -> str:
    """What helps with a daemon that says nothing."""
    return f"`kill -CONT {pid}` lets it go on" if is_stopped else "`nous restart`"


class Finding(NamedTuple):
    """One thing that was looked at."""

    check: str
    ok: bool
    found: str
    advice: str = ""


@click.command()
@common
def doctor(scope: Scope) -> None:
    """Look for anything that keeps Nous from working, and say what to do."""
    settings = load_settings(os.environ)
    findings = [_guarded(name, check, settings) for name, check in CHECKS.items()]
    data = {"ok": all(finding.ok for finding in findings), "checks": [finding._asdict() for finding in findings]}
    emit(scope, data, lambda: _findings(findings))
    if not data["ok"]:
        raise click.exceptions.Exit(1)


def _guarded(name: str, check: Callable[[Settings], Finding], settings: Settings) -> Finding:
    try:
        return check(settings)
    except Exception as problem:  # whatever is wrong, the other checks are made
        said = str(problem) if isinstance(problem, NousError | OSError) else f"{type(problem).__name__}: {problem}"
        return Finding(name, False, said, getattr(problem, "hint", None) or "")


def _findings(findings: list[Finding]) -> Iterator[str]:
    for finding in findings:
        yield f"{'ok  ' if finding.ok else 'FAIL'} {finding.check:<12} {finding.found}"
        if finding.advice:
            yield f"     {'':<12} {finding.advice}"


def _python(settings: Settings) -> Finding:
    import apsw

    return Finding("python", True, f"{platform.python_version()}, SQLite {apsw.sqlite_lib_version()}")


def _data(settings: Settings) -> Finding:
    os.makedirs(settings.data_dir, mode=0o700, exist_ok=True)
    if not os.access(settings.data_dir, os.W_OK):
        return Finding(
            "data", False, f"{settings.data_dir} is not writable", "set NOUS_DATA_DIR to a directory of yours"
        )
    return Finding("data", True, settings.data_dir)


def _database(settings: Settings) -> Finding:
    with Nous.open(settings=settings) as nous:
        said, stores = nous.stores.db.health(), nous.stores
        events, behind = stores.events.count(), stores.events.last_id() - stores.memories.checkpoint("memories")
    if said != "ok":
        return Finding("database", False, f"{settings.db_path}: {said}", "restore a backup")
    return Finding("database", behind == 0, f"healthy, {events} events, {behind} not projected yet")


def _transcripts(settings: Settings) -> Finding:
    number = len(find_transcripts(settings.project_glob))
    advice = "" if number else "is CLAUDE_CONFIG_DIR right? Claude Code writes them there"
    return Finding("transcripts", True, f"{number} under {settings.project_glob}", advice)


def _queue(settings: Settings) -> Finding:
    with Nous.open(settings=settings) as nous:
        counts, aside = nous.stores.queue.counts(), nous.stores.queue.quarantine_count()
    dead = counts.get("dead_letter", 0)
    advice = "`nous queue` shows why" if dead else ""
    return Finding("queue", dead == 0, f"{counts or 'empty'}, {aside} lines set aside", advice)


def _running(settings: Settings) -> Finding:
    said = daemon.health(settings.socket_path)
    if said is None and (pid := daemon.holder(settings.data_dir)):
        stopped = daemon.is_stopped(pid)
        found = f"process {pid} {'is stopped' if stopped else 'does not answer'}"
        return Finding("daemon", False, found, _waking(pid, stopped))
    if said and not said["engine"]:
        return Finding("daemon", False, f"process {said['pid']} runs, but it learns nothing", "`nous restart`")
    if said and said["version"] != __version__:
        return Finding("daemon", False, f"runs version {said['version']}, this is {__version__}", "`nous restart`")
    advice = "" if said else "`nous up` starts it; hooks start it too"
    return Finding("daemon", True, f"running (process {said['pid']})" if said else "not running", advice)


def _faults(settings: Settings) -> Finding:
    """What failed in the daemon: a problem for a day, a remark for some days more."""
    now = system_clock()
    found = faults.recent(settings.data_dir, now)
    if not found:
        return Finding("faults", True, "none in the last 7 days")
    fresh = [fault for fault in found if moments.days_between(fault.last_at, now) < 1]
    said = "; ".join(fault.line() for fault in fresh or found)
    return Finding("faults", not fresh, said, "`nous logs` shows where; it goes on by itself after a pause")


def _hooks(settings: Settings) -> Finding:
    path = os.path.join(settings.data_dir, "hook.log")
    size = os.path.getsize(path) if os.path.exists(path) else 0
    return Finding(
        "hooks", True, "errors were logged" if size else "no errors", "`nous logs` shows them" if size else ""
    )


CHECKS: dict[str, Callable[[Settings], Finding]] = {
    "python": _python,
    "data": _data,
    "database": _database,
    "transcripts": _transcripts,
    "queue": _queue,
    "daemon": _running,
    "faults": _faults,
    "hooks": _hooks,
}
