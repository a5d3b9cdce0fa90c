"""Which project a directory belongs to. Standard library only: the hook path imports it.

The id is the normalised address of the git remote, else the path of the repository's main work tree, else the directory
itself. Worktrees and sub-directories of one repository agree. Git's files are read directly: no process is started.

A repository without a remote, and a folder without a repository, is recognised by its marks when it gets another name.
Marks, and names that users gave, stand in a small file in the data directory that capture keeps.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from nous import paths

NO_BRANCH = ""
SESSIONS = "//sessions"  # no project is called like that
ALIASES = "project-names.tsv"
FOLDER = "folder:"
TEAM, ORGANISATION = (
    "team:",
    "organisation",
)  # stand in the place of a project for a circle, so no repository is called so
WITNESSES = 4
MOST_ENTRIES = 1000
# Written once by `git init`, and renaming a folder above them changes neither their inode nor their time.
STAMPS = ("description", os.path.join("info", "exclude"))


class Project(NamedTuple):
    """A project: its stable id, the directory it lives in, and the branch that is checked out (may be empty).

    Each of `marks` recognises it on this disk; `found_as` is the id by address or path, where another replaced it.
    """

    id: str
    root: str
    branch: str
    marks: tuple[str, ...] = ()
    found_as: str = ""


def identify(cwd: str, data_dir: str | None = None) -> Project:
    """The project a working directory belongs to, even when the directory is gone."""
    found = locate(cwd)
    names = _names(data_dir if data_dir is not None else paths.data_dir(os.environ))
    lasting = next((names[name] for name in (found.id, *found.marks) if name in names), None)
    return found._replace(id=lasting, found_as=found.id) if lasting and lasting != found.id else found


def _names(data_dir: str) -> dict[str, str]:
    """Other names of projects, by name."""
    rows = (line.partition("\t") for line in _read_head(os.path.join(data_dir, ALIASES), 1 << 20).split("\n"))
    return {name: project for name, tab, project in rows if tab}


def locate(cwd: str) -> Project:
    """The project by what its directory alone says."""
    here = os.path.realpath(cwd)
    found = _repository(here)
    if found is None:
        return Project(here, here, NO_BRANCH, _folder_marks(here))
    work_tree, git_dir = found
    common = _common_dir(git_dir)
    root = os.path.dirname(common) if os.path.basename(common) == ".git" else work_tree
    remote = normalise_remote(_remote(os.path.join(common, "config")) or "")
    is_named = remote and remote != ORGANISATION and not remote.startswith(TEAM)
    return Project(remote if is_named else root, root, _branch(git_dir), _marks(common))


def work_tree(cwd: str) -> str:
    """The root of the files around a directory: of its repository, or of its linked work tree, else the directory."""
    here = os.path.realpath(cwd)
    found = _repository(here)
    return found[0] if found else here


def head_commit(cwd: str) -> str:
    """The commit that is checked out at a directory; empty where there is none."""
    found = _repository(os.path.realpath(cwd))
    if found is None:
        return ""
    git_dir, common = found[1], _common_dir(found[1])
    head = _read_head(os.path.join(git_dir, "HEAD")).strip()
    if not head.startswith("ref: "):
        return head if len(head) >= 40 else ""
    name = head.removeprefix("ref: ")
    if loose := _read_head(os.path.join(common, name)).strip():
        return loose
    packed = (line.split(" ") for line in _read_head(os.path.join(common, "packed-refs"), 1 << 20).splitlines())
    return next((row[0] for row in packed if len(row) == 2 and row[1] == name), "")


def _marks(common: str) -> tuple[str, ...]:
    """What tells a repository from every other on this computer, its copies included; empty when there is nothing."""
    for name in STAMPS:
        try:
            stat = os.stat(os.path.join(common, name))
        except OSError:
            continue
        return (f"git:{stat.st_dev}:{stat.st_ino}:{stat.st_mtime_ns}",)
    return ()


def _folder_marks(folder: str) -> tuple[str, ...]:
    """What tells a folder from every other, also from a later one with its inode: witnesses among what lies in it.

    A witness is an entry's inode and the moment of its last change, which nobody can set and which a rename of the
    folder does not touch. The oldest entries are taken, as they are the least likely to change.
    """
    try:
        here = os.stat(folder)
        with os.scandir(folder) as found:
            entries = [entry for _, entry in zip(range(MOST_ENTRIES + 1), found, strict=False)]
        stats = [entry.stat(follow_symlinks=False) for entry in entries]
    except OSError:
        return ()
    if len(entries) > MOST_ENTRIES:
        return ()  # too many to look at in a hook
    oldest = sorted((stat.st_ctime_ns, stat.st_ino) for stat in stats)[:WITNESSES]
    return tuple(f"{FOLDER}{here.st_dev}:{here.st_ino}:{inode}:{changed}" for changed, inode in oldest)


def context_key(project_id: str, branch: str) -> str:
    """The name under which a packet waits: a branch of a project; no branch means any, no project anywhere."""
    return f"{project_id}@{branch}"


def file_key(project_id: str, path: str) -> str:
    """The name under which what is known about files of one name waits. No branch is called like that."""
    return f"{project_id}@//{os.path.basename(path)}"


def prompt_key(project_id: str) -> str:
    """The name under which everything waits that a first prompt of a project may name. No file is called like that."""
    return f"{project_id}@//prompt/"


def session_key(session_id: str) -> str:
    """The name under which it waits where a session stood before its context was cut."""
    return f"{SESSIONS}/{session_id}"


def context_keys(project: Project) -> list[str]:
    """Where to look for a packet, the closest match first."""
    return [context_key(project.id, project.branch), context_key(project.id, NO_BRANCH), context_key("", NO_BRANCH)]


def _repository(here: str) -> tuple[str, str] | None:
    """The nearest directory with a `.git`, and the git directory behind it. Dotfiles kept in the home do not count."""
    home = os.path.realpath(os.path.expanduser("~"))
    at = here
    while True:
        mark = os.path.join(at, ".git")
        if at != home or here == home:
            if os.path.isdir(mark):
                return at, mark
            if os.path.isfile(mark):
                pointed = _read_head(mark).removeprefix("gitdir:").strip()
                return at, os.path.normpath(os.path.join(at, pointed))
        above = os.path.dirname(at)
        if above == at:
            return None
        at = above


def _common_dir(git_dir: str) -> str:
    """The git directory that all worktrees share."""
    shared = _read_head(os.path.join(git_dir, "commondir")).strip()
    return os.path.normpath(os.path.join(git_dir, shared)) if shared else git_dir


def _branch(git_dir: str) -> str:
    head = _read_head(os.path.join(git_dir, "HEAD")).strip()
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else NO_BRANCH


def _remote(config: str) -> str:
    """The address of `origin`, else of the first remote."""
    addresses: dict[str, str] = {}
    section = ""
    for line in _read_head(config).splitlines():
        line = line.strip()
        if line.startswith("["):
            section = line
        elif section.startswith('[remote "') and line.split("=")[0].strip() == "url":
            addresses.setdefault(section[9:].split('"')[0], line.partition("=")[2].strip())
    return addresses.get("origin") or next(iter(addresses.values()), "")


def normalise_remote(address: str) -> str:
    """One spelling for every way to write a remote: `git@Host:a/b.git` and `https://host/a/b` are `host/a/b`."""
    address = address.strip().rstrip("/")
    scheme, found, rest = address.partition("://")
    if found and scheme == "file":
        return rest.removesuffix(".git")
    if not found:
        if address.startswith((".", "/")):
            return os.path.normpath(address).removesuffix(".git")
        host, colon, path = address.partition(":")
        rest = f"{host}/{path}" if colon else address
    authority, _, path = rest.partition("/")
    host = authority.rpartition("@")[2].split(":")[0].lower()
    return f"{host}/{path.strip('/')}".removesuffix(".git").rstrip("/")


def _read_head(path: str, limit: int = 65536) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(limit)
    except OSError:
        return ""
