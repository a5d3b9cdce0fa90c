"""Registering the plugin with the user's Claude Code, and taking it out again.

What the client needs was found by running it (2.1.144, 2.1.150, 2.1.197 and 2.1.325, a plain `claude -p`):

- `settings.json`: `extraKnownMarketplaces` names a directory that holds a marketplace, `enabledPlugins` switches the
  plugin of that marketplace on. This alone is enough for 2.1.325; 2.1.197 then has it from the second session on.
- `plugins/known_marketplaces.json`: the client's own list of the marketplaces it has seen. With our entry already in it
  the very first session has the plugin in all of these versions.
- `plugins/installed_plugins.json`: written by the client itself when it first loads the plugin. It is not written here,
  only cleaned when the plugin goes.

A plugin from a directory marketplace runs from that directory and not from the client's cache, so a new version is in
force with the next session. Clients up to 2.1.138 do not know hooks with `args` and run none of ours.

The files are edited here and not by `claude plugin ...`, for two reasons: those commands sort and re-indent the whole
settings file, which could then not be given back byte for byte; and `claude` need not be on the PATH of this process.
Each edit is kept in a receipt: what was put where, and the hash of the file before and after, but nothing of what else
the file says, since it may hold keys. While the file is as we left it, uninstalling undoes the edits; otherwise it
takes out our own entries and nothing more.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

import nous
from nous.errors import ConfigError, NousError
from nous.files import missing_folders, read_bytes, remove_empty, write
from nous.paths import claude_dir, data_dir
from nous.shells.plugin import jsontext
from nous.shells.plugin.jsontext import Edit, NotJson

MARKET = "nous-local"
PLUGIN_ID = f"nous@{MARKET}"
RECEIPT = "receipt.json"
HOOK = "nous/hooks/hook.py"
LONGEST_FIRST_LINE = 127  # older Linux kernels cut the line that names a script's interpreter there

RegistrationState = Literal["installed", "not installed", "outdated", "broken"]
Entries = dict[tuple[str, ...], Any]
FileContents = dict[str, bytes]


class Registration(msgspec.Struct, frozen=True):
    """How the registration stands: `reasons` say why it is not simply installed, `changed` what was just written."""

    state: RegistrationState
    version: str
    installed_version: str | None
    settings: str
    plugin_dir: str
    reasons: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class FileChange(msgspec.Struct, frozen=True):
    """What was done to one file of the client. `made` are keys that were not there at all, `folders` directories."""

    existed: bool
    before: str
    after: str
    edits: tuple[Edit, ...]
    made: tuple[tuple[str, ...], ...] = ()
    folders: tuple[str, ...] = ()


class Places(msgspec.Struct, frozen=True):
    """Where everything is, for one user and one Claude Code."""

    plugin: str
    claude: str

    @property
    def settings(self) -> str:
        return os.path.join(self.claude, "settings.json")

    @property
    def known(self) -> str:
        return os.path.join(self.claude, "plugins", "known_marketplaces.json")

    @property
    def installed(self) -> str:
        return os.path.join(self.claude, "plugins", "installed_plugins.json")

    @property
    def receipt(self) -> str:
        return os.path.join(self.plugin, RECEIPT)


def places(environ: Mapping[str, str]) -> Places:
    """The places that follow from the environment."""
    return Places(os.path.join(data_dir(environ), "plugin"), os.path.abspath(claude_dir(environ)))


def install(environ: Mapping[str, str]) -> Registration:
    """The report after making the client load this version's plugin; nothing is written where all is in order."""
    at = places(environ)
    receipt = read_receipt(at)
    files = render()
    _refuse_second_nous(at)
    texts: dict[str, str] = {}
    for path, entries in list_entries(at).items():
        if edited := register(path, entries, receipt.get(path)):
            texts[path], receipt[path] = edited
    changed = write_tree(at.plugin, files)
    if texts:  # the receipt goes first: an entry without one could not be undone exactly
        write_receipt(at, receipt)
    for path, text in texts.items():
        write(path, text.encode())
    return msgspec.structs.replace(status(environ), changed=(*changed, *texts))


def uninstall(environ: Mapping[str, str]) -> Registration:
    """The report after taking the plugin out of the client and deleting the copy it ran from."""
    at = places(environ)
    receipt = read_receipt(at)
    keys = {path: tuple(entries) for path, entries in list_entries(at).items()} | {
        at.installed: (("plugins", PLUGIN_ID),)
    }
    texts = {path: restore(path, each, receipt.get(path)) for path, each in keys.items()}
    changes = {path: receipt.pop(path, None) for path in keys}
    changed = [path for path, text in texts.items() if settle(path, text, changes[path])]
    for folder in (os.path.join("cache", MARKET), os.path.join("data", f"nous-{MARKET}")):
        shutil.rmtree(os.path.join(at.claude, "plugins", folder), ignore_errors=True)
    remove_empty(folder for change in changes.values() if change for folder in change.folders)
    if receipt:  # another Claude Code directory still runs from the same copy
        write_receipt(at, receipt)
    elif os.path.isdir(at.plugin):
        remove_tree(at.plugin)
        changed.append(at.plugin)
    return msgspec.structs.replace(status(environ), changed=tuple(changed))


def status(environ: Mapping[str, str]) -> Registration:
    """How the registration stands, without changing anything."""
    at = places(environ)
    version = installed_version(at)
    try:
        state, reasons = judge(at, read_text(at.settings) or "", version, environ)
    except NousError as error:
        state, reasons = "broken", [str(error)]
    return Registration(
        state=state,
        version=nous.__version__,
        installed_version=version,
        settings=at.settings,
        plugin_dir=at.plugin,
        reasons=tuple(reasons),
    )


def judge(
    at: Places, settings: str, version: str | None, environ: Mapping[str, str]
) -> tuple[RegistrationState, list[str]]:
    """The state of the registration and the reasons for it."""
    if not any(jsontext.get(settings, path) is not None for path in settings_entries(at)):
        left = [f"its files are still in {at.plugin}: `nous admin plugin uninstall` removes them"] if version else []
        return "not installed", left
    if reasons := [*settings_problems(at, settings), *copy_problems(at, environ)]:
        return "broken", reasons
    if version != nous.__version__:
        return "outdated", [f"version {version} is installed, this is {nous.__version__}"]
    if stale := [name for name, data in render().items() if read_bytes(os.path.join(at.plugin, name)) != data]:
        return "outdated", [
            f"it was installed by another copy of Nous: {', '.join(stale)} would be written differently"
        ]
    return "installed", []


def settings_problems(at: Places, settings: str) -> list[str]:
    """What in the settings keeps the client from running the plugin."""
    wrong = [".".join(path) for path, value in settings_entries(at).items() if jsontext.get(settings, path) != value]
    problems = [f"{name} is missing or different in {at.settings}" for name in wrong]
    if jsontext.get(settings, ("disableAllHooks",)) is True:
        problems.append(f"disableAllHooks in {at.settings} switches every hook off")
    return problems


def copy_problems(at: Places, environ: Mapping[str, str]) -> list[str]:
    """What keeps the installed hooks from running; one of them is started the way the client starts it."""
    root = os.path.join(at.plugin, "nous")
    try:
        hooks = json.loads(read_bytes(os.path.join(root, "hooks", "hooks.json")) or b"")
        entry = hooks["hooks"]["SessionStart"][0]["hooks"][0]
        command = [each.replace("${CLAUDE_PLUGIN_ROOT}", root) for each in (entry["command"], *entry["args"])]
    except (ValueError, LookupError, TypeError, AttributeError):
        return [f"the hooks are missing from {root}"]
    gone = [path for path in (command[0], *_paths_in(command[0])) if not os.path.exists(path)]
    return [f"{path} is gone, and the hooks need it" for path in gone] or _failure(command, environ)


def _paths_in(script: str) -> list[str]:
    """What an installed hook needs beside itself."""
    text = (read_bytes(script) or b"").decode(errors="replace")
    started = re.match(r"#!(/\S*python\S*) ", text)
    written = re.findall(r"^(?:PACKAGE|PYTHON) = ('.*')$", text, re.MULTILINE)
    pipe = os.path.join(os.path.dirname(script), "pipe.py")
    return [pipe, *(started.groups() if started else ()), *map(ast.literal_eval, written)]


def _failure(command: list[str], environ: Mapping[str, str]) -> list[str]:
    # NOUS_WORKER makes a hook leave at once, so this proves interpreter and file and touches no database.
    calm = {**environ, "NOUS_WORKER": "1"}
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, env=calm)
    except (OSError, subprocess.TimeoutExpired) as error:
        return [f"the hook does not start: {error}"]
    return [] if done.returncode == 0 else [f"the hook fails with exit code {done.returncode}"]


def settings_entries(at: Places) -> Entries:
    """What stands in the user's settings when the plugin is installed."""
    source = {"source": {"source": "directory", "path": at.plugin}}
    return {("extraKnownMarketplaces", MARKET): source, ("enabledPlugins", PLUGIN_ID): True}


def list_entries(at: Places) -> dict[str, Entries]:
    """The entries to make, by file of the client."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    source = {"source": "directory", "path": at.plugin}
    known = {"source": source, "installLocation": at.plugin, "lastUpdated": now}
    return {at.settings: settings_entries(at), at.known: {(MARKET,): known}}


def register(path: str, entries: Entries, earlier: FileChange | None) -> tuple[str, FileChange] | None:
    """The new text of a file and the record of its change, or None when it already says what it must."""
    found = read_text(path)
    text = found or ""
    if all(_same(jsontext.get(text, key), value) for key, value in entries.items()):
        return None
    base = text = without(text, entries, earlier.made if earlier else ())
    edits, made = [], []
    for key, value in entries.items():
        made += [key[:depth] for depth in range(1, len(key)) if jsontext.get(text, key[:depth]) is None]
        edits.append(_put_value(path, text, key, value))
        text = jsontext.apply(text, edits[-1])
    return text, FileChange(
        existed=found is not None if earlier is None else earlier.existed,
        before=digest(base),
        after=digest(text),
        edits=tuple(edits),
        made=tuple(made),
        folders=tuple(missing_folders(path)) or (earlier.folders if earlier else ()),
    )


def _same(value: Any, expected: Any) -> bool:
    """Whether an entry is ours already; the time in it is the client's to change."""
    if isinstance(value, dict) and isinstance(expected, dict):
        return {**value, "lastUpdated": None} == {**expected, "lastUpdated": None}
    return bool(value == expected)


def _put_value(path: str, text: str, key: tuple[str, ...], value: Any) -> Edit:
    try:
        return jsontext.put(text, key, value)
    except NotJson as error:
        raise ConfigError(f"{path} cannot be changed: {error}") from None


def restore(path: str, keys: Iterable[tuple[str, ...]], change: FileChange | None) -> str | None:
    """The text of a file without what is ours: the original one, if nobody else changed it. None: there is no file."""
    text = read_text(path)
    if text is None:
        return None
    if change and digest(text) == change.after:
        return jsontext.undo(text, change.edits)
    return without(text, keys, change.made if change else ())


def without(text: str, keys: Iterable[tuple[str, ...]], made: Iterable[tuple[str, ...]]) -> str:
    """The text with our entries taken out, and then those of the `made` objects that are empty now."""
    for key in keys:
        if edit := jsontext.drop(text, key):
            text = jsontext.apply(text, edit)
    for key in sorted(made, key=len, reverse=True):
        if jsontext.get(text, key) == {} and (edit := jsontext.drop(text, key)):
            text = jsontext.apply(text, edit)
    return text


def settle(path: str, text: str | None, change: FileChange | None) -> bool:
    """Whether the file had to be written or deleted to hold this text; a file that we made goes when it is empty."""
    if text is None:
        return False
    if change and not change.existed and jsontext.parse(text) == {}:
        _delete(path)
        return True
    if text == read_text(path):
        return False
    write(path, text.encode())
    return True


def render() -> FileContents:
    """The files of the installed copy: a marketplace and in it the plugin, with this machine's paths written in."""
    source = source_dir()
    names = sorted(each.relative_to(source).as_posix() for each in source.rglob("*") if each.is_file())
    files = {f"nous/{name}": (source / name).read_bytes() for name in names if "__pycache__" not in name}
    files[HOOK] = with_paths(files[HOOK])
    command, *words = [*nous_command(), "mcp"]
    files["nous/.mcp.json"] = _json({"mcpServers": {"memory": {"command": command, "args": words}}})
    files["nous/bin/nous"] = f'#!/bin/sh\nexec {shlex.join(nous_command())} "$@"\n'.encode()
    files[".claude-plugin/marketplace.json"] = _json(
        {
            "name": MARKET,
            "description": "The copy of Nous that is installed on this machine.",
            "owner": {"name": "nous plugin install"},
            "plugins": [{"name": "nous", "source": "./nous", "description": "Long-term memory."}],
        }
    )
    return files


def source_dir() -> Path:
    """Where the plugin's files are: in the package once it is installed, beside `src` in a checkout."""
    package = Path(nous.__file__).resolve().parent
    for place in (package / "plugin", package.parent.parent / "plugin"):
        if (place / ".claude-plugin" / "plugin.json").is_file():
            return place
    raise ConfigError(
        "this installation lacks the plugin's files", hint="install it again from its clone with `pip install .`"
    )


def with_paths(shipped: bytes) -> bytes:
    """The hook with this machine's paths: the interpreter's own (a version manager's shim is slow), the package's
    place, and the Python that has the package's dependencies, for a hook that has to start the daemon.

    They stand in the script, since the client shows a hook's command with its arguments to the user.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(nous.__file__)))
    _, _, rest = shipped.decode().partition("\n")
    for name, path in (("PACKAGE", package), ("PYTHON", os.path.abspath(sys.executable))):
        rest = rest.replace(f'\n{name} = ""\n', f"\n{name} = {path!a}\n")
    return (first_line(interpreter()) + rest).encode()


def first_line(python: str) -> str:
    """What makes a file a script of this interpreter. A path that the system cannot take there goes through a shell,
    which runs the first lines while Python reads a string."""
    line = f"#!{python} -IS\n"
    if not any(map(str.isspace, python)) and len(os.fsencode(line)) <= LONGEST_FIRST_LINE:
        return line
    return f"#!/bin/sh\n'''exec' {shlex.quote(python)} -IS \"$0\" \"$@\"\n' '''\n"


def interpreter() -> str:
    """The Python behind this process and behind its virtual environment: hooks need nothing but the standard library.

    Links are kept where they are: `.../opt/python@3.12/bin/python3.12` outlives an upgrade of what it points to.
    """
    base = getattr(sys, "_base_executable", None) or sys.executable
    return str(base) if os.path.isfile(base) else os.path.realpath(sys.executable)


def nous_command() -> list[str]:
    """How the skills run this very installation, wherever it is."""
    beside = os.path.join(os.path.dirname(sys.executable), "nous")
    return [beside] if os.access(beside, os.X_OK) else [sys.executable, "-m", "nous"]


def installed_version(at: Places) -> str | None:
    """The version of the installed copy, or None where there is no readable one."""
    manifest = read_bytes(os.path.join(at.plugin, "nous", ".claude-plugin", "plugin.json"))
    try:
        return str(json.loads(manifest or b"")["version"])
    except (ValueError, LookupError, TypeError):
        return None


def read_receipt(at: Places) -> dict[str, FileChange]:
    """What earlier installs changed, by file. A receipt that cannot be read is none: our entries are still known."""
    try:
        return msgspec.json.decode(read_bytes(at.receipt) or b"{}", type=dict[str, FileChange])
    except msgspec.MsgspecError:
        return {}


def write_receipt(at: Places, receipt: Mapping[str, FileChange]) -> None:
    """Keep what was changed, for the day it is taken back."""
    write(at.receipt, msgspec.json.format(msgspec.json.encode(receipt), indent=2) + b"\n")


def _refuse_second_nous(at: Places) -> None:
    """Two copies of the plugin would answer every hook twice."""
    enabled = jsontext.get(read_text(at.settings) or "", ("enabledPlugins",))
    for name, value in enabled.items() if isinstance(enabled, dict) else ():
        if name.startswith("nous@") and name != PLUGIN_ID and value is True:
            hint = f"remove that one first with `claude plugin uninstall {name}`"
            raise ConfigError(f"Claude Code already has Nous as {name}", hint=hint)


def read_text(path: str) -> str | None:
    """The text of one of the client's files, known to be a JSON object; None where there is no file."""
    data = read_bytes(path)
    if data is None:
        return None
    try:
        text = data.decode()
        if isinstance(jsontext.parse(text), dict):
            return text
        problem = "it is not an object"
    except UnicodeDecodeError:
        problem = "it is not UTF-8 text"
    except NotJson as error:
        problem = str(error)
    hint = "repair it first: Claude Code cannot load it either, and nothing was changed"
    raise ConfigError(f"{path} is not a valid settings file: {problem}", hint=hint)


def digest(text: str) -> str:
    """The hash by which a file is known again."""
    return hashlib.sha256(text.encode()).hexdigest()


def write_tree(root: str, files: FileContents) -> list[str]:
    """The files that had to be written or deleted so that a directory holds exactly these (and the receipt).

    Each is replaced in one step and only then do others go, so a session that starts meanwhile finds its hook.
    """
    changed = []
    for name, data in files.items():
        path = os.path.join(root, name)
        if read_bytes(path) != data:
            write(path, data, 0o755 if name == HOOK or name.startswith("nous/bin/") else 0o644)
            changed.append(path)
    for folder, _, names in os.walk(root, topdown=False):
        if os.path.basename(folder) == "__pycache__" and os.path.exists(os.path.join(folder, "..", "pipe.py")):
            continue  # Python's own, and what makes a hook fast
        for path in (os.path.join(folder, name) for name in names):
            if os.path.relpath(path, root).replace(os.sep, "/") not in {*files, RECEIPT}:
                _delete(path)
                changed.append(path)
        if not os.listdir(folder):
            os.rmdir(folder)
    return changed


def _delete(path: str) -> None:
    try:
        os.unlink(os.path.realpath(path))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise NousError(f"cannot delete {path}: {error.strerror}") from None


def remove_tree(path: str) -> None:
    """Delete our own copy of the plugin."""
    try:
        shutil.rmtree(path)
    except OSError as error:
        raise NousError(f"cannot delete {path}: {error.strerror}") from None


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
