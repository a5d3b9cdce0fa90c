"""The real client in a world of its own: found or installed, and run with nothing of the user's around it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

import nous
from nous.app import Nous
from nous.config import load_settings

from .stub import Reply, Request, Stub

VERSION = "2.1.325"
REPO = Path(__file__).resolve().parents[2]
PACKAGE = str(Path(nous.__file__).resolve().parent.parent)


class NoClient(Exception):
    """There is no client here, and none could be installed."""


class Session(msgspec.Struct, frozen=True):
    """One finished run of the client and what it asked the API."""

    exit_code: int
    said: str
    complaints: str
    requests: tuple[Request, ...]

    @property
    def turns(self) -> tuple[Request, ...]:
        """The requests for the user's turns, without the client's own errands."""
        return tuple(request for request in self.requests if not request.is_errand)

    @property
    def heard(self) -> str:
        """All that the model was told, in any request and any form."""
        return "\n".join(request.text for request in self.turns)

    @property
    def id(self) -> str:
        """The session's id, as the client names it to the API; the first one, should there be several."""
        return self.turns[0].session


def client() -> Path:
    """The client's executable: from `NOUS_CLIENT_PREFIX`, else from `.client`, where npm puts it if need be."""
    prefix = Path(os.environ.get("NOUS_CLIENT_PREFIX") or REPO / ".client").resolve()
    executable = prefix / "node_modules" / ".bin" / "claude"
    if not is_usable(executable):
        prefix.mkdir(parents=True, exist_ok=True)
        with open(prefix / ".lock", "w") as lock:  # workers of one run: the first installs, the others wait
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_usable(executable):
                install(prefix)
    if not is_usable(executable):
        raise NoClient(f"npm left no working client in {prefix}")
    return executable


def is_usable(executable: Path) -> bool:
    """Whether the executable is there and starts, which a download cut short does not."""
    if not executable.exists():
        return False
    done = subprocess.run([executable, "--version"], capture_output=True, text=True, timeout=300, check=False)
    return done.returncode == 0 and "Claude Code" in done.stdout


def install(prefix: Path) -> None:
    """Install the pinned version by npm. The version is named, since npm picks an old one on an old Node."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise NoClient("npm or node is not installed")
    prefix.mkdir(parents=True, exist_ok=True)
    quiet = ["--no-fund", "--no-audit", "--loglevel=error", "--fetch-retries=1"]
    order = [npm, "install", "--prefix", str(prefix), *quiet, f"@anthropic-ai/claude-code@{VERSION}"]
    try:
        subprocess.run(order, check=True, capture_output=True, text=True, timeout=240)
    except subprocess.TimeoutExpired:
        raise NoClient("npm took too long to install the client") from None
    except subprocess.CalledProcessError as error:
        raise NoClient(f"npm cannot install the client: {error.stderr.partition(chr(10))[0]}") from None


class World:
    """A home, a Claude Code directory, a data directory and projects, below one temporary directory."""

    def __init__(self, root: Path, executable: Path) -> None:
        self.root = root
        self.executable = executable
        for folder in ("home", "claude", "tmp", "run"):
            (root / folder).mkdir(parents=True)
        self.environ = {
            # The command `nous` is not on this PATH: the installed plugin must find it by itself.
            "PATH": os.pathsep.join([os.path.dirname(shutil.which("git") or "/usr/bin/git"), "/usr/bin", "/bin"]),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "PYTHONPATH": PACKAGE,
            "HOME": str(root / "home"),
            "TMPDIR": str(root / "tmp"),
            "CLAUDE_CODE_TMPDIR": str(root / "tmp"),
            "XDG_RUNTIME_DIR": str(root / "run"),
            "CLAUDE_CONFIG_DIR": str(root / "claude"),
            "NOUS_DATA_DIR": str(root / "data"),
            "NOUS_NO_AUTOSTART": "1",
            "ANTHROPIC_API_KEY": "sk-ant-test-000",
            # Nobody listens there: what needs no API must not look for one, least of all on the network.
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "IS_SANDBOX": "1",
        }

    @property
    def settings(self) -> Path:
        """The user's settings file."""
        return self.root / "claude" / "settings.json"

    def project(self, name: str) -> Path:
        """A git repository with one commit."""
        folder = self.root / "projects" / name
        folder.mkdir(parents=True)
        (folder / "README.md").write_text(f"# {name}\n")
        author = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"]
        for step in (["init", "-q", "-b", "main"], ["add", "."], [*author, "commit", "-qm", "first"]):
            subprocess.run(["git", *step], cwd=folder, env=self.environ, check=True, capture_output=True)
        return folder

    def claude(
        self, prompt: str, cwd: Path, *options: str, script: Sequence[Reply] = (), environ: Mapping[str, str] = {}
    ) -> Session:
        """One session of the client in a project, against a stub that answers by the script."""
        with Stub(script) as stub:
            done = subprocess.run(
                [self.executable, "-p", prompt, *options],
                cwd=cwd,
                env={**self.environ, "ANTHROPIC_BASE_URL": stub.url, **environ},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            return Session(done.returncode, done.stdout.strip(), done.stderr.strip(), tuple(stub.requests))

    def talk(self, prompts: Sequence[str], cwd: Path, *options: str, script: Sequence[Reply] = ()) -> Session:
        """One process of the client that is given prompts one after the other, each when the last is answered."""
        form = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        with Stub(script) as stub:
            process = subprocess.Popen(
                [self.executable, "-p", *form, *options],
                cwd=cwd,
                env={**self.environ, "ANTHROPIC_BASE_URL": stub.url},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            with process:  # the test's own time limit ends a client that never answers
                said = [answer_to(process, prompt) for prompt in prompts]
                process.communicate()
            return Session(process.returncode, "\n".join(said), "", tuple(stub.requests))

    def plugin_command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """`claude plugin ...`, which needs no API."""
        return subprocess.run(
            [self.executable, "plugin", *words],
            cwd=self.root,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def nous(self, *words: str, cwd: Path | None = None) -> Any:
        """What `nous ... --json` printed."""
        done = subprocess.run(
            [sys.executable, "-m", "nous", *words, "--json"],
            cwd=cwd or self.root,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"nous {' '.join(words)}: {done.stderr}"
        return json.loads(done.stdout)

    def memory(self) -> Nous:
        """The memory of this world, opened in this process: the command takes its time to start."""
        return Nous.open(settings=load_settings(self.environ))

    @property
    def hook_log(self) -> str:
        """What hooks had to complain about: the reason, should one have been silent."""
        log = self.root / "data" / "hook.log"
        return log.read_text() if log.exists() else "(no hook complained)"

    def processes(self) -> Iterator[int]:
        """The processes that live in this world (Linux; elsewhere none are seen)."""
        mark = b"NOUS_DATA_DIR=" + os.fsencode(self.environ["NOUS_DATA_DIR"]) + b"\0"
        for each in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (each / "environ").read_bytes():
                    yield int(each.name)
            except OSError:
                continue  # it ended meanwhile, or it is somebody else's

    def close(self) -> list[int]:
        """Stop the daemon of this world; the processes that were left even then, now killed."""
        if any(self.processes()):
            self.nous("down")
        if wait_until(lambda: not any(self.processes()), seconds=5):
            return []
        left = list(self.processes())
        for process in left:
            os.kill(process, signal.SIGKILL)
        return left


def answer_to(process: subprocess.Popen[str], prompt: str) -> str:
    """What the client says to one prompt: it may take in more than one at once, so the next waits for this."""
    assert process.stdin and process.stdout
    line = {"type": "user", "message": {"role": "user", "content": prompt}}
    process.stdin.write(json.dumps(line) + "\n")
    process.stdin.flush()
    for record in map(json.loads, process.stdout):
        if record["type"] == "result":
            return str(record.get("result", ""))
    raise AssertionError(f"the client ended before it answered {prompt!r}")


def wait_until(holds: Callable[[], bool], seconds: float) -> bool:
    """Whether something came true in time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
