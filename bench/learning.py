"""How fast real projects are learned, in CPU seconds: reading alone, learning, and all that follows from it.

    python -m bench.learning            the labelled projects of ../shared/data, writes bench/results/learning.json
    python -m bench.learning --digest   a hash of all that is learned from each: the same before and after a change
                                        that is only to make it faster

Each project is read at once, as `nous backfill` does after an installation, first the older half of its sessions and
then, in an empty store, all of them: growth is how the time rises with the text. CPU time, so that other work on the
machine changes little.
"""

from __future__ import annotations

import argparse
import cProfile
import hashlib
import json
import multiprocessing
import os
import pstats
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "learning.json"
STEPS = ("reading", "learning", "following")
SPEEDS = ("prompts/s", "read/s", "whole/s", "growth")


def first_record(path: Path) -> str:
    """When a transcript begins."""
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return next((line["timestamp"] for line in lines if line.get("timestamp")), "")


def read_alone(paths: list[Path]) -> tuple[float, int]:
    """CPU seconds of the reader without any store, and bytes of prompts."""
    from nous.core.extractor import extract
    from nous.core.transcript import parse_line

    sessions = []
    for path in paths:
        parsed = (parse_line(line) for line in path.read_bytes().splitlines())
        sessions.append([turn for found in parsed if isinstance(found, list) for turn in found])
    begun = time.process_time()
    for turns in sessions:
        extract(turns, tentative=True)
    prompts = sum(len(turn.text.encode()) for turns in sessions for turn in turns if turn.kind == "prompt")
    return time.process_time() - begun, prompts


# What is learned and shown. Left out: when it was, where files lie, and how near two sayings came without being one.
LEARNED = (
    "memories", "memory_history", "concepts", "edges", "mentions", "entity_names", "observed_sightings",
    "exchanges", "exchange_errors", "exchange_vectors", "vectors", "likenesses", "injection_cache",
)  # fmt: skip
PASSING = {"created_at", "file_id", "chunk_id", "saying_id"}
MOMENT = "2027-01-01T00:00:00Z"


def digest(nous: Any) -> str:
    """A hash of every row that was learned, whatever the order."""
    found = hashlib.sha256()
    for table in LEARNED:
        columns, rows = nous.stores.db.table_rows(table)
        kept = [at for at, column in enumerate(columns) if column not in PASSING]
        found.update("\n".join(sorted(repr([row[at] for at in kept]) for row in rows)).encode())
    return found.hexdigest()[:16]


def measured(paths: list[Path], profile: cProfile.Profile | None = None) -> dict[str, Any]:
    """What learning some sessions of a project takes, in an empty store."""
    from nous.app import Nous
    from nous.config import load_settings
    from nous.stores import open_stores

    reading, prompts = read_alone(paths)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        environ = {"HOME": folder, "CLAUDE_CONFIG_DIR": str(home / "claude"), "NOUS_DATA_DIR": str(home / "data")}
        for path in paths:
            target = home / "claude" / "projects" / path.parent.name / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        with mock.patch.dict(os.environ, environ | {"NOUS_NO_AUTOSTART": "1"}):
            nous = Nous(open_stores(str(home / "cortex.db")), load_settings(environ), lambda: MOMENT)
            if profile:
                profile.enable()
            begun = time.process_time()
            *_, last = nous.work.backfill(nous.work.transcripts(None, None, None))
            learned = time.process_time()
            nous.work.after_learning(0, last.outcome.projects)
            ended = time.process_time()
            if profile:
                profile.disable()
            learned_is = digest(nous)
            nous.close()
    size = sum(path.stat().st_size for path in paths)
    taken = {"reading": reading, "learning": learned - begun, "following": ended - learned}
    return {"megabytes": size / 1e6, "prompts": prompts / 1e6, "digest": learned_is} | taken


def project(root: Path) -> dict[str, Any]:
    """A project's older half, and the whole; the first run of all pays for imports and is not counted."""
    paths = sorted(root.glob("projects/**/*.jsonl"), key=first_record)
    measured(paths[:1])
    return {"name": root.name, "half": measured(paths[: len(paths) // 2]), "all": measured(paths)}


def row(name: str, half: dict[str, Any], whole: dict[str, Any]) -> str:
    """One line of the table."""
    spent = sum(whole[step] for step in STEPS[1:])
    growth = (spent / sum(half[step] for step in STEPS[1:])) / (whole["megabytes"] / half["megabytes"])
    shown = "  ".join(f"{whole[step]:9.2f}" for step in STEPS)
    speeds = (whole["prompts"] / whole["reading"], whole["megabytes"] / whole["reading"], whole["megabytes"] / spent)
    return f"{name:20} {whole['megabytes']:6.2f} {shown}  " + "  ".join(f"{one:9.2f}" for one in (*speeds, growth))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--json", type=Path, default=RESULT)
    parser.add_argument("--digest", action="store_true", help="only a hash of what is learned, by project")
    parser.add_argument("--profile", action="store_true", help="say where the time goes, of one project")
    args = parser.parse_args()
    roots = [path.parent for path in sorted(args.data.glob("realtalk/*/labels.json"))]
    roots = [root for root in roots if not args.only or root.name in args.only]
    if not roots:
        print("no projects here", file=sys.stderr)
        return 2
    if args.profile:
        profile = cProfile.Profile(time.process_time)
        measured(sorted(roots[0].glob("projects/**/*.jsonl"), key=first_record), profile)
        pstats.Stats(profile).sort_stats("cumulative").print_stats(70).sort_stats("tottime").print_stats(40)
        return 0
    if args.digest:
        for root in roots:
            print(f"{root.name:20} {measured(sorted(root.glob('projects/**/*.jsonl'), key=first_record))['digest']}")
        return 0
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        found = pool.map(project, roots, chunksize=1)
    print(f"{'project':20} {'MB':>6} ", "  ".join(f"{name:>9}" for name in (*STEPS, *SPEEDS)))
    for one in found:
        print(row(one["name"], one["half"], one["all"]))
    sums = ("megabytes", "prompts", *STEPS)
    total = {size: {key: sum(one[size][key] for one in found) for key in sums} for size in ("half", "all")}
    print(row("together", total["half"], total["all"]))
    args.json.write_text(json.dumps({"projects": found, "total": total}, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
