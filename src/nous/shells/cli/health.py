"""Commands about health: status and doctor."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from nous import __version__, moments
from nous.app import Nous, system_clock
from nous.config import Settings, load_settings, mask_password
from nous.errors import NousError
from nous.features.status import operations as api
from nous.features.status.settings_file import list_settings, unknown
from nous.kernel.asking import Look
from nous.kernel.memory.decay import DAY
from nous.shells.cli.common import CommandScope, common, emit, many, open_memory, size_text
from nous.shells.daemon import control as daemon
from nous.shells.daemon import faults
from nous.shells.web import serving
from nous.shells.web.keys import token_path


@click.command()
@click.option("--as-of", metavar="TIME", help="Count what Nous knew then.")
@click.option("--as-at", metavar="TIME", help="Count what was true then.")
@common
def status(scope: CommandScope, as_of: str | None, as_at: str | None) -> None:
    """Show what Nous knows here and whether everything runs."""
    with open_memory() as nous:
        data = _status(nous, scope, as_of, as_at)
    emit(scope, data, lambda: _status_lines(data))


def _status(nous: Nous, scope: CommandScope, as_of: str | None, as_at: str | None) -> dict[str, Any]:
    where = None if scope.all_projects else nous.project(scope.project).id
    found = api.status(nous, Look(project=where, as_of=as_of, as_at=as_at))
    failed = [msgspec.to_builtins(fault) for fault in faults.recent(nous.settings.data_dir, nous.clock())]
    return found | {"daemon": _daemon(nous.settings), "faults": failed, "http_port": nous.settings.http_port}


def _daemon(settings: Settings) -> dict[str, Any]:
    said = daemon.health(settings.socket_path)
    if said is None and (pid := daemon.holder(settings.data_dir)):
        return {"running": True, "answers": False, "pid": pid, "stopped": daemon.is_stopped(pid)}
    return {"running": said is not None} | (said or {})


def _status_lines(data: dict[str, Any]) -> Iterator[str]:
    where = data["project_id"] or "all projects"
    yield f"Nous {data['version']} in {where}"
    kinds = ", ".join(f"{number} {name}" for name, number in data["by_type"].items())
    yield f"  memories   {data['memories']} active" + (f" ({kinds})" if kinds else "")
    every = data["all_projects"]
    projects = many(every["projects"], "project", "projects")
    yield f"  in all     {every['memories']} active in {projects}, {data['events']} events in the log"
    waiting = {state: number for state, number in data["queue"].items() if state != "completed"}
    yield "  queue      " + (", ".join(f"{number} {state}" for state, number in waiting.items()) or "empty")
    if data["quarantined"]:
        yield f"  skipped    {data['quarantined']} unreadable lines (`nous admin queue --quarantine`)"
    if any(data["arrivals"][kind] for kind in ("waiting", "later", "refused")):
        yield f"  devices    {_arrivals_line(data['arrivals'])}"
    running = data["daemon"]
    yield "  daemon     " + (_running_line(running) if running["running"] else "not running (`nous up`)")
    if running.get("http"):
        yield f"  panel      {running['http']}{_other_port(running['http'], data['http_port'])}: `nous panel` opens it"
    for fault in data["faults"]:
        yield f"  fault      {msgspec.convert(fault, faults.Fault).line()}"
    yield f"  database   {data['database']['path']} ({size_text(data['database']['bytes'])})"
    kept = data["transcripts"]
    yield f"  kept       {kept['sessions']} sessions, redacted and compressed ({size_text(kept['bytes'])})"
    yield f"  exchanges  {_exchanges_line(data['exchanges'])}"
    yield from _reading_lines(data["reading"], data["project_id"])
    if data["upgrade"]:
        yield f"  upgrade    {_upgrade_line(data['upgrade'])}"


def _upgrade_line(found: dict[str, Any]) -> str:
    """What the rules of this version did to what older ones had kept, and how to take it back."""
    so_far = "" if found["done"] else f", {found['sessions']} sessions looked at so far"
    back = f"; `nous undo {' '.join(map(str, found['events']))} --yes` takes it back" if found["events"] else ""
    return (
        f"{found['version']} retired {found['retired']} memories that older rules had kept and it would not, "
        f"and reworded {found['reworded']}{so_far}{back}"
    )


def _reading_lines(reading: dict[str, Any], project_id: str | None) -> Iterator[str]:
    """Which model reads, where the words of this project go (of each, when all are meant), what was read and waits."""
    chosen = reading["provider"] + (f" ({reading['model']})" if reading["model"] else "")
    none = "none: nothing is sent anywhere (`nous init --model claude` lets one read your sessions)"
    yield f"  model      {none if reading['provider'] == 'none' else f'{chosen} reads sessions as they end'}"
    if reading["provider"] == "none":
        return
    mine = [row for row in reading["projects"] if project_id in (None, row["project_id"])]
    unread = {"project_id": project_id, "goes": reading["goes"], "sessions": 0, "read": 0, "waiting": 0}
    for row in mine or [unread]:
        where = f"sent to    {row['goes'].removeprefix('to ')}" if project_id else f"{row['project_id']}: {row['goes']}"
        read = f"{row['read']} of {row['sessions']} sessions read, {row['waiting']} waiting"
        yield f"  {where}; {read}"
    if history := reading["history"]:
        stopped = f" ({history['stopped']})" if history["stopped"] else ""
        yield (
            f"  history    {history['read']} of {history['sessions']} earlier sessions read, "
            f"${history['spent']:.2f} of ${history['usd']:.2f} spent{stopped}"
        )


def _arrivals_line(arrivals: dict[str, Any]) -> str:
    """What other devices sent that does not count, in one line."""
    counts = {"waiting": "waiting", "later": "kept for later", "refused": "refused"}
    said = ", ".join(f"{arrivals[kind]} {name}" for kind, name in counts.items() if arrivals[kind])
    reasons = [f"{row['reason']} ({row['author'] or 'device ' + row['device'][:8]})" for row in arrivals["reasons"]]
    return "; ".join([f"events of other devices: {said}", *reasons[:3]])


def _exchanges_line(exchanges: dict[str, Any]) -> str:
    if not exchanges["kept"]:
        left = f"; {exchanges['indexed']} of earlier sessions can be found" if exchanges["indexed"] else ""
        return f"not kept, since `keep_transcripts` is off: recall finds memories only{left}"
    waiting = f", {exchanges['waiting']} transcripts wait to be read" if exchanges["waiting"] else ""
    return f"{exchanges['indexed']} can be found by `nous recall`{waiting}"


def _running_line(daemon: dict[str, Any]) -> str:
    if not daemon.get("answers", True):
        pid, how = daemon["pid"], "is stopped" if daemon["stopped"] else "does not answer"
        return f"process {pid} {how} ({_waking(pid, daemon['stopped'])})"
    return f"running (process {daemon['pid']}, {daemon.get('rss_bytes', 0) / 1e6:.0f} MB)"


def _waking(pid: int, is_stopped: bool) -> str:
    """What helps with a daemon that says nothing."""
    return f"`kill -CONT {pid}` lets it go on" if is_stopped else RESTART


RESTART = "`nous admin restart`"


class HealthCheck(NamedTuple):
    """One thing that was looked at."""

    check: str
    ok: bool
    found: str
    advice: str = ""


@click.command()
@common
def doctor(scope: CommandScope) -> None:
    """Check for problems, and say how to fix them."""
    settings = load_settings(os.environ)
    findings = [_guard(name, check, settings) for name, check in CHECKS.items()]
    data = {"ok": all(finding.ok for finding in findings), "checks": [finding._asdict() for finding in findings]}
    emit(scope, data, lambda: _findings(findings))
    if not data["ok"]:
        raise click.exceptions.Exit(1)


def _guard(name: str, check: Callable[[Settings], HealthCheck], settings: Settings) -> HealthCheck:
    try:
        return check(settings)
    except Exception as problem:  # whatever is wrong, the other checks are made
        said = str(problem) if isinstance(problem, NousError | OSError) else f"{type(problem).__name__}: {problem}"
        return HealthCheck(name, False, said, getattr(problem, "hint", None) or "")


def _findings(findings: list[HealthCheck]) -> Iterator[str]:
    for finding in findings:
        yield f"{'ok  ' if finding.ok else 'FAIL'} {finding.check:<12} {finding.found}"
        if finding.advice:
            yield f"     {'':<12} {finding.advice}"


def _python(settings: Settings) -> HealthCheck:
    import apsw

    return HealthCheck("python", True, f"{platform.python_version()}, SQLite {apsw.sqlite_lib_version()}")


def _data(settings: Settings) -> HealthCheck:
    os.makedirs(settings.data_dir, mode=0o700, exist_ok=True)
    if not os.access(settings.data_dir, os.W_OK):
        return HealthCheck(
            "data", False, f"{settings.data_dir} is not writable", "set NOUS_DATA_DIR to a directory of yours"
        )
    return HealthCheck("data", True, settings.data_dir)


def _database(settings: Settings) -> HealthCheck:
    with Nous.open(settings=settings) as nous:
        said, stores = nous.stores.db.health(), nous.stores
        events, behind = stores.events.count(), stores.events.last_id() - stores.memories.checkpoint("memories")
    if said != "ok":
        return HealthCheck("database", False, f"{mask_password(settings.db_path)}: {said}", "restore a backup")
    return HealthCheck("database", behind == 0, f"healthy, {events} events, {behind} not projected yet")


def _archives(settings: Settings) -> HealthCheck:
    """Whether every archive is where the log says: without one, what its events say is gone."""
    with Nous.open(settings=settings) as nous:
        cold = nous.stores.events.cold
        found = [(cold.path(one), one) for one in cold.segments() if not one.restored_at]
    missing = [path for path, _ in found if not os.path.isfile(path)]
    cut = [path for path, one in found if path not in missing and os.path.getsize(path) != one.compressed_bytes]
    if missing or cut:
        said = "; ".join([*(f"{path} is missing" for path in missing), *(f"{path} has another size" for path in cut)])
        return HealthCheck("archives", False, said, "put it back from your backups; `nous admin verify` then checks it")
    number = "1 archive" if len(found) == 1 else f"{len(found)} archives"
    return HealthCheck("archives", True, f"{number}, all there" if found else "none: every event is in the database")


def _transcripts(settings: Settings) -> HealthCheck:
    from nous.kernel.capture.intake import find_transcripts

    number = len(find_transcripts(settings.project_glob))
    advice = "" if number else "is CLAUDE_CONFIG_DIR right? Claude Code writes them there"
    return HealthCheck("transcripts", True, f"{number} under {settings.project_glob}", advice)


def _client(settings: Settings) -> HealthCheck:
    """Whether there is a Claude Code to learn from."""
    from nous.shells.setup import find_client

    found = find_client(os.environ)
    if found is None:
        return HealthCheck("claude", True, "Claude Code was not found", "install it, or put `claude` on your PATH")
    return HealthCheck("claude", True, f"Claude Code {found.version} at {found.path}".replace("  ", " "))


def _plugin(settings: Settings) -> HealthCheck:
    """Whether Claude Code asks Nous when a session begins."""
    from nous.shells.plugin import registration

    found = registration.status(os.environ)
    said = "; ".join([f"{found.state}: {found.plugin_dir}", *found.reasons])
    if found.state == "installed":
        return HealthCheck("plugin", True, said)
    if found.state == "not installed":
        return HealthCheck("plugin", True, "not installed: sessions see nothing", "`nous init` installs it")
    return HealthCheck("plugin", False, said, "`nous admin plugin install` writes it anew")


def _queue(settings: Settings) -> HealthCheck:
    with Nous.open(settings=settings) as nous:
        counts, aside = nous.stores.queue.counts(), nous.stores.records.quarantine_count()
    dead = counts.get("dead_letter", 0)
    advice = "`nous admin queue` shows why" if dead else ""
    states = ", ".join(f"{number} {state.replace('_', ' ')}" for state, number in counts.items()) or "empty"
    return HealthCheck("queue", dead == 0, f"{states}, {aside} unreadable lines", advice)


def _running(settings: Settings) -> HealthCheck:
    said = daemon.health(settings.socket_path)
    if said is None and (pid := daemon.holder(settings.data_dir)):
        stopped = daemon.is_stopped(pid)
        found = f"process {pid} {'is stopped' if stopped else 'does not answer'}"
        return HealthCheck("daemon", False, found, _waking(pid, stopped))
    if said and not said["engine"]:
        return HealthCheck("daemon", False, f"process {said['pid']} runs, but it learns nothing", RESTART)
    if said and said["version"] != __version__:
        return HealthCheck("daemon", False, f"runs version {said['version']}, this is {__version__}", RESTART)
    advice = "" if said else "`nous up` starts it; hooks start it too"
    return HealthCheck("daemon", True, f"running (process {said['pid']})" if said else "not running", advice)


def _faults(settings: Settings) -> HealthCheck:
    """What failed in the daemon: a problem for a day, a remark for some days more."""
    now = system_clock()
    found = faults.recent(settings.data_dir, now)
    if not found:
        return HealthCheck("faults", True, "none in the last 7 days")
    fresh = [fault for fault in found if moments.days_between(fault.last_at, now) < 1]
    said = "; ".join(fault.line() for fault in fresh or found)
    return HealthCheck("faults", not fresh, said, "`nous admin logs` shows where; it tries again after a pause")


def _hooks(settings: Settings) -> HealthCheck:
    """What hooks could not do lately: a session that was told nothing does not know that there was something."""
    path, now = os.path.join(settings.data_dir, "hook.log"), system_clock()
    week, day = (moments.later(now, -days * DAY) for days in (7, 1))
    said = Path(path).read_text("utf-8", "replace").splitlines() if os.path.isfile(path) else []
    recent = [line for line in said if line >= week]
    if not recent:
        return HealthCheck("hooks", True, "no errors in the last 7 days")
    late = sum("ran out of time" in line for line in recent)
    told = f"{len(recent)} errors in the last 7 days, {late} of them out of time; the last: {recent[-1]}"
    return HealthCheck("hooks", recent[-1] < day, told, "`nous admin logs` shows them; on a busy machine time runs out")


def _arrivals(settings: Settings) -> HealthCheck:
    """What other devices sent that does not count: refused today it is a problem, later a remark."""
    with Nous.open(settings=settings) as nous:
        found, day = api.arrivals(nous), moments.later(nous.clock(), -DAY)
    if not (found["waiting"] or found["later"] or found["refused"]):
        return HealthCheck("devices", True, "nothing waits, nothing was refused")
    fresh = any(row["kind"] == "refused" and row["last_at"] > day for row in found["reasons"])
    advice = "update Nous, or share the project (`team_projects`), and they count" if found["later"] else ""
    if fresh:
        advice = "everything else was taken in; if you do not know why, ask whoever sent it"
    if found["full"]:
        advice = "there is no room for more; what else comes stays with whoever sends it, and is taken in later"
    return HealthCheck("devices", not fresh and not found["full"], _arrivals_line(found), advice)


def _config(settings: Settings) -> HealthCheck:
    strange = unknown(os.environ)
    if strange:
        return HealthCheck(
            "config", False, f"the file names {', '.join(strange)}", "`nous config list` names the settings"
        )
    changed = [row["name"] for row in list_settings(os.environ) if row["from"] != "default"]
    return HealthCheck("config", True, ", ".join(changed) + " set" if changed else "all defaults")


def _http(settings: Settings) -> HealthCheck:
    """Whether the panel and the API answer, and whether the token is the user's alone."""
    path = token_path(settings.data_dir)
    if os.path.exists(path) and os.stat(path).st_mode & 0o077:
        return HealthCheck(
            "http", False, f"others can read {path}", f"`chmod 600 {path}`, then `nous serve --new-token`"
        )
    if not settings.serve_http:
        return HealthCheck("http", True, "switched off (`serve_http`)")
    said = serving.find_published(settings.data_dir)
    if said is None:
        running = daemon.holder(settings.data_dir) is not None
        advice = "`nous admin restart`; `nous admin logs` says what happened"
        return HealthCheck("http", not running, "nothing answers", advice if running else "`nous panel` starts it")
    serving.ask(settings, "GET", "/v1/auth/whoami")
    return HealthCheck("http", True, f"answers at {said['url']}{_other_port(said['url'], settings.http_port)}")


def _other_port(url: str, wanted: int) -> str:
    """A remark when the server is not where the settings put it; empty when it is."""
    taken = wanted and not url.endswith(f":{wanted}")
    return f" (port {wanted} belongs to another program)" if taken else ""


CHECKS: dict[str, Callable[[Settings], HealthCheck]] = {
    "python": _python,
    "config": _config,
    "data": _data,
    "database": _database,
    "archives": _archives,
    "claude": _client,
    "plugin": _plugin,
    "transcripts": _transcripts,
    "queue": _queue,
    "devices": _arrivals,
    "daemon": _running,
    "faults": _faults,
    "hooks": _hooks,
    "http": _http,
}
