"""The files of the client's own memory: where they lie, whose they are, and what each says.

Claude Code lets its model keep one-fact files in `projects/<slug>/memory/` and loads their index, `MEMORY.md`, by
itself. The slug of a directory cannot be read backwards, so a folder belongs to a project only when exactly one known
project has that slug.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

FOLDER = "memory"
INDEX = "MEMORY.md"
LOADED_LINES = 200  # of the index, which the client loads by itself
LARGEST = 5_000_000  # bytes of a file that is looked into at all
MOST_READ = 64_000  # bytes of it that are read
MOST_FILES = 500  # of one folder
LONGEST = 800  # characters that are kept of a file
LONGEST_SLUG = 200  # characters of a directory's name that its slug holds; a hash follows

TYPES = {"user": "preference", "feedback": "preference", "project": "context", "reference": "fact"}

_MARK = re.compile(r"^(?:#{1,6}|[-*+]|\d{1,3}[.)]|>)\s+")
_FIELD = re.compile(r"^(name|title|description|type):\s*(.*)$")


class MemoryFile(NamedTuple):
    """A file of the client's memory: its path, its name below the projects' folder, and what tells whether it changed.

    `slug` is the folder of the project that it lies in.
    """

    path: str
    name: str
    slug: str
    mark: tuple[int, int]
    modified: float


class MemoryText(NamedTuple):
    """What a file says, and as which type it is kept."""

    text: str
    type: str


def slug_of(directory: str) -> str:
    """The folder in which the client keeps what belongs to a directory; a long one without the hash at its end."""
    return re.sub(r"[^A-Za-z0-9]", "-", directory)[:LONGEST_SLUG]


def is_memory_file(path: str, projects: str) -> bool:
    """Whether a path is a file of the client's memory below the projects' folder."""
    parts = os.path.relpath(path, projects).split(os.sep)
    return len(parts) >= 3 and parts[0] != os.pardir and parts[1] == FOLDER and path.endswith(".md")


def memory_files(projects: str) -> Iterator[MemoryFile]:
    """Every memory file below the projects' folder; links are not followed, and what is no plain file is left out."""
    for slug in _names(projects):
        folder = os.path.join(projects, slug, FOLDER)
        if os.path.islink(os.path.join(projects, slug)) or os.path.islink(folder):
            continue
        for name in _names(folder)[:MOST_FILES]:
            path = os.path.join(folder, name)
            try:
                found = os.lstat(path)
            except OSError:
                continue
            if name.endswith(".md") and stat.S_ISREG(found.st_mode) and found.st_size <= LARGEST:
                mark = (found.st_mtime_ns, found.st_size)
                yield MemoryFile(path, f"{slug}/{name}", slug, mark, found.st_mtime)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def owners_of(slug: str, roots: Mapping[str, str]) -> list[str]:
    """The projects whose directory has a slug; `roots` are directories by project. Of several none is the owner."""
    return sorted(project for project, root in roots.items() if root and _fits(slug, root))


def _fits(slug: str, root: str) -> bool:
    own = slug_of(root)
    return slug == own or (len(own) == LONGEST_SLUG and slug.startswith(f"{own}-"))


def read_memory(file: MemoryFile, clean: Callable[[str], str]) -> MemoryText | None:
    """What a file says that the client does not load by itself; None when that is nothing, or it is no text.

    `clean` takes out what must not be kept, over the whole of it.
    """
    lines = clean(raw_text(file.path)).splitlines()
    if os.path.basename(file.path) == INDEX:
        lines = lines[LOADED_LINES:]
    return _one_line(lines)


def raw_text(path: str) -> str:
    """The beginning of a file as it stands there; nothing when it is no text."""
    raw = _bytes(path) or b""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        # a character that was cut in two at the end is no harm
        return raw[: problem.start].decode("utf-8-sig") if problem.start >= MOST_READ - 4 else ""


def _bytes(path: str) -> bytes | None:
    """The beginning of a plain file; None for anything else, also when it became something else meanwhile."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        opened = os.open(path, flags)
    except OSError:
        return None
    with os.fdopen(opened, "rb") as file:
        return file.read(MOST_READ) if stat.S_ISREG(os.fstat(opened).st_mode) else None


def _one_line(lines: Iterable[str]) -> MemoryText | None:
    """The words of a file on one line: what its head says of it, then its body, without the marks of a list."""
    rows = [line.strip() for line in lines]
    end = next((at for at, row in enumerate(rows[1:], 1) if row == "---"), 0) if rows[:1] == ["---"] else 0
    fields = {found[1]: found[2] for row in rows[:end] if (found := _FIELD.match(row))}
    body = [_MARK.sub("", row) for row in rows[end + 1 if end else 0 :] if row and not row.startswith("```")]
    about = fields.get("description") or fields.get("title") or fields.get("name") or ""
    text = " ".join(" ".join([about.strip("\"' "), *body]).split())
    if not text:
        return None
    short = text if len(text) <= LONGEST else text[: LONGEST - 1].rsplit(" ", 1)[0] + "…"
    return MemoryText(short, TYPES.get(fields.get("type", "").strip("\"' "), "fact"))
