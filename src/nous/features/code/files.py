"""Which files of a work tree are code to be read: never what git or the user ignores, what others wrote (vendored),
what programs made, what may hold secrets, links, and what is too large."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from stat import S_ISREG

from nous.features.code.model import language_of
from nous.kernel.capture.ignoring import Ignored
from nous.redact.blocks import is_env_file

MOST_BYTES = 1024 * 1024
MOST_FILES = 50_000
LONG_LINE = 500  # bytes; nobody writes lines of that length on average
GIT_SECONDS = 20.0
# Others wrote it, wherever it stands.
VENDORED = frozenset(
    (
        *("node_modules", "bower_components", "jspm_packages", "vendor", "vendored", "third_party", "third-party"),
        *("thirdparty", "site-packages", "Pods", "Carthage", ".git", ".hg", ".svn"),
    )
)
# Programs made it, where no git says which files are the user's own.
MADE = frozenset(("dist", "build", "out", "target", "venv", "env", "virtualenv", "coverage", "htmlcov", "__pycache__"))
_MINIFIED = (".min.js", ".min.mjs", "-min.js", ".bundle.js", ".pb.go", "_pb2.py", "_pb2_grpc.py", ".d.ts")
HARMLESS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")
ROOT_FILES = {"go.mod": "go", "Cargo.toml": "rust", "package.json": "javascript"}


def find(tree: str, ignored: Ignored) -> Iterator[str]:
    """The paths from the root of every file to be read, in order."""
    found = _by_git(tree)
    listed = _walk(tree) if found is None else found
    for many, path in enumerate(sorted(path for path in listed if is_wanted(tree, path, ignored))):
        if many >= MOST_FILES:
            return
        yield path


def among(tree: str, paths: Iterable[str], ignored: Ignored) -> list[str]:
    """Those of some files that are to be read."""
    wanted = [path for path in paths if is_wanted(tree, path, ignored)]
    listed = _by_git(tree, wanted) if wanted else []
    if listed is None:
        hidden = VENDORED | MADE
        return [path for path in wanted if not any(part in hidden or part[0] == "." for part in path.split("/")[:-1])]
    return [path for path in wanted if path in set(listed)]


def is_wanted(tree: str, path: str, ignored: Ignored) -> bool:
    """Whether a file of a tree is code that may be read, by its name and place."""
    if path.endswith(_MINIFIED) or VENDORED.intersection(path.split("/")[:-1]) or is_env_file(path):
        return False
    is_root = os.path.basename(path) in ROOT_FILES
    return (is_root or language_of(path) is not None) and not ignored.covers(path, tree)


def _by_git(tree: str, paths: Sequence[str] = ()) -> list[str] | None:
    """The files git knows or would know, all or some of those given; None where it cannot tell."""
    if not os.path.exists(os.path.join(tree, ".git")):
        return None
    environ = {"PATH": os.environ.get("PATH", os.defpath), "HOME": "/nonexistent", "GIT_OPTIONAL_LOCKS": "0"}
    command = [
        "git",
        "-C",
        tree,
        *HARMLESS,
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        *paths,
    ]
    try:
        done = subprocess.run(
            command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=GIT_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return [os.fsdecode(name) for name in dict.fromkeys(done.stdout.split(b"\0")) if name]


def _walk(tree: str) -> Iterator[str]:
    """Every file below a directory; links are not followed, so there are no loops."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(os.path.join(tree, folder)), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_symlink():
                continue
            if entry.is_dir():
                if entry.name not in VENDORED | MADE and not entry.name.startswith("."):
                    waiting.append(path)
            else:
                yield path


def read(tree: str, path: str) -> bytes | None:
    """What a file holds, as UTF-8; None for what is no plain file of its tree, is too large or no text.

    It is read once, so what was read belongs together even when somebody writes meanwhile: the next look sees a new
    hash.
    """
    try:
        file = os.open(os.path.join(tree, path), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(file, "rb") as stream:
        stat = os.fstat(stream.fileno())
        if not S_ISREG(stat.st_mode) or stat.st_size > MOST_BYTES or not _is_inside(tree, path):
            return None
        source = stream.read(MOST_BYTES + 1)
    return None if len(source) > MOST_BYTES or _is_packed(source) else as_utf8(source)


def _is_packed(source: bytes) -> bool:
    """Whether a program wrote a file on very long lines."""
    return len(source) > 10 * LONG_LINE and len(source) > LONG_LINE * (source.count(b"\n") + 1)


def _is_inside(tree: str, path: str) -> bool:
    """Whether no folder on the way leads out of the tree."""
    folder = os.path.dirname(os.path.join(tree, path))
    return (os.path.realpath(folder) + os.sep).startswith(os.path.realpath(tree).rstrip(os.sep) + os.sep)


def as_utf8(source: bytes) -> bytes | None:
    """A text as UTF-8; None for bytes that are no text."""
    if source.startswith((b"\xff\xfe", b"\xfe\xff")):
        return source.decode("utf-16", "replace").encode()
    if b"\0" in source[:8192]:
        return None
    return source.removeprefix(b"\xef\xbb\xbf")
