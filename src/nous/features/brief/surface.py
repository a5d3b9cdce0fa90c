"""The push surface: a project's brief as a rules file that the client loads by itself. Off unless switched on.

The file is `.claude/rules/nous.local.md` (the client loads any name there, but no `.claude/*.local.md`). Nous writes
only between two marker lines; they being there is what "on" means, so deleting them or the file switches it off.
Whatever else is in the file belongs to the user and keeps every byte. The file is kept out of git by
`.git/info/exclude`, which is not shared either. What stands on the surface is not said again when a session starts.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

import msgspec

from nous import files, paths
from nous.errors import NousError
from nous.identity import Project, context_keys
from nous.kernel.hooks.anchors import check_in
from nous.kernel.hooks.packing import LEAD, Entry, Packet, pack
from nous.kernel.instructions import as_instruction
from nous.kernel.memory.packet_cache import Cache

FILE = paths.SURFACE
BEGIN = "<!-- nous:begin; `nous surface off` removes this part, text outside of it is yours -->"
END = "<!-- nous:end -->"
EXCLUDED = "/" + FILE.replace(os.sep, "/")
EXCLUDE_NOTE = "# written by `nous surface`"
TOKENS = 500
_PART = re.compile(r"<!-- nous:begin\b[^\n<]*?-->(?:(?!<!-- nous:begin).)*?<!-- nous:end -->\n?", re.DOTALL)
_CITED = re.compile(r"\[Memory #(\d+):")


class SurfaceState(msgspec.Struct, frozen=True):
    """How the surface of a project stands, and whether the call changed it."""

    project_id: str
    path: str
    on: bool
    memories: tuple[int, ...] = ()
    ignored: bool = False
    changed: bool = False


def status(project: Project) -> SurfaceState:
    """How it stands, without changing anything."""
    path = _path(project.root)
    part = _PART.search(_read_file(path))
    cited = tuple(int(number) for number in _CITED.findall(part[0])) if part else ()
    ignored = EXCLUDED in _read_file(_exclude(project.root)).splitlines()
    return SurfaceState(project.id, path, part is not None, cited, ignored)


def read_lines(project: Project) -> list[str]:
    """The lines of the brief that the file holds, which the client loads when a session starts."""
    part = _PART.search(_read_file(_path(project.root)))
    return [line for line in part[0].splitlines() if line.startswith("- ")] if part else []


def switch_on(cache: Cache, project: Project) -> SurfaceState:
    """The state after the file was written from the prepared packet and kept out of git; twice is harmless."""
    path = _safe_path(project.root)
    if _is_tracked(project.root):
        hint = "take it out of git first with `git rm --cached`"
        raise NousError(f"{FILE} is in git, and memories would be committed with it", hint=hint)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with _lock_folder(path):
        ignored = _set_excluded(project.root, True)
        written = _put_part(path, _packet(cache, project))
    return msgspec.structs.replace(status(project), changed=written or ignored)


def switch_off(project: Project) -> SurfaceState:
    """The state after our part was taken out; the file and its directories go when nothing is left in them."""
    path = _safe_path(project.root)
    changed = False
    if os.path.isfile(path):
        with _lock_folder(path):
            changed = _take_out(path)
    changed = _set_excluded(project.root, False) or changed
    files.remove_empty([os.path.dirname(path), os.path.dirname(os.path.dirname(path))])
    return msgspec.structs.replace(status(project), changed=changed)


def refresh(cache: Cache, projects: Collection[str] | None = None) -> list[str]:
    """The files that had to change for all surfaces that are on, of these projects or of all, to be up to date."""
    written = []
    for row in cache.projects():
        project = Project(row["project_id"], row["root"], row["branch"] or "")
        if projects is not None and project.id not in projects:
            continue
        with suppress(OSError, NousError, ValueError):  # a project may be gone, read-only or in the hands of an editor
            path = _safe_path(project.root)
            if os.path.isfile(path) and _PART.search(_read_file(path)):
                with _lock_folder(path):
                    written += [path] if _put_part(path, _packet(cache, project)) else []
    return written


def forget_others(projects: Collection[Project], known: Collection[str]) -> list[str]:
    """Every rules file of some projects, after those of projects that are no longer known were taken away."""
    for project in projects:
        if project.id not in known and project.root:
            with suppress(OSError, NousError, ValueError):
                if status(project).on:
                    switch_off(project)
    return [path for path in map(_path, (project.root for project in projects)) if os.path.isfile(path)]


def _packet(cache: Cache, project: Project) -> Packet:
    """What stands on the surface: the prepared entries of the closest context."""
    for key in context_keys(project):
        if found := cache.get(key):
            pool = [Entry(*fields) for fields in msgspec.json.decode(found)]
            return pack(pool, TOKENS, lead=LEAD, check=check_in(project.root))
    return Packet("", ())


def _put_part(path: str, packet: Packet) -> bool:
    """Whether the file had to change for our part to say this. Called with the lock held."""
    text = _read_file(path)
    told = "\n".join(as_instruction(line) for line in packet.text.splitlines())
    part = f"{BEGIN}\n{told or 'Nothing is remembered yet.'}\n{END}\n"
    if _PART.search(text):
        new = _PART.sub(lambda _: part, text, count=1)
    elif "<!-- nous:begin" in text:
        raise NousError(f"the markers in {path} are damaged", hint="delete the lines of Nous there and try again")
    else:
        new = text + ("\n" if text and not text.endswith("\n") else "") + part
    if new == text:
        return False
    files.write(path, new.encode("utf-8", "surrogateescape"))
    return True


def _take_out(path: str) -> bool:
    text = _read_file(path)
    rest = _PART.sub("", text)
    if rest == text:
        return False
    if rest.strip():
        files.write(path, rest.encode("utf-8", "surrogateescape"))
    else:
        os.unlink(path)
    return True


def _path(root: str) -> str:
    return os.path.join(root, FILE)


def _safe_path(root: str) -> str:
    """The file's path; an error where a link in the repository would make us write elsewhere."""
    path = _path(root)
    if os.path.realpath(path) != os.path.join(os.path.realpath(root), FILE):
        raise NousError(f"{path} leads out of the project by a link")
    return path


def _exclude(root: str) -> str:
    return os.path.join(root, ".git", "info", "exclude")


def _set_excluded(root: str, is_on: bool) -> bool:
    """Whether git's own list of ignored files had to change. Our line follows our note, so that it is known again."""
    path = _exclude(root)
    if not os.path.isdir(os.path.join(root, ".git")):
        return False
    text = _read_file(path)
    ours = f"{EXCLUDE_NOTE}\n{EXCLUDED}\n"
    if is_on and EXCLUDED not in text.splitlines():
        new = text + ("\n" if text and not text.endswith("\n") else "") + ours
    else:
        new = text if is_on else text.replace(ours, "")
    if new == text:
        return False
    files.write(path, new.encode("utf-8", "surrogateescape"))
    return True


def _is_tracked(root: str) -> bool:
    command = ["git", "-C", root, "ls-files", "--error-unmatch", "--", FILE]
    try:
        return subprocess.run(command, capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _read_file(path: str) -> str:
    """A file's text, every byte of it; nothing where there is no file."""
    return (files.read_bytes(path) or b"").decode("utf-8", "surrogateescape")


@contextmanager
def _lock_folder(path: str) -> Iterator[None]:
    """One writer at a time. The directory itself is the lock, so none is left behind."""
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
