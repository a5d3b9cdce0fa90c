"""The daemon's parts as processes of their own: one that watches transcripts, one that learns, one that answers.

`nous up` is all of them in one process. Apart they meet in the database: what the watcher takes in waits in the queue,
the worker claims it there, and the server answers from what the worker made. Of each part there is one for a data
directory, and none beside a daemon.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nous import __version__
from nous.app import system_clock
from nous.app.pipeline import Pipeline
from nous.config import Settings
from nous.errors import NousError
from nous.features.code.codebase import Codebase, CodeWatcher
from nous.kernel.capture.watch import Watcher
from nous.shells.daemon import control, faults
from nous.shells.daemon import engine as engines
from nous.shells.daemon.control import Process

if TYPE_CHECKING:
    from nous.shells.daemon.hook_service import HookService

log = logging.getLogger("nous")

BEAT_SECONDS = 5.0
LATE_SECONDS = 60.0  # a process that has not said so for this long does not run


class Heartbeat:
    """The lock of a part, and its heartbeat: the time of the file says when it was last alive."""

    def __init__(self, settings: Settings, part: Process):
        if running := control.holder(settings.data_dir):
            raise NousError(f"the daemon (process {running}) does this already", hint="`nous down` stops it")
        self.part = part
        self.lock = control.Lock(settings.data_dir, part)

    def beat(self) -> bool:
        """Say that the part is alive; False when its data directory is gone, and it has to end."""
        if not self.lock.is_ours():
            return False
        os.utime(self.lock.path)
        return True


def is_alive(settings: Settings, part: Process) -> bool:
    """Whether a part runs and said so lately."""
    if control.holder(settings.data_dir, part) is None:
        return False
    return time.time() - os.stat(control.lock_path(settings.data_dir, part)).st_mtime < LATE_SECONDS


def watch(settings: Settings) -> None:
    """Take in transcripts as they grow, until told to stop. What was taken in waits for a worker."""
    engine = engines.Engine(settings, parts=frozenset({"watch"}))
    watcher = Watcher(
        settings.project_glob, engine.changed, engine.look, failed=engine.on_watch_failure, other=engine.on_memory_file
    )
    codebase = Codebase(settings, system_clock)
    follower = CodeWatcher(
        codebase, lambda problem: engines.note_fault(settings.data_dir, "following code", problem, system_clock())
    )
    _run(settings, "watch", engine, [watcher, follower], [watcher.stop, follower.stop])


def work(settings: Settings) -> None:
    """Learn what waits in the queue, and do everything that follows, until told to stop."""
    engine = engines.Engine(settings, parts=frozenset({"learn"}))
    ending = threading.Event()
    reader = threading.Thread(target=engines.let_read, args=(settings, ending), name="nous-model", daemon=True)
    _run(settings, "worker", engine, [reader], [ending.set])


def serve(settings: Settings, engine: engines.Engine | None = None) -> None:
    """Answer on HTTP, and hooks on the socket, until told to stop; a hub also learns from what comes, with an engine.

    A server that speaks https, or that is a hub, has no hooks to answer.
    """
    from nous.shells.daemon.hook_service import HookService
    from nous.shells.web import app as web
    from nous.shells.web import serving

    secured = serving.tls(settings)
    beating = Heartbeat(settings, "serve")
    listeners = [serving.listen(settings.http_port, settings.http_bind)]
    url = serving.address(listeners[0])
    Pipeline.open(settings, system_clock).close()  # whoever reads finds a database with the present schema
    reception = HookService(settings)
    desk = reception.web(engine.wrote if engine else None, dict)
    app = web.create_app(desk)
    if secured is None and not settings.serve_hub:
        listeners.append(engines.listen(settings.socket_path))
        web.with_health(app, lambda: _tell(settings))
    answer_hooks = (reception.respond, lambda name, body: _hurry(reception, name, body))
    server = serving.make_server(web.guard_app(app, desk), secured, answer_hooks)
    engines.end_on_signals(server)
    threading.Thread(target=_keep_beating, args=(beating, server), name="nous-beat", daemon=True).start()
    if secured is None and serving.is_loopback(settings.http_bind):
        serving.publish(settings.data_dir, url)
    if engine is not None:
        engine.start()
    try:
        server.run(sockets=listeners)
    finally:
        serving.withdraw(settings.data_dir)
        if engine is not None:
            engine.stop()
            engine.join(timeout=10)
        desk.audit.flush()
        reception.close()
        if len(listeners) > 1 and beating.lock.is_ours():
            engines.remove(settings.socket_path)
        beating.lock.release()


def _keep_beating(beating: Heartbeat, server: Any) -> None:
    while not server.should_exit:
        if not beating.beat():
            server.should_exit = True
        time.sleep(BEAT_SECONDS)


def _hurry(reception: HookService, name: str, body: bytes) -> None:
    """A session stopped: what the watcher took in of it need not wait for more."""
    if name in ("Stop", "SessionEnd", "SubagentStop"):
        for path in engines.transcripts_in(body, reception.settings.project_glob):
            reception.hurry(path)


def _tell(settings: Settings) -> dict[str, Any]:
    """How the parts are, in the words that the daemon has for it."""
    running = {part: is_alive(settings, part) for part in control.PROCESSES}
    return {
        "pid": os.getpid(),
        "http": None,
        "engine": running["worker"],
        "watching": "in a process of its own" if running["watch"] else "nobody watches",
        "faults": sum(one.times for one in faults.recent(settings.data_dir, system_clock())),
        "learned": 0,
        "transcripts": {"sessions": 0, "bytes": 0},
        "rss_bytes": engines.resident_bytes(),
        "cpu_seconds": round(time.process_time(), 2),
        "parts": running,
    }


def _run(
    settings: Settings,
    part: Process,
    engine: engines.Engine,
    threads: list[threading.Thread],
    stops: list[Callable[[], None]],
) -> None:
    beating = Heartbeat(settings, part)
    engines.log_to(settings.data_dir, settings.log_format == "json", f"{part}.log")
    Pipeline.open(settings, system_clock).close()  # a database with the present schema, or a sentence
    ending = _asked_to_end()
    log.info("%s %s started as process %d", part, __version__, os.getpid())
    for thread in (engine, *threads):
        thread.start()
    try:
        while not ending.wait(BEAT_SECONDS):
            if not (engine.is_alive() and beating.beat()):
                raise NousError(f"the {part} process cannot go on", hint=f"see {part}.log in the data directory")
    finally:
        for stop in (*stops, engine.stop):
            stop()
        engine.join(timeout=10)
        beating.lock.release()
        log.info("%s stopped", part)


def _asked_to_end() -> threading.Event:
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, frame: ending.set())
    return ending
