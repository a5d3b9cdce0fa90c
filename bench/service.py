"""The service API under load: how long reads take with one who asks and with many, what stays in memory, and whether
hooks notice.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.machine import promises
from bench.panel import _environment, _fill, _nous, _spread

MEMORIES, READERS, SECONDS, FULL_SECONDS = 10_000, 200, 20.0, 300.0
ALONE, HOOKS = 40, 12
ROOT = Path(__file__).parent.parent
READS = (
    "/v1/memories?limit=50",
    "/v1/memories?sort=weakest&limit=50",
    "/v1/memories?words=cache&limit=50",
    "/v1/memories?type=decision,gotcha&limit=50",
    "/v1/memories?as_of=30d&limit=50",
    "/v1/memories/77",
    "/v1/memories/77/history",
    "/v1/memories/77/neighbours",
    "/v1/log?limit=50",
    "/v1/sessions?limit=50",
    "/v1/projects",
    "/v1/timeline",
    "/v1/status",
    "/v1/search?q=worker+cache+timeout",
)


def run(full: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Each read alone, all of them with many readers at once, and a hook's start before and meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        environ = _environment(Path(folder))
        say(f"learning {MEMORIES} memories")
        _fill(environ, MEMORIES)
        _nous(environ, "up")
        try:
            return _measured(environ, FULL_SECONDS if full else SECONDS, READERS, say)
        finally:
            _nous(environ, "down")


def _measured(
    environ: dict[str, str], seconds: float, readers: int, say: Callable[[str], None], rounds: int = ALONE
) -> dict[str, Any]:
    data = Path(environ["NOUS_DATA_DIR"])
    said = json.loads((data / "http.json").read_text("utf-8"))
    port, token = int(said["url"].rpartition(":")[2]), (data / "http.token").read_text("utf-8").strip()
    say("each read alone")
    alone = {path: _spread(asyncio.run(_reads(port, token, [path], rounds))[0]) for path in READS}
    hooks = min(HOOKS, rounds)
    before = _hooks(environ, hooks)
    asyncio.run(_load(port, token, readers, 3.0))  # what is opened for the first time
    begun = _resident(said["pid"])
    say(f"{readers} readers for {seconds:.0f} s, and hooks meanwhile")
    found = asyncio.run(_busy(environ, port, token, readers, seconds, hooks))
    every = [value for row in alone.values() for value in [row["p95"]]]
    limits = (
        ("slowest read alone, p95 ms", "at most", 20.0, max(every)),
        ("errors with many readers", "at most", 0.0, float(found["errors"])),
        ("growth of memory, MB", "at most", 20.0, (_resident(said["pid"]) - begun) / 1e6),
    )
    return {
        "memories": MEMORIES,
        "alone": alone,
        "readers": readers,
        "seconds": seconds,
        **found,
        "rss_mb": [round(begun / 1e6, 1), round(_resident(said["pid"]) / 1e6, 1)],
        "hook_alone": before,
        "load": round(os.getloadavg()[0], 1),
        "targets": promises(limits),
    }


async def _busy(
    environ: dict[str, str], port: int, token: str, readers: int, seconds: float, hooks: int
) -> dict[str, Any]:
    loading = asyncio.create_task(_load(port, token, readers, seconds))
    await asyncio.sleep(min(1.0, seconds / 4))
    beside = await asyncio.to_thread(_hooks, environ, hooks)
    times, errors = await loading
    rate = len(times) / seconds
    return {"requests": len(times), "errors": errors, "per_second": round(rate, 1)} | {
        "many": _spread(times),
        "hook_beside": beside,
    }


async def _load(port: int, token: str, readers: int, seconds: float) -> tuple[list[float], int]:
    """Many who read one thing after another, each on a connection of its own."""
    until = time.monotonic() + seconds
    found = await asyncio.gather(*(_reader(port, token, number, until) for number in range(readers)))
    return [took for times, _ in found for took in times], sum(errors for _, errors in found)


async def _reader(port: int, token: str, number: int, until: float) -> tuple[list[float], int]:
    times: list[float] = []
    errors = at = 0
    while time.monotonic() < until:
        paths = [READS[(number + at + step) % len(READS)] for step in range(5)]
        at += 5
        try:
            more, wrong = await _reads(port, token, paths, 1, until)
        except (OSError, EOFError, asyncio.IncompleteReadError):
            errors += 1
            continue
        times += more
        errors += wrong
    return times, errors


async def _reads(
    port: int, token: str, paths: list[str], rounds: int, until: float = float("inf")
) -> tuple[list[float], int]:
    """Milliseconds of each request over one connection, and how many failed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    times, errors = [], 0
    try:
        for path in paths * rounds:
            if time.monotonic() > until:
                break
            begun = time.perf_counter()
            writer.write(
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
            )
            await writer.drain()
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.split(b":")[1]))
            times.append((time.perf_counter() - begun) * 1000)
            errors += b" 200 " not in head[:16]
    finally:
        writer.close()
    return times, errors


def _hooks(environ: dict[str, str], rounds: int) -> dict[str, float]:
    """Milliseconds of a SessionStart hook, as the client runs it."""
    hook = [sys.executable, "-I", "-S", str(ROOT / "plugin" / "hooks" / "hook.py"), "SessionStart"]
    body = json.dumps({"session_id": "bench", "cwd": environ["HOME"], "hook_event_name": "SessionStart"})
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        command = [*hook, str(ROOT / "src"), sys.executable]
        subprocess.run(command, input=body, env=environ, text=True, capture_output=True, check=True)
        times.append((time.perf_counter() - begun) * 1000)
    return _spread(times)


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def table(found: dict[str, Any]) -> list[str]:
    """The figures as lines."""
    lines = [f"{found['memories']} memories, load {found['load']}; each read alone:"]
    lines += [f"  {path:<44} p50 {row['p50']:6.1f}  p95 {row['p95']:6.1f} ms" for path, row in found["alone"].items()]
    many = found["many"]
    lines.append(
        f"{found['readers']} readers, {found['seconds']:.0f} s: {found['requests']} requests, {found['per_second']}/s, "
        f"{found['errors']} errors, p50 {many['p50']:.0f} p95 {many['p95']:.0f} ms"
    )
    lines.append(f"memory {found['rss_mb'][0]} -> {found['rss_mb'][1]} MB")
    for name in ("hook_alone", "hook_beside"):
        lines.append(f"{name.replace('_', ' '):<12} p50 {found[name]['p50']:.0f} p95 {found[name]['p95']:.0f} ms")
    return lines


if __name__ == "__main__":
    print("\n".join(table(run("--full" in sys.argv, print))))
