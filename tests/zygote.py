"""Real commands, each in a process of its own, without the start of an interpreter: one that has loaded the package
forks them. It costs a tenth. What a command finds (arguments, environment, directory, files) is its own; a module that
it would load late is there already, so tests of what is loaded start processes by themselves.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import pkgutil
import random
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, NoReturn

PARTS = ("core", "kernel", "stores", "remember", "recall", "tend", "teams", "features", "work", "shells.cli")
LATE = ("postgres", "matrix", "pgvalues")  # these load what a command mostly does without
WIDTH = 24  # bytes of an answer: the status and the microseconds of CPU
OWN_START = ("PYTHON", "LC_", "LANG")  # variables that an interpreter reads when it starts


class Zygote:
    """The process that forks, from the side of those who want commands."""

    def __init__(self) -> None:
        self.link, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, __file__, str(theirs.fileno())]
            self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        self.spent = 0.0  # CPU seconds of all commands
        atexit.register(self.link.close)

    def run(self, args: list[str], stdin: str, cwd: Path, environ: dict[str, str]) -> tuple[int, str, str]:
        """What a command says on its two outputs, and its status."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with tempfile.TemporaryFile() as asked:
                given.write(stdin.encode())
                asked.write(json.dumps([args, str(cwd), environ]).encode())
                for file in (given, asked):
                    file.seek(0)
                socket.send_fds(self.link, [b"?"], [one.fileno() for one in (given, out, err, asked)])
            status, spent = self.link.recv(WIDTH, socket.MSG_WAITALL).split()
            self.spent += int(spent) / 1e6
            return int(status), _text(out), _text(err)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    with io.TextIOWrapper(file, "utf-8") as said:
        return said.read()


@cache
def zygote() -> Zygote:
    """The one of this process."""
    return Zygote()


def spent() -> float:
    """The CPU seconds of all commands so far, which the system does not count as ours."""
    return zygote().spent if zygote.cache_info().currsize else 0.0


def may_share(environ: dict[str, str]) -> bool:
    """Whether a command with these variables starts like every other."""
    told = {name: value for name, value in environ.items() if name.startswith(OWN_START)}
    return told.keys() <= {"LANG", "PYTHONPATH"} and told.get("LANG") == "C.UTF-8"


def serve(link: socket.socket) -> None:
    """Fork a command for each request, until nobody can ask any more."""
    for name in PARTS:
        package = import_module(f"nous.{name}")
        for info in pkgutil.walk_packages(package.__path__, f"nous.{name}."):
            if info.name.rpartition(".")[2] not in LATE:
                import_module(info.name)
    assert "numpy" not in sys.modules
    while True:
        word, fds, _, _ = socket.recv_fds(link, 1, 4)
        if not word:
            return
        if child := os.fork():
            for fd in fds:
                os.close(fd)
            _, status, used = os.wait4(child, 0)
            spent = int(1e6 * (used.ru_utime + used.ru_stime))
            with suppress(OSError):  # who asked is gone
                link.sendall(b"%4d %*d" % (os.waitstatus_to_exitcode(status), WIDTH - 5, spent))
            continue
        link.close()
        _become(fds)


def _become(fds: list[int]) -> NoReturn:
    status = 1
    try:
        for target, fd in enumerate(fds[:3]):
            os.dup2(fd, target)
        with os.fdopen(fds[3], "rb") as asked:
            args, cwd, environ = json.load(asked)
        for fd in fds[:3]:
            os.close(fd)
        os.environ.clear()
        os.environ.update(environ)
        os.chdir(cwd)
        random.seed()
        status = _main(args)
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status & 0xFF)


def _main(args: list[str]) -> int:
    import nous.__main__

    sys.argv = [str(nous.__main__.__file__), *args]
    try:
        return nous.__main__.main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
