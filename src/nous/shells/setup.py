"""Setting Nous up for one user, step by step, and taking out again everything that was put in.

Each step says what it found or did; the command strings them together. What is written outside the data directory is
written by `nous.shells.plugin.registration` and `nous.features.brief.surface`, which can undo it; what is written
inside it is listed here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.request import ProxyHandler, build_opener

import msgspec

from nous import __version__, files, paths
from nous.app import Nous
from nous.config import Settings, config_file, load_settings
from nous.errors import ConfigError, NousError
from nous.features.brief import surface
from nous.features.model_reader.history import OldSession, old_sessions
from nous.identity import Project
from nous.kernel.capture.backfill import Chosen, Progress
from nous.providers.claude_cli import DEFAULT_MODEL as CLAUDE_MODEL
from nous.providers.llm import is_loopback
from nous.shells import waking
from nous.shells.daemon import control as daemon
from nous.shells.daemon import service
from nous.shells.plugin import registration

RECEIPT = "setup.json"
OURS = "  # set by `nous init`"
MEASURED_HOOKS = ("SessionStart", "UserPromptSubmit")
MEASURED_MEMORIES = 200
ROUNDS = 5  # of the measurement; somebody waits for it
SLOW_MS = 300.0  # a first prompt that takes longer than this on this machine is left alone
OLDEST_CLIENT = (2, 1, 144)
PROBE_SECONDS = 4.0  # how long anything on this machine is waited for before the first question
RECONCILE_SECONDS = 2.0  # what is left after that the daemon does
FOREGROUND_SECONDS = 20.0  # how long a person at a terminal waits for the history; the daemon reads the rest
OLLAMA = "http://127.0.0.1:11434"
KEYS = {"anthropic": ("ANTHROPIC_API_KEY", ""), "openai": ("OPENAI_API_KEY", "gpt-5-mini")}
MODEL_SETTINGS = ("llm_provider", "llm_model", "llm_base_url")
OUR_SETTINGS = ("enable_userpromptsubmit", "read_since", *MODEL_SETTINGS)
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
    """How long hooks take here, in milliseconds (median), and whether the first prompt is answered."""

    start: float
    prompt: float
    bare: float
    runs: int
    passed: bool


class FoundModel(msgspec.Struct, frozen=True):
    """A model that could read along: what it is called, what the settings would say, and whether it answers.

    `trouble` says why it cannot be asked now; empty when it can, as far as one can tell without asking it.
    """

    name: str
    provider: str
    model: str
    base_url: str = ""
    remark: str = ""
    trouble: str = ""

    @property
    def is_local(self) -> bool:
        return bool(self.base_url) and is_loopback(self.base_url)

    def settings(self) -> dict[str, str | None]:
        """The lines of the config file that choose it."""
        named = self.model if self.provider == "openai" else None
        return {"llm_provider": self.provider, "llm_model": named, "llm_base_url": self.base_url or None}


class History(msgspec.Struct, frozen=True, omit_defaults=True):
    """What lies on disk and was not read yet."""

    sessions: int
    bytes: int
    projects: int = 0
    files: tuple[Chosen, ...] = ()


class Surroundings(msgspec.Struct, frozen=True):
    """What was found on this machine before anything is asked; the best model first."""

    client: Client | None
    models: tuple[FoundModel, ...]

    def model(self, name: str) -> FoundModel:
        """The model of that name; a sentence when it is not here or cannot be asked."""
        found = next((one for one in self.models if one.name == name), None)
        if found is None:
            raise ConfigError(f"{name} was not found here", hint=_how_to_get(name))
        if found.trouble:
            raise ConfigError(f"{name} cannot be asked: {found.trouble}", hint="then run `nous init` again")
        return found


# -- setting up -----------------------------------------------------------------------------------------------------


def find_client(environ: Mapping[str, str]) -> Client | None:
    """Claude Code on the PATH, else where its installers put it; None when there is none."""
    home = paths.home(environ)
    usual = [place.replace("~", home, 1) for place in PLACES]
    found = shutil.which("claude", path=environ.get("PATH", ""))
    path = found or next((place for place in usual if os.access(place, os.X_OK)), None)
    return Client(path, _version(path, environ)) if path else None


def _version(path: str, environ: Mapping[str, str]) -> str:
    said = _probe([path, "--version"], environ)
    return said[1].split()[0] if said and said[0] == 0 and said[1].strip() else ""


def _probe(command: list[str], environ: Mapping[str, str]) -> tuple[int, str] | None:
    """The exit status of a short command and what it said; None when it cannot be run or takes too long."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PROBE_SECONDS,
            env={**environ, "NOUS_WORKER": "1"},
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    return done.returncode, done.stdout


def look_around(environ: Mapping[str, str]) -> Surroundings:
    """The client and the models that are here; nothing is sent anywhere, and nobody waits long for an answer."""
    with ThreadPoolExecutor(2) as threads:
        ollama = threads.submit(_find_ollama, environ)
        client = find_client(environ)
        claude = _find_claude(client, environ)
        found = [*claude, *_find_keys(environ, "anthropic"), *ollama.result(), *_find_keys(environ, "openai")]
    return Surroundings(client, tuple(sorted(found, key=lambda one: bool(one.trouble))))


def _find_claude(client: Client | None, environ: Mapping[str, str]) -> list[FoundModel]:
    if client is None:
        return []
    trouble = "it is too old" if client.is_too_old else ""
    is_logged_in = None if trouble else logged_in(client, environ)
    if is_logged_in is False:
        trouble = "it is not logged in (`claude auth login`)"
    remark = {True: "logged in", False: "not logged in", None: "login not checked"}[is_logged_in]
    return [FoundModel("claude", "claude", CLAUDE_MODEL, remark=remark, trouble=trouble)]


def logged_in(client: Client, environ: Mapping[str, str]) -> bool | None:
    """Whether Claude Code says that it is logged in; None when it does not say. An unknown version is not asked.

    To an old client `auth` would be a prompt.
    """
    if not client.version or client.is_too_old:
        return None
    said = _probe([client.path, "auth", "status", "--json"], environ)
    try:
        answer = json.loads(said[1]) if said else {}
        return next((bool(answer[name]) for name in ("loggedIn", "logged_in") if name in answer), None)
    except (ValueError, TypeError):
        return None


def _find_ollama(environ: Mapping[str, str]) -> list[FoundModel]:
    """The first model of an Ollama on this machine that is no embedder."""
    place = environ.get("OLLAMA_HOST") or OLLAMA
    place = place if "://" in place else f"http://{place}"
    if not is_loopback(place):
        return []  # whoever has one elsewhere names it in the settings
    try:
        with build_opener(ProxyHandler({})).open(f"{place.rstrip('/')}/api/tags", timeout=1.0) as answer:
            listed = json.loads(answer.read(1_000_000))["models"]
            names = [str(one["name"]) for one in listed if "embed" not in str(one["name"])]
    except (OSError, ValueError, KeyError, TypeError, HTTPException):
        return []
    if not names:
        return [
            FoundModel("ollama", "openai", "", remark="no model", trouble="it has no model (`ollama pull qwen3:8b`)")
        ]
    return [FoundModel("ollama", "openai", names[0], f"{place.rstrip('/')}/v1", remark=names[0])]


def _find_keys(environ: Mapping[str, str], provider: str) -> list[FoundModel]:
    variable, model = KEYS[provider]
    return [FoundModel(provider, provider, model or CLAUDE_MODEL, remark=f"{variable} is set")] * bool(
        environ.get(variable)
    )


def _how_to_get(name: str) -> str:
    if name in KEYS:
        return f"set {KEYS[name][0]} in the environment"
    return "start Ollama on this machine" if name == "ollama" else "install Claude Code and log in"


def choose_model(environ: Mapping[str, str], found: FoundModel | None) -> bool:
    """Whether the config file had to change so that this model reads along, or none."""
    lines = found.settings() if found else dict.fromkeys(MODEL_SETTINGS)
    changed = [keep_setting(environ, field, value) for field, value in lines.items()]
    return any(changed)


def begin(environ: Mapping[str, str]) -> None:
    """Make the data directory and note which directories above it had to be made."""
    folder = paths.data_dir(environ)
    made = files.missing_folders(os.path.join(folder, RECEIPT))
    if made:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        files.write(os.path.join(folder, RECEIPT), json.dumps({"folders": made}).encode() + b"\n", 0o600)


def measure_hooks(runs: int) -> Speed:
    """Time the hooks that a person waits for, in a throw-away home on this machine."""
    from nous.shells import latency

    timings = latency.measure(runs, MEASURED_MEMORIES, MEASURED_HOOKS)
    start, prompt, bare = (timings[name] for name in (*MEASURED_HOOKS, latency.BARE))
    return Speed(start.p50, prompt.p50, bare.p50, runs, prompt.p50 <= SLOW_MS and prompt.failed < runs)


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


def unread_history(nous: Nous) -> tuple[History, list[OldSession]]:
    """The transcripts with something in them that was never read, and the sessions they hold."""
    unread = [file for file in nous.work.transcripts() if file.new > 0]
    sessions = old_sessions((file.path, file.size) for file in unread)
    size, projects = sum(file.new for file in unread), len({one.project_id for one in sessions})
    return History(len(sessions), size, projects, tuple(unread)), sessions


class Learnt(NamedTuple):
    """What became of the history: files read, files left to the daemon, and memories that are new and active."""

    read: int
    left: int
    memories: int


def learn_history(
    nous: Nous,
    files: Sequence[Chosen],
    here: str,
    show: Callable[[Progress], None],
    seconds: float | None = None,
    timer: Callable[[], float] = time.monotonic,
) -> Learnt:
    """Read and learn, and prepare what sessions are told; after so many seconds the rest is left to the daemon."""
    since, before, began = nous.stores.events.last_id(), active_memories(nous), timer()
    last = Progress(len(files), 0, 0, 0)
    with closing(nous.work.backfill(files, here)) as reading:
        for last in reading:
            show(last)
            if seconds is not None and timer() - began > seconds and last.done < last.files:
                break
    if last.done < last.files:
        nous.work.after_learning(since, last.outcome.projects, seconds=RECONCILE_SECONDS)
    return Learnt(last.done, last.files - last.done, active_memories(nous) - before)


def active_memories(nous: Nous) -> int:
    """How many memories are in use, as `nous status` counts them."""
    return sum(row["memories"] for row in nous.stores.memories.counts() if row["status"] == "active")


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
    for field in OUR_SETTINGS:
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
        is_installed = service.status(environ).installed
    except NousError:  # a system without services that we know
        return []
    return [service.uninstall(environ).path] if is_installed else []


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
    at = registration.places(environ)
    others = (
        os.path.dirname(path) for path in registration.read_receipt(at) if path.endswith(f"{os.sep}settings.json")
    )
    return list(dict.fromkeys([at.claude, *others]))


def _leave(environ: Mapping[str, str], claude: str) -> tuple[str, ...]:
    return registration.uninstall({**environ, "CLAUDE_CONFIG_DIR": claude}).changed


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
        registration.remove_tree(folder)
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
