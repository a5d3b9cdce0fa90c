"""The daemon's parts as processes of their own on one database: one watches, one learns, one answers."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from factories import Home
from kernel.test_capture import lines, record
from nous.config import load_settings
from nous.shells.daemon import control


@contextmanager
def running(home: Home, *names: str) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Parts of a home, until the test ends."""
    made = {
        name: subprocess.Popen([sys.executable, "-m", "nous", name], env=home.environ, stderr=subprocess.PIPE)
        for name in names
    }
    try:
        yield made
    finally:
        for process in made.values():
            process.terminate()
        for process in made.values():
            process.wait(60)
            assert process.stderr is not None
            process.stderr.close()


def until(holds: Callable[[], bool], seconds: float = 90.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.2)
    return False


def says(home: Home, sentence: str, name: str) -> str:
    """A session says something; where its transcript is."""
    file = home.transcripts / "p" / f"{name}.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(lines(record(sentence, cwd=str(home.home / "code" / "app"), sessionId=name)))
    return str(file)


def knows(home: Home, word: str) -> Callable[[], bool]:
    return lambda: word in home.nous("list", "--all-projects").stdout


@pytest.mark.slow
def test_three_processes_on_one_file_do_what_the_daemon_does(home: Home) -> None:
    home.environ["NOUS_HTTP_PORT"] = "0"
    home.project()
    with running(home, "watch", "worker", "serve") as processes:
        for part in control.PROCESSES:
            assert until(lambda part=part: home.nous(part, "--check").returncode == 0), part  # type: ignore[misc]
        says(home, "We use pnpm, not npm.", "s1")
        assert until(knows(home, "pnpm"))
        said = control.health(load_settings(home.environ).socket_path)
        assert said and said["engine"] and said["parts"] == {"watch": True, "worker": True, "serve": True}
        assert "pnpm" in start_of_session(home)
        again = home.nous("worker")
        assert again.returncode == 1 and "already running" in again.stderr
        up = home.nous("up", "--foreground")
        assert up.returncode == 1 and "runs apart" in up.stderr
        processes["worker"].kill()
        processes["worker"].wait(60)
        assert home.nous("worker", "--check").returncode == 1
        says(home, "We use ruff, not flake8.", "s2")  # taken in, and kept until somebody learns
        with running(home, "worker"):
            assert until(knows(home, "ruff"))
    assert not (home.data / "nous.sock").exists() and not (home.data / "http.json").exists()
    assert home.nous("replay", "--verify").returncode == 0 and home.nous("verify").returncode == 0


def start_of_session(home: Home) -> str:
    """What a session that begins is told, through the socket."""
    payload = {
        "session_id": "s9",
        "cwd": str(home.home / "code" / "app"),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    found = ""

    def told() -> bool:
        nonlocal found
        found = home.nous("hook", "SessionStart", stdin=json.dumps(payload)).stdout
        return "pnpm" in found

    until(told, 60)
    return found


def test_a_part_does_not_run_beside_the_daemon(home: Home) -> None:
    assert home.nous("up").returncode == 0
    for part in control.PROCESSES:
        refused = home.nous(part)
        assert refused.returncode == 1 and "does this already" in refused.stderr
        assert home.nous(part, "--check").returncode == 1
    home.nous("down")
