"""A storm: writers change transcripts in every way while the daemon and its helpers are killed; then the count.

python tests/kernel/storm.py --writers 8 --files 200 --kills 200
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from nous.kernel.log.events import Extracted, Reinforced  # noqa: E402
from nous.kernel.stores import Stores, open_stores  # noqa: E402
from nous.moments import text  # noqa: E402

TEACHING = 40  # every so many-th record says something to learn


# writing
class Writer:
    """One process that owns some files and does to them what happens to files."""

    def __init__(self, folder: Path, number: int, files: int, seed: int):
        self.chance = random.Random(f"{seed}:{number}")
        self.folder = folder / f"-storm-{number}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.paths = [self.folder / f"s{number}-{file}.jsonl" for file in range(files)]
        self.number = number
        self.written = 0
        self.log = (folder.parent / f"written-{number}").open("a")

    def run(self, stop: Path) -> None:
        """Change files until somebody says stop; then end every last line."""
        while not stop.exists():
            index = self.chance.randrange(len(self.paths))
            act = self.chance.choices(
                [self.append, self.append_in_pieces, self.truncate, self.rename, self.replace], [60, 25, 6, 5, 4]
            )[0]
            act(index)
            time.sleep(self.chance.random() * 0.02)

    def record(self, index: int) -> bytes:
        self.written += 1
        identity = str(uuid.UUID(int=self.chance.getrandbits(128)))
        self.log.write(identity + "\n")
        self.log.flush()
        words = " ".join(self.chance.choices(["pool", "row", "cache", "äöü€", "batch"], k=self.chance.randrange(1, 60)))
        if self.written % TEACHING == 0:
            words = f"Remember: storm {self.number} number {self.written} listens on port {self.written % 60000}."
        said = {
            "type": "user",
            "uuid": identity,
            "sessionId": f"storm-{self.number}-{index}",
            "timestamp": "2026-11-09T10:00:00.000Z",
            "cwd": f"/nowhere/storm-{self.number}",
            "version": "1",
            "message": {"role": "user", "content": words},
        }
        return json.dumps(said, ensure_ascii=False).encode() + b"\n"

    def append(self, index: int) -> None:
        with self.paths[index].open("ab") as file:
            file.write(b"".join(self.record(index) for _ in range(self.chance.randrange(1, 6))))

    def append_in_pieces(self, index: int) -> None:
        data = self.record(index) + self.record(index)
        cut = sorted(self.chance.sample(range(1, len(data)), 2))
        for piece in (data[: cut[0]], data[cut[0] : cut[1]], data[cut[1] :]):
            with self.paths[index].open("ab") as file:
                file.write(piece)
            time.sleep(self.chance.random() * 0.15)

    def truncate(self, index: int) -> None:
        """Cut a file after one of its lines, and often let it grow again at once."""
        path = self.paths[index]
        if not path.exists():
            return
        lines = path.read_bytes().splitlines(keepends=True)
        kept = b"".join(lines[: self.chance.randrange(len(lines) + 1)])
        os.truncate(path, len(kept))
        if self.chance.random() < 0.7:
            self.append(index)

    def rename(self, index: int) -> None:
        path = self.paths[index]
        if path.exists():
            self.paths[index] = path.rename(self.folder / f"r{self.chance.getrandbits(40)}.jsonl")

    def replace(self, index: int) -> None:
        """Another file with the same beginning takes a file's place."""
        path = self.paths[index]
        if path.exists():
            fresh = path.with_suffix(".new")
            fresh.write_bytes(path.read_bytes() + self.record(index))
            os.replace(fresh, path)


# working
def work(database: str) -> None:
    """A worker beside the daemon, until it is killed."""
    from nous.app import system_clock
    from nous.kernel.capture.queue import is_dead, worker_name
    from nous.kernel.learn.learn import WorkerOptions, learn_all

    stores = open_stores(database)
    options = WorkerOptions(max_attempts=50, reopen=lambda: open_stores(database))
    while True:
        stores.queue.sweep(system_clock(), is_dead)
        learn_all(stores, worker_name("storm"), system_clock, options)
        time.sleep(0.1)


# the storm
class Storm:
    """Processes in a home of their own, and what is left when they are done."""

    def __init__(self, root: Path, writers: int, files: int, seed: int):
        self.root, self.seed = root, seed
        self.transcripts = root / "claude" / "projects"
        self.transcripts.mkdir(parents=True)
        self.data = root / "data"
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(root),
            "PYTHONPATH": str(ROOT / "src"),
            "CLAUDE_CONFIG_DIR": str(root / "claude"),
            "NOUS_DATA_DIR": str(self.data),
            "NOUS_QUIET_SECONDS": "0.3",
            "NOUS_RECONCILE_SECONDS": "3",
            "NOUS_MAX_ATTEMPTS": "50",
        }
        self.database = str(self.data / "cortex.db")
        self.stop = root / "stop"
        self.writers = [self.start("write", str(number), str(files // writers)) for number in range(writers)]
        open_stores(self.database).close()

    def start(self, role: str, *args: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "nous", "up", "--foreground"]
        if role != "daemon":
            command = [sys.executable, __file__, "--role", role, "--root", str(self.root), "--seed", str(self.seed)]
        quiet = subprocess.DEVNULL
        return subprocess.Popen([*command, *args], env=self.environ, stdout=quiet, stderr=quiet, cwd=self.root)

    def rage(self, kills: int, pause: float) -> None:
        """Kill the daemon and two workers at random, again and again, while files change."""
        chance = random.Random(self.seed)
        roles = ["daemon", "work", "work"]
        running = [self.start(role) for role in roles]
        time.sleep(1.0)
        for _ in range(kills):
            time.sleep(chance.random() * 2 * pause)
            victim = chance.randrange(len(roles))
            running[victim].send_signal(signal.SIGKILL)
            running[victim].wait()
            running[victim] = self.start(roles[victim])
        self.stop.touch()
        for process in self.writers:
            process.wait(timeout=300)
        for process in running:
            process.kill()
            process.wait()

    def settle(self) -> None:
        """Let one run without any disturbance finish."""
        command = [sys.executable, "-m", "nous", "backfill"]
        subprocess.run(command, env=self.environ, cwd=self.root, check=True, capture_output=True, timeout=600)

    def count(self) -> dict[str, Any]:
        """What was processed beside what was written."""
        present = Counter(
            json.loads(line)["uuid"]
            for path in self.transcripts.rglob("*.jsonl")
            for line in path.read_bytes().splitlines()
        )
        written = {line for path in self.root.joinpath("claude").glob("written-*") for line in path.read_text().split()}
        stores = open_stores(self.database)
        sessions = [row["session_id"] for row in stores.transcripts.sessions(limit=10**6)]
        processed = Counter(turn.uuid for session in sessions for turn in stores.transcripts.turns(session))
        taught = _taught(stores)
        found = {
            "lines_written": len(written),
            "lines_in_files_at_the_end": len(present),
            "lines_processed": len(processed),
            "present_but_not_processed": len(present.keys() - processed.keys()),
            "processed_twice": sum(times > 1 for times in processed.values()),
            "processed_but_never_written": len(processed.keys() - written),
            "learned_from": len(taught),
            "learned_twice": sum(times > 1 for times in taught.values()),
            "queue": stores.queue.counts(),
            "quarantined": stores.records.quarantine_count(),
            "integrity": stores.db.connection.pragma("integrity_check"),  # type: ignore[attr-defined]
        }
        stores.close()
        return found


AGAIN = ("consolidation", "observer")


def _taught(stores: Stores) -> Counter[str]:
    """How many events rest on each record, but for those that join or observe what was learned already."""
    taught: Counter[str] = Counter()
    for batch in stores.events.replay():
        for event in batch:
            again = event.source in AGAIN
            if isinstance(event.payload, Extracted | Reinforced) and not again:
                taught.update(event.payload.evidence)
    return taught


def storm(root: Path, writers: int, files: int, kills: int, pause: float, seed: int = 1) -> dict[str, Any]:
    """Everything once; what came of it."""
    began = time.monotonic()
    scene = Storm(root, writers, files, seed)
    scene.rage(kills, pause)
    scene.settle()
    shape = {"writers": writers, "files": files, "kills": kills, "at": text_now()}
    return shape | scene.count() | {"seconds": round(time.monotonic() - began, 1)}


def text_now() -> str:
    from datetime import UTC, datetime

    return text(datetime.now(UTC))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--role", default="")
    parser.add_argument("--root", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--pause", type=float, default=1.0)
    parser.add_argument("numbers", nargs="*", type=int)
    given = parser.parse_args()
    if given.role == "write":
        number, files = given.numbers
        Writer(given.root / "claude" / "projects", number, files, given.seed).run(given.root / "stop")
    elif given.role == "work":
        work(str(given.root / "data" / "cortex.db"))
    else:
        with tempfile.TemporaryDirectory() as folder:
            found = storm(Path(folder), given.writers, given.files, given.kills, given.pause, given.seed)
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
