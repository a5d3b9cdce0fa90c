"""`kill -9` at any moment: no acknowledged event is lost or there twice, the log verifies, projection equals replay.

The killing is done by this file run as a program, in a process of its own that holds no database open when it forks:

    python tests/flows/test_kill.py FOLDER KILLS SEED
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from factories import sized
from nous import moments
from nous.features.backup.backup import backup, inspect
from nous.features.erasure.purge import Selection, finish, purge, search
from nous.kernel.db.sqlite import Sqlite
from nous.kernel.log.events import Event, Extracted
from nous.kernel.log.integrity import verify
from nous.kernel.memory.projection import catch_up, compare_with_replay, replay
from nous.kernel.stores import Stores, open_stores
from nous.moments import later

START = "2026-11-10T12:00:00.000Z"
KILLS_PER_DATABASE = 50
KILLS_PER_CHECK = 10
MOST_EVENTS = 6000


def now() -> str:
    return moments.text(datetime.now(UTC))


# -- in the process that is killed ----------------------------------------------------------------------------------

Say = Callable[[str], None]


def learning(key: str, words: str = "") -> Event:
    said = words or f"The answer to {key} is {len(key)}"
    return Event(
        learning_id=f"learning-{key}",
        event_type="LearningExtracted",
        idempotency_key=key,
        payload=Extracted(content=said, extractor_version="kill", type="fact", concepts=("kill", key), edges=()),
        session_id="s",
        project_id="p",
        source="user_review",
    )


def append(stores: Stores, folder: str, keys: Iterator[str], say: Say) -> None:
    """Batches, each with its projection in one transaction."""
    batch = [learning(next(keys)) for _ in range(random.randint(1, 12))]
    with stores.db.transaction():
        numbers = stores.events.append(batch, now())
        catch_up(stores, now())
    for event, number in zip(batch, numbers, strict=True):
        say(f"kept {event.idempotency_key} {number}")


def project(stores: Stores, folder: str, keys: Iterator[str], say: Say) -> None:
    """Events first, the read models later and in small pieces."""
    batch = [learning(next(keys)) for _ in range(30)]
    for event, number in zip(batch, stores.events.append(batch, now()), strict=True):
        say(f"kept {event.idempotency_key} {number}")
    catch_up(stores, now(), batch=7)


def rebuild(stores: Stores, folder: str, keys: Iterator[str], say: Say) -> None:
    """The whole read model, again and again."""
    append(stores, folder, keys, say)
    replay(stores, now())


def erase(stores: Stores, folder: str, keys: Iterator[str], say: Say) -> None:
    """A memory with a word of its own is learned and purged."""
    key = next(keys)
    with stores.db.transaction():
        [number] = stores.events.append([learning(key, f"canary-{key}-canary")], now())
        catch_up(stores, now())
    say(f"kept {key} {number}")
    assert number is not None
    say(f"erasing canary-{key}-canary")
    purge(stores, Selection(ids=(number,)), catch_up, f"{folder}/checkpoints", folder, "asked for", now())
    say(f"erased canary-{key}-canary")


def copy(stores: Stores, folder: str, keys: Iterator[str], say: Say) -> None:
    """Backups over one and the same file."""
    append(stores, folder, keys, say)
    backup(f"{folder}/cortex.db", f"{folder}/../backup.db", overwrite=True)


WORK = {"append": append, "project": project, "replay": rebuild, "purge": erase, "backup": copy}


def work(name: str, folder: str, prefix: str, pipe: int) -> None:
    """Do one kind of work until somebody ends it."""
    say: Say = lambda text: void(os.write(pipe, f"{text}\n".encode()))  # noqa: E731
    keys = (f"{prefix}-{number}" for number in range(10**9))
    try:
        stores = open_stores(f"{folder}/cortex.db")
        say("ready")
        while True:
            WORK[name](stores, folder, keys, say)
    except Exception as problem:
        say(f"failed {name}: {problem!r}")


def void(_: object) -> None:
    return None


# -- in the process that kills --------------------------------------------------------------------------------------


class Killer:
    """Starts workers on one database, kills them, and looks at what they left."""

    def __init__(self, folder: str, seed: int):
        self.root = folder
        self.chance = random.Random(seed)
        self.kills: Counter[str] = Counter()
        self.kept: dict[str, int] = {}
        self.erased: list[str] = []
        self.total = self.lost = self.doubled = self.checks = self.rounds = 0
        self.wrong: list[str] = []
        self.fresh()

    def fresh(self) -> None:
        self.folder = os.path.join(self.root, f"{self.rounds:04}")
        os.makedirs(self.folder)
        self.kept.clear()
        self.erased.clear()

    def run(self, kills: int) -> None:
        while self.kills.total() < kills and not self.wrong:
            self.round()
            if self.kills.total() % KILLS_PER_CHECK < 2 or len(self.kept) > MOST_EVENTS:
                self.look()
            if self.kills.total() % KILLS_PER_DATABASE < 2 or len(self.kept) > MOST_EVENTS:
                self.look()
                self.fresh()
        self.look()

    def round(self) -> None:
        """Two workers at once on one file; first one dies, then the other."""
        self.rounds += 1
        children = [
            self.start(name, f"{self.rounds}{name[0]}{n}") for n, name in enumerate(self.chance.choices([*WORK], k=2))
        ]
        time.sleep(self.chance.uniform(0.005, 0.12))
        for name, process, pipe in children:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            self.kills[name] += 1
            time.sleep(self.chance.uniform(0, 0.03))
            self.hear(pipe)

    def start(self, name: str, prefix: str) -> tuple[str, int, int]:
        ours, theirs = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(ours)
            random.seed(prefix)
            work(name, self.folder, prefix, theirs)
            os._exit(1)
        os.close(theirs)
        os.read(ours, 6)  # "ready\n"
        return name, process, ours

    def hear(self, pipe: int) -> None:
        """What a worker had said when it died."""
        with open(pipe, "rb") as said:
            for line in said.read().decode().splitlines():
                verb, _, rest = line.partition(" ")
                if verb == "kept":
                    key, _, number = rest.partition(" ")
                    self.kept[key] = int(number)
                    self.total += 1
                elif verb == "erased":
                    self.erased.append(rest)
                elif verb == "failed":
                    self.wrong.append(rest)

    def look(self) -> None:
        """Every promise, checked on what is there."""
        self.checks += 1
        db = f"{self.folder}/cortex.db"
        stores = open_stores(db)
        found = Counter(event.idempotency_key for event in stores.events.each_row())
        numbers = {event.idempotency_key: event.event_id for event in stores.events.each_row()}
        self.lost += sum(numbers.get(key) != number for key, number in self.kept.items())
        self.doubled += sum(count - 1 for count in found.values())
        finish(stores.events, stores.erasures, f"{self.folder}/checkpoints", self.folder, now())
        catch_up(stores, now())
        self.wrong += [problem.said for problem in verify(stores).problems]
        self.wrong += [
            str(different) for different in compare_with_replay(stores.events, stores.memories, now()).differences
        ]
        self.wrong += [f"{word} is still there" for word in self.erased if search(self.folder, db, [word]).found]
        stores.memories.check_text()
        assert isinstance(stores.db, Sqlite)
        if (said := stores.db.connection.pragma("integrity_check")) != "ok":
            self.wrong.append(f"the database is damaged: {said}")
        stores.close()
        if os.path.exists(f"{self.folder}/../backup.db"):
            inspect(f"{self.folder}/../backup.db")
            backup(f"{self.folder}/cortex.db", f"{self.folder}/../backup.db", overwrite=True)
            self.wrong += [f"{left} was left behind" for left in os.listdir(self.root) if left.endswith(".partial")]

    def summary(self) -> str:
        by_kind = ", ".join(f"{name} {self.kills[name]}" for name in WORK)
        return (
            f"{self.kills.total()} kills ({by_kind}): {self.total} acknowledged events, {self.lost} lost, "
            f"{self.doubled} duplicates, {len(self.wrong)} other problems in {self.checks} full checks "
            "(integrity, verify, projection equal to replay, erased words gone, backup readable, nothing left behind)"
        )


def main(folder: str, kills: str, seed: str) -> None:
    killer = Killer(folder, int(seed))
    killer.run(int(kills))
    print(killer.summary())
    for wrong in killer.wrong[:5]:
        print(wrong)
    sys.exit(bool(killer.wrong or killer.lost or killer.doubled))


if __name__ == "__main__":
    main(*sys.argv[1:])


# -- the tests ------------------------------------------------------------------------------------------------------


def killed(folder: Path, kills: int, seed: int) -> str:
    """The summary of so many kills."""
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith(("src", "tests")))}
    command = [sys.executable, __file__, str(folder), str(kills), str(seed)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_a_few_kills_leave_everything_in_order(tmp_path: Path) -> None:
    assert "0 lost, 0 duplicates, 0 other problems" in killed(tmp_path, 12, seed=1)


@pytest.mark.slow
def test_many_kills_leave_everything_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begun = time.monotonic()
    said = killed(tmp_path, sized(60, 500), seed=2)
    with capsys.disabled():
        print(f"\n{said} [{time.monotonic() - begun:.0f} s]")
    assert "0 lost, 0 duplicates, 0 other problems" in said


def test_the_killer_notices_what_is_lost(tmp_path: Path) -> None:
    """The check itself must be able to fail."""
    killer = Killer(str(tmp_path), 3)
    stores = open_stores(f"{killer.folder}/cortex.db")
    stores.events.append([learning("there")], later(START, 1))
    stores.close()
    killer.kept |= {"there": 1, "gone": 2}
    killer.look()
    assert (killer.lost, killer.doubled, killer.wrong) == (1, 0, [])


def several(folder: Path, name: str, count: int, seconds: float) -> list[list[str]]:
    """What several processes say that do the same work on one file for a while."""
    code = (
        "import sys, time, random\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_kill import WORK, open_stores\n"
        "name, folder, prefix, seconds = sys.argv[1:]\n"
        "stores = open_stores(folder + '/cortex.db')\n"
        "keys = (f'{prefix}-{n}' for n in range(10**9))\n"
        "end = time.monotonic() + float(seconds)\n"
        "while time.monotonic() < end:\n"
        "    WORK[name](stores, folder, keys, print)\n"
    )
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith(("src", "tests")))}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, name, str(folder), f"w{number}", str(seconds)],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(count)
    ]
    said = []
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        said.append(out.splitlines())
    return said


def test_several_processes_write_to_one_file_and_nothing_is_lost(tmp_path: Path) -> None:
    said = several(tmp_path, "project", 3, 1.0)
    kept = dict(line.split()[1:] for lines in said for line in lines)
    assert all(lines for lines in said), "everybody had a turn"
    stores = open_stores(str(tmp_path / "cortex.db"))
    catch_up(stores, now())
    assert {event.idempotency_key: str(event.event_id) for event in stores.events.each_row()} == kept
    assert verify(stores).ok
    assert compare_with_replay(stores.events, stores.memories, now()).differences == []
    stores.close()
