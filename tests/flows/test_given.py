"""A session that was given a memory knows what that memory knew."""

from __future__ import annotations

import json
from pathlib import Path

from factories import Home
from nous.kernel.log.clocks import compare
from nous.kernel.stores import open_stores

RULE = "in this repo dependencies are always added with `uv add`, never with pip install"


def say(home: Home, project: Path, session: str, text: str) -> None:
    """A session in which the user says one thing."""
    record = {
        "type": "user",
        "uuid": f"{session}-0000",
        "sessionId": session,
        "timestamp": f"2026-11-0{session[-1]}T10:00:00.000Z",
        "cwd": str(project),
        "gitBranch": "main",
        "isSidechain": False,
        "message": {"role": "user", "content": text},
    }
    folder = home.transcripts / "p"
    folder.mkdir(exist_ok=True)
    (folder / f"{session}.jsonl").write_text(json.dumps(record) + "\n")
    assert home.nous("backfill").returncode == 0


def test_a_session_that_was_given_a_memory_comes_after_it(home: Home) -> None:
    project = home.project()
    say(home, project, "session-1", RULE)
    body = {"session_id": "session-2", "cwd": str(project), "source": "startup"}
    assert "uv add" in home.nous("hook", "SessionStart", stdin=json.dumps(body)).stdout
    say(home, project, "session-2", "remember: the staging database is only reachable through the office VPN")
    say(home, project, "session-3", "remember: releases are cut from the branch `stable` on Tuesdays")
    stores = open_stores(str(home.data / "cortex.db"))
    first, second, third = (memory.clock for memory in reversed(stores.memories.listing(None, status="active")))
    stores.close()
    assert compare(second, first) == "after"
    assert compare(third, first) == "concurrent"
