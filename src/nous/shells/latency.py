"""How long hooks take on this machine: whole processes, started as the client starts them, beside a bare interpreter.

Every round runs each case once, so that a busy moment hits all alike; read the ratios.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from nous import __version__
from nous.app import system_clock
from nous.config import Settings, load_settings
from nous.core.events import Event, Extracted, Writer, make_event
from nous.identity import identify
from nous.shells import daemon, plugin
from nous.work import Pipeline

TIMEOUT_SECONDS = 5.0
HOOKS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd")
BARE = "bare interpreter"


class Timing(msgspec.Struct, frozen=True):
    """Times of one case in milliseconds, and how often it failed or had nothing to say."""

    case: str
    memories: int
    daemon: bool
    runs: int
    p50: float
    p95: float
    p99: float
    failed: int
    silent: int


class LatencyReport(msgspec.Struct, frozen=True):
    """What was measured, with what, where."""

    version: str
    created_at: str
    machine: dict[str, Any]
    settings: dict[str, Any]
    timings: tuple[Timing, ...]


def measure(
    runs: int,
    sizes: tuple[int, ...],
    progress: Callable[[str], None] = lambda _: None,
    daemons: tuple[bool, ...] = (True, False),
    hooks: tuple[str, ...] = HOOKS,
) -> LatencyReport:
    """Time hooks with and without a daemon, for stores of several sizes."""
    timings: list[Timing] = []
    snapshot: dict[str, Any] = {}
    for size in sizes:
        with workplace(size) as (settings, environ, project):
            snapshot = msgspec.to_builtins(settings)
            for with_daemon in daemons:
                progress(f"{size} memories, {'with' if with_daemon else 'without'} daemon")
                timings += _profile(settings, environ, project, size, with_daemon, runs, hooks)
    for private in ("data_dir", "db_path", "socket_path", "claude_config_dir", "project_glob"):
        snapshot.pop(private, None)
    return LatencyReport(__version__, system_clock(), machine(), snapshot, tuple(timings))


def _profile(
    settings: Settings,
    environ: dict[str, str],
    project: Path,
    size: int,
    with_daemon: bool,
    runs: int,
    hooks: tuple[str, ...],
) -> list[Timing]:
    if with_daemon:
        daemon.start(settings, environ)
    try:
        times = _rounds(environ, project, runs, hooks)
    finally:
        daemon.stop(settings)
    return [_timing(case, size, with_daemon, results) for case, results in times.items()]


def _rounds(
    environ: Mapping[str, str], project: Path, runs: int, hooks: tuple[str, ...]
) -> dict[str, list[tuple[float, bool, bool]]]:
    """Milliseconds, failed, silent: for each case and round."""
    python = plugin.interpreter()
    hook = [python, "-I", "-S", str(plugin.source_dir() / "hooks" / "hook.py")]
    # In the place of a daemon something that ends at once: what is timed is the start of it, not its work.
    package = [str(Path(__file__).resolve().parents[2]), shutil.which("true") or ""]
    results: dict[str, list[tuple[float, bool, bool]]] = {case: [] for case in (BARE, *hooks)}
    for number in range(runs):
        results[BARE].append(_time([python, "-I", "-S", "-c", "pass"], "", environ))
        for name in hooks:
            body = json.dumps(_payload(name, project, f"session-{number}"))
            results[name].append(_time([*hook, name, *package], body, environ))
    return results


def _time(command: list[str], body: str, environ: Mapping[str, str]) -> tuple[float, bool, bool]:
    began = time.perf_counter()
    try:
        done = subprocess.run(
            command, input=body.encode(), capture_output=True, env=dict(environ), timeout=TIMEOUT_SECONDS, check=False
        )
        failed, silent = done.returncode != 0, not done.stdout
    except subprocess.TimeoutExpired:
        failed, silent = True, True
    return (time.perf_counter() - began) * 1000, failed, silent


def _payload(name: str, project: Path, session: str) -> dict[str, Any]:
    """What the client sends."""
    special: dict[str, dict[str, Any]] = {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"prompt": "why does the billing retry test time out on the staging database?"},
        "PostToolUse": {"tool_name": "Read", "tool_input": {"file_path": str(project / "src" / "module7.py")}},
    }
    return {"session_id": session, "cwd": str(project), "hook_event_name": name} | special.get(name, {})


def _timing(case: str, size: int, with_daemon: bool, results: list[tuple[float, bool, bool]]) -> Timing:
    times = sorted(took for took, _, _ in results)
    return Timing(
        case=case,
        memories=size,
        daemon=with_daemon,
        runs=len(times),
        p50=at(times, 0.5),
        p95=at(times, 0.95),
        p99=at(times, 0.99),
        failed=sum(failed for _, failed, _ in results),
        silent=sum(silent for _, _, silent in results),
    )


def at(times: list[float], share: float) -> float:
    return round(times[min(len(times) - 1, int(share * len(times)))], 2)


@contextmanager
def workplace(size: int) -> Iterator[tuple[Settings, dict[str, str], Path]]:
    """A throw-away home with a project and so many memories."""
    with tempfile.TemporaryDirectory(prefix="nous-bench-", ignore_cleanup_errors=True) as folder:
        project = Path(folder, "code")
        (project / ".git").mkdir(parents=True)
        (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        environ = {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH", "SYSTEMROOT")}
        environ |= {"HOME": folder, "CLAUDE_CONFIG_DIR": f"{folder}/.claude", "NOUS_DATA_DIR": f"{folder}/data"}
        environ |= {"NOUS_ENABLE_USERPROMPTSUBMIT": "1", "TMPDIR": folder}
        settings = load_settings(environ)
        fill(settings, project, size)
        yield settings, environ, project


def fill(settings: Settings, project: Path, size: int) -> None:
    """Write so many made-up developer facts and prepare packets."""
    work = Pipeline.open(settings, system_clock)
    stores, where, now = work.stores, identify(str(project)), system_clock()
    for begin in range(0, size, 5000):
        stores.events.append([_fact(number, where.id, now) for number in range(begin, min(size, begin + 5000))], now)
    work.catch_up()
    stores.cache.see_project(where.id, where.root, where.branch, now)
    work.warm()
    work.close()


_PARTS = ("billing", "auth", "search", "export", "mailer", "cache", "upload", "report", "session", "webhook")
_SAYS = (
    "The {part} service number {n} listens on port {port} and needs the staging database.",
    "Tests of {part} {n} run with `make test-{n}`, never with plain pytest.",
    "Retries of {part} {n} belong in src/module{m}.py because the client stays free of policy.",
    "A timeout in {part} {n} means that the queue worker {m} is not running.",
)


def made_up(number: int) -> str:
    """A developer's fact, each number another."""
    part = _PARTS[number % len(_PARTS)]
    return _SAYS[number % len(_SAYS)].format(part=part, n=number, m=number % 97, port=3000 + number % 6000)


def _fact(number: int, project_id: str, now: str) -> Event:
    part = _PARTS[number % len(_PARTS)]
    payload = Extracted(
        content=made_up(number),
        extractor_version="bench",
        type="gotcha" if number % 4 == 3 else "fact",
        concepts=(part, "bench"),
        edges=(),
        files=(f"src/module{number % 97}.py",),
    )
    name, by = f"bench-{number}", Writer("bench", "user_review")
    return make_event("LearningExtracted", name, payload, name, project_id=project_id, by=by, at=now)


def machine() -> dict[str, Any]:
    """The hardware and software that figures belong to."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "python": platform.python_version(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            named = (line.partition(":")[2].strip() for line in file if line.startswith("model name"))
            return next(named, platform.processor())
    except OSError:
        return platform.processor()
