"""Whether a memory may be outdated, in four layers: what was said about it, its age, commits that changed the files it
speaks of, and files that are newer than it."""

from __future__ import annotations

import os
import time
from datetime import datetime

import msgspec

from nous import moments
from nous.kernel.hooks import anchors
from nous.kernel.memory.memory import Memory
from nous.kernel.types import TYPES

OLD = 2.0  # half-lives after which a memory nobody confirmed is old
MOST_FILES = 8
COMMITS = 2000
SECONDS = 0.4  # what git has named until then is enough: it begins with the latest commits
FRESH_SECONDS = 30.0  # for so long what git said is not asked again
PER_COMMIT, MOST_BY_COMMITS = 0.1, 0.5
# A repository's own configuration may name programs to run; a reader runs none of them.
HARMLESS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")


class Changes(msgspec.Struct, frozen=True):
    """What git says of a work tree: when each file was committed, and which differ from what was committed."""

    commits: dict[str, list[float]]
    modified: frozenset[str]


def marks(memory: Memory, root: str | None, now: str) -> dict[str, float]:
    """What speaks against a memory and how much, from plain words down to a file that is newer than it."""
    said = {
        "superseded": 1.0 if memory.status == "superseded" else 0.0,
        "no longer true": 1.0 if memory.valid_until and memory.valid_until <= now else 0.0,
        "disputed": 1.0 if memory.disputed else 0.0,
        "contradicted": 0.8 if memory.contradicted_with else 0.0,
        "old": 0.3 if _is_old(memory, now) else 0.0,
    }
    found = {mark: weight for mark, weight in said.items() if weight}
    return found | _of_files(memory, root) if memory.files and root else found


def _is_old(memory: Memory, now: str) -> bool:
    if memory.pinned or memory.confirmed or memory.kind == "episodic":
        return False
    since = memory.valid_from or memory.created_at
    return moments.days_between(since, now) > OLD * TYPES[memory.type].half_life


def _of_files(memory: Memory, root: str) -> dict[str, float]:
    """Files that are gone, that commits changed, or that are newer than the memory."""
    if not os.path.isdir(root):
        return {}
    learned = datetime.fromisoformat(memory.created_at).timestamp()
    files = [os.path.relpath(file, root) if os.path.isabs(file) else file for file in memory.files[:MOST_FILES]]
    changes = git_changes(root)
    times = {file: _modified_at(os.path.join(root, file)) for file in files}
    if changes:
        commits = max(sum(at > learned for at in changes.commits.get(file, ())) for file in files)
        newer = any(at and at > learned and file in changes.modified for file, at in times.items())
    else:  # a fresh checkout makes every file new, so its time counts only where there is no git to ask
        commits, newer = 0, any(at and at > learned for at in times.values())
    missing = {file for file, at in times.items() if at is None}
    found = {"file gone": 0.8} if _were_there(missing, memory, changes) else {}
    if commits:
        found[f"{commits} commit{'s' if commits > 1 else ''} since"] = min(MOST_BY_COMMITS, PER_COMMIT * commits)
    return found | ({"file changed since": 0.3} if newer else {}) | _of_anchors(memory, root)


def _were_there(missing: set[str], memory: Memory, changes: Changes | None) -> bool:
    """Whether any of these files was ever there: as the memory was learned, or in a commit. Some are only planned."""
    seen = {anchor.file for anchor in memory.anchors if anchor.hash}
    return bool(missing & seen) or bool(changes and any(file in changes.commits for file in missing))


def _of_anchors(memory: Memory, root: str) -> dict[str, float]:
    """What became of the very text that a memory was learned from."""
    found = anchors.verdict(root, [(one.file, one.symbol, one.hash) for one in memory.anchors])
    if found.is_gone:
        return {"its code is gone": 0.8}
    return {found.note: 0.5} if found.note else {}


def _modified_at(path: str) -> float | None:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return None


_known: dict[str, tuple[float, Changes | None]] = {}


def git_changes(root: str) -> Changes | None:
    """What git says of a work tree, asked at most once in a while; None where there is none."""
    asked, changes = _known.get(root, (0.0, None))
    if not asked or time.monotonic() - asked > FRESH_SECONDS:
        changes = _ask_git(root)
        _known[root] = time.monotonic(), changes
    return changes


def _ask_git(root: str) -> Changes | None:
    if not os.path.exists(os.path.join(root, ".git")):
        return None
    words = (
        "log",
        f"-{COMMITS}",
        "--no-show-signature",
        "--no-renames",
        "--relative",
        "--name-only",
        "--format=%x00%ct",
    )
    commits: dict[str, list[float]] = {}
    for entry in _git(root, *words).split("\0")[1:]:
        moment, *files = entry.split()[:1] + entry.splitlines()[1:]
        for file in filter(None, files):
            commits.setdefault(file, []).append(float(moment))
    return Changes(commits, frozenset(_git(root, "ls-files", "--modified").splitlines()))


def _git(root: str, *words: str) -> str:
    """What git wrote in the time it was given."""
    import subprocess  # most searches need no git, and a command should start fast

    environ = {"PATH": os.environ.get("PATH", os.defpath), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", root, *HARMLESS, *words]
    try:
        done = subprocess.run(
            command, env=environ | quiet, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
        said = done.stdout if done.returncode == 0 else b""
    except subprocess.TimeoutExpired as late:
        said = (late.stdout or b"").rpartition(b"\0")[0]  # the last entry may be half there
    except OSError:
        said = b""
    return said.decode("utf-8", "replace")
