"""Many scripted sessions against one daemon: every hook a process of its own, two projects at once.

Afterwards nothing but the daemon may be alive, every answer must have left a receipt that the transcript acknowledges,
no project may have been told what belongs to the other, and the daemon must hold as much memory as it did before.

`python -m bench.sessions MINUTES` is a soak: a pair of sessions every few seconds for so long, and what the daemon
holds (memory, descriptors) once a minute.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from bench.capture_cycles import alive
from nous.app import Nous, system_clock
from nous.config import Settings, load_settings
from nous.shells.daemon import control
from nous.shells.plugin import registration

PACKAGE = str(Path(control.__file__).resolve().parents[3])
PATIENCE_SECONDS = 120.0
SAMPLES = 20
SOAK_PAUSE_SECONDS = 5.0
NOISE = 1.10  # allocators keep what they once had; more than a tenth of growth is a leak
PROJECTS = {
    "shop": "Deploys of the shop go out on Tuesdays from the release branch.",
    "blog": "Deploys of the blog are a push to the pages branch on Fridays.",
}


class World(NamedTuple):
    """A throw-away home, its settings, its two projects and the memories of each."""

    root: Path
    environ: dict[str, str]
    settings: Settings
    known: dict[str, set[int]]

    def project(self, name: str) -> Path:
        """Where a project lies."""
        return self.root / "code" / name


class Told(NamedTuple):
    """One answer of a hook: whom it was for, and the memories it named."""

    project: str
    hook: str
    memories: frozenset[int]
    milliseconds: float


def prepare(root: Path) -> World:
    """Two projects with memories of their own, and a file with a warning in each."""
    environ = {"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": PACKAGE, "HOME": str(root)}
    environ |= {"CLAUDE_CONFIG_DIR": str(root / ".claude"), "NOUS_DATA_DIR": str(root / "data"), "TMPDIR": str(root)}
    environ |= {"NOUS_ENABLE_USERPROMPTSUBMIT": "1", "NOUS_NO_AUTOSTART": "1", "NOUS_QUIET_SECONDS": "0.2"}
    environ |= {"NOUS_SESSION_START_TOKENS": "66"}  # room for one line: the others are left for later moments
    settings = load_settings(environ)
    world = World(root, environ, settings, {name: set() for name in PROJECTS})
    with Nous.open(settings=settings) as nous:
        for name, deploy in PROJECTS.items():
            folder = world.project(name)
            (folder / ".git").mkdir(parents=True)
            (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
            (folder / "clock.py").write_text("def now(): ...\n")
            told = [(deploy, "procedure", []), (f"now() of the {name} is naive UTC.", "gotcha", ["clock.py"])]
            told += [(f"Keep the logs of the {name} in /var/log/{name}.", "preference", [])]  # what a start shows first
            for text, kind, files in told:
                world.known[name].add(nous.remember(text, type=kind, files=files, project=str(folder)))
    (root / ".claude" / "projects").mkdir(parents=True)
    return world


def session(world: World, name: str) -> list[Told]:
    """One session as the client plays it: hooks as processes, and a transcript that shows what they said."""
    number = str(uuid.uuid4())
    folder = world.root / ".claude" / "projects" / name
    folder.mkdir(exist_ok=True)
    path = folder / f"{number}.jsonl"
    common = {"session_id": number, "transcript_path": str(path), "cwd": str(world.project(name))}
    read = {"tool_name": "Read", "tool_input": {"file_path": str(world.project(name) / "clock.py")}}
    steps: list[tuple[str, dict[str, Any]]] = [
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": f"When do deploys of the {name} go out, and from which branch?"}),
        ("PostToolUse", read),
        ("Stop", {}),
        ("SessionEnd", {"reason": "other"}),
    ]
    answers = []
    for hook, fields in steps:
        said, took = _send(world, hook, common | {"hook_event_name": hook} | fields)
        answers.append(Told(name, hook, _cited(said), took))
        _write(path, number, common["cwd"], hook, said)
    return answers


def _send(world: World, hook: str, body: dict[str, Any]) -> tuple[str, float]:
    """What a hook injects, and how long its process took."""
    script = str(registration.source_dir() / "hooks" / "hook.py")
    command = [registration.interpreter(), "-I", "-S", script, hook, PACKAGE, sys.executable]
    began = time.perf_counter()
    done = subprocess.run(
        command, input=json.dumps(body).encode(), capture_output=True, env=world.environ, timeout=60, check=True
    )
    took = (time.perf_counter() - began) * 1000
    return (json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""), took


def _cited(text: str) -> frozenset[int]:
    return frozenset(int(number) for number in re.findall(r"\[Memory #(\d+):", text))


def _write(path: Path, number: str, cwd: str, hook: str, said: str) -> None:
    """What the client would write: the injection when there was one, and an ordinary reply."""
    common = {"sessionId": number, "cwd": cwd, "gitBranch": "main", "version": "2.1.325", "timestamp": system_clock()}
    records: list[dict[str, Any]] = []
    if said:
        records.append({"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [said]}})
    records.append(
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Ok."}]}}
    )
    with path.open("a", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(common | {"uuid": str(uuid.uuid4())} | record) + "\n")


def play(world: World, sessions: int) -> tuple[list[Told], list[int]]:
    """All answers, and what the daemon held from time to time. Two sessions at once, one in each project."""
    answers: list[Told] = []
    held: list[int] = []
    every = max(1, sessions // 2 // SAMPLES)
    with ThreadPoolExecutor(len(PROJECTS)) as pool:
        for number in range(sessions // 2):
            for told in pool.map(lambda name: session(world, name), PROJECTS):
                answers += told
            if number % every == every - 1:
                held.append(int((control.health(world.settings.socket_path) or {}).get("rss_bytes", 0)))
    return answers, held


def examine(world: World, answers: list[Told], held: list[int]) -> dict[str, Any]:
    """What went wrong, in numbers that must all be nought, and how much memory the daemon came to hold."""
    spoken = [one for one in answers if one.memories]
    receipts = _receipts(world, len(spoken))
    half = len(held) // 2
    return {
        "answers": len(spoken),
        "silent_starts": sum(one.hook == "SessionStart" and not one.memories for one in answers),
        "mixed": sum(not one.memories <= world.known[one.project] for one in spoken),
        "lost_receipts": len(spoken) - receipts["written"],
        "unacknowledged": receipts["written"] - receipts["acknowledged"],
        "orphans": len(alive(world.root / "data")) - 1,
        "rss_mb": [round(size / 1e6, 1) for size in held],
        "rss_growth": round(statistics.mean(held[-half:]) / statistics.mean(held[half // 2 : half] or held[:1]), 3),
        "p95_ms": {hook: _p95(answers, hook) for hook in dict.fromkeys(one.hook for one in answers)},
    }


def _receipts(world: World, expected: int) -> dict[str, int]:
    """How many receipts there are and how many the transcripts acknowledged, once the daemon has read them all."""
    end = time.monotonic() + PATIENCE_SECONDS
    with Nous.open(settings=world.settings) as nous:
        while True:
            rows = nous.stores.injections.recent(limit=10 * expected + 10)
            found = {"written": len(rows), "acknowledged": sum(bool(row["acknowledged_at"]) for row in rows)}
            if found["acknowledged"] >= expected or time.monotonic() > end:
                return found
            time.sleep(0.5)


def _p95(answers: list[Told], hook: str) -> float:
    times = sorted(one.milliseconds for one in answers if one.hook == hook)
    return round(times[int(0.95 * (len(times) - 1))], 1)


def run_sessions(sessions: int, root: Path) -> dict[str, Any]:
    """Play so many sessions below a directory and examine what is left; no process of it stays."""
    world = prepare(root)
    nous = [sys.executable, "-m", "nous"]
    subprocess.run([*nous, "up"], env=world.environ, check=True, capture_output=True)
    try:
        answers, held = play(world, sessions)
        found = {"sessions": sessions, "hooks": len(answers)} | examine(world, answers, held)
    finally:
        subprocess.run([*nous, "down"], env=world.environ, check=True, capture_output=True)
    end = time.monotonic() + 5
    while alive(root / "data") and time.monotonic() < end:
        time.sleep(0.05)  # it lets go of its lock before it ends
    return found | {"left_behind": len(alive(root / "data"))}


def targets(found: dict[str, Any]) -> list[dict[str, Any]]:
    """What must hold, and whether it does."""
    nothing = ("silent_starts", "mixed", "lost_receipts", "unacknowledged", "orphans", "left_behind")
    kept = [{"target": f"no {name.replace('_', ' ')}", "kept": found[name] == 0} for name in nothing]
    return [*kept, {"target": f"memory grows by less than {NOISE - 1:.0%}", "kept": found["rss_growth"] <= NOISE}]


def run(full: bool, say: Any) -> dict[str, Any]:
    """A thousand sessions with `full`, else a hundred."""
    say("playing sessions")
    with tempfile.TemporaryDirectory(prefix="nous-sessions-", ignore_cleanup_errors=True) as folder:
        found = run_sessions(1000 if full else 100, Path(folder).resolve())
    return found | {"targets": targets(found)}


def table(found: dict[str, Any]) -> list[str]:
    """The outcome in lines."""
    head = f"{found['sessions']} sessions, {found['hooks']} hooks, {found['answers']} answers; p95 {found['p95_ms']} ms"
    rss = f"daemon: {found['rss_mb'][0]} MB at first, {found['rss_mb'][-1]} MB at last (×{found['rss_growth']})"
    return [head, rss, *(f"{'kept' if one['kept'] else 'MISSED'}: {one['target']}" for one in found["targets"])]


def soak(minutes: int, root: Path) -> list[dict[str, Any]]:
    """What a daemon holds once a minute, while sessions come and go at an easy rate."""
    world = prepare(root)
    nous = [sys.executable, "-m", "nous"]
    subprocess.run([*nous, "up"], env=world.environ, check=True, capture_output=True)
    rows: list[dict[str, Any]] = []
    try:
        pid = control.holder(world.settings.data_dir)
        began = time.monotonic()
        while (minute := (time.monotonic() - began) / 60) < minutes:
            for name in PROJECTS:
                session(world, name)
            if minute >= len(rows):
                said = control.health(world.settings.socket_path) or {}
                held = {"rss_mb": round(said.get("rss_bytes", 0) / 1e6, 1), "cpu": said.get("cpu_seconds")}
                rows.append({"minute": len(rows), "descriptors": len(os.listdir(f"/proc/{pid}/fd"))} | held)
                print(rows[-1], flush=True)
            time.sleep(SOAK_PAUSE_SECONDS)
    finally:
        subprocess.run([*nous, "down"], env=world.environ, check=True, capture_output=True)
    return rows


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="nous-soak-", ignore_cleanup_errors=True) as home:
        soak(int(sys.argv[1]), Path(home).resolve())
