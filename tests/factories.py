"""Values with good defaults, and homes that are thrown away."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

from nous.kernel.log.events import Event, Extracted, Reinforced, SessionObserved, Superseded, Writer, make_event
from nous.kernel.log.extraction import EdgeProposal
from nous.kernel.memory.consolidation import EXTRACTOR
from nous.kernel.memory.memory import Memory
from nous.kernel.memory.projection import catch_up
from nous.kernel.stores import Stores
from nous.shells.cli import main

NOW = "2026-11-10T12:00:00.000Z"
THOROUGH = os.environ.get("NOUS_THOROUGH", "") not in ("", "0")


def sized(usual: int, thorough: int) -> int:
    """How much of something a test tries: a little in every run, all of it with NOUS_THOROUGH=1 (`make thorough`)."""
    return thorough if THOROUGH else usual


# Commands that start, stop or look at processes, or that a client starts as one: tests of these need a real one.
PROCESSES = {
    "init",
    "uninstall",
    "up",
    "down",
    "restart",
    "panel",
    "service",
    "serve",
    "watch",
    "worker",
    "hub",
    "mcp",
    "hook",
    "plugin",
}

INTERPRETER = ("PYTHON", "LANG", "LC_")  # variables that an interpreter reads when it starts


@contextmanager
def standing_in(directory: Path, environ: dict[str, str], argv: list[str], stdin: str) -> Iterator[None]:
    """This process as if a command had been started in it."""
    before = os.getcwd()
    entered = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogateescape")), "utf-8")
    os.chdir(directory)
    try:
        with (
            mock.patch.dict(os.environ, environ, clear=True),
            mock.patch.object(os, "getppid", os.getpid),  # the tests are what starts it
            mock.patch.object(sys, "argv", argv),
            mock.patch.object(sys, "stdin", entered),
        ):
            yield
    finally:
        os.chdir(before)


class Home:
    """A user's home with nothing in it: its environment, its Claude directory, its Nous data."""

    def __init__(self, root: Path):
        self.root = root
        self.home = root / "home"
        self.claude = self.home / ".claude"
        self.data = root / "data"
        self.transcripts = self.claude / "projects"
        self.transcripts.mkdir(parents=True)
        (root / "tmp").mkdir()
        self.environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith("src")),
            "LANG": "C.UTF-8",
            "HOME": str(self.home),
            "TMPDIR": str(root / "tmp"),
            "CLAUDE_CONFIG_DIR": str(self.claude),
            "NOUS_DATA_DIR": str(self.data),
            "NOUS_NO_AUTOSTART": "1",
            "NOUS_HTTP_PORT": "0",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        self.usual = {name: self.environ[name] for name in ("PYTHONPATH", "LANG")}

    def nous(
        self, *args: str, stdin: str = "", cwd: Path | None = None, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command; in a process of its own where that could make a difference."""
        run = self._run_apart if self._needs_process(args, self.environ | environ) else self._run_here
        return run(args, stdin, cwd or self.home, self.environ | environ)

    def _needs_process(self, args: tuple[str, ...], environ: dict[str, str]) -> bool:
        is_other_interpreter = {name: environ[name] for name in environ if name.startswith(INTERPRETER)} != self.usual
        is_in_thread = threading.current_thread() is not threading.main_thread()
        return is_other_interpreter or is_in_thread or bool(PROCESSES.intersection(args[:2]))

    def apart(
        self, *args: str, stdin: str = "", cwd: Path | None = None, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in a process of its own."""
        return self._run_apart(args, stdin, cwd or self.home, self.environ | environ)

    def _run_apart(
        self, args: tuple[str, ...], stdin: str, cwd: Path, environ: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "nous", *args]
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, cwd=cwd, env=environ, timeout=300, check=False
        )

    def _run_here(
        self, args: tuple[str, ...], stdin: str, cwd: Path, environ: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Without an interpreter and its imports, which cost ten times as much as most commands."""
        argv = ["nous", *args]
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
        with standing_in(cwd, environ, argv, stdin), redirect_stdout(out), redirect_stderr(err):
            try:
                status = main()
            except SystemExit as ended:
                status = ended.code if isinstance(ended.code, int) else 1
        said = []
        for stream in (out, err):
            stream.flush()
            said.append(stream.buffer.getvalue().decode("utf-8"))
        return subprocess.CompletedProcess(argv, status, *said)

    def project(self, name: str = "app", remote: str | None = None) -> Path:
        """A git repository below the home."""
        path = self.home / "code" / name
        path.mkdir(parents=True)
        self.git(path, "init", "-q", "-b", "main")
        if remote:
            self.git(path, "remote", "add", "origin", remote)
        return path

    def git(self, where: Path, *args: str) -> None:
        """Run git without anybody's configuration."""
        subprocess.run(["git", "-C", str(where), *args], check=True, env=self.environ, capture_output=True)


def extracted(learning_id: str = "l1", content: str = "Use pnpm here.", key: str | None = None, **fields: Any) -> Event:
    """An event that introduces a learning."""
    said: dict[str, Any] = {"type": "fact", "concepts": (), "edges": (), "extractor_version": "test"}
    envelope: dict[str, Any] = {"project_id": "p", "session_id": "s", "valid_from": NOW} | {
        name: fields.pop(name)
        for name in ("project_id", "session_id", "valid_from", "valid_until", "clock")
        if name in fields
    }
    return Event(
        learning_id=learning_id,
        event_type="LearningExtracted",
        idempotency_key=key or f"extracted:{learning_id}",
        payload=Extracted(content=content, **(said | fields)),
        source="user_review",
        **envelope,
    )


def memory(id: int = 1, content: str = "Use pnpm here.", **fields: Any) -> Memory:
    """A memory with unremarkable values."""
    said: dict[str, Any] = {
        "learning_id": f"l{id}",
        "project_id": "p",
        "session_id": "s",
        "type": "fact",
        "kind": "semantic",
        "created_at": NOW,
        "version": id,
        "valid_from": NOW,
    }
    return Memory(id=id, content=content, **(said | fields))


def seen(stores: Stores, session: str, project: str = "p", at: str = NOW, **fields: Any) -> None:
    """A session as it was observed."""
    said = SessionObserved(kind="build", started_at=at, ended_at=at, **({"prompts": 4, "calls": 9} | fields))
    by = Writer(session, "observer")
    told = make_event("SessionObserved", f"o-{session}", said, f"o:{session}", project_id=project, by=by)
    stores.events.append([told], at)
    catch_up(stores, at)


def joined(stores: Stores, *members: Memory, at: str = NOW) -> int:
    """What an earlier version made of several memories, with the events that it wrote; its number."""
    first, key = members[0], "consolidated:" + "+".join(one.learning_id for one in members)
    born = make_event(
        "LearningExtracted",
        "joined",
        Extracted(
            content=" ".join(f"{one.content.rstrip('.')}." for one in members),
            type=first.type,
            concepts=(),
            edges=tuple(EdgeProposal(one.learning_id, "derived_from", 1.0, 1.0) for one in members),
            extractor_version=EXTRACTOR,
            evidence=tuple(dict.fromkeys(record for one in members for record in one.evidence)),
        ),
        key,
        project_id=first.project_id,
        by=Writer(first.session_id, "consolidation"),
        at=first.valid_from,
    )
    [number] = stores.events.append([born], at)
    assert number is not None
    gained = Reinforced(reinforcement_delta=0.0, evidence=first.evidence, reason="what its parts had gained")
    strengthened = make_event(
        "LearningReinforced", "joined", gained, f"{key}:s", project_id=first.project_id,
        by=Writer(first.session_id, "consolidation"), at=at, cause=number,
    )  # fmt: skip
    ends = [
        make_event(
            "LearningSuperseded",
            one.learning_id,
            Superseded(superseded_by="joined", reason=f"consolidated into #{number}"),
            f"{key}:{one.learning_id}",
            project_id=one.project_id,
            by=Writer("consolidate", "consolidation"),
            at=at,
            cause=number,
        )
        for one in members
    ]
    stores.events.append([strengthened, *ends], at)
    catch_up(stores, at)
    return number
