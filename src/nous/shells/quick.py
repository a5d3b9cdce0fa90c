"""Commands that only ask, run by the daemon, which has everything loaded: they cost what a hook costs.

Standard library only: this runs before the command line is loaded. Whatever the daemon does not answer, the command
finds out itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from nous import __version__, paths

NAMES = frozenset({"recall", "list", "get", "status"})
SECONDS = 3.0  # to wait for the daemon
# Beside our own variables: what settings are made of, and how a terminal wants its text.
PASSED = frozenset({"HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "NO_COLOR", "TERM"})
END = b"\0"


def ask_daemon(argv: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Whether the daemon ran the command and what it said is printed."""
    address = paths.socket_path(environ)
    if not argv or argv[0] not in NAMES or not os.path.exists(address):
        return False
    from nous.shells import hooks  # only once there is a daemon to ask

    try:
        body = _request(_with_whole_paths(argv), environ)
        head = b"POST /hooks/command HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body)
        reply = hooks.exchange(hooks.connect(address, SECONDS), head + body, SECONDS)
    except (OSError, ValueError):
        return False
    status, _, answer = reply.partition(b"\r\n\r\n")
    if b" 200 " not in status[:16]:
        return False
    out, _, err = answer.partition(END)
    for stream, said in ((sys.stdout, out), (sys.stderr, err)):
        stream.buffer.write(said)
        stream.flush()
    return True


def _request(argv: Sequence[str], environ: Mapping[str, str]) -> bytes:
    """The version, the directory, the width of a terminal (0 without one), the words, and the environment."""
    width = (environ.get("COLUMNS") or str(os.get_terminal_size(1).columns)) if sys.stdout.isatty() else "0"
    passed = [f"{name}={value}" for name, value in environ.items() if name.startswith("NOUS_") or name in PASSED]
    fields = [__version__, os.getcwd(), width, str(len(argv)), *argv, *passed]
    return END.join(field.encode() for field in fields)


def _with_whole_paths(argv: Sequence[str]) -> list[str]:
    """The words, with a project's folder as it is named from anywhere."""
    return [os.path.abspath(word) if argv[at - 1] == "--project" and os.path.isdir(word) else word
            for at, word in enumerate(argv)]  # fmt: skip
