"""Whether the daemon runs: its lock, starting and stopping it, and asking how it is."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from nous import __version__
from nous.config import Settings
from nous.errors import Conflict, NousError
from nous.shells import hooks, waking

LEAVING_SECONDS = 3.0  # what a process needs at most to end after it gave back its lock

Process = Literal["watch", "worker", "serve"]  # the parts that run apart
PROCESSES: tuple[Process, ...] = ("watch", "worker", "serve")


def lock_path(data_dir: str, part: str = "daemon") -> str:
    """The lock of the daemon, or of one of its parts that runs apart."""
    return os.path.join(data_dir, f"{part}.lock")


class Lock:
    """Held by the one daemon of a data directory, or by the one part of it; the file says who holds it."""

    def __init__(self, data_dir: str, part: str = "daemon"):
        self.path = lock_path(data_dir, part)
        os.makedirs(data_dir, mode=0o700, exist_ok=True)
        self.file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.file)
            who = "a daemon" if part == "daemon" else f"`nous {part}`"
            raise NousError(f"{who} is already running (process {holder(data_dir, part) or 'unknown'})") from None
        os.ftruncate(self.file, 0)
        os.pwrite(self.file, json.dumps({"pid": os.getpid(), "version": __version__}).encode(), 0)

    def is_ours(self) -> bool:
        """Whether the lock file is still the one we hold: its directory may have been deleted or replaced."""
        try:
            return os.stat(self.path).st_ino == os.fstat(self.file).st_ino
        except OSError:
            return False

    def release(self) -> None:
        """Let another daemon start."""
        os.close(self.file)


def holder(data_dir: str, part: str = "daemon") -> int | None:
    """The process that holds the lock, or None when nobody does."""
    pid: int | None = _read_lock(data_dir, part).get("pid")
    return pid


def _read_lock(data_dir: str, part: str) -> dict[str, Any]:
    """What the holder of the lock says of itself; nothing where nobody holds it."""
    try:
        file = os.open(lock_path(data_dir, part), os.O_RDWR)
    except OSError:
        return {}
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return {}
    except OSError:
        said = os.pread(file, 4096, 0)
        return dict(json.loads(said)) if said else {}
    finally:
        os.close(file)


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal or a debugger and may go on; where the system does not say, no."""
    return _state(pid) in ("T", "t")


def is_gone(pid: int) -> bool:
    """Whether a process has ended, whoever is still to be told so."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):  # none, or another's who got its number
        return True
    return _state(pid) in ("Z", "X")


def _state(pid: int) -> str:
    """The letter by which Linux tells what a process does; empty where nobody says."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""


def start(settings: Settings, environ: dict[str, str], seconds: float = 15.0) -> int:
    """Start the daemon in the background and wait until it answers; its process."""
    if running := holder(settings.data_dir):
        if is_stopped(running):
            raise NousError(f"the daemon is stopped (process {running})", hint=f"`kill -CONT {running}` lets it go on")
        return running
    command = [sys.executable, "-m", "nous", "up", "--foreground"]
    nothing = subprocess.DEVNULL
    there = waking.settle({os.fsencode(name): os.fsencode(value) for name, value in environ.items()})
    process = subprocess.Popen(
        command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True, cwd="/", env=there
    )
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if health(settings.socket_path):
            return holder(settings.data_dir) or process.pid
        if process.poll() is not None and not holder(settings.data_dir):
            raise NousError("the daemon ended at once", hint=f"see {os.path.join(settings.data_dir, 'daemon.log')}")
        time.sleep(0.05)
    raise NousError(f"the daemon did not answer within {seconds:.0f} seconds")


def stop(settings: Settings, seconds: float = 12.0) -> bool:
    """Stop the daemon; False when none was running."""
    pid = holder(settings.data_dir)
    if pid is None:
        return False
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):  # it ends by itself meanwhile
            os.kill(pid, number)
            os.kill(pid, signal.SIGCONT)  # one that is stopped hears nothing else
        if _comes_true(lambda: holder(settings.data_dir) != pid, seconds):
            _comes_true(lambda: is_gone(pid), LEAVING_SECONDS)
            return True
    raise NousError(f"process {pid} does not stop")


def _comes_true(claim: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not claim():
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
    return True


def nobody_works(settings: Settings) -> None:
    """Refuse in a sentence what would change the memory under a process that works in it."""
    for part in PROCESSES:
        if running := holder(settings.data_dir, part):
            raise Conflict(f"`nous {part}` is at work in the memory (process {running})", hint="stop it, then again")
    if holder(settings.data_dir) or health(settings.socket_path):
        raise Conflict("the daemon is at work in the memory", hint="`nous down`, then again")


def health(address: str) -> dict[str, Any] | None:
    """What the daemon says of itself, or None when it does not answer."""
    try:
        reply = hooks.exchange(hooks.connect(address, 1.0), b"GET /health HTTP/1.0\r\n\r\n", 1.0)
        said: dict[str, Any] = json.loads(reply.partition(b"\r\n\r\n")[2])
        return said
    except (OSError, ValueError):
        return None
