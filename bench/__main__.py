"""`python -m bench [NAME]... [--full]`: run benchmarks, print their tables, keep the numbers in `bench/results/`."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from bench.machine import profile

RESULTS = Path(__file__).parent / "results"

# Each is a module with `run(full, say)` and `table(found)`.
BENCHMARKS: dict[str, str] = {
    "capture": "bench.capture",
    "hooks": "bench.hooks",
    "log": "bench.log",
    "recall": "bench.recall",
    "scale": "bench.scale",
    "sessions": "bench.sessions",
}


def main() -> int:
    """Run what was asked for; with `--strict` 1 when a target was missed."""
    asked = argparse.ArgumentParser(prog="bench", description="Measure Nous on this machine.")
    asked.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)} (all)")
    asked.add_argument("--full", action="store_true", help="also the largest sizes, which take a while")
    asked.add_argument("--out", type=Path, default=RESULTS, help="where the results go")
    asked.add_argument("--strict", action="store_true", help="fail when a target is missed; a busy machine may do that")
    given = asked.parse_args()
    if unknown := set(given.names) - set(BENCHMARKS):
        asked.error(f"there is no benchmark {sorted(unknown)[0]!r}")
    kept = [_run(name, given.full, given.out) for name in given.names or BENCHMARKS]
    return 0 if all(kept) or not given.strict else 1


def _run(name: str, full: bool, folder: Path) -> bool:
    module = importlib.import_module(BENCHMARKS[name])
    begun = time.perf_counter()
    found: dict[str, Any] = module.run(full, lambda text: print(text, file=sys.stderr))
    print("\n".join(module.table(found)))
    result = {
        "benchmark": name,
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seconds": round(time.perf_counter() - begun, 1),
        "machine": profile(),
    } | found
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}{'-full' if full else ''}.json"
    path.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    print(f"written to {path}", file=sys.stderr)
    return all(target["kept"] for target in found.get("targets", ()))


if __name__ == "__main__":
    sys.exit(main())
