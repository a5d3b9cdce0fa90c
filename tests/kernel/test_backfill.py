"""Backfill: the same contract as live capture, safe to stop anywhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from factories import NOW, Home
from kernel.test_capture import lines, record
from nous.app import Nous
from nous.config import load_settings
from nous.identity import context_key
from nous.kernel.capture.backfill import Chosen, backfill, choose, estimate, in_portions
from nous.kernel.stores import Stores


def tree(folder: Path, sessions: int, exchanges: int = 3) -> None:
    for session in range(sessions):
        file = folder / f"p{session % 3}" / f"s{session}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        words = [f"Remember: service {session} listens on port {4000 + session + n}." for n in range(exchanges)]
        cwd = f"/nowhere/p{session % 3}"
        file.write_bytes(lines(*(record(word, sessionId=f"s{session}", cwd=cwd) for word in words)))
        os.utime(file, (1_700_000_000 + session, 1_700_000_000 + session))


def test_everything_is_learned_and_nothing_twice(stores: Stores, tmp_path: Path) -> None:
    tree(tmp_path, 6)
    pattern = str(tmp_path / "**" / "*.jsonl")
    *_, last = backfill(stores, choose(stores.files, pattern), "w", lambda: NOW)
    assert (last.done, last.taken.lines, last.share) == (6, 18, 1.0)
    events = stores.events.count()
    assert events >= 6
    again = choose(stores.files, pattern)
    assert sum(file.new for file in again) == 0
    *_, last = backfill(stores, again, "w", lambda: NOW)
    assert (last.taken.lines, stores.events.count()) == (0, events)


def test_what_is_read_can_be_narrowed(stores: Stores, tmp_path: Path) -> None:
    tree(tmp_path, 6)
    pattern = str(tmp_path / "**" / "*.jsonl")
    names = [os.path.basename(file.path) for file in choose(stores.files, pattern, limit=2)]
    assert names == ["s4.jsonl", "s5.jsonl"], "the newest, oldest first"
    assert len(choose(stores.files, pattern, since=1_700_000_003)) == 3
    assert len(choose(stores.files, pattern, project_id="/nowhere/p1")) == 2
    assert choose(stores.files, pattern, project_id="/nowhere/p1", limit=1)[0].path.endswith("s4.jsonl")


def test_the_project_at_hand_comes_first_and_what_is_large_from_its_newest_sessions_back(tmp_path: Path) -> None:
    every = []
    for number, project in enumerate(("old", "here", "here", "here", "new")):
        file = tmp_path / project / f"s{number}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(lines(record("one", cwd=f"/nowhere/{project}")))
        every.append(Chosen(str(file), 1_200_000, 1_200_000))
    agent = tmp_path / "old" / "s0" / "subagents" / "agent-1.jsonl"
    every.insert(1, Chosen(str(agent), 100, 100))
    read = [[Path(file.path).stem for file in portion] for portion in in_portions(every, "/nowhere/here")]
    assert read == [["s3"], ["s1", "s2"], ["s4"], ["s0", "agent-1"]]
    assert [len(one) for one in in_portions(every)] == [1, 3, 2], "nowhere in particular: where somebody was last"


def test_what_a_session_is_told_is_ready_before_the_next_portion_is_read(home: Home) -> None:
    for name in ("a", "b"):
        (home.transcripts / name).mkdir()
        said = [
            record(f"Always run make check{n} in {name}.", sessionId=name, cwd=f"/nowhere/{name}") for n in range(3)
        ]
        (home.transcripts / name / "s.jsonl").write_bytes(lines(*said))
    with Nous.open(settings=load_settings(home.environ)) as nous:
        ready = []
        for step in nous.work.backfill(nous.work.transcripts(), "/nowhere/a"):
            packets = [nous.stores.cache.get(context_key(f"/nowhere/{name}", "")) or "" for name in ("a", "b")]
            ready.append((step.done, *("make check2" in packet for packet in packets)))
    assert list(dict.fromkeys(ready)) == [(1, False, False), (2, True, False), (2, True, True)], ready
    assert (step.share, step.packets) == (1.0, 2 * 2 + 3), "two of each project, and what holds everywhere three times"


def test_an_estimate_reads_nothing(stores: Stores, tmp_path: Path) -> None:
    tree(tmp_path, 6)
    found = estimate(choose(stores.files, str(tmp_path / "**" / "*.jsonl")))
    assert (found.files, found.sessions, found.new) == (6, 6, found.size)
    assert 0 < found.tokens < found.size
    assert stores.queue.counts() == {}


def test_the_command_says_what_it_would_read(home: Home) -> None:
    tree(home.transcripts, 3)
    said = json.loads(home.nous("backfill", "--dry-run", "--json").stdout)
    assert (said["sessions"], said["cost"]) == (3, 0.0)
    assert json.loads(home.nous("queue", "--json").stdout) == {"queue": {}}
    assert json.loads(home.nous("backfill", "--limit", "1", "--json").stdout)["files"] == 1


def test_the_cost_of_a_chosen_model_is_said_before_it_is_asked(home: Home) -> None:
    tree(home.transcripts, 3, exchanges=40)
    home.environ |= {"NOUS_LLM_PROVIDER": "openai", "NOUS_LLM_BASE_URL": "http://127.0.0.1:9", "NOUS_LLM_MODEL": "m"}
    home.environ |= {"NOUS_LLM_INPUT_USD": "1000", "NOUS_LLM_OUTPUT_USD": "0"}
    said = json.loads(home.nous("backfill", "--dry-run", "--json").stdout)
    assert said["tokens"] > 0
    assert said["cost"] >= said["tokens"] / 1000  # what is asked comes on top of what was said
    assert f"${said['cost']:.2f}" in home.nous("backfill", "--dry-run").stdout


def test_a_correction_found_in_history_ends_what_it_corrects_from_then_on(stores: Stores, tmp_path: Path) -> None:
    for name, day, text in (
        ("a", "01", "We always use npm on the build runner, never yarn."),
        ("b", "02", "From now on use pnpm instead of npm on the build runner."),
    ):
        said = record(text, sessionId=name, timestamp=f"2026-03-{day}T10:00:00.000Z")
        (tmp_path / f"{name}.jsonl").write_bytes(lines(said))
        os.utime(tmp_path / f"{name}.jsonl", (1_700_000_000 + int(day),) * 2)
    list(backfill(stores, choose(stores.files, str(tmp_path / "*.jsonl")), "w", lambda: NOW))
    events = [event for batch in stores.events.replay() for event in batch]
    assert ("LearningSuperseded", "2026-03-02T10:00:00.000Z") in [(one.event_type, one.valid_from) for one in events]


def test_an_interrupted_run_says_so_and_the_next_goes_on(home: Home) -> None:
    many = 80
    tree(home.transcripts, many, exchanges=8)
    command = [sys.executable, "-m", "nous", "backfill"]
    process = subprocess.Popen(
        command,
        env=home.environ,
        cwd=home.home,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_hear_interrupts,
    )
    database = home.data / "cortex.db"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (database.exists() and _completed(home) > 5):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    stderr = process.communicate(timeout=300)[1]
    assert process.returncode == 1, stderr
    assert stderr.startswith("error: stopped after ") and stderr.count("\n") == 1
    first = _completed(home)
    assert 0 < first < many
    said = json.loads(home.nous("backfill", "--json").stdout)
    assert said["queue"] == {"completed": many}
    assert said["lines"] < many * 8
    assert json.loads(home.nous("backfill", "--json").stdout)["lines"] == 0


def _hear_interrupts() -> None:
    """A shell starts what it runs in the background deaf to SIGINT, and tests may run there."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _completed(home: Home) -> int:
    from nous.kernel.stores import open_stores

    stores = open_stores(str(home.data / "cortex.db"))
    try:
        return stores.queue.counts().get("completed", 0)
    finally:
        stores.close()
