"""Reads code in processes of their own: several cores at once, and no harm when a parser crashes or does not end.

Both happen: tree-sitter 0.26.0 crashes in places, and its recovery from errors may take forever on some broken files;
nobody can interrupt it from within. A worker has some seconds of computing time per file, then the system ends it, and
the next one goes on behind that file. It is kept for the next time, so that following an edit starts no process.

A worker gets a length and a request in MessagePack, and answers with as many lengths and `CodeFile`s.
"""

from __future__ import annotations

import atexit
import os
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from queue import SimpleQueue
from typing import IO

import msgspec

from nous.features.code import files, treesitter
from nous.features.code.model import Outline, language_of

MOST_WORKERS = 4
FEW = 40  # so many files are read before a second worker would have started
SECONDS = 3.0  # of computing, for one file; the largest that are read take a tenth of it
_LENGTH = struct.Struct(">I")


class CodeFile(msgspec.Struct, frozen=True, array_like=True):
    """A file that was looked at; no outline when it is none that can be read."""

    path: str
    hash: str
    lines: int
    outline: Outline | None


class ReadRequest(msgspec.Struct, frozen=True, array_like=True):
    """What a worker shall read."""

    tree: str
    paths: list[str]
    seconds: float


def digest(source: bytes) -> str:
    """The fingerprint of a file's content, by which a change is known."""
    return blake2b(source, digest_size=12).hexdigest()


def look(tree: str, path: str) -> CodeFile:
    """One file, read here."""
    source = files.read(tree, path)
    language = language_of(path)
    if source is None or language is None:
        return CodeFile(path, "", 0, None)
    outline = treesitter.read_code(language, source)
    return CodeFile(path, digest(source), source.count(b"\n") + 1, outline)


def read_all(tree: str, paths: Sequence[str]) -> Iterator[CodeFile]:
    """Every file, in whatever order, by as many workers as pay."""
    many = 1 if len(paths) <= FEW else min(MOST_WORKERS, os.cpu_count() or 1)
    if many == 1:
        yield from _read_with_workers(tree, list(paths))
        return
    found: SimpleQueue[CodeFile | None] = SimpleQueue()
    shares = [list(paths[at::many]) for at in range(many)]
    for share in shares:
        threading.Thread(target=_attend, args=(tree, share, found), daemon=True).start()
    ended = 0
    while ended < many:
        one = found.get()
        if one is None:
            ended += 1
        else:
            yield one


def _attend(tree: str, paths: list[str], found: SimpleQueue[CodeFile | None]) -> None:
    try:
        for one in _read_with_workers(tree, paths):
            found.put(one)
    finally:
        found.put(None)


def _read_with_workers(tree: str, paths: list[str]) -> Iterator[CodeFile]:
    """Files read by workers. One that dies has met a file it cannot bear: the next goes on behind it."""
    waiting = paths
    while waiting:
        worker = _take_worker()
        done = 0
        for one in worker.read(ReadRequest(os.path.abspath(tree), waiting, SECONDS)):
            yield one
            done += 1
        if done == len(waiting):
            _give_back(worker)
            return
        worker.end()
        yield CodeFile(waiting[done], "", 0, None)
        waiting = waiting[done + 1 :]


# -- the parent's side ----------------------------------------------------------------------------------------------


class Worker:
    """A process that reads code for this one."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nous.features.code.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self.decoder = msgspec.msgpack.Decoder(CodeFile)

    def read(self, request: ReadRequest) -> Iterator[CodeFile]:
        """The files of a request, as far as the worker gets."""
        assert self.process.stdin and self.process.stdout
        try:
            _send(self.process.stdin, msgspec.msgpack.encode(request))
            for _ in request.paths:
                said = _receive(self.process.stdout)
                if said is None:
                    return
                yield self.decoder.decode(said)
        except (OSError, msgspec.DecodeError):  # it died while it was spoken to, or while it wrote
            return

    def end(self) -> None:
        """Let the process end."""
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()
        self.process.wait()


_idle: list[Worker] = []
_lock = threading.Lock()


def _take_worker() -> Worker:
    with _lock:
        while _idle:
            worker = _idle.pop()
            if worker.process.poll() is None:
                return worker
            worker.end()
    return Worker()


def _give_back(worker: Worker) -> None:
    """Keep one for the next time."""
    with _lock:
        if not _idle:
            _idle.append(worker)
            return
    worker.end()


@atexit.register
def end_idle() -> None:
    """Let the kept worker end."""
    with _lock:
        while _idle:
            _idle.pop().end()


# -- the worker's side ----------------------------------------------------------------------------------------------


def work(given: IO[bytes], out: IO[bytes]) -> None:
    """A worker's life: it ends when nobody asks any more."""
    encoder = msgspec.msgpack.Encoder()
    while (said := _receive(given)) is not None:
        request = msgspec.msgpack.decode(said, type=ReadRequest)
        for path in request.paths:
            _limit(request.seconds)
            answer = encoder.encode(look(request.tree, path))
            _limit(0.0)
            _send(out, answer)


def _limit(seconds: float) -> None:
    """Let the system end this process after so much computing: no handler of Python's runs inside of a parser."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def _send(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(_LENGTH.pack(len(message)) + message)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes | None:
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    size = _LENGTH.unpack(head)[0]
    body = pipe.read(size)
    return body if len(body) == size else None


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts the command ends it, and with it this
    work(sys.stdin.buffer, sys.stdout.buffer)
