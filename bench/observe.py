"""What observing sessions costs beside learning them, and how that grows with a project's history.

    python -m bench.observe                150, 300, 600 and 2,000 sessions (NOUS_THOROUGH=1: 10,000 as well)
    python -m bench.observe 300            up to so many
    python -m bench.observe --real         the labelled real projects instead, all in one history
    python -m bench.observe 10000 --mine   only observed, as kept transcripts without the reader; then 100 more

Made-up sessions: a user whose sentences come from the standard library's documentation and who now and then says one of
some rules in changing words; reads, edits, a command that fails and another that works. All are learned first, then
observed, as a backfill does it. What counts is processor time. Written to bench/results/observe.json.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import os
import random
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from bench.machine import profile
from bench.realtalk_data import projects
from nous.app import system_clock
from nous.config import load_settings
from nous.core.transcript import parse_line
from nous.stores.queue import Item
from nous.work import Pipeline

ROOT = Path(__file__).resolve().parent.parent
STEPS = (150, 300, 600, 2_000)
RULED = 0.1  # the share of prompts with one of the rules
RULES = (
    "never edit the seeds file",
    "ask before changing the schema",
    "keep the interface simple",
    "use tabs in Go files",
)
WORDS = ("please", "always", "really", "now", "again", "here", "in this repo", "for every change", "as before")
COMMANDS = (
    ("rtk bun run test", "bun run test"),
    ("python -m app", ".venv/bin/python -m app"),
    ("npm test", "pnpm test"),
)


def session(number: int, chance: random.Random, cwd: str) -> Iterator[dict[str, Any]]:
    """One made-up session of some forty records, as the client writes them."""
    day = f"2026-{1 + number // 840 % 12:02}-{1 + number // 30 % 28:02}T10:{number % 30 * 2:02}"
    common = {"sessionId": f"s{number}", "cwd": cwd, "version": "2.1.0", "gitBranch": "main", "isSidechain": False}
    count = 0

    def one(kind: str, content: Any) -> dict[str, Any]:
        nonlocal count
        count += 1
        message = {"role": kind, "content": content}
        return {**common, "type": kind, "uuid": f"{number}-{count}", "timestamp": f"{day}:{count:02}.000Z"} | {
            "message": message
        }

    for _ in range(4):
        rule = f" {' '.join(chance.sample(WORDS, 3)).capitalize()} {chance.choice(RULES)}."
        yield one("user", _said(chance, 3) + rule * (chance.random() < RULED))
        yield one("assistant", [{"type": "text", "text": _said(chance, 4)}])
        for tool, given, result, failed in _calls(chance, cwd):
            name = f"t{number}-{count}"
            yield one("assistant", [{"type": "tool_use", "id": name, "name": tool, "input": given}])
            yield one("user", [{"type": "tool_result", "tool_use_id": name, "content": result, "is_error": failed}])
        yield one("assistant", [{"type": "text", "text": _said(chance, 8)}])


def _said(chance: random.Random, count: int) -> str:
    """So many sentences, each the beginning of one and the end of another, so that few come back."""
    halves = [chance.sample(_prose(), 2) for _ in range(count)]
    return " ".join(" ".join([*one[: len(one) // 2], *other[len(other) // 2 :]]) for one, other in halves)


@functools.cache
def _prose() -> list[list[str]]:
    """Sentences of the standard library's documentation: text that people wrote and every machine has."""
    files = sorted(Path(json.__file__).parents[1].rglob("*.py"))
    source = "".join(path.read_text("utf-8", errors="replace") for path in files if "site-packages" not in path.parts)
    found = (text.split() for doc in re.findall(r'"""(.{30,4000}?)"""', source, re.S) for text in doc.split(". "))
    return [[*words[:-1], f"{words[-1].rstrip('.')}."] for words in found if 6 <= len(words) <= 24]


def _calls(chance: random.Random, cwd: str) -> list[tuple[str, dict[str, str], str, bool]]:
    wrong, right = chance.choice(COMMANDS)
    file = f"{cwd}/src/m{chance.randrange(40)}.py"
    return [
        ("Read", {"file_path": file}, "text", False),
        ("Edit", {"file_path": file, "old_string": "a", "new_string": "b"}, "ok", False),
        ("Bash", {"command": wrong}, "error: unrecognized subcommand", True),
        ("Bash", {"command": right}, "12 pass", False),
    ]


def made(folder: Path, cwd: str, first: int, last: int) -> None:
    """Sessions as files."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(first, last):
        records = session(number, random.Random(number), cwd)
        (folder / f"s{number}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")


def real(folder: Path, data: Path, work: Path) -> int:
    """The sessions of the labelled projects, as if they had been held here; how many."""
    count = 0
    for root in projects(data):
        (work / root.name).mkdir(parents=True)
        for file in sorted(root.glob("projects/**/*.jsonl")):
            target = folder / root.name / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
            moved = (one | ({"cwd": str(work / root.name)} if "cwd" in one else {}) for one in records)
            target.write_text("".join(json.dumps(one) + "\n" for one in moved), "utf-8")
            count += 1
    return count


def learned(pipeline: Pipeline) -> dict[str, float]:
    """Learn what is new, then observe it, then do all that follows; processor time of each."""
    began = time.process_time()
    for _ in pipeline.backfill(pipeline.transcripts()):
        pass
    learning = time.process_time()
    found = pipeline.observe()
    observing = time.process_time()
    pipeline.after_learning(0)
    rest = learning - began + time.process_time() - observing
    spent = observing - learning
    return {
        "observed": found.sessions,
        "learn": round(rest, 2),
        "observe": round(spent, 2),
        "ms_a_session": round(1000 * spent / max(1, found.sessions), 2),
        "percent": round(100 * spent / rest, 1),
    }


def mined(pipeline: Pipeline, first: int, last: int) -> dict[str, float]:
    """Keep the transcripts of sessions that nobody read, and observe them; processor and wall time of observing."""
    stores = pipeline.stores
    for start in range(first, last, 500):
        with stores.db.transaction():
            for number in range(start, min(last, start + 500)):
                records = session(number, random.Random(number), "/home/dev/p")
                parsed = (parse_line(json.dumps(one).encode()) for one in records)
                turns = [turn for found in parsed if isinstance(found, list) for turn in found]
                path = f"/transcripts/s{number}.jsonl"
                stores.transcripts.see_session("/home/dev/p", path, turns)
                stores.transcripts.keep(_item(number, path), turns)
    began, clock = time.process_time(), time.monotonic()
    found = pipeline.observe()
    spent = time.process_time() - began
    return {
        "observed": found.sessions,
        "observe": round(spent, 2),
        "wall": round(time.monotonic() - clock, 1),
        "ms_a_session": round(1000 * spent / max(1, found.sessions), 2),
        "memories": found.learned,
    }


def _item(number: int, path: str) -> Item:
    return Item(
        ingest_id=number,
        source="fs_watch",
        project_id="/home/dev/p",
        session_id=f"s{number}",
        transcript_path=path,
        file_inode=str(number),
        file_offset=0,
        end_offset=1,
        payload="",
        idempotency_key=path,
        retry_count=0,
    )


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("most", type=int, nargs="?", default=10_000 if os.environ.get("NOUS_THOROUGH") else STEPS[-1])
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--mine", action="store_true")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"HOME": home, "NOUS_DATA_DIR": f"{home}/data", "CLAUDE_CONFIG_DIR": f"{home}/claude"}
        pipeline = Pipeline.open(load_settings(dict(os.environ)), system_clock)
        folder, work = Path(home, "claude", "projects"), Path(home, "work")
        steps = []
        if args.real:
            count = real(folder, args.data, work)
            steps.append({"sessions": count} | learned(pipeline))
            print(steps[-1])
        elif args.mine:
            ends = [*range(1_000, args.most, 1_000), args.most, args.most + 100]
            for before, count in itertools.pairwise([0, *ends]):
                steps.append({"sessions": count} | mined(pipeline, before, count))
                print(steps[-1], flush=True)
        else:
            (work / "p").mkdir(parents=True)
            before = 0
            for count in sorted({*(step for step in (*STEPS, 10_000) if step < args.most), args.most}):
                made(folder / "p", str(work / "p"), before, count)
                steps.append({"sessions": count} | learned(pipeline))
                before = count
                print(steps[-1], flush=True)
        pipeline.close()
    path = ROOT / "bench" / "results" / "observe.json"
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    known |= {"machine": profile(), "real" if args.real else "mined" if args.mine else "made": steps}
    path.write_text(json.dumps(known, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
