"""How long hooks take as the client starts them, with and without the daemon, beside a bare interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nous.shells.latency import BARE, measure

MEMORIES, RUNS, FULL_RUNS = 1000, 50, 200


def run(full: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Times in milliseconds by hook, with the daemon and without."""
    found = {}
    for with_daemon in (True, False):
        name = "with daemon" if with_daemon else "without daemon"
        say(name)
        timings = measure(FULL_RUNS if full else RUNS, MEMORIES, with_daemon=with_daemon)
        found[name] = {case: timing._asdict() for case, timing in timings.items()}
    return {"timings": found}


def table(found: dict[str, Any]) -> list[str]:
    """One line for each hook."""
    lines = [f"{'':<16}{'hook':<18}{'p50':>8}{'p95':>8}{'x bare':>8}  failed"]
    for profile, cases in found["timings"].items():
        bare = cases[BARE]["p95"]
        lines += [
            f"{profile:<16}{case:<18}{one['p50']:>8.1f}{one['p95']:>8.1f}{one['p95'] / bare:>8.2f}  {one['failed']}"
            for case, one in cases.items()
        ]
    return lines
