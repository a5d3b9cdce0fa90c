"""One process per user: it watches transcripts, learns, keeps packets warm and answers hooks."""

from __future__ import annotations

import fcntl
import json
import logging
import logging.handlers
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from nous import __version__
from nous.app import system_clock
from nous.config import Settings
from nous.core import moments
from nous.errors import NousError
from nous.recall.packets import warm_all
from nous.remember.capture import find_transcripts, take_in
from nous.remember.learn import Outcome, learn_next
from nous.remember.project import catch_up
from nous.stores import Stores, open_stores

log = logging.getLogger("nous")

TICK_SECONDS = 5.0
MAX_WAIT_SECONDS = 10.0


class Lock:
    """Held by the one daemon of a data directory; the file says who holds it."""

    def __init__(self, data_dir: str):
        self.path = os.path.join(data_dir, "daemon.lock")
        os.makedirs(data_dir, mode=0o700, exist_ok=True)
        self.file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.file)
            raise NousError(f"a daemon is already running (process {holder(data_dir) or 'unknown'})") from None
        os.ftruncate(self.file, 0)
        os.pwrite(self.file, json.dumps({"pid": os.getpid(), "version": __version__}).encode(), 0)

    def is_ours(self) -> bool:
        """Whether the lock file is still the one we hold: its directory may have been deleted or replaced."""
        try:
            return os.stat(self.path).st_ino == os.fstat(self.file).st_ino
        except OSError:
            return False

    def release(self) -> None:
        """Let another daemon start."""
        os.close(self.file)


def holder(data_dir: str) -> int | None:
    """The process that holds the lock, or None when nobody does."""
    try:
        file = os.open(os.path.join(data_dir, "daemon.lock"), os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return None
    except OSError:
        said = os.pread(file, 4096, 0)
        return int(json.loads(said)["pid"]) if said else None
    finally:
        os.close(file)


class Engine(threading.Thread):
    """Takes in transcripts that changed, learns from them, and keeps packets warm. The only writer of the daemon."""

    def __init__(self, settings: Settings, clock: Callable[[], str] = system_clock):
        super().__init__(name="nous-engine", daemon=True)
        self.settings = settings
        self.clock = clock
        self.inbox: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.stopping = threading.Event()
        self.waiting: dict[str, tuple[float, float]] = {}
        self.worker = f"daemon-{os.getpid()}"
        self.total = Outcome()

    def changed(self, path: str, *, at_once: bool = False) -> None:
        """A transcript grew."""
        self.inbox.put(("!" if at_once else "") + path)

    def stop(self) -> None:
        """Finish the unit at hand and end."""
        self.stopping.set()
        self.inbox.put(None)

    def run(self) -> None:
        stores = open_stores(self.settings.db_path)
        try:
            self._start(stores)
            scanned = time.monotonic()
            while not self.stopping.is_set():
                self._receive()
                self._work(stores)
                if time.monotonic() - scanned > self.settings.reconcile_seconds:
                    self.scan(stores)
                    scanned = time.monotonic()
        finally:
            stores.close()

    def _start(self, stores: Stores) -> None:
        catch_up(stores, self.clock())
        stores.queue.sweep(self.clock(), self.settings.max_attempts)
        self.scan(stores)
        self._learn(stores)
        warm_all(stores, self.clock())

    def scan(self, stores: Stores) -> None:
        """Look at every transcript: what a notification missed is found here."""
        since = self._since()
        for path in find_transcripts(self.settings.project_glob):
            if self.stopping.is_set():
                return
            if since is None or _changed_at(path) >= since:
                take_in(stores, path, "fs_reconcile", self.clock)

    def _since(self) -> float | None:
        """Before this moment transcripts are history, which the user may not have wanted to be read."""
        given = self.settings.read_since
        return datetime.fromisoformat(moments.parse(given, self.clock())).timestamp() if given else None

    def _receive(self) -> None:
        """Wait for news, or until something that waits is due."""
        due = min((first for first, _ in self.waiting.values()), default=None)
        patience = TICK_SECONDS if due is None else max(0.0, min(TICK_SECONDS, due - time.monotonic()))
        try:
            news = self.inbox.get(timeout=patience)
        except queue.Empty:
            return
        while news is not None:
            self._note(news)
            try:
                news = self.inbox.get_nowait()
            except queue.Empty:
                return

    def _note(self, news: str) -> None:
        now = time.monotonic()
        path = news.removeprefix("!")
        _, limit = self.waiting.get(path, (now, now + MAX_WAIT_SECONDS))
        due = now if news.startswith("!") else min(limit, now + self.settings.quiet_seconds)
        self.waiting[path] = (due, limit)

    def _work(self, stores: Stores) -> None:
        now = time.monotonic()
        for path in [path for path, (due, _) in self.waiting.items() if due <= now]:
            del self.waiting[path]
            take_in(stores, path, "fs_watch", self.clock)
        self._learn(stores)

    def _learn(self, stores: Stores) -> None:
        stores.queue.sweep(self.clock(), self.settings.max_attempts)
        gained = Outcome()
        while not self.stopping.is_set():
            outcome = learn_next(stores, self.worker, self.clock, self.settings.max_attempts)
            if outcome is None:
                break
            gained = gained.plus(outcome)
        if gained.projects:
            self.total = self.total.plus(gained)
            warm_all(stores, self.clock(), gained.projects)
            log.info("learned %d, again %d, replaced %d, failed %d", *gained[:3], gained.failed)


def _changed_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


class Watcher(threading.Thread):
    """Tells the engine which transcripts changed."""

    def __init__(self, settings: Settings, engine: Engine):
        super().__init__(name="nous-watcher", daemon=True)
        self.root = settings.project_glob.split("*")[0].rstrip(os.sep) or os.sep
        self.engine = engine
        self.stopping = threading.Event()

    def run(self) -> None:
        from watchfiles import watch

        while not self.stopping.is_set():
            if not os.path.isdir(self.root):
                self.stopping.wait(TICK_SECONDS)
                continue
            try:
                for changes in watch(self.root, stop_event=self.stopping, debounce=300, step=50, rust_timeout=1000):
                    for _, path in changes:
                        if path.endswith(".jsonl"):
                            self.engine.changed(path)
            except (OSError, RuntimeError) as problem:
                log.warning("watching %s stopped: %s", self.root, problem)
                self.stopping.wait(TICK_SECONDS)


def serve(settings: Settings) -> None:
    """Run the daemon until it is told to stop."""
    import uvicorn

    from nous.shells.http import create_app
    from nous.shells.reception import Reception

    lock = Lock(settings.data_dir)
    _log_to(settings.data_dir)
    open_stores(settings.db_path).close()
    engine = Engine(settings)
    watcher = Watcher(settings, engine)
    app = create_app(Reception(settings).respond, _waker(engine), lambda: _health(engine))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="off"))
    listener = _listen(settings.socket_path)
    _end_on_signals(server)
    guard = threading.Thread(target=_guard, args=(lock, server), name="nous-guard", daemon=True)
    try:
        for thread in (engine, watcher, guard):
            thread.start()
        log.info("daemon %s started as process %d", __version__, os.getpid())
        server.run(sockets=[listener])
    finally:
        watcher.stopping.set()
        engine.stop()
        engine.join(timeout=10)
        if lock.is_ours():
            _remove(settings.socket_path)
        lock.release()
        log.info("daemon stopped")


def _end_on_signals(server: Any) -> None:
    """Signals only ask for an end. The server raises them once more when it is done; then there is work left to do."""

    def ask(number: int, frame: object) -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, ask)


def _guard(lock: Lock, server: Any) -> None:
    """End the daemon when its data directory vanished: nobody could find it any more."""
    while not server.should_exit:
        time.sleep(TICK_SECONDS)
        if not lock.is_ours():
            log.warning("the data directory is gone")
            server.should_exit = True


def _waker(engine: Engine) -> Callable[[str, bytes], None]:
    def wake(name: str, body: bytes) -> None:
        if name not in ("Stop", "SessionEnd", "SubagentStop", "PreCompact"):
            return
        try:
            path = json.loads(body).get("transcript_path")
        except (ValueError, AttributeError):
            return
        if isinstance(path, str) and path.endswith(".jsonl"):
            engine.changed(path, at_once=True)

    return wake


def _health(engine: Engine) -> dict[str, Any]:
    return {"pid": os.getpid(), "engine": engine.is_alive(), "learned": engine.total.learned}


def _listen(path: str) -> socket.socket:
    """A socket only its owner can connect to. A left-over one is ours to remove: we hold the lock."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    _remove(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(path)
    except OSError as problem:
        raise NousError(f"cannot listen on {path}: {problem.strerror or problem}") from None
    finally:
        os.umask(before)
    listener.listen(128)
    return listener


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _log_to(data_dir: str) -> None:
    """A small rotating log beside the database."""
    path = os.path.join(data_dir, "daemon.log")
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=1_000_000, backupCount=1, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


# from outside
def start(settings: Settings, environ: dict[str, str], seconds: float = 15.0) -> int:
    """Start the daemon in the background and wait until it answers; its process."""
    if running := holder(settings.data_dir):
        return running
    command = [sys.executable, "-m", "nous", "up", "--foreground"]
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(
        command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True, cwd="/", env=environ
    )
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if health(settings.socket_path):
            return holder(settings.data_dir) or process.pid
        if process.poll() is not None and not holder(settings.data_dir):
            raise NousError("the daemon ended at once", hint=f"see {os.path.join(settings.data_dir, 'daemon.log')}")
        time.sleep(0.05)
    raise NousError(f"the daemon did not answer within {seconds:.0f} seconds")


def stop(settings: Settings, seconds: float = 12.0) -> bool:
    """Stop the daemon; False when none was running."""
    pid = holder(settings.data_dir)
    if pid is None:
        return False
    for number in (signal.SIGTERM, signal.SIGKILL):
        os.kill(pid, number)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if holder(settings.data_dir) is None:
                return True
            time.sleep(0.02)
    raise NousError(f"process {pid} does not stop")


def health(address: str) -> dict[str, Any] | None:
    """What the daemon says of itself, or None when it does not answer."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as daemon:
            daemon.settimeout(1.0)
            daemon.connect(address)
            daemon.sendall(b"GET /health HTTP/1.0\r\n\r\n")
            reply = b"".join(iter(lambda: daemon.recv(65536), b""))
        said: dict[str, Any] = json.loads(reply.partition(b"\r\n\r\n")[2])
        return said
    except (OSError, ValueError):
        return None
