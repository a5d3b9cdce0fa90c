"""What git says about a project, for a model that reads its sessions. Reads only; never called in a hook."""

from __future__ import annotations

import os
import subprocess

SECONDS = 3.0
COMMITS = 10
FILES = 20
# A repository's own configuration may name programs to run; a reader runs none of them.
HARMLESS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat")


def git_facts(root: str) -> str:
    """Branch, latest commits and changed files of a work tree, or that there is none."""
    if not root or not os.path.isdir(root):
        return "(none)"
    branch = _git(root, "rev-parse", "--abbrev-ref", "HEAD")
    commits = _git(root, "log", f"-{COMMITS}", "--no-show-signature", "--date=short", "--format=%ad %s")
    changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all")
    lines = [f"branch {branch}"] if branch else []
    lines += [f"commit {line[:160]}" for line in commits.splitlines()]
    lines += [f"changed {line[3:160]}" for line in changed.splitlines()[:FILES]]
    return "\n".join(lines) or "(none)"


def _git(root: str, *words: str) -> str:
    environ = {"PATH": os.environ.get("PATH", os.defpath), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"}
    try:
        done = subprocess.run(
            ["git", "-C", root, *HARMLESS, *words],
            env=environ | quiet,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.rstrip("\n") if done.returncode == 0 else ""
