"""What somebody is working on, in a real repository."""

from __future__ import annotations

import os
import time
from pathlib import Path

from factories import Home
from nous.fingerprint import RECENT_SECONDS, changed_files, tech_stack


def commit(home: Home, project: Path) -> None:
    home.git(project, "add", ".")
    home.git(project, "-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-qm", "x")


def aged(path: Path, text: str) -> None:
    """A file of last month."""
    path.write_text(text)
    then = time.time() - 30 * RECENT_SECONDS
    os.utime(path, (then, then))


def test_changed_files_come_before_recently_committed_ones_and_old_ones_do_not_come(home: Home) -> None:
    project = home.project()
    aged(project / "old.py", "1")
    aged(project / "changed.py", "1")
    (project / "recent.py").write_text("1")
    commit(home, project)
    (project / "changed.py").write_text("22")
    assert changed_files(str(project), time.time()) == ["changed.py", "recent.py"]
    assert changed_files(str(project)) == ["changed.py"]


def test_a_fresh_checkout_is_nobodys_recent_work(home: Home) -> None:
    project = home.project()
    for number in range(30):
        (project / f"f{number}.py").write_text("1")
    commit(home, project)
    assert changed_files(str(project), time.time()) == []


def test_the_tech_stack_is_read_off_the_root(home: Home) -> None:
    project = home.project()
    for name in ("package.json", "pnpm-lock.yaml", "Dockerfile"):
        (project / name).write_text("")
    assert tech_stack(str(project)) == {"node", "javascript", "npm", "pnpm", "docker"}
    assert tech_stack(str(project / "none")) == set()
