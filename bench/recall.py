"""Recall at growing sizes, beside the bare engines on the same data.

Each size runs in a process of its own, so that memory is that of this size alone. Bare means: the same words as an OR
of quoted terms, the best 50 by FTS5; and the same vectors in one numpy matrix, the best 50. Ratios compare processor
time, which a busy machine disturbs less than the clock on the wall.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench.machine import promises
from nous import Nous
from nous.config import load_settings
from nous.language.text import Wanted, query_terms

SIZES = (1_000, 10_000, 100_000)
QUESTIONS = 60
BATCH = 10_000
PROJECT = "example.com/team/bench"
_PARTS = """
    auth billing cache cart checkout deploy email export feed gateway graph image import index invoice job lease ledger
    login mail market media menu metric migration model order parser payment plan player price proxy queue quota rate
    record release report retry route scheduler search secret session shard socket staging storage stream tenant theme
    timeout token tracker upload vault vector view wallet webhook worker zone
"""
_DEEDS = """
    uses needs rejects retries logs drops caches signs hashes rotates validates batches streams splits merges compresses
    encrypts delays locks releases expires refreshes throttles mirrors archives restores
"""
_THINGS = """
    header cookie certificate checksum timestamp payload cursor snapshot replica partition fixture container volume
    endpoint callback listener handler adapter wrapper template manifest lockfile flag toggle limit window budget
    threshold heartbeat watermark tombstone changelog
"""
PARTS, DEEDS, THINGS = _PARTS.split(), _DEEDS.split(), _THINGS.split()
Say = Callable[[str], None]


def fact(chance: random.Random, number: int) -> str:
    """A made-up fact of one to three sentences."""
    part, other = chance.choice(PARTS), chance.choice(PARTS)
    sentences = [
        f"The {part} service {chance.choice(DEEDS)} the {chance.choice(THINGS)} of {other}_{number % 1999}.",
        f"See src/{part}/{chance.choice(THINGS)}_{number % 701}.py and {part.title()}{other.title()}Error.",
        f"It {chance.choice(DEEDS)} every {chance.randint(2, 90)} seconds since {chance.randint(1, 9)}.{number % 50}.",
    ]
    return " ".join(sentences[: chance.randint(1, 3)])


def question(chance: random.Random) -> str:
    """A question somebody could ask about such facts."""
    part, other = chance.choice(PARTS), chance.choice(PARTS)
    asked = (
        f"why does the {part} service {chance.choice(DEEDS)[:-1]} the {chance.choice(THINGS)}?",
        f"{part.title()}{other.title()}Error",
        f"which file handles the {chance.choice(THINGS)} of {part} and {other}?",
        f"{other}_{chance.randint(0, 1998)} {chance.choice(THINGS)}",
    )
    return chance.choice(asked)


def measure(size: int, folder: Path) -> dict[str, Any]:
    """Everything about one size."""
    chance = random.Random(size)
    nous = Nous.open(folder / "cortex.db", settings=load_settings({"NOUS_DATA_DIR": str(folder), "HOME": str(folder)}))
    begun, worked = time.perf_counter(), time.process_time()
    for start in range(0, size, BATCH):
        rows = [{"text": fact(chance, at), "ref": f"{at}"} for at in range(start, min(size, start + BATCH))]
        nous.remember_many(rows, project=PROJECT)
    seconds, used = time.perf_counter() - begun, time.process_time() - worked
    asked = [question(chance) for _ in range(QUESTIONS)]
    for text in asked[:5]:
        nous.recall(text, project=PROJECT)
    recall = timed([partial(nous.recall, text, project=PROJECT) for text in asked])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    bare = bare_times(nous, asked)
    nous.stores.close()
    return {
        "memories": size,
        "remember_per_second": round(size / seconds),
        "remember_per_cpu_second": round(size / used),
        "recall_ms": recall,
        "bare_text_ms": bare[0],
        "bare_vectors_ms": bare[1],
        "times_bare": round(recall["cpu_p50"] / (bare[0]["cpu_p50"] + bare[1]["cpu_p50"]), 2),
        "rss_mb": round(memory),
        "bytes_per_memory": round(sum(file.stat().st_size for file in folder.glob("cortex.db*")) / size),
        "cold_cli_ms": cold(folder, asked[:7]),
    }


def bare_times(nous: Nous, asked: Sequence[str]) -> tuple[dict[str, float], dict[str, float]]:
    """The engines alone: FTS5, and a product of numpy."""
    import numpy as np

    stores, embedder = nous.stores, nous.embedder
    assert embedder is not None
    model = stores.vectors.known_model(embedder.model)
    rows = stores.db.each("vectors.written_after", model_id=model, seq=0)
    matrix = np.frombuffer(b"".join(row[-1] for row in rows), np.float32).reshape(-1, embedder.dims)
    vectors = [np.frombuffer(embedder.query(text, {}), np.float32) for text in asked]

    def nearest(vector: Any) -> None:
        scores = matrix @ vector
        best = np.argpartition(-scores, min(50, len(scores) - 1))[:50]
        best[np.argsort(-scores[best])]

    words = timed([partial(stores.memories.search_text, Wanted(tuple(query_terms(text))), 50) for text in asked])
    return words, timed([partial(nearest, vector) for vector in vectors])


def timed(calls: Sequence[Callable[[], object]]) -> dict[str, float]:
    """Milliseconds of each call, the median and the slow end; the calls' own processor time beside them."""
    wall, cpu = [], []
    for call in calls:
        began, worked = time.perf_counter(), time.process_time()
        call()
        cpu.append((time.process_time() - worked) * 1000)
        wall.append((time.perf_counter() - began) * 1000)
    wall.sort()
    cpu.sort()
    return {
        "p50": round(wall[len(wall) // 2], 2),
        "p95": round(wall[int(len(wall) * 0.95)], 2),
        "cpu_p50": round(cpu[len(cpu) // 2], 2),
    }


def cold(folder: Path, asked: Sequence[str]) -> dict[str, float]:
    """`nous recall` from the start of its process to the answer."""
    environ = {**os.environ, "NOUS_DATA_DIR": str(folder), "HOME": str(folder), "NOUS_NO_AUTOSTART": "1"}

    def ask(text: str) -> None:
        command = [sys.executable, "-m", "nous", "recall", text, "--project", PROJECT, "--json"]
        subprocess.run(command, env=environ, check=True, capture_output=True)

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = timed([partial(ask, text) for text in asked])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return found | {"cpu_p50": round(used / len(asked) * 1000, 1)}


def run(full: bool, say: Say) -> dict[str, Any]:
    """Measurements at every size, to a million when asked."""
    rows = []
    for size in (*SIZES, *([1_000_000] if full else [])):
        say(f"recall at {size:,} memories")
        with tempfile.TemporaryDirectory(prefix="nous-bench-") as folder:
            command = [sys.executable, "-m", "bench.recall", str(size), folder]
            done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parent.parent)
        rows.append(json.loads(done.stdout))
    return {"sizes": rows, "targets": targets(rows)}


def targets(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was promised, and what was found."""
    by_size = {row["memories"]: row for row in rows}
    promised = [
        *(
            (f"recall at {size:,}, times the bare engines", "at most", 2.0, row["times_bare"])
            for size, row in by_size.items()
        ),
        ("cold command at 10,000, ms of processor time", "at most", 300.0, by_size[10_000]["cold_cli_ms"]["cpu_p50"]),
        (
            "remember, per second of processor time",
            "at least",
            1000.0,
            min(row["remember_per_cpu_second"] for row in rows),
        ),
        ("memory at 100,000, MB", "at most", 400.0, by_size[100_000]["rss_mb"]),
    ]
    return promises(promised)


def table(found: dict[str, Any]) -> list[str]:
    """The growth table and the targets, for a person."""
    lines = [
        "memories   remember/s  recall p50/p95   text p50/p95   vectors p50/p95   × bare  RSS MB  bytes/memory  cold ms"
    ]
    for row in found["sizes"]:
        pairs = [f"{row[name]['p50']}/{row[name]['p95']}" for name in ("recall_ms", "bare_text_ms", "bare_vectors_ms")]
        lines.append(
            f"{row['memories']:>9,}  {row['remember_per_second']:>9,}  {pairs[0]:>14}  {pairs[1]:>13}  {pairs[2]:>15}"
            f"  {row['times_bare']:>6}  {row['rss_mb']:>6}  {row['bytes_per_memory']:>12}"
            f"  {row['cold_cli_ms']['p50']:>7}"
        )
    for target in found["targets"]:
        mark = "kept" if target["kept"] else "MISSED"
        lines.append(f"{mark:<7} {target['what']}: {target['found']} ({target['bound']} {target['target']})")
    return lines


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), Path(sys.argv[2]))))
