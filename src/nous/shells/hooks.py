"""What a hook means. Standard library only, heavier modules imported where they are used: this is the hook path.

The daemon and the process without a daemon both answer through `answer`, so they say the same bytes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence

from nous import paths
from nous.identity import context_keys, identify

FIND_SQL = "SELECT packet_json FROM injection_cache WHERE context_key = ?"
LOG_LIMIT = 1_000_000
SOCKET_SECONDS = 0.25
HARD_SECONDS = 0.45
WAKING = ("SessionStart", "Stop", "SessionEnd", "SubagentStop", "PreCompact")

Find = Callable[[str], str | None]


def answer(name: str, body: bytes, find: Find) -> bytes:
    """What to print for a hook: the client's JSON, or nothing."""
    if name != "SessionStart":
        return b""
    import json

    payload = json.loads(body)
    packet = _first(find, context_keys(identify(payload.get("cwd") or os.getcwd())))
    text = json.loads(packet)["text"] if packet else ""
    if not text:
        return b""
    said = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}
    return json.dumps(said, ensure_ascii=False).encode() + b"\n"


def _first(find: Find, keys: Sequence[str]) -> str | None:
    return next((packet for key in keys if (packet := find(key))), None)


def main(name: str, python: str = sys.executable) -> int:
    """`nous hook NAME`: stdin to the daemon, else answered here. Whatever happens, exit status 0."""
    if os.environ.get("NOUS_WORKER"):
        return 0
    _limit_time()
    try:
        body = sys.stdin.buffer.read()
        said = ask_daemon(name, body, paths.socket_path(os.environ))
        if said is None:
            said = alone(name, body, os.environ, python)
        if said:
            sys.stdout.buffer.write(said)
            sys.stdout.buffer.flush()
    except Exception as problem:
        note(os.environ, name, problem)
        _silence_stdout()
    return 0


def alone(name: str, body: bytes, environ: Mapping[str, str], python: str) -> bytes:
    """The answer without a daemon, straight from the database; the daemon is started behind it."""
    try:
        return answer(name, body, _from_database(paths.database_path(environ)))
    except Exception as problem:
        note(environ, name, problem)
        return b""
    finally:
        if name in WAKING:
            wake(environ, python)


def _from_database(path: str) -> Find:
    import sqlite3

    if not os.path.exists(path):
        return lambda key: None
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=0.1)

    def find(key: str) -> str | None:
        row = connection.execute(FIND_SQL, (key,)).fetchone()
        return row[0] if row else None

    return find


def ask_daemon(name: str, body: bytes, address: str) -> bytes | None:
    """The daemon's answer, or None when it did not give one in time."""
    import _socket

    try:
        daemon = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        daemon.settimeout(SOCKET_SECONDS)
        daemon.connect(address)
        head = b"POST /hooks/%b HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % (name.encode(), len(body))
        daemon.sendall(head + body)
        reply = b""
        while chunk := daemon.recv(65536):
            reply += chunk
    except (OSError, AttributeError):
        return None
    status, _, said = reply.partition(b"\r\n\r\n")
    return said if b" 20" in status[:16] else None


def wake(environ: Mapping[str, str], python: str) -> None:
    """Start the daemon behind this process, unless one holds the lock or it is forbidden. Never waits."""
    if environ.get("NOUS_NO_AUTOSTART") or not python or not hasattr(os, "fork") or is_running(environ):
        return
    if os.fork() != 0:
        return
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.chdir("/")
        os.execve(python, [python, "-m", "nous", "up", "--foreground"], dict(environ))
    finally:
        os._exit(0)


def is_running(environ: Mapping[str, str]) -> bool:
    """Whether a daemon holds the lock of this data directory."""
    import fcntl

    try:
        lock = os.open(os.path.join(paths.data_dir(environ), "daemon.lock"), os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def note(environ: Mapping[str, str], name: str, problem: BaseException) -> None:
    """One line in the hook log; nothing of the payload. Failing to write it is fine too."""
    try:
        import time

        path = os.path.join(paths.data_dir(environ), "hook.log")
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        mode = "a" if not os.path.exists(path) or os.path.getsize(path) < LOG_LIMIT else "w"
        with open(path, mode, encoding="utf-8") as log:
            log.write(f"{moment} {name} {type(problem).__name__}: {str(problem)[:300]}\n")
    except Exception:
        return


def _limit_time() -> None:
    """End this process, successfully and silently, before a session could notice that it hangs."""
    try:
        import signal

        signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
        signal.setitimer(signal.ITIMER_REAL, HARD_SECONDS)
    except (ImportError, AttributeError, ValueError):
        return


def _silence_stdout() -> None:
    """A closed stdout must not turn into a message and a status at interpreter exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError:
        return
