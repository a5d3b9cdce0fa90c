"""What the daemon does all day: it takes sessions in, learns, and keeps ready what the next one is shown."""

from __future__ import annotations

import json
import logging
import logging.handlers
import os
import queue
import resource
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from nous import __version__, paths
from nous.app import Nous, system_clock
from nous.app.modelled import run_model_reader
from nous.app.pipeline import Pipeline
from nous.config import Settings
from nous.errors import NousError
from nous.features.client_memory.files import is_memory_file
from nous.features.code.codebase import Codebase, CodeWatcher
from nous.identity import SESSIONS, head_commit, locate
from nous.kernel.capture.intake import Intake
from nous.kernel.capture.tail import storable
from nous.kernel.capture.watch import Watcher, matches
from nous.kernel.learn.bisect import is_resource_error
from nous.kernel.learn.learn import Learned
from nous.moments import days_between, later, parse
from nous.shells.daemon import faults
from nous.shells.daemon.control import PROCESSES, Lock, holder

log = logging.getLogger("nous")
LOOK_SECONDS = 300.0  # between two looks at every transcript
LOOK_BYTES = 4_000_000  # new ones that are taken in before they are learned
TICK_SECONDS = 5.0
GUARD_SECONDS = 2.0
RECONCILE_SECONDS = 2.0
MOST_PROJECTS = 20  # whose branches are watched: those seen last
CUT_SECONDS = 0.15  # a hook waits for it
DAY_SECONDS = 86400.0
TEND_SECONDS = 30.0
SYNC_SECONDS = 60.0
REST_SECONDS = 60.0  # the longest pause before a thread that failed goes on
FORGET_FILES_SECONDS = 30 * DAY_SECONDS
EnginePart = Literal["watch", "learn"]
BOTH: frozenset[EnginePart] = frozenset({"watch", "learn"})


class News(NamedTuple):
    """Something the engine should know."""

    kind: Literal["changed", "stopped", "cut", "look", "wrote", "noted", "end"]
    path: str = ""
    session_id: str = ""
    done: threading.Event | None = None


class Engine(threading.Thread):
    """Takes in transcripts that changed, learns from them, and keeps packets warm. The only writer of the daemon.

    The two parts, taking in and learning, can also run in processes of their own: the queue is between them.
    """

    def __init__(
        self, settings: Settings, clock: Callable[[], str] = system_clock, parts: frozenset[EnginePart] = BOTH
    ):
        super().__init__(name="nous-engine", daemon=True)
        self.parts = parts
        self.settings = settings
        self.clock = clock
        self.inbox: queue.SimpleQueue[News] = queue.SimpleQueue()
        self.stopping = threading.Event()
        self.total = Learned()
        self.last_event = 0
        self.kept: dict[str, Any] = {"sessions": 0, "bytes": 0}
        self.looked = self.looked_deep = self.looked_around = self.warmed = self.synced = 0.0
        self.tended = self.cleaned = 0.0
        self.is_upgraded = False
        self.heads: dict[str, tuple[str, str]] = {}

    def changed(self, path: str) -> None:
        """A transcript grew."""
        self.inbox.put(News("changed", storable(path)))

    def on_stop(self, path: str) -> None:
        """A session stopped, ended or is about to lose its context: nothing is gained by waiting for more."""
        self.inbox.put(News("stopped", storable(path)))

    def cut(self, path: str, session_id: str) -> None:
        """A session is about to lose its context: keep where it stands, and wait a moment until that is done."""
        done = threading.Event()
        self.inbox.put(News("cut", storable(path), session_id, done))
        done.wait(CUT_SECONDS)

    def look(self) -> None:
        """Something was missed: look at every transcript."""
        self.inbox.put(News("look"))

    def wrote(self) -> None:
        """Somebody wrote events by another door: do what follows now, and not at the next look."""
        self.inbox.put(News("wrote"))

    def on_memory_file(self, path: str) -> None:
        """A file of the client's own memory came, changed or went."""
        if is_memory_file(path, os.path.join(self.settings.claude_config_dir, "projects")):
            self.inbox.put(News("noted"))

    def on_watch_failure(self, problem: BaseException) -> None:
        """Watching failed and begins anew."""
        note_fault(self.settings.data_dir, "watching transcripts", problem, self.clock())

    def stop(self) -> None:
        """Finish the unit at hand and end."""
        self.stopping.set()
        self.inbox.put(News("end"))

    def run(self) -> None:
        keep_going("the engine", self._live, self.stopping, self._note_failure)

    def _note_failure(self, part: str, problem: BaseException) -> None:
        self.looked = 0.0  # what was not read because of it is looked for
        note_fault(self.settings.data_dir, part, problem, self.clock())

    def _try(self, part: str, step: Callable[..., object], *args: Any) -> None:
        """Do one step of many; whatever is wrong with it, the others are done."""
        try:
            step(*args)
        except Exception as problem:
            if is_resource_error(problem):
                raise
            note_fault(self.settings.data_dir, part, problem, self.clock())

    def _live(self) -> None:
        work = Pipeline.open(self.settings, self.clock, "daemon")
        intake = work.intake(self.settings.quiet_seconds)
        try:
            work.listen(self.wrote, self.stopping)
            work.catch_up()
            self.last_event = work.stores.events.last_id()
            while not self.stopping.is_set():
                if "watch" in self.parts:
                    self._watch(work, intake)
                if "learn" in self.parts:
                    self._upkeep(work)
                    self._learn(work)
                self._receive(work, intake)
        finally:
            work.close()

    def _receive(self, work: Pipeline, intake: Intake) -> None:
        """Wait for news, or until something that waits is due, and take in what changed."""
        try:
            news = [self.inbox.get(timeout=self._patience(work))]
        except queue.Empty:
            return
        while not self.inbox.empty():
            news.append(self.inbox.get())
        if any(one.kind == "look" for one in news):
            self.looked = 0.0
        if any(one.kind == "noted" for one in news):
            self._try("following the client's memory", work.follow_client_memory, self._since())
        for path in dict.fromkeys(one.path for one in news if one.path):
            self._try("reading a transcript", intake.take_in, path, "fs_watch")
        for one in news:
            if one.done:
                self._try("keeping where a session stands", work.keep_standing, one.path, one.session_id)
                one.done.set()
        for path in {one.path for one in news if one.kind in ("stopped", "cut")}:
            work.stores.queue.hurry(path, self.clock())

    def _patience(self, work: Pipeline) -> float:
        if not self.looked and "watch" in self.parts:
            return 0.01
        due = work.stores.queue.next_due()
        if due is None:
            return TICK_SECONDS
        wait = (datetime.fromisoformat(due) - datetime.fromisoformat(self.clock())).total_seconds()
        return min(TICK_SECONDS, max(0.01, wait))

    def _watch(self, work: Pipeline, intake: Intake) -> None:
        """Look at every transcript now and then: what the system did not announce, and what was missed."""
        now = time.monotonic()
        if not self.looked or now - self.looked > LOOK_SECONDS:
            if not self._look(work, intake, deep=False):
                return
            self.looked = now
            if not self.looked_deep or now - self.looked_deep > DAY_SECONDS:
                self.looked_deep = now
                self._look(work, intake, deep=True)

    def _upkeep(self, work: Pipeline) -> None:
        """Everything that happens by itself: tending, packets that grow old, events that others wrote."""
        now = time.monotonic()
        if not self.tended or now - self.tended > LOOK_SECONDS:
            self.tended = now
            self._try("tending", self._tend, work)
            if not self.cleaned or now - self.cleaned > DAY_SECONDS:
                self.cleaned = now
                self._try("cleaning up", self._clean, work)
        if not self.warmed or now - self.warmed > DAY_SECONDS:
            self._learn(work)
            self._try("preparing packets", work.warm)
            self.warmed = now
        if not self.is_upgraded:
            self._try("applying the rules of this version", self._upgrade, work)
        if (self.settings.sync_dir or self.settings.hub) and (not self.synced or now - self.synced > SYNC_SECONDS):
            self.synced = now
            self._try("keeping devices up to date", self._sync, work)
        if now - self.looked_around > TICK_SECONDS:
            self.looked_around = now
            self._try("looking at branches", self._see_heads, work)
        self._notice(work)

    def _upgrade(self, work: Pipeline) -> None:
        """Retire a little more of what older rules had kept and today's would not; once for each version."""
        self.is_upgraded = True  # what fails is tried again when the daemon starts, not at every look
        state = work.retire_old(self.stopping.is_set)
        self.is_upgraded = state is None or state.is_done
        if state is not None and state.is_done and state.projects:
            log.info("%s: %d memories retired, %d reworded", state.version, state.retired, state.reworded)

    def _look(self, work: Pipeline, intake: Intake, deep: bool) -> bool:
        """Look at every transcript; whether there is no more to read now. A long history is taken in piece by piece, so
        that each is learned, and sessions that go on are heard, before the next. Those that cannot be taken in are
        counted and looked at again."""
        stopping = self.stopping.is_set
        taken = intake.reconcile(
            self.settings.project_glob, deep=deep, since=self._since(), is_stopping=stopping, most=LOOK_BYTES
        )
        if taken.failed:
            problem = NousError(f"{taken.failed} transcripts were not taken in")
            note_fault(self.settings.data_dir, "reading transcripts", problem, self.clock())
        self._try("following the client's memory", work.follow_client_memory, self._since())
        size = work.stores.transcripts.size()
        self.kept = {name: size[name] for name in self.kept}
        return taken.size < LOOK_BYTES

    def _see_heads(self, work: Pipeline) -> None:
        """Prepare packets anew where another branch or commit was checked out."""
        moved = set()
        for row in work.stores.cache.projects()[:MOST_PROJECTS]:
            head = (locate(row["root"]).branch, head_commit(row["root"]))
            if self.heads.setdefault(row["project_id"], head) != head:
                self.heads[row["project_id"]] = head
                work.stores.cache.see_project(row["project_id"], row["root"], head[0] or None, row["last_seen"])
                moved.add(row["project_id"])
        if moved:
            work.warm(moved)

    def _sync(self, work: Pipeline) -> None:
        """One round with the user's other devices."""
        for trouble in work.sync().troubles:
            note_fault(self.settings.data_dir, "keeping devices up to date", NousError(trouble), self.clock())

    def _tend(self, work: Pipeline) -> None:
        """Learn from the outcomes of sessions that are over; once a day, when nothing waits, everything else."""
        work.settle()
        work.observe(self.stopping.is_set)
        last = work.stores.outcomes.step("disk")
        rested = last is None or days_between(last["finished_at"], self.clock()) >= 1
        if rested and work.stores.queue.next_due() is None:
            log.info(Nous(work.stores, self.settings, self.clock).maintain(seconds=TEND_SECONDS).line())

    def _since(self) -> float | None:
        """Before this moment transcripts are history, which the user may not have wanted to be read."""
        given = self.settings.read_since
        return datetime.fromisoformat(parse(given, self.clock())).timestamp() if given else None

    def _clean(self, work: Pipeline) -> None:
        """Let go of what is no longer needed."""
        now, stores = self.clock(), work.stores
        stores.files.forget(later(now, -FORGET_FILES_SECONDS))
        stores.queue.drop_old_payloads(later(now, -DAY_SECONDS))
        stores.cache.expire(SESSIONS, later(now, -DAY_SECONDS))
        if self.settings.transcript_days:
            stores.transcripts.expire(later(now, -self.settings.transcript_days * DAY_SECONDS))
            stores.exchanges.expire()

    def _notice(self, work: Pipeline, projects: frozenset[str] = frozenset()) -> None:
        """Do what follows where somebody wrote events, and in projects where something was read."""
        if work.stores.events.last_id() <= self.last_event and not projects:
            return
        found = work.after_learning(self.last_event, projects, seconds=RECONCILE_SECONDS)
        self.last_event = found.last_event
        for trouble in found.troubles:
            note_fault(self.settings.data_dir, trouble.part, trouble.problem, self.clock())
        if found.contradicted or found.superseded or found.flagged:
            log.info("contradicted %d, replaced %d, suggested %d", found.contradicted, found.superseded, found.flagged)

    def _learn(self, work: Pipeline) -> None:
        gained = work.learn(self.stopping.is_set)
        if gained.projects:
            self.total = self.total.plus(gained)
            self._notice(work, gained.projects)
            log.info("learned %d, again %d, replaced %d, failed %d", *gained[:3], gained.failed)


def note_fault(data_dir: str, part: str, problem: BaseException, now: str) -> None:
    """Log a failure with its traceback, and count it where `status` and `doctor` look."""
    log.error("%s failed", part, exc_info=problem)
    faults.note(data_dir, part, problem, now)


def keep_going(
    part: str,
    work: Callable[[], None],
    ending: threading.Event,
    failed: Callable[[str, BaseException], None],
    pause: float = 1.0,
) -> None:
    """Do the work of a thread until it ends by itself or shall end; after a failure again, with growing pauses."""
    rest = pause
    while not ending.is_set():
        began = time.monotonic()
        try:
            work()
            return
        except BaseException as problem:  # a panic in an extension is no Exception, and nobody interrupts a thread
            failed(part, problem)
        rest = pause if time.monotonic() - began > REST_SECONDS else min(2 * rest, REST_SECONDS)
        ending.wait(rest)


def serve(settings: Settings) -> None:
    """Run the daemon until it is told to stop."""
    from nous.shells.daemon.hook_service import HookService
    from nous.shells.web import app as web
    from nous.shells.web import serving

    for part in PROCESSES:
        if running := holder(settings.data_dir, part):
            raise NousError(f"`nous {part}` runs apart (process {running})", hint="stop it; the daemon does all of it")
    lock = Lock(settings.data_dir)
    log_to(settings.data_dir, settings.log_format == "json")
    Pipeline.open(settings, system_clock).close()
    engine = Engine(settings)
    watcher = Watcher(
        settings.project_glob, engine.changed, engine.look, failed=engine.on_watch_failure, other=engine.on_memory_file
    )
    reception = HookService(settings)
    listeners = [listen(settings.socket_path), *_listen_http(settings)]
    url = serving.address(listeners[1]) if len(listeners) > 1 else None
    desk = reception.web(engine.wrote, lambda: _tell(engine, watcher, url))
    app = web.with_health(web.create_app(desk), lambda: _health(engine, watcher, url))
    server = serving.make_server(web.guard_app(app, desk), answer_hooks=(reception.respond, _waker(engine)))
    end_on_signals(server)
    guard = threading.Thread(target=_guard, args=(lock, server), name="nous-guard", daemon=True)
    ending = threading.Event()
    reader = threading.Thread(target=let_read, args=(settings, ending), name="nous-model", daemon=True)
    finder = threading.Thread(target=reception.prepare, name="nous-finder", daemon=True)
    follower = CodeWatcher(Codebase(settings, system_clock), lambda problem: _stumbled_on_code(settings, problem))
    try:
        for thread in (engine, watcher, guard, reader, finder, follower):
            thread.start()
        log.info("daemon %s started as process %d", __version__, os.getpid())
        if url:
            serving.publish(settings.data_dir, url)
        server.run(sockets=listeners)
    finally:
        serving.withdraw(settings.data_dir)
        ending.set()
        watcher.stop()
        follower.stop()
        engine.stop()
        engine.join(timeout=10)
        desk.audit.flush()
        reception.close()
        if lock.is_ours():
            remove(settings.socket_path)
        lock.release()
        log.info("daemon stopped")


def _stumbled_on_code(settings: Settings, problem: BaseException) -> None:
    note_fault(settings.data_dir, "following code", problem, system_clock())


def let_read(settings: Settings, ending: threading.Event) -> None:
    """Let a model read sessions too, if the user chose one. Whatever happens to it, the daemon goes on without."""
    keep_going(
        "the model's reader",
        lambda: run_model_reader(settings, system_clock, ending),
        ending,
        lambda part, problem: note_fault(settings.data_dir, part, problem, system_clock()),
    )


def end_on_signals(server: Any) -> None:
    """Signals only ask for an end. The server raises them once more when it is done; then there is work left to do."""

    def ask(number: int, frame: object) -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, ask)


def _guard(lock: Lock, server: Any) -> None:
    """End the daemon when its data directory vanished: nobody could find it any more."""
    while not server.should_exit:
        time.sleep(GUARD_SECONDS)
        if not lock.is_ours():
            log.warning("the data directory is gone")
            server.should_exit = True


def transcripts_in(body: bytes, glob: str) -> list[str]:
    """The transcripts that a hook speaks of, among those that are read."""
    try:
        said = json.loads(body)
        paths = [said.get("transcript_path"), said.get("agent_transcript_path")]
    except (ValueError, AttributeError):
        return []
    return [path for path in paths if isinstance(path, str) and matches(path, glob)]


def _session_in(body: bytes) -> str:
    return str(json.loads(body).get("session_id") or "")


def _waker(engine: Engine) -> Callable[[str, bytes], None]:
    def wake(name: str, body: bytes) -> None:
        if name not in ("Stop", "SessionEnd", "SubagentStop", "PreCompact"):
            return
        for path in transcripts_in(body, engine.settings.project_glob):
            if name == "PreCompact":
                engine.cut(path, _session_in(body))
            else:
                engine.on_stop(path)

    return wake


def _listen_http(settings: Settings) -> list[socket.socket]:
    """The socket of the panel and the API; none when the user wants none. A free port when the chosen one is taken."""
    from nous.shells.web import serving

    if not settings.serve_http:
        return []
    try:
        return [serving.listen(settings.http_port)]
    except NousError as problem:
        listener = serving.listen(0)
        log.warning("%s; the panel and the API are at %s", problem, serving.address(listener))
        return [listener]


def _tell(engine: Engine, watcher: Watcher, url: str | None) -> dict[str, Any]:
    """What the panel shows of the daemon."""
    found = faults.recent(engine.settings.data_dir, engine.clock())
    failed = [{"part": one.part, "times": one.times, "last_at": one.last_at, "said": one.said} for one in found]
    return {"daemon": {"running": True, "version": __version__} | _health(engine, watcher, url), "faults": failed}


def _health(engine: Engine, watcher: Watcher, url: str | None) -> dict[str, Any]:
    return {
        "pid": os.getpid(),
        "http": url,
        "engine": engine.is_alive(),
        "watching": "by looking" if watcher.polling else "by notification",
        "faults": sum(fault.times for fault in faults.recent(engine.settings.data_dir, engine.clock())),
        "learned": engine.total.learned,
        "transcripts": engine.kept,
        "rss_bytes": resident_bytes(),
        "cpu_seconds": round(time.process_time(), 2),
    }


def resident_bytes() -> int:
    """How much memory this process holds; the most it ever held where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


def listen(path: str) -> socket.socket:
    """A socket only its owner can connect to. A left-over one is ours to remove: we hold the lock."""
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if not paths.is_private(folder):
        hint = f"make it yours with mode 700, or set NOUS_SOCKET_PATH to a path in a directory that is; it is {folder}"
        raise NousError("others can write to the directory of the daemon's socket", hint=hint)
    remove(path)
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


def remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


class Structured(logging.Formatter):
    """A log line as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, logger and message, and the traceback of a failure."""
        said = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "thread": record.threadName,
            "message": record.getMessage(),
        }
        failed = {"traceback": self.formatException(record.exc_info)} if record.exc_info else {}
        return json.dumps(said | failed, ensure_ascii=False)


def log_to(data_dir: str, as_json: bool = False, name: str = "daemon.log") -> None:
    """A small rotating log beside the database."""
    path = os.path.join(data_dir, name)
    for file in (path, f"{path}.1"):  # and what it is renamed to when it is full
        if file == path or os.path.exists(file):
            os.close(paths.private(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY))
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=1_000_000, backupCount=1, encoding="utf-8")
    plain = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    handler.setFormatter(Structured() if as_json else plain)
    logging.basicConfig(level=logging.INFO, handlers=[handler])
