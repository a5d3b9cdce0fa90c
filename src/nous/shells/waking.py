"""Starting the daemon behind a hook, without waiting for it. Built-in modules only: hooks that only wake pay for it."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

try:
    import posix
except ImportError:  # Windows: no daemon
    posix = None  # type: ignore[assignment]

PATIENCE_SECONDS = 20.0
STAMP = "daemon.woken"
PLACES = (b"NOUS_DATA_DIR", b"NOUS_DB_PATH", b"NOUS_SOCKET_PATH", b"CLAUDE_CONFIG_DIR", b"HOME")
NAMES = ("SessionStart", "Stop", "SessionEnd", "SubagentStop", "PreCompact")


def wake(environ: Mapping[bytes, bytes], data_dir: str, python: str) -> bool:
    """Whether a daemon was started; not when that is forbidden, or was done a moment ago.

    Should one run already, the lock of the data directory sends the new one away.
    """
    if posix is None or not python or environ.get(b"NOUS_NO_AUTOSTART") or not _is_due(f"{data_dir}/{STAMP}"):
        return False
    nothing = [(posix.POSIX_SPAWN_OPEN, stream, "/dev/null", posix.O_RDWR, 0) for stream in (0, 1, 2)]
    environ = settle(environ)
    posix.chdir("/")  # the daemon must not hold on to a directory of the user's
    command = [python, "-m", "nous", "up", "--foreground"]
    try:
        posix.posix_spawn(python, command, environ, file_actions=nothing, setsid=True)
    except NotImplementedError:  # no setsid here: a process group of its own keeps signals of the terminal away too
        posix.posix_spawn(python, command, environ, file_actions=nothing, setpgroup=0)
    return True


def settle(environ: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    """An environment in which places are named as they are from anywhere: a daemon works elsewhere."""
    given = ((name, environ.get(name, b"")) for name in PLACES)
    plain = ((name, place[10:] if place[:10] == b"sqlite:///" else place) for name, place in given)
    near = [(name, place) for name, place in plain if place and place[:1] not in b"/~" and b":" not in place]
    return {**environ, **{name: posix.getcwdb() + b"/" + place for name, place in near}}


def _is_due(stamp: str) -> bool:
    """Whether the last start is long enough ago; from now on it is not. Without a data directory it always is."""
    try:
        if abs(time.time() - posix.stat(stamp).st_mtime) < PATIENCE_SECONDS:
            return False
        posix.utime(stamp)
    except OSError:
        try:
            posix.close(posix.open(stamp, posix.O_CREAT | posix.O_WRONLY, 0o600))
        except OSError:
            return True
    return True
