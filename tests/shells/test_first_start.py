"""The first start of a new version: the daemon retires last year's junk, status says so, and undo brings it back."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from factories import Home, extracted
from kernel.test_capture import lines, record
from nous.app import Nous
from nous.config import load_settings

JUNK = "looks like its working well, can you go on"


def said(home: Home, *words: str, cwd: Path) -> Any:
    done = home.nous(*words, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_daemon_retires_what_older_rules_kept_and_undo_brings_it_back(home: Home) -> None:
    app = home.project("app")
    (home.transcripts / "app").mkdir()
    talk = record(JUNK, cwd=str(app), sessionId="s-one")
    (home.transcripts / "app" / "s-one.jsonl").write_bytes(lines(talk))
    assert home.nous("backfill").returncode == 0
    home.nous("remember", "The port is 4600.", cwd=app)
    with Nous.open(settings=load_settings(home.environ)) as nous:
        kept = extracted("old", JUNK, extractor_version="rules-0", evidence=(talk["uuid"],), type="preference")
        event = replace(kept, session_id="s-one", project_id=nous.project(str(app)).id, source="historical_backfill")
        nous.stores.events.append([event], nous.clock())
        nous.work.catch_up()
    assert {one["content"] for one in said(home, "list", cwd=app)["memories"]} == {JUNK, "The port is 4600."}
    said(home, "up", cwd=app)
    deadline = time.monotonic() + 60
    while not (found := said(home, "status", cwd=app)["upgrade"]) or not found["done"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert (found["retired"], found["reworded"]) == (1, 0)
    assert [one["content"] for one in said(home, "list", cwd=app)["memories"]] == ["The port is 4600."]
    [number] = found["events"]
    assert f"`nous undo {number} --yes` takes it back" in home.nous("status", cwd=app).stdout
    said(home, "undo", str(number), "--yes", cwd=app)
    assert {one["content"] for one in said(home, "list", cwd=app)["memories"]} == {JUNK, "The port is 4600."}
    said(home, "restart", cwd=app)
    assert len(said(home, "list", cwd=app)["memories"]) == 2, "what was taken back is not retired again"
