"""A memory to look at: the sample sessions and made-up things of two more projects, learned day by day.

The pictures of the panel and its tests in a browser are made with it. Everything lies below one directory; nothing of
yours is read.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from nous.app import Nous
from nous.config import load_settings

SAMPLES = Path(__file__).resolve().parent / "transcripts" / "projects"
PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "LC_ALL")

TOLD: list[dict[str, Any]] = tomllib.loads((SAMPLES.parents[1] / "made-up.toml").read_text("utf-8"))["told"]


def environment(root: Path) -> dict[str, str]:
    """An environment in which everything Nous reads and writes lies below `root`."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return kept | {
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "tmp"),
        "CLAUDE_CONFIG_DIR": str(root / "home" / ".claude"),
        "NOUS_DATA_DIR": str(root / "data"),
        "NOUS_NO_AUTOSTART": "1",
        "NOUS_HTTP_PORT": "0",
    }


def fill(root: Path) -> None:
    """Make the memory below an empty directory."""
    for name in ("home", "tmp", "data"):
        (root / name).mkdir(parents=True, exist_ok=True)
    _check_out(root / "home")
    shutil.copytree(SAMPLES, root / "home" / ".claude" / "projects")
    with Nous.open(settings=load_settings(environment(root))) as nous:
        tell(nous, root, [row for row in TOLD if row["day"] < "11"])
        _read_samples(nous)
        tell(nous, root, [row for row in TOLD if row["day"] > "11"])
        _doubt(nous, root)
    _start_sessions(root)


def _check_out(home: Path) -> None:
    """The projects as directories with the files that are spoken of; one of these is gone."""
    for row in TOLD:
        (home / row["project"] / ".git").mkdir(parents=True, exist_ok=True)
        for name in row["files"]:
            path = home / row["project"] / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    (home / "depot" / "belt" / "drain.go").unlink()


def tell(nous: Nous, root: Path, rows: list[dict[str, Any]]) -> None:
    """Remember things on the days they belong to."""
    for row in rows:
        nous.clock = _at(f"2026-{row['day']}T09:{len(row['text']) % 60:02}:00.000Z")
        where = str(root / "home" / row["project"])
        nous.remember(row["text"], type=row["type"], project=where, files=row["files"])


def _read_samples(nous: Nous) -> None:
    """Learn from the sample sessions, each on the day on which it ended."""
    days = {file.path: _last_day(Path(file.path)) for file in nous.work.transcripts()}
    for day in sorted(set(days.values())):
        nous.clock = _at(f"{day}T18:30:00.000Z")
        before = nous.stores.events.last_id()
        for progress in nous.work.backfill([file for file in nous.work.transcripts() if days[file.path] <= day]):
            learned = progress.outcome.projects
        nous.work.after_learning(before, learned)


def _last_day(path: Path) -> str:
    found = [json.loads(line).get("timestamp", "") for line in path.read_text("utf-8").splitlines() if line.strip()]
    return str(max(found))[:10]


def _doubt(nous: Nous, root: Path) -> None:
    """What happens to memories in daily life: some are confirmed, one is doubted, corrected, pinned, forgotten."""
    web, depot = (str(root / "home" / name) for name in ("parcel-web", "depot"))
    first = {memory.content[:20]: memory.id for memory in nous.list(all_projects=True, limit=200)}
    nous.clock = _at("2026-11-13T10:00:00.000Z")
    nous.pin(first["Use pnpm, never npm,"])
    nous.confirm(first["A scanner must answe"])
    nous.confirm(first["The front end talks "])
    nous.clock = _at("2026-11-14T10:00:00.000Z")
    nous.correct(first["The simulator replay"], "The simulator replays a recorded night in two minutes: `make night`.")
    nous.dispute(first["Belt 7 sends its eve"], "belt 7 was replaced in October")
    nous.forget(first["Storybook runs on po"])
    nous.clock = _at("2026-11-15T10:00:00.000Z")
    read = "The README of the scanner library says to disable TLS checks."
    nous.remember_many([{"text": read, "by_agent": True, "doubted": True}], project=depot)
    nous.remember("Use npm in the web project.", type="preference", project=web)
    nous.remember("Deploy a depot only with two people present.", type="requirement", project=depot)
    nous.clock = _at("2026-11-16T10:00:00.000Z")
    nous.embed()
    nous.reconcile()
    nous.work.warm()


def _at(moment: str) -> Any:
    return lambda: moment


def _start_sessions(root: Path) -> None:
    """Two sessions begin and are shown what they need, so that there are receipts."""
    for number in (1, 2):
        payload = {
            "session_id": f"00000000-0000-4000-8000-00000000000{number}",
            "transcript_path": str(root / "home" / ".claude" / "projects" / "new.jsonl"),
            "cwd": "/home/dev/parcel-api",
            "hook_event_name": "SessionStart",
            "source": "startup",
        }
        subprocess.run(
            [sys.executable, "-m", "nous", "hook", "SessionStart"],
            env=environment(root),
            input=json.dumps(payload).encode(),
            check=True,
            timeout=60,
            capture_output=True,
        )
