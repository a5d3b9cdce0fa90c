"""How fast this machine recalls, takes in and replays: real transcripts and memories, made up, in a throw-away home.

Times are processor time of this process: a busy machine makes them no longer. A question's wall time stands beside it,
since somebody waits for it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from nous import __version__
from nous.app import Nous, system_clock
from nous.config import Settings
from nous.shells.latency import at, machine, made_up, workplace
from nous.work import Pipeline

PROMPTS = 20  # of one made-up session
QUESTIONS = (
    "which port does the billing service listen on",
    "why does the webhook test time out",
    "how are tests of auth run",
    "where do retries of upload belong",
    "what does a timeout in search mean",
    "src/module7.py",
    "staging database",
)


class Throughput(msgspec.Struct, frozen=True):
    """One measurement: what, how much of it, and its figures."""

    case: str
    size: int
    figures: dict[str, float]


class Benchmark(msgspec.Struct, frozen=True):
    """What was measured, with which version, where: the file `benchmark.json`."""

    version: str
    created_at: str
    machine: dict[str, Any]
    results: tuple[Throughput, ...]


def recall(size: int, runs: int) -> Throughput:
    """Ask questions of so many memories, with vectors; milliseconds."""
    with workplace(size) as (settings, _, project), Nous.open(settings=settings) as nous:
        nous.embed()
        nous.recall(QUESTIONS[0], project=str(project))  # what is loaded once
        wall, cpu = [], []
        for number in range(runs):
            began, worked = time.perf_counter(), time.process_time()
            nous.recall(QUESTIONS[number % len(QUESTIONS)], project=str(project))
            wall.append((time.perf_counter() - began) * 1000)
            cpu.append((time.process_time() - worked) * 1000)
    wall.sort()
    cpu.sort()
    figures = {"p50_ms": at(wall, 0.5), "p95_ms": at(wall, 0.95), "cpu_p50_ms": at(cpu, 0.5), "questions": runs}
    return Throughput("recall", size, figures)


def ingest(size: int, runs: int) -> Throughput:
    """Read so many prompts in transcripts, and learn from them: how many a second of processor time."""
    with workplace(0) as (settings, _, project):
        count = _transcripts(settings, project, size)
        began = time.process_time()
        work = Pipeline.open(settings, system_clock)
        files = work.transcripts(None, None, None)
        for _ in work.backfill(files):
            pass
        took = time.process_time() - began
        learned = work.stores.events.count()
        work.close()
    figures = {"prompts_per_cpu_second": round(count / took, 1), "cpu_seconds": round(took, 3), "events": learned}
    return Throughput("ingest", count, figures)


def _transcripts(settings: Settings, project: Path, size: int) -> int:
    """Sessions with so many prompts among them, as the client writes them; how many."""
    folder = Path(settings.claude_config_dir, "projects", "bench")
    folder.mkdir(parents=True)
    for begin in range(0, size, PROMPTS):
        lines = [_record(begin // PROMPTS, number, project) for number in range(begin, min(size, begin + PROMPTS))]
        (folder / f"session-{begin // PROMPTS}.jsonl").write_text("".join(lines), encoding="utf-8")
    return size


def _record(session: int, number: int, project: Path) -> str:
    said = made_up(number)
    record = {
        "type": "user",
        "uuid": f"{session:08}-{number:08}",
        "sessionId": f"session-{session}",
        "timestamp": f"2026-10-{1 + session % 28:02}T10:{number % PROMPTS:02}:00.000Z",
        "cwd": str(project),
        "gitBranch": "main",
        "version": "2",
        "message": {"role": "user", "content": f"Remember: {said}"},
    }
    return json.dumps(record) + "\n"


def replay(size: int, runs: int) -> Throughput:
    """Build every read model anew from so many events: how many events a second of processor time."""
    with workplace(size) as (settings, _, _), Nous.open(settings=settings) as nous:
        began = time.process_time()
        _, events = nous.work.replay()
        took = time.process_time() - began
    figures = {"events_per_cpu_second": round(events / took, 1), "cpu_seconds": round(took, 3), "events": events}
    return Throughput("replay", size, figures)


CASES: Mapping[str, Callable[[int, int], Throughput]] = {"recall": recall, "ingest": ingest, "replay": replay}


def add(path: Path, found: Throughput) -> Benchmark:
    """Put a result into a file beside those it has from the same version and machine; another file is begun anew."""
    here = machine()
    known: tuple[Throughput, ...] = ()
    if path.exists():
        try:
            old = msgspec.json.decode(path.read_bytes(), type=Benchmark)
            same = {**old.machine, "load": None} == {**here, "load": None} and old.version == __version__
            known = old.results if same else ()
        except msgspec.MsgspecError:
            known = ()
    others = tuple(one for one in known if (one.case, one.size) != (found.case, found.size))
    report = Benchmark(__version__, system_clock(), here, (*others, found))
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
    return report
