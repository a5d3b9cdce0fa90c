"""The review as a person at a terminal sees it, and as a program does."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from factories import Home


def run(home: Home, *words: str, cwd: Path) -> Any:
    done = home.nous(*words, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def app(home: Home) -> Path:
    """A project with two disputed memories."""
    where = home.project("app")
    for text in ("Deploys go through make ship", "The API listens on port 4000"):
        number = run(home, "remember", text, cwd=where)["id"]
        run(home, "dispute", str(number), cwd=where)
    return where


def at_terminal(home: Home, keys: list[str], cwd: Path) -> str:
    """What `nous review` shows on a real terminal; each key is pressed once its question is there."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "nous", "review"]
    process = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, cwd=cwd, env=home.environ)
    os.close(follower)
    shown = b""
    deadline = time.monotonic() + 30
    marks = 0
    while time.monotonic() < deadline:
        if select.select([leader], [], [], 0.1)[0]:
            try:
                chunk = os.read(leader, 65536)
            except OSError:  # the terminal is gone with its process
                break
            if not chunk:
                break
            shown += chunk
        if keys and shown.count(b"q quit") + shown.count(b"new words") > marks:
            marks = shown.count(b"q quit") + shown.count(b"new words")
            time.sleep(0.5)  # what is typed before the question is asked does not count
            os.write(leader, keys.pop(0).encode())
    os.close(leader)
    try:
        process.wait(timeout=10)
    finally:
        process.kill()
    assert process.returncode == 0, shown.decode()
    return shown.decode().replace("\r\n", "\n")


def test_a_review_takes_one_key_per_decision_and_can_go_back(home: Home, app: Path) -> None:
    shown = at_terminal(home, ["k", "u", "r", "e", "The API listens on port 4100\n"], app)
    assert "[1/2] This is in doubt. Is it true?" in shown
    assert "k keep (it is right) · e edit (reword it) · r reject (delete A)" in shown
    assert "1 keep, 1 undone, 1 reject, 1 edit; 0 left" in shown
    assert [memory["content"] for memory in run(home, "list", cwd=app)["memories"]] == ["The API listens on port 4100"]
    assert home.nous("review", cwd=app).stdout == "nothing to decide\n"


def test_quitting_leaves_the_rest_for_another_time(home: Home, app: Path) -> None:
    assert "nothing decided; 2 left" in at_terminal(home, ["q"], app)
    assert len(run(home, "review", cwd=app)["items"]) == 2


def test_without_a_terminal_one_sentence_says_what_to_do(home: Home, app: Path) -> None:
    done = home.nous("review", cwd=app)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: 2 questions wait: answering needs a terminal\nhint: `nous review --json`")


def test_a_program_lists_decides_and_takes_back(home: Home, app: Path) -> None:
    first, second = run(home, "review", cwd=app)["items"]
    assert (first["kind"], first["actions"]) == ("disputed", ["keep", "edit", "reject", "pin", "later"])
    done = run(home, "review", "decide", first["id"], "keep", cwd=app)
    assert done["memories"][0]["confirmed"]
    assert [item["id"] for item in run(home, "review", cwd=app)["items"]] == [second["id"]]
    run(home, "undo", str(done["event_id"]), cwd=app)
    assert run(home, "review", cwd=app)["waiting"] == {"disputed": 2}


@pytest.mark.parametrize(
    ("words", "status", "problem"),
    [
        (("decide", "tainted:77", "keep"), 1, "nothing to decide about 'tainted:77'"),
        (("decide", "tainted:1", "burn"), 2, "'burn' is no action"),
        (("decide", "tainted:1"), 2, "nous review decide ITEM ACTION"),
    ],
)
def test_misuse_is_one_sentence(home: Home, app: Path, words: tuple[str, ...], status: int, problem: str) -> None:
    done = home.nous("review", *words, cwd=app)
    assert done.returncode == status and problem in done.stderr
