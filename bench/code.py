"""The code graph: how fast a tree is indexed, an edit is followed and an impact is found, as the tree grows.

The trees are made up, modules of functions that import and call each other. `NOUS_BENCH_TREE` names a real one, whose
rate is compared with parsing alone.
"""

from __future__ import annotations

import os
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nous.features.code import files as code_files
from nous.features.code import treesitter
from nous.features.code.impact import impact
from nous.features.code.index import index, refresh, resolve
from nous.features.code.model import language_of
from nous.features.code.store import Code, open_code
from nous.kernel.capture.ignoring import Ignored

NOW = "2026-11-17T12:00:00.000Z"
PER_FILE = 20
RATE, EDIT_MS, IMPACT_MS, RSS_MB = 0.6, 50.0, 20.0, 200.0
Say = Callable[[str], None]
# On a machine that others use too, computing time says more: NOUS_BENCH_CPU=1.
CLOCK = time.process_time if os.environ.get("NOUS_BENCH_CPU") else time.perf_counter


def make(root: Path, symbols: int, seed: int = 1) -> None:
    """A tree with so many functions: each module imports three others and calls into them."""
    chance = random.Random(seed)
    files = max(1, symbols // PER_FILE)
    for number in range(files):
        others = [chance.randrange(files) for _ in range(3)]
        lines = [f"from pkg{other // 100}.m{other} import f{other}_0, f{other}_{PER_FILE - 1}" for other in others]
        for at in range(PER_FILE):
            target = chance.choice(others)
            lines += [
                f"\n\ndef f{number}_{at}(value, helper):",
                f"    f{target}_0(value)",
                f"    helper.run_{at}(value)",
                f"    return f{number}_{(at + 1) % PER_FILE}(value, helper)",
            ]
        place = root / f"pkg{number // 100}" / f"m{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        (place.parent / "__init__.py").touch()
        place.write_text("\n".join(lines) + "\n")


def grown(symbols: int, folder: Path) -> dict[str, Any]:
    """The figures of one size."""
    tree = folder / f"tree{symbols}"
    make(tree, symbols)
    code = open_code(str(folder / "data"), str(tree))
    assert code
    wall, cpu = time.perf_counter(), os.times()
    index(code, str(tree), Ignored([]), NOW)
    took, after = time.perf_counter() - wall, os.times()
    computed = sum(after[:4]) - sum(cpu[:4])
    edits = [_edited(code, tree, at) for at in range(11)]
    asked = _asked(code, 200)
    sizes = code.sizes()
    code.close()
    return {
        "symbols": sizes["symbols"],
        "files": sizes["files"],
        "proven": sizes["proven"],
        "index_s": round(took, 2),
        "index_cpu_s": round(computed, 2),
        "edit_ms": round(sorted(edits[1:])[5] * 1000, 1),
        "impact_p50_ms": round(asked[len(asked) // 2] * 1000, 2),
        "impact_p95_ms": round(asked[int(len(asked) * 0.95)] * 1000, 2),
        "file_mb": round(os.path.getsize(code.db.path) / 1e6, 1),
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def _edited(code: Code, tree: Path, at: int) -> float:
    """Change a body and a name in one file, and follow it."""
    place = tree / "pkg0" / "m0.py"
    place.write_text(
        place.read_text().replace("helper.run_3(value)", f"helper.run_3(value + {at})")
        + f"\n\ndef n{at}(): f0_0(1, 2)\n"
    )
    began = CLOCK()
    refresh(code, str(tree), ["pkg0/m0.py"])
    resolve(code)
    found = impact(code, "pkg0/m0.py:f0_0", 1)
    assert any(one.symbol == f"n{at}" for one in found.proven)
    return CLOCK() - began


def _asked(code: Code, times: int) -> list[float]:
    rows = code.db.connection.execute(
        "SELECT files.path, symbols.path FROM symbols JOIN files USING (file_id)"
    ).fetchall()
    chosen = random.Random(2).sample(rows, min(times, len(rows)))
    took = []
    for file, symbol in chosen:
        began = CLOCK()
        impact(code, f"{file}:{symbol}", 3)
        took.append(CLOCK() - began)
    return sorted(took)


def real(tree: str, folder: Path) -> dict[str, Any]:
    """How a real tree is indexed, against parsing alone in one process."""
    paths = [path for path in code_files.find(tree, Ignored([])) if language_of(path)]
    sources = [(language_of(path), code_files.read(tree, path)) for path in paths]
    wall, cpu = time.perf_counter(), time.process_time()
    for language, source in sources:
        if language and source is not None:
            treesitter.tool(language).parser.parse(source)
    bare, bare_cpu = time.perf_counter() - wall, time.process_time() - cpu
    del sources
    code = open_code(str(folder / "data"), tree)
    assert code
    wall, before = time.perf_counter(), os.times()
    index(code, tree, Ignored([]), NOW)
    took, after = time.perf_counter() - wall, os.times()
    asked = _asked(code, 200)
    sizes = code.sizes()
    code.close()
    return sizes | {
        "bare_s": round(bare, 2),
        "bare_cpu_s": round(bare_cpu, 2),
        "index_s": round(took, 2),
        "index_cpu_s": round(sum(after[:4]) - sum(before[:4]), 2),
        "rate": round(bare / took, 2),
        "impact_p95_ms": round(asked[int(len(asked) * 0.95)] * 1000, 2),
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "worker_rss_mb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, 1),
    }


def run(full: bool, say: Say) -> dict[str, Any]:
    """Every size, and the real tree if one is named."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found: dict[str, Any] = {}
        if tree := os.environ.get("NOUS_BENCH_TREE"):
            say("reading the real tree")
            found["real"] = real(tree, folder)
        rows = []
        for size in (1_000, 10_000, 100_000) if full else (1_000, 10_000):
            say(f"{size} symbols")
            rows.append(grown(size, folder))
    last = rows[-1]
    targets = [
        {
            "what": "an edit is followed, ms",
            "wanted": EDIT_MS,
            "found": last["edit_ms"],
            "kept": last["edit_ms"] <= EDIT_MS,
        },
        {
            "what": "impact p95, ms",
            "wanted": IMPACT_MS,
            "found": last["impact_p95_ms"],
            "kept": last["impact_p95_ms"] <= IMPACT_MS,
        },
        {"what": "memory, MB", "wanted": RSS_MB, "found": last["rss_mb"], "kept": last["rss_mb"] <= RSS_MB},
    ]
    if "real" in found:
        rate = found["real"]["rate"]
        targets.append({"what": "rate of parsing alone", "wanted": RATE, "found": rate, "kept": rate >= RATE})
    return found | {"growth": rows, "targets": targets}


def table(found: dict[str, Any]) -> list[str]:
    """The figures as lines."""
    head = list(found["growth"][0])
    lines = ["  ".join(f"{name:>13}" for name in head)]
    lines += ["  ".join(f"{row[name]:>13}" for name in head) for row in found["growth"]]
    if "real" in found:
        lines.append("real tree: " + ", ".join(f"{name} {value}" for name, value in found["real"].items()))
    lines += [
        f"{one['what']}: {one['found']} (wanted {one['wanted']}) {'kept' if one['kept'] else 'MISSED'}"
        for one in found["targets"]
    ]
    return lines
