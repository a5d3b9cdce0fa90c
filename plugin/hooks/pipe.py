"""A pipe from the client to the Nous daemon, run by `hook.py`: Python keeps the bytecode of a module, not of a script.

A few built-in modules on the common path, because every millisecond here is waited for. Without a daemon the answer
comes from the database, in this process, by `nous.shells.hooks` out of the package's folder.
"""

import _socket
import sys
from time import gmtime, monotonic, strftime

try:
    import _signal
    import posix

    raw = posix.environ
except ImportError:  # no daemon here
    posix, raw = None, {}

BEGAN = monotonic()
# For the daemon's answer, after which it is looked up here, and for everything: a session must not notice. It has only
# one start, though, and a memory that is missing there is missing in all of it: on a busy machine it may take longer.
SOCKET_SECONDS, HARD_SECONDS = (0.6, 1.5) if sys.argv[1:2] == ["SessionStart"] else (0.25, 0.45)
MOST_BYTES = 4_000_000  # a payload beyond this cannot be answered in time

ANSWERED = ("SessionStart", "PostToolUse", "UserPromptSubmit")  # what can be said without a daemon
# Settings that the client's own environment may hold; the daemon, started elsewhere, does not see it.
PASSED = (b"ENABLE_USERPROMPTSUBMIT", b"SESSION_START_TOKENS", b"PROMPT_TOKENS", b"TOOL_TOKENS")


def variable(name):
    return raw.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def folder():
    """The data directory, as `nous.paths.data_dir` says; empty when it takes more than a few look-ups."""
    if given := variable("NOUS_DATA_DIR"):
        return given if given[0] == "/" else ""
    home = variable("HOME")
    if not home:
        return ""
    if sys.platform == "darwin":
        return home + "/Library/Application Support/nous"
    return (variable("XDG_DATA_HOME") or home + "/.local/share") + "/nous"


def address():
    """The daemon's socket, as `nous.paths.socket_path` says; empty when it takes more than a few look-ups."""
    if given := variable("NOUS_SOCKET_PATH"):
        return given
    path = folder() + "/nous.sock"
    return path if path[0] == "/" and path != "/nous.sock" and len(path.encode()) <= 100 else ""


def passed():
    """The settings of this environment, as headers."""
    said = [(name, raw.get(b"NOUS_" + name, b"")) for name in PASSED]
    return b"".join(b"Nous-%b: %b\r\n" % (name.replace(b"_", b"-"), value) for name, value in said if value.isalnum())


def give_up(*_):
    """End successfully and without an answer; `nous doctor` tells of the line in the log."""
    try:
        log = posix.open(folder() + "/hook.log", posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT, 0o600)
        said = strftime("%Y-%m-%dT%H:%M:%SZ ", gmtime()) + sys.argv[1] + " ran out of time\n"
        posix.write(log, said.encode())
    finally:
        posix._exit(0)


def limit_time():
    """Give up when the time is over."""
    if posix:
        _signal.signal(_signal.SIGALRM, give_up)
        _signal.setitimer(_signal.ITIMER_REAL, HARD_SECONDS)


def unlimit_time():
    """No alarm may ring while the interpreter is taken down: nobody would hear it but the system."""
    if posix:
        _signal.setitimer(_signal.ITIMER_REAL, 0)


def is_ours(path, daemon):
    """Whether a socket lies in a directory that only this user can change, and this user answers at its other end."""
    place = posix.stat(path.rpartition("/")[0] or "/")
    if place.st_uid != posix.geteuid() or place.st_mode & 0o022:
        return False
    if not hasattr(_socket, "SO_PEERCRED"):
        return True
    peer = daemon.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)  # process, user, group
    return int.from_bytes(peer[4:8], sys.byteorder) == posix.geteuid()


def rest():
    """The seconds that are left for the daemon."""
    left = BEGAN + SOCKET_SECONDS - monotonic()
    if left <= 0:
        raise OSError("the daemon took too long")
    return left


def ask(name, body):
    daemon = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    daemon.settimeout(rest())
    daemon.connect(address())
    if not is_ours(address(), daemon):
        raise OSError("somebody else's socket")
    head = b"POST /hooks/%b HTTP/1.0\r\n%bContent-Length: %d\r\n\r\n" % (name.encode(), passed(), len(body))
    daemon.sendall(head + body)
    reply = b""
    daemon.settimeout(rest())
    while chunk := daemon.recv(65536):
        reply += chunk
        daemon.settimeout(rest())
    head, _, answer = reply.partition(b"\r\n\r\n")
    if b" 20" not in head[:16]:
        raise OSError("the daemon refused")
    return answer


def alone(name, body, package, python):
    """Answered without the daemon, which is started behind."""
    if package:
        sys.path.append(package)
        if name not in ANSWERED and address() and folder():  # nothing to say, so nothing more is loaded
            from nous.shells import waking

            if name in waking.NAMES:
                waking.wake(raw, folder(), python)
            return b""
        import os

        from nous.shells import hooks

        said = None if address() else hooks.ask_daemon(name, body, hooks.paths.socket_path(os.environ), os.environ)
        return said if said is not None else hooks.alone(name, body, os.environ, python)
    import subprocess

    done = subprocess.run(
        ["nous", "hook", name], input=body, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=HARD_SECONDS
    )
    return done.stdout


def main(name, package, python):
    if variable("NOUS_WORKER"):
        return
    limit_time()
    body = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        return
    try:
        answer = ask(name, body)
    except Exception:
        answer = alone(name, body, package, python)
    if answer:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


def run(package, python):
    """Answer the hook that the command line names; whatever happens, the process ends well."""
    try:
        given = sys.argv[2:4]
        main(sys.argv[1], *given, *(package, python)[len(given) :])
    except Exception:
        pass  # a session must never wait for, or break on, its memory
    finally:
        unlimit_time()
