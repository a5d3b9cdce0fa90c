"""The machine a benchmark ran on, so that its numbers can be read."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import apsw
import msgspec

from nous import __version__


def profile() -> dict[str, Any]:
    """Processor, memory, system and the versions that matter."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": _memory(),
        "load": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": sys.version.split()[0],
        "sqlite": apsw.sqlite_lib_version(),
        "apsw": apsw.apsw_version(),
        "msgspec": msgspec.__version__,
        "nous": __version__,
    }


def promises(promised: Iterable[tuple[str, str, float, float]]) -> list[dict[str, Any]]:
    """What was promised (words, "at least" or "at most", target, what was found), and whether it is kept."""
    return [
        {
            "what": what,
            "bound": bound,
            "target": target,
            "found": found,
            "kept": found >= target if bound == "at least" else found <= target,
        }
        for what, bound, target, found in promised
    ]


def _processor() -> str:
    for line in _read("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> float | None:
    for line in _read("/proc/meminfo").splitlines():
        if line.startswith("MemTotal"):
            return round(int(line.split()[1]) / 1e6, 1)
    return None


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""
