"""Conversations with questions to which the sources are known, each loaded once into a store of its own.

`load_beam` and `load_sde` take the folders that the evaluation runners take (`beam.py`, `sde.py`) and play them the
same way: transcripts in the client's format, read by `nous backfill`. A store that was made before is used again, so
that a change of the search is measured in seconds.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nous import Nous
from nous.config import load_settings

DAY = 86_400
STEP = 43_200  # seconds between two chats of sde-bench
AGENT_MARKS = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT")


class Asked(NamedTuple):
    """A question, its kind, and what an answer rests on: exchanges (BEAM), or the decision's own words (sde-bench)."""

    text: str
    kind: str
    sources: frozenset[str] = frozenset()
    decision: str = ""


class Corpus(NamedTuple):
    """A store with the questions to it; `exchange_of` names the exchange in which each record stands."""

    name: str
    home: Path
    project: str
    questions: tuple[Asked, ...]
    exchange_of: dict[str, str]

    def open(self) -> Nous:
        """The store, opened as the command opens it."""
        found = {"NOUS_DATA_DIR": str(self.home / "data"), "HOME": str(self.home)}
        nous = Nous.open(self.home / "data" / "cortex.db", settings=load_settings(found))
        nous.is_readonly = True  # what was asked for is not noted, so that every variant sees the same store
        return nous


def load_beam(data: Path, homes: Path, only: Sequence[str] = ()) -> list[Corpus]:
    """The conversations of BEAM."""
    files = sorted((one for one in data.glob("*.json") if not only or one.stem in only), key=lambda one: int(one.stem))
    return [_beam(file, homes / f"beam-{file.stem}") for file in files]


def _beam(file: Path, home: Path) -> Corpus:
    told = json.loads(file.read_text("utf-8"))
    exchange_of: dict[str, str] = {}
    sessions = []
    asked = ""
    for place, group in enumerate(told["groups"]):
        for number, role, _ in group:
            asked = str(number) if role == "user" else asked
            exchange_of[_identity("beam", file.stem, number)] = asked
        turns = [(_identity("beam", file.stem, number), role, text) for number, role, text in group]
        sessions.append((_identity("beam", file.stem, "group", place), DAY * (len(told["groups"]) - place), turns))
    by_number = {
        _identity("beam", file.stem, number): str(number) for group in told["groups"] for number, _, _ in group
    }
    exchange = {number: exchange_of[record] for record, number in by_number.items()}
    questions = []
    for one in told["questions"]:
        sources = frozenset(exchange[str(number)] for number in one["sources"] if str(number) in exchange)
        if sources:
            questions.append(Asked(one["question"], one["kind"], sources))
    project = str(home / "work" / file.stem)
    _make(home, project, sessions)
    return Corpus(file.stem, home, project, tuple(questions), exchange_of)


def load_sde(data: Path, homes: Path) -> list[Corpus]:
    """The two sets of sde-bench: plain tasks, and those whose decision was amended in a later chat."""
    tasks, decoys = (json.loads((data / f"{name}.json").read_text("utf-8")) for name in ("tasks", "decoys"))
    return [_sde(name, [one for one in tasks if one["amended"] == flag], decoys, homes) for name, flag in SETS]


SETS = (("plain", False), ("amended", True))


def _sde(name: str, tasks: list[dict[str, Any]], decoys: list[dict[str, Any]], homes: Path) -> Corpus:
    mine = [
        (task["id"], part, turns) for part in range(2) for task in tasks for turns in task["chats"][part : part + 1]
    ]
    gap = len(decoys) / (len(mine) + 1)
    order: list[tuple[str, int, list[list[str]]]] = []
    for place, decoy in enumerate(decoys):
        while mine and place >= gap * (len(order) - place + 1):
            order.append(mine.pop(0))
        order.append((f"decoy {decoy['id']}", 0, decoy["turns"]))
    order += mine
    sessions = []
    for place, (chat, part, turns) in enumerate(order):
        session = _identity("sde", chat, part)
        told = [(_identity("sde", session, at), role, text) for at, (role, text) in enumerate(turns)]
        sessions.append((session, DAY + STEP * (len(order) - 1 - place), told))
    home = homes / f"sde-{name}"
    project = str(home / "work" / "boltons")
    _make(home, project, sessions)
    questions = tuple(Asked(task["report"], name, decision=task["decision"]) for task in tasks)
    return Corpus(name, home, project, questions, {})


Told = tuple[str, float, Sequence[tuple[str, str, str]]]  # a session, how many seconds ago it began, its records


def _make(home: Path, project: str, sessions: Sequence[Told]) -> None:
    """Write the transcripts and let them be read, unless that was done before."""
    if (home / "ready").exists():
        return
    Path(project).mkdir(parents=True, exist_ok=True)
    now = time.time()
    for session, ago, turns in sessions:
        _write(home / "claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", project), project, session, now - ago, turns)
    environ = {name: value for name, value in os.environ.items() if name not in AGENT_MARKS} | {
        "HOME": str(home),
        "NOUS_DATA_DIR": str(home / "data"),
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "NOUS_NO_AUTOSTART": "1",
    }
    command = [sys.executable, "-m", "nous", "backfill", "--since", "3650d", "--json"]
    subprocess.run(command, env=environ, check=True, capture_output=True, cwd=home)
    (home / "ready").touch()


def _write(folder: Path, project: str, session: str, begun: float, turns: Sequence[tuple[str, str, str]]) -> None:
    """One transcript as the client writes it, a minute a record."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    before = None
    for place, (number, role, text) in enumerate(turns):
        said: dict[str, Any] = {"role": "user", "content": text}
        if role != "user":
            said = {"id": f"msg_{number[:8]}", "type": "message", "role": "assistant", "model": "claude"}
            said["content"] = [{"type": "text", "text": text}]
        record = {
            "type": role,
            "uuid": number,
            "parentUuid": before,
            "sessionId": session,
            "cwd": project,
            "gitBranch": "main",
            "version": "2.0.0",
            "isSidechain": False,
            "userType": "external",
            "message": said,
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(begun + 60 * place)),
        }
        lines.append(json.dumps(record, ensure_ascii=False))
        before = number
    file = folder / f"{session}.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.utime(file, (begun, begun + 60 * len(turns)))


def _identity(*parts: object) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(map(str, parts))))
