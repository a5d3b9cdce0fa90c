"""What somebody is working on, as git and the disk show it; `nous calibrate` asks with it."""

from __future__ import annotations

import os
from collections.abc import Iterator

MAX_FILES = 3000
FIXED = 62
RECENT_SECONDS = 86400.0
STACK = {
    "pyproject.toml": ("python",),
    "requirements.txt": ("python", "pip"),
    "uv.lock": ("python",),
    "poetry.lock": ("python", "poetry"),
    "package.json": ("node", "javascript", "npm"),
    "tsconfig.json": ("typescript",),
    "pnpm-lock.yaml": ("pnpm",),
    "yarn.lock": ("yarn",),
    "bun.lockb": ("bun",),
    "Cargo.toml": ("rust", "cargo"),
    "go.mod": ("golang",),
    "Gemfile": ("ruby", "bundler"),
    "pom.xml": ("java", "maven"),
    "build.gradle": ("java", "gradle"),
    "composer.json": ("php", "composer"),
    "mix.exs": ("elixir",),
    "Package.swift": ("swift",),
    "CMakeLists.txt": ("cmake",),
    "Dockerfile": ("docker",),
    "compose.yaml": ("docker", "compose"),
    "docker-compose.yml": ("docker", "compose"),
    "Makefile": ("make",),
}


def changed_files(root: str, now: float = 0.0, limit: int = 20) -> list[str]:
    """Tracked files that differ from git's index, then those staged within a day of now; newest first, without git.

    Git notes the time and size of each file it staged; a file with another time and size was changed since. Where many
    were staged at once it was a checkout and says nothing. Large repositories and index formats other than 2 and 3 give
    nothing: this must stay a matter of milliseconds.
    """
    found, staged = [], []
    for path, mtime, size in _index(os.path.join(root, ".git", "index")):
        try:
            stat = os.stat(os.path.join(root, path))
        except OSError:
            continue
        if int(stat.st_mtime) != mtime or stat.st_size & 0xFFFFFFFF != size:
            found.append((stat.st_mtime, path))
        elif mtime > now - RECENT_SECONDS > 0:
            staged.append((stat.st_mtime, path))
    recent = sorted(staged, reverse=True) if len(staged) <= limit else []
    return [path for _, path in (*sorted(found, reverse=True), *recent)][:limit]


def tech_stack(root: str) -> set[str]:
    """Lower-case names of what a project is built with, by the files in its root."""
    return {word for name, words in STACK.items() if os.path.exists(os.path.join(root, name)) for word in words}


def _index(path: str) -> Iterator[tuple[str, int, int]]:
    """Path, modification time and size of every file in a git index."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if data[:4] != b"DIRC" or version not in (2, 3) or count > MAX_FILES:
        return
    at = 12
    for _ in range(count):
        flags = int.from_bytes(data[at + 60 : at + 62], "big")
        begin = at + FIXED + (2 if flags & 0x4000 else 0)
        end = data.find(b"\0", begin)
        if end < 0:
            return
        mtime, size = data[at + 8 : at + 12], data[at + 36 : at + 40]
        yield os.fsdecode(data[begin:end]), int.from_bytes(mtime, "big"), int.from_bytes(size, "big")
        at += (end - at + 8) // 8 * 8
