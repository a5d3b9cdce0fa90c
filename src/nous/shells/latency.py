"""How long hooks take on this machine: whole processes, started as the client starts them, beside a bare interpreter.

Every round runs each case once, so that a busy moment hits all alike; read the ratios.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from nous.app import system_clock
from nous.app.pipeline import Pipeline
from nous.config import Settings, load_settings
from nous.identity import identify
from nous.kernel.log.events import Event, Extracted, Writer, make_event
from nous.shells.daemon import control
from nous.shells.plugin import registration

TIMEOUT_SECONDS = 5.0
HOOKS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd")
BARE = "bare interpreter"


class Timing(NamedTuple):
    """The usual and the slow time of one case in milliseconds, and how often it failed."""

    p50: float
    p95: float
    failed: int


def measure(runs: int, memories: int, hooks: Sequence[str] = HOOKS, *, with_daemon: bool = True) -> dict[str, Timing]:
    """Time hooks beside a bare interpreter, in a throw-away home with so many memories."""
    with _workplace(memories) as (settings, environ, project):
        if with_daemon:
            control.start(settings, environ)
        try:
            times = _rounds(environ, project, runs, hooks)
        finally:
            control.stop(settings)
    return {case: _timing(found) for case, found in times.items()}


def _timing(found: list[tuple[float, bool]]) -> Timing:
    times = sorted(took for took, _ in found)
    p50, p95 = (round(times[min(len(times) - 1, int(share * len(times)))], 2) for share in (0.5, 0.95))
    return Timing(p50, p95, sum(failed for _, failed in found))


def _rounds(
    environ: Mapping[str, str], project: Path, runs: int, hooks: Sequence[str]
) -> dict[str, list[tuple[float, bool]]]:
    """Milliseconds, and whether it failed: for each case and round."""
    python = registration.interpreter()
    hook = [python, "-I", "-S", str(registration.source_dir() / "hooks" / "hook.py")]
    # In the place of a daemon something that ends at once: what is timed is the start of it, not its work.
    package = [str(Path(__file__).resolve().parents[2]), shutil.which("true") or ""]
    results: dict[str, list[tuple[float, bool]]] = {case: [] for case in (BARE, *hooks)}
    for number in range(runs):
        results[BARE].append(_time([python, "-I", "-S", "-c", "pass"], "", environ))
        for name in hooks:
            body = json.dumps(_payload(name, project, f"session-{number}"))
            results[name].append(_time([*hook, name, *package], body, environ))
    return results


def _time(command: list[str], body: str, environ: Mapping[str, str]) -> tuple[float, bool]:
    began = time.perf_counter()
    try:
        done = subprocess.run(
            command, input=body.encode(), capture_output=True, env=dict(environ), timeout=TIMEOUT_SECONDS, check=False
        )
        failed = done.returncode != 0
    except subprocess.TimeoutExpired:
        failed = True
    return (time.perf_counter() - began) * 1000, failed


def _payload(name: str, project: Path, session: str) -> dict[str, Any]:
    """What the client sends."""
    special: dict[str, dict[str, Any]] = {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"prompt": "why does the billing retry test time out on the staging database?"},
        "PostToolUse": {"tool_name": "Read", "tool_input": {"file_path": str(project / "src" / "module7.py")}},
    }
    return {"session_id": session, "cwd": str(project), "hook_event_name": name} | special.get(name, {})


@contextmanager
def _workplace(size: int) -> Iterator[tuple[Settings, dict[str, str], Path]]:
    """A throw-away home with a project and so many memories."""
    with tempfile.TemporaryDirectory(prefix="nous-bench-", ignore_cleanup_errors=True) as folder:
        project = Path(folder, "code")
        (project / ".git").mkdir(parents=True)
        (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        environ = {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH", "SYSTEMROOT")}
        environ |= {"HOME": folder, "CLAUDE_CONFIG_DIR": f"{folder}/.claude", "NOUS_DATA_DIR": f"{folder}/data"}
        environ |= {"NOUS_ENABLE_USERPROMPTSUBMIT": "1", "TMPDIR": folder}
        settings = load_settings(environ)
        _fill(settings, project, size)
        yield settings, environ, project


def _fill(settings: Settings, project: Path, size: int) -> None:
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


def _made_up(number: int) -> str:
    """A developer's fact, each number another."""
    part = _PARTS[number % len(_PARTS)]
    return _SAYS[number % len(_SAYS)].format(part=part, n=number, m=number % 97, port=3000 + number % 6000)


def _fact(number: int, project_id: str, now: str) -> Event:
    part = _PARTS[number % len(_PARTS)]
    payload = Extracted(
        content=_made_up(number),
        extractor_version="bench",
        type="gotcha" if number % 4 == 3 else "fact",
        concepts=(part, "bench"),
        edges=(),
        files=(f"src/module{number % 97}.py",),
    )
    name, by = f"bench-{number}", Writer("bench", "user_review")
    return make_event("LearningExtracted", name, payload, name, project_id=project_id, by=by, at=now)
