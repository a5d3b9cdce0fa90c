"""Where Nous keeps its things. Standard library only and tiny: the hook path imports it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

# A Unix socket's address holds 104 bytes on macOS and 108 on Linux, the closing zero included.
MAX_SOCKET_PATH = 100
HOOKS = "hooks.db"  # what hooks read beside a memory that is on a server
# The rules file of a project that `nous admin surface` keeps; the client loads it by itself.
SURFACE = os.path.join(".claude", "rules", "nous.local.md")


def home(environ: Mapping[str, str]) -> str:
    """The user's home directory, without looking anything up when the environment knows it."""
    return environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")


def data_dir(environ: Mapping[str, str]) -> str:
    """`NOUS_DATA_DIR`, else the platform's directory for a user's data."""
    if given := environ.get("NOUS_DATA_DIR"):
        return os.path.abspath(os.path.expanduser(given))
    if sys.platform == "darwin":
        return os.path.join(home(environ), "Library", "Application Support", "nous")
    if os.name == "nt":
        return os.path.join(environ.get("LOCALAPPDATA") or os.path.join(home(environ), "AppData", "Local"), "nous")
    return os.path.join(environ.get("XDG_DATA_HOME") or os.path.join(home(environ), ".local", "share"), "nous")


def database_path(environ: Mapping[str, str]) -> str:
    """`NOUS_DB_PATH`, a path or `sqlite:///path`, else `cortex.db` in the data directory."""
    given = environ.get("NOUS_DB_PATH", "").removeprefix("sqlite:///")
    return os.path.abspath(os.path.expanduser(given)) if given else os.path.join(data_dir(environ), "cortex.db")


def hook_path(environ: Mapping[str, str]) -> str:
    """The file that hooks read: the one beside a server where there is one, else the database itself."""
    beside = os.path.join(data_dir(environ), HOOKS)
    return beside if os.path.exists(beside) else database_path(environ)


def socket_path(environ: Mapping[str, str]) -> str:
    """`NOUS_SOCKET_PATH`, else `nous.sock` in the data directory, or a short name when that does not fit."""
    if given := environ.get("NOUS_SOCKET_PATH"):
        return given
    path = os.path.join(data_dir(environ), "nous.sock")
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        return path
    from zlib import crc32

    owner = os.getuid() if hasattr(os, "getuid") else 0
    return f"/tmp/nous-{owner}/{crc32(os.fsencode(path)):08x}.sock"


def is_private(folder: str) -> bool:
    """Whether a directory is this user's, and nobody else can put anything there."""
    try:
        place = os.stat(folder)
    except OSError:
        return False
    return not hasattr(os, "geteuid") or (place.st_uid == os.geteuid() and not place.st_mode & 0o022)


def private(path: str, flags: int) -> int:
    """An opener for files that only their owner can read, also when they were there before."""
    file = os.open(path, flags, 0o600)
    if hasattr(os, "fchmod") and os.fstat(file).st_mode & 0o077:
        os.fchmod(file, 0o600)
    return file


def claude_dir(environ: Mapping[str, str]) -> str:
    """The Claude Code configuration directory: `CLAUDE_CONFIG_DIR`, else `~/.claude`."""
    return environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home(environ), ".claude")
