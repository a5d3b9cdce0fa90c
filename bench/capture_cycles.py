"""Start and end the daemon again and again, by request, by signal and by force; then count who is left.

python -m bench.capture_cycles [CYCLES]
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import msgspec

from bench.machine import profile
from nous.app import system_clock

RESULTS = Path(__file__).parent / "results"


def alive(data: Path) -> list[int]:
    """Every process that belongs to a data directory, asked of the system."""
    mark = f"NOUS_DATA_DIR={data}".encode()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark in Path("/proc", pid, "environ").read_bytes().split(b"\0") and _is_running(pid):
                found.append(int(pid))
        except OSError:
            continue
    return found


def _is_running(pid: str) -> bool:
    """Not a child that only waits to be asked how it ended."""
    return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] != "Z"


def cycle(command: list[str], environ: dict[str, str], data: Path, chance: random.Random) -> str:
    """One daemon from start to end; how it ended. Now and then somebody tries to start a second one."""
    process = subprocess.Popen(command, env=environ, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rival = None
    if chance.random() < 0.2:
        rival = subprocess.Popen(command, env=environ, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    how = chance.choice(["before it is ready", "SIGTERM", "SIGKILL"])
    deadline = time.monotonic() + (0.05 if how == "before it is ready" else 20)
    while time.monotonic() < deadline and not (data / "nous.sock").exists():
        time.sleep(0.01)
    number = signal.SIGTERM if how == "SIGTERM" else signal.SIGKILL
    for one in filter(None, (process, rival)):
        one.send_signal(number)
        one.wait(timeout=30)
    if number == signal.SIGKILL:
        (data / "nous.sock").unlink(missing_ok=True)  # only so that this script sees the next one come
    return how


def main() -> int:
    """So many cycles; 0 when nobody is left and the database is whole."""
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    chance = random.Random(11)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        environ = os.environ | {
            "HOME": folder,
            "CLAUDE_CONFIG_DIR": f"{folder}/claude",
            "NOUS_DATA_DIR": str(data),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
        command = [sys.executable, "-m", "nous", "up", "--foreground"]
        began = time.monotonic()
        ended: Counter[str] = Counter()
        try:
            for number in range(1, cycles + 1):
                ended[cycle(command, environ, data, chance)] += 1
                if number % 50 == 0:
                    print(f"{number} of {cycles}, {len(alive(data))} alive", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            pass  # what was done so far counts
        time.sleep(1)
        left = alive(data)
        checked = subprocess.run([sys.executable, "-m", "nous", "doctor", "--json"], env=environ, capture_output=True)
        found = {
            "cycles": ended.total(),
            "ended_by": dict(ended),
            "orphans": len(left),
            "doctor_ok": json.loads(checked.stdout)["ok"],
            "seconds": round(time.monotonic() - began, 1),
        }
    print(json.dumps(found))
    result = {"benchmark": "capture-cycles", "at": system_clock(), "machine": profile()} | found
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "capture-cycles.json").write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    return 0 if not left and found["doctor_ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
