#!/usr/bin/env -S python3 -IS
"""A pipe from the client to the Nous daemon: hook.py NAME [PACKAGE_DIR PYTHON].

Two built-in modules on the common path, because every millisecond here is waited for. Without a daemon the answer comes
from the database, in this process, by `nous.shells.hooks` out of PACKAGE_DIR.
"""

import _socket
import sys

try:
    from posix import environ as raw
except ImportError:
    raw = {}


# `nous plugin install` fills these in: where the package is, and the Python that has what it needs.
PACKAGE = ""
PYTHON = ""
ANSWERED = ("SessionStart", "PostToolUse")  # what can be said without a daemon
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


def ask(name, body):
    daemon = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    daemon.settimeout(0.25)
    daemon.connect(address())
    head = b"POST /hooks/%b HTTP/1.0\r\n%bContent-Length: %d\r\n\r\n" % (name.encode(), passed(), len(body))
    daemon.sendall(head + body)
    reply = b""
    while chunk := daemon.recv(65536):
        reply += chunk
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

        hooks._limit_time()
        said = None if address() else hooks.ask_daemon(name, body, hooks.paths.socket_path(os.environ), os.environ)
        return said if said is not None else hooks.alone(name, body, os.environ, python)
    import subprocess

    done = subprocess.run(
        ["nous", "hook", name], input=body, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=0.45
    )
    return done.stdout


def main(name, package=PACKAGE, python=PYTHON):
    if variable("NOUS_WORKER"):
        return
    body = sys.stdin.buffer.read()
    try:
        answer = ask(name, body)
    except Exception:
        answer = alone(name, body, package, python)
    if answer:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


try:
    main(*sys.argv[1:4])
except Exception:
    pass  # a session must never wait for, or break on, its memory
