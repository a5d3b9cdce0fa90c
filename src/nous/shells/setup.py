"""Setting Nous up for one user, step by step, and taking out again everything that was put in.

Each step says what it found or did; the command strings them together. What is written outside the data directory is
written by `nous.shells.plugin` and `nous.recall.surface`, which can undo it; what is written inside it is listed here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from nous import __version__, files, paths
from nous.app import Nous
from nous.config import Settings, config_file, load_settings
from nous.errors import NousError
from nous.identity import Project
from nous.shells import daemon, plugin, service, waking
from nous.work import Chosen, Pipeline, Progress, surface

RECEIPT = "setup.json"
OURS = "  # set by `nous init`"
MEASURED_HOOK = "UserPromptSubmit"
MEASURED_MEMORIES = 1000
PROMPT_P95_MS = 150.0
OLDEST_CLIENT = (2, 1, 144)
SAMPLE_SECONDS = 2.0  # how long an estimate may take before it is given
PIECES = 8  # transcripts that an estimate looks into
PIECE_BYTES = 200_000  # how much of each it reads
RECONCILE_SECONDS = 10.0  # what is left after that the daemon does
# Files that a running Nous leaves; they say nothing that anybody would want back.
LOGS = ("daemon.log", "daemon.log.1", "hook.log", "faults.json")
TRACES = ("daemon.lock", *LOGS, waking.STAMP, "nous.sock", "http.token", "http.json")
DATABASE = tuple(name + end for name in ("cortex.db", paths.HOOKS) for end in ("", "-wal", "-shm"))
DATA = (*DATABASE, "config.toml", "project-names.tsv", "checkpoints", "archive", "worker", "plugin", "code")
PLACES = (
    "~/.local/bin/claude",
    "~/.claude/local/claude",
    "~/.npm-global/bin/claude",
    "~/.bun/bin/claude",
    "~/.volta/bin/claude",
    "/opt/homebrew/bin/claude",
    "/usr/local/bin/claude",
    "/usr/bin/claude",
)


class Client(msgspec.Struct, frozen=True):
    """A Claude Code that was found."""

    path: str
    version: str

    @property
    def is_too_old(self) -> bool:
        """Whether it does not know our form of hooks. A version that cannot be read is taken to be new."""
        numbers = re.match(r"(\d+)\.(\d+)\.(\d+)", self.version)
        return numbers is not None and tuple(map(int, numbers.groups())) < OLDEST_CLIENT


class Speed(msgspec.Struct, frozen=True):
    """How long hooks take here, as p95 in milliseconds, and whether the first prompt may be answered at all."""

    start: float
    prompt: float
    bare: float
    runs: int
    passed: bool


class History(msgspec.Struct, frozen=True, omit_defaults=True):
    """What lies on disk and was not read yet."""

    sessions: int
    bytes: int
    files: tuple[Chosen, ...] = ()


# -- setting up -----------------------------------------------------------------------------------------------------


def find_client(environ: Mapping[str, str]) -> Client | None:
    """Claude Code on the PATH, else where its installers put it; None when there is none."""
    home = paths.home(environ)
    usual = [place.replace("~", home, 1) for place in PLACES]
    found = shutil.which("claude", path=environ.get("PATH", ""))
    path = found or next((place for place in usual if os.access(place, os.X_OK)), None)
    return Client(path, _version(path, environ)) if path else None


def _version(path: str, environ: Mapping[str, str]) -> str:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, env=dict(environ))
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.split()[0] if done.returncode == 0 and done.stdout.strip() else ""


def begin(environ: Mapping[str, str]) -> None:
    """Make the data directory and note which directories above it had to be made."""
    folder = paths.data_dir(environ)
    made = files.missing_folders(os.path.join(folder, RECEIPT))
    if made:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        files.write(os.path.join(folder, RECEIPT), json.dumps({"folders": made}).encode() + b"\n", 0o600)


def measure_hooks(runs: int) -> Speed:
    """Time the hooks in a throw-away home on this machine."""
    from nous.shells import latency

    report = latency.measure(runs, (MEASURED_MEMORIES,), daemons=(True,))
    timings = {timing.case: timing for timing in report.timings}
    prompt = timings[MEASURED_HOOK]
    passed = prompt.p95 <= PROMPT_P95_MS and prompt.failed == 0
    return Speed(timings["SessionStart"].p95, prompt.p95, timings[latency.BARE].p95, runs, passed)


def keep_setting(environ: Mapping[str, str], field: str, value: str | bool | None) -> bool:
    """Whether the config file had to change to say this; None takes our own line out. The user's own lines win."""
    path = config_file(environ)
    text = (files.read_bytes(path) or b"").decode()
    mine = f"{field} = {json.dumps(value)}{OURS}\n"
    rest = "".join(line for line in text.splitlines(keepends=True) if not _is_our_line(line, field))
    # At the top, since below a table it would belong to that table.
    new = rest if value is None or field in tomllib.loads(rest) else mine + rest
    if new == text:
        return False
    if new:
        files.write(path, new.encode())
    else:
        os.unlink(path)
    return True


def _is_our_line(line: str, field: str) -> bool:
    return line.startswith(f"{field} =") and line.rstrip("\r\n").endswith(OURS)


def unread_history(nous: Nous) -> History:
    """The transcripts with something in them that was never read."""
    unread = [file for file in nous.work.transcripts() if file.new > 0]
    found, _ = nous.work.estimate(unread)
    return History(found.sessions, found.new, tuple(unread))


def reading_seconds(nous: Nous, history: History, timer: Callable[[], float] = time.monotonic) -> int:
    """Roughly how long reading it takes: pieces of it are learned for a try, in a memory that is thrown away."""
    read, began = 0, timer()
    with tempfile.TemporaryDirectory(prefix="nous-") as folder:
        scratch = msgspec.structs.replace(nous.settings, db_path=os.path.join(folder, "cortex.db"))
        work = Pipeline.open(scratch, nous.clock, "estimate")
        try:
            for number, file in enumerate(_spread(history.files)):
                piece = os.path.join(folder, f"{number}.jsonl")
                read += _copy_beginning(file.path, piece)
                for _ in work.backfill([Chosen(piece, os.path.getsize(piece), os.path.getsize(piece))]):
                    pass
                if timer() - began > SAMPLE_SECONDS:
                    break
            work.after_learning(0, seconds=SAMPLE_SECONDS)
            took = timer() - began
        finally:
            work.close()
    return max(1, round(history.bytes * took / read)) if read else 1


def _spread(files: Sequence[Chosen]) -> list[Chosen]:
    """Some of the files, so that a large one is as likely as its size says."""
    total, passed, found = sum(file.new for file in files), 0, []
    for file in sorted(files, key=lambda file: file.new, reverse=True):
        before, passed = passed, passed + file.new
        if before * PIECES // max(total, 1) != passed * PIECES // max(total, 1):
            found.append(file)
    return found


def _copy_beginning(path: str, target: str) -> int:
    """Copy the first whole lines of a transcript; how many bytes."""
    with open(path, "rb") as file, open(target, "wb") as copy:
        return copy.write(b"".join(file.readlines(PIECE_BYTES)))


def learn_history(nous: Nous, history: History, show: Callable[[Progress], None]) -> int:
    """Read and learn all of it, and make the packets; how many memories are new."""
    since, learned = nous.stores.events.last_id(), 0
    projects: frozenset[str] = frozenset()
    for progress in nous.work.backfill(history.files):
        show(progress)
        learned, projects = progress.outcome.learned, progress.outcome.projects
    nous.work.after_learning(since, projects, seconds=RECONCILE_SECONDS)
    return learned


def start_daemon(environ: Mapping[str, str], *, afresh: bool) -> int:
    """The process of a daemon of this version; one that runs is started again when settings changed."""
    settings = load_settings(environ)
    said = daemon.health(settings.socket_path)
    if afresh or (said and said.get("version") != __version__):
        daemon.stop(settings)
    return daemon.start(settings, dict(environ))


# -- taking it out --------------------------------------------------------------------------------------------------


class Removed(msgspec.Struct, frozen=True):
    """What an uninstall did, and what it left because it is not ours or was to be kept.

    `restored` are files of others that our part was taken out of.
    """

    daemon: bool
    removed: tuple[str, ...]
    restored: tuple[str, ...]
    kept: tuple[str, ...]
    purged: bool


def uninstall(environ: Mapping[str, str], *, purge: bool) -> Removed:
    """Stop the daemon and take out everything that Nous put in; with `purge` the memories too."""
    settings = load_settings(environ)
    removed = _service(environ)  # first, or the system would start the daemon again
    stopped = daemon.stop(settings)
    removed += _surfaces(settings)
    removed += [path for each in claude_dirs(environ) for path in _leave(environ, each)]
    for field in ("enable_userpromptsubmit", "read_since"):
        if keep_setting(environ, field, None):
            removed.append(config_file(environ))
    made = _made_folders(settings.data_dir)
    removed += _delete(os.path.join(settings.data_dir, name) for name in TRACES)
    removed += _purge(environ, settings, made) if purge else []
    if _listing(settings.data_dir) == [RECEIPT]:  # it stays as long as the directory does, to know what to remove then
        removed += _delete([os.path.join(settings.data_dir, RECEIPT)])
    files.remove_empty([settings.data_dir, *_socket_folder(settings), *made])
    touched = list(dict.fromkeys(removed))
    restored = tuple(path for path in touched if os.path.exists(path))
    gone = tuple(path for path in touched if path not in restored)
    return Removed(stopped, gone, restored, tuple(_listing(settings.data_dir)), purge)


def _listing(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def _service(environ: Mapping[str, str]) -> list[str]:
    """The file of the user's service, if there was one."""
    try:
        is_installed = service.status(environ)[0].installed
    except NousError:  # a system without services that we know
        return []
    return [one.path for one in service.uninstall(environ)] if is_installed else []


def _surfaces(settings: Settings) -> list[str]:
    """The rules files in projects that our part was taken out of."""
    if not os.path.exists(settings.db_path):
        return []
    with Nous.open(settings=settings) as nous:
        seen = [Project(row["project_id"], row["root"], "") for row in nous.stores.cache.projects()]
    states = [surface.switch_off(project) for project in seen if surface.status(project).on]
    return [state.path for state in states if state.changed]


def claude_dirs(environ: Mapping[str, str]) -> list[str]:
    """Every Claude Code directory that runs our plugin, the one of this environment first."""
    at = plugin.places(environ)
    others = (os.path.dirname(path) for path in plugin.read_receipt(at) if path.endswith(f"{os.sep}settings.json"))
    return list(dict.fromkeys([at.claude, *others]))


def _leave(environ: Mapping[str, str], claude: str) -> tuple[str, ...]:
    return plugin.uninstall({**environ, "CLAUDE_CONFIG_DIR": claude}).changed


def _made_folders(data_dir: str) -> list[str]:
    """The directories that `begin` made; an unreadable note is none."""
    try:
        said: dict[str, Any] = json.loads(files.read_bytes(os.path.join(data_dir, RECEIPT)) or b"{}")
        return [str(folder) for folder in said.get("folders", [])]
    except (ValueError, AttributeError):
        return []


def _socket_folder(settings: Settings) -> list[str]:
    """The directory of the short socket name that stands in for one too long, if that is in use."""
    folder = os.path.dirname(settings.socket_path)
    return [folder] if folder.startswith("/tmp/nous-") else []


def _purge(environ: Mapping[str, str], settings: Settings, made: list[str]) -> Iterator[str]:
    """Delete the data. A directory that may hold other things loses only what has a name of ours."""
    folder = settings.data_dir
    default = paths.data_dir({name: value for name, value in environ.items() if name != "NOUS_DATA_DIR"})
    if os.path.isdir(folder) and (folder in made or folder == default):
        plugin.remove_tree(folder)
        yield folder
    yield from _delete(os.path.join(folder, name) for name in DATA)
    yield from _delete(settings.db_path + end for end in ("", "-wal", "-shm"))


def _delete(doomed: Iterable[str]) -> Iterator[str]:
    """The files and directories that were there and are gone now."""
    for path in doomed:
        try:
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise NousError(f"cannot delete {path}: {error.strerror}") from None
        yield path
