"""Processes of this machine: what runs above one, its environment, and which one has a connection."""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Iterator

MOST_ANCESTORS = 64


def processes_above(pid: int) -> Iterator[tuple[int, list[str]]]:
    """A process and its ancestors with their command lines, from the bottom up."""
    table = None if sys.platform == "linux" else _process_table()
    for _ in range(MOST_ANCESTORS):
        if pid <= 1:
            return
        parent, argv = _from_proc(pid) if table is None else table.get(pid, (0, []))
        yield pid, argv
        pid = parent


def variables_of(pid: int) -> dict[str, str]:
    """The variables that a process was started with; none where the system does not say."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            pairs = (line.partition("=") for line in os.fsdecode(file.read()).split("\0"))
            return {name: value for name, _, value in pairs if value}
    except OSError:
        return {}


def process_at_socket(link: socket.socket) -> int:
    """The process at the other end of a Unix socket; 0 where the system does not say."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None or link.family != socket.AF_UNIX:
        return 0
    pid: int = struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))[0]
    return pid


def process_at_port(port: int, remote: int) -> int:
    """The process that has a connection from one port of this machine to another; 0 when none is found."""
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if not os.path.exists(table):
            continue
        with open(table, encoding="ascii") as file:
            rows = [line.split() for line in file]
        for row in rows:
            if row[1].endswith(f":{port:04X}") and row[2].endswith(f":{remote:04X}"):
                return _holder(f"socket:[{row[9]}]")
    return 0


def _holder(link: str) -> int:
    """The process that has a file of this name open; whoever asks has most likely just begun."""
    for pid in sorted((int(name) for name in os.listdir("/proc") if name.isdigit()), reverse=True):
        try:
            if any(os.readlink(f"/proc/{pid}/fd/{name}") == link for name in os.listdir(f"/proc/{pid}/fd")):
                return pid
        except OSError:
            continue  # it ended meanwhile, or belongs to somebody else
    return 0


def _from_proc(pid: int) -> tuple[int, list[str]]:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat, open(f"/proc/{pid}/cmdline", "rb") as line:
            parent = int(stat.read().rpartition(b")")[2].split()[1])
            return parent, [os.fsdecode(word) for word in line.read().split(b"\0")]
    except (OSError, ValueError, IndexError):
        return 0, []


def _process_table() -> dict[int, tuple[int, list[str]]]:
    """Every process with its parent and its command line, where there is no /proc."""
    import subprocess  # late: every command would pay for it

    try:
        command = ["ps", "-axo", "pid=,ppid=,args="]
        listed = subprocess.run(command, capture_output=True, text=True, timeout=2, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    rows = (line.split(None, 2) for line in listed.stdout.splitlines())
    return {int(row[0]): (int(row[1]), row[2].split()) for row in rows if len(row) == 3}
