"""What a hook means. Standard library only, heavier modules imported where they are used: this is the hook path.

The daemon and the process without a daemon both answer through `nous.kernel.hooks.responses`, so they say the same
bytes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from nous import paths
from nous.shells import waking

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from typing import Any

    from nous.kernel.hooks.responses import Budgets

LOG_LIMIT = 1_000_000
SECONDS = {"SessionStart": (0.6, 1.5)}  # for the daemon's answer and for everything, as `hook.py` says
USUAL_SECONDS = (0.25, 0.45)
MOST_BYTES = 4_000_000  # as `hook.py` says
ANSWERED = ("SessionStart", "PostToolUse", "UserPromptSubmit")
OFF = ("false", "0", "no", "off")
PASSED = ("enable_userpromptsubmit", "session_start_tokens", "prompt_tokens", "tool_tokens")  # as `hook.py` says


def main(name: str, python: str = sys.executable) -> int:
    """`nous hook NAME`: stdin to the daemon, else answered here. Whatever happens, exit status 0."""
    if os.environ.get("NOUS_WORKER"):
        return 0
    _limit_time(name)
    try:
        body = sys.stdin.buffer.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            return 0
        said = ask_daemon(name, body, paths.socket_path(os.environ), os.environ)
        if said is None:
            said = alone(name, body, os.environ, python)
        if said:
            sys.stdout.buffer.write(said)
            sys.stdout.buffer.flush()
    except Exception as problem:
        note(os.environ, name, problem)
        _silence_stdout()
    finally:
        _unlimit_time()
    return 0


def alone(name: str, body: bytes, environ: Mapping[str, str], python: str) -> bytes:
    """The answer without a daemon, straight from the database; the daemon is started behind it."""
    try:
        return _from_database(name, body, environ)
    except Exception as problem:
        note(environ, name, problem)
        return b""
    finally:
        if name in waking.NAMES:
            waking.wake({os.fsencode(k): os.fsencode(v) for k, v in environ.items()}, paths.data_dir(environ), python)


def _from_database(name: str, body: bytes, environ: Mapping[str, str]) -> bytes:
    path = paths.hook_path(environ)
    if name not in ANSWERED or not os.path.exists(path):
        return b""
    import sqlite3

    from nous.kernel.hooks.hookstore import HookStore
    from nous.kernel.hooks.responses import HookContext, answer

    # A URI, since nothing else opens a database without making one; in a URI some characters mean something.
    place = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection = sqlite3.connect(f"file:{place}?mode=rw", uri=True, timeout=0.1, isolation_level=None)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if not _can_only_be_read(path):
            raise
        connection = sqlite3.connect(f"file:{place}?immutable=1", uri=True, isolation_level=None)
    try:
        said = _settings(environ)
        store, announces = HookStore(connection), str(_setting("announce", environ, said, True)).lower()
        prompts = str(_setting("enable_userpromptsubmit", environ, said, False)).lower() not in OFF
        budgets = _budgets(environ, said)
        context = HookContext(store, utc_now(), budgets=budgets, prompts=prompts, announces=announces not in OFF)
        return answer(name, body, context)
    finally:
        connection.close()


def _can_only_be_read(path: str) -> bool:
    """Whether the disk has no room for what a connection needs, and nothing waits in the log: a session is told all
    the same."""
    disk = os.statvfs(os.path.dirname(path) or ".")
    log = path + "-wal"
    return disk.f_bavail * disk.f_frsize < 262144 and not (os.path.exists(log) and os.path.getsize(log))


def _settings(environ: Mapping[str, str]) -> dict[str, Any]:
    """What the settings file says, when there is one."""
    file = os.path.join(paths.data_dir(environ), "config.toml")
    if not os.path.isfile(file):
        return {}
    import tomllib

    with open(file, "rb") as settings:
        return tomllib.load(settings)


def _setting(name: str, environ: Mapping[str, str], said: Mapping[str, Any], default: Any) -> Any:
    """A setting: the environment's before the file's."""
    return environ.get(f"NOUS_{name.upper()}") or said.get(name, default)


def _budgets(environ: Mapping[str, str], said: Mapping[str, Any]) -> Budgets:
    """The budgets that settings give."""
    from nous.kernel.hooks.responses import Budgets

    given = (("session_start_tokens", 1500), ("prompt_tokens", 600), ("tool_tokens", 200))
    return Budgets(*(int(_setting(name, environ, said, default)) for name, default in given))


def utc_now() -> str:
    """The present moment as it is stored everywhere."""
    import time

    seconds = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"


def header(setting: str) -> str:
    """The header that carries a setting of the client's environment to the daemon."""
    return "Nous-" + setting.upper().replace("_", "-")


def pass_on(environ: Mapping[str, str]) -> bytes:
    """The settings of the client's own environment as headers: the daemon was started elsewhere and does not see it."""
    said = {setting: environ.get(f"NOUS_{setting.upper()}", "") for setting in PASSED}
    return "".join(f"{header(name)}: {value}\r\n" for name, value in said.items() if value.isalnum()).encode()


def ask_daemon(name: str, body: bytes, address: str, environ: Mapping[str, str] = {}) -> bytes | None:
    """The daemon's answer, or None when it did not give one in time."""
    seconds = SECONDS.get(name, USUAL_SECONDS)[0]
    try:
        daemon = connect(address, seconds)
        head = b"POST /hooks/%b HTTP/1.0\r\n%bContent-Length: %d\r\n\r\n" % (
            name.encode(),
            pass_on(environ),
            len(body),
        )
        reply = exchange(daemon, head + body, seconds)
    except (OSError, AttributeError):
        return None
    status, _, said = reply.partition(b"\r\n\r\n")
    return said if b" 20" in status[:16] else None


def connect(address: str, seconds: float) -> _socket.socket:
    """A connection to the daemon of this user; fails when somebody else could listen there, or does."""
    import _socket

    daemon = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    daemon.settimeout(seconds)
    try:
        daemon.connect(address)
        if not paths.is_private(os.path.dirname(address) or "."):
            raise OSError("others can write to the directory of the socket")
        if hasattr(_socket, "SO_PEERCRED"):
            peer = daemon.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)  # process, user, group
            if int.from_bytes(peer[4:8], sys.byteorder) != os.geteuid():
                raise OSError("another user answers at the socket")
    except OSError:
        daemon.close()
        raise
    return daemon


def exchange(daemon: _socket.socket, said: bytes, seconds: float) -> bytes:
    """What comes back when something is said; all of it has to come in time."""
    from time import monotonic

    deadline = monotonic() + seconds
    reply = b""
    try:
        daemon.sendall(said)
        while chunk := daemon.recv(65536):
            reply += chunk
            if monotonic() > deadline:
                raise TimeoutError("the daemon took too long")
            daemon.settimeout(max(deadline - monotonic(), 0.001))
    finally:
        daemon.close()
    return reply


def note(environ: Mapping[str, str], name: str, problem: BaseException) -> None:
    """One line in the hook log; nothing of the payload. Failing to write it is fine too."""
    try:
        import time

        path = os.path.join(paths.data_dir(environ), "hook.log")
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        if os.path.exists(path) and not os.path.isfile(path):
            return  # whoever opens a pipe waits for ever
        mode = "a" if not os.path.exists(path) or os.path.getsize(path) < LOG_LIMIT else "w"
        with open(path, mode, encoding="utf-8", opener=paths.private) as log:
            log.write(f"{moment} {name} {type(problem).__name__}: {str(problem)[:300]}\n")
    except Exception:
        return


def _limit_time(name: str) -> None:
    """End this process, successfully and without an answer, before a session could notice that it hangs."""

    def give_up(*_: object) -> None:
        note(os.environ, name, TimeoutError("ran out of time"))
        os._exit(0)

    try:
        import signal

        signal.signal(signal.SIGALRM, give_up)
        signal.setitimer(signal.ITIMER_REAL, SECONDS.get(name, USUAL_SECONDS)[1])
    except (ImportError, AttributeError, ValueError):
        return


def _unlimit_time() -> None:
    """No alarm may ring while the interpreter is taken down: it would end the process with a status."""
    try:
        import signal

        signal.setitimer(signal.ITIMER_REAL, 0)
    except (ImportError, AttributeError):
        return


def _silence_stdout() -> None:
    """A closed stdout must not turn into a message and a status at interpreter exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError:
        return
