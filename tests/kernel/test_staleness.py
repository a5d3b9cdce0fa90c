"""Four layers of doubt about a memory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from factories import memory
from nous.kernel.log.extraction import Anchor
from nous.kernel.recall import staleness
from nous.kernel.recall.staleness import marks

NOW = "2026-11-10T12:00:00.000Z"
THEN = "2026-11-01T12:00:00.000Z"
BEFORE, AFTER = "2026-10-20T12:00:00Z", "2026-11-05T12:00:00Z"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    staleness._known.clear()


def about(*files: str, **fields: Any) -> Any:
    return memory(files=files, created_at=THEN, **fields)


def git(root: Path, *words: str, at: str = BEFORE) -> None:
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    when = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "HOME": str(root), "PATH": os.environ["PATH"]}
    subprocess.run(["git", "-C", str(root), *words], env=who | when, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    for name in ("same.py", "often.py", "näher dran.py"):
        (tmp_path / name).write_text("1")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    for at in range(3):
        (tmp_path / "often.py").write_text(f"changed {at}")
        if at == 2:
            (tmp_path / "näher dran.py").write_text("2")
        git(tmp_path, "commit", "-qam", f"change {at}", at=AFTER)
    return tmp_path


@pytest.mark.parametrize(
    ("fields", "mark"),
    [
        ({"status": "superseded"}, "superseded"),
        ({"valid_until": "2026-11-02T00:00:00.000Z"}, "no longer true"),
        ({"disputed": True}, "disputed"),
        ({"contradicted_with": ("x",)}, "contradicted"),
        ({"type": "context", "created_at": "2026-01-01T00:00:00.000Z", "valid_from": None}, "old"),
    ],
)
def test_what_was_said_and_age_count(fields: dict[str, Any], mark: str) -> None:
    assert list(marks(memory(**({"created_at": THEN} | fields)), None, NOW)) == [mark]


def test_what_was_confirmed_does_not_grow_old() -> None:
    old: dict[str, Any] = {"type": "context", "created_at": "2026-01-01T00:00:00.000Z", "valid_from": None}
    assert marks(memory(**old, confirmed=True), None, NOW) == marks(memory(**old, pinned=True), None, NOW) == {}


def test_commits_since_count_and_a_fresh_checkout_does_not(repo: Path) -> None:
    root = str(repo)
    assert marks(about("same.py"), root, NOW) == {}  # its time on disk is that of the checkout
    assert marks(about("often.py"), root, NOW) == {"3 commits since": pytest.approx(0.3)}
    assert list(marks(about("näher dran.py"), root, NOW)) == ["1 commit since"]
    assert list(marks(about(str(repo / "often.py")), root, NOW)) == ["3 commits since"]
    assert marks(memory(files=("often.py",), created_at=NOW), root, NOW) == {}


def test_a_file_that_is_gone_or_changed_and_not_committed_counts(repo: Path) -> None:
    (repo / "same.py").write_text("not committed")
    assert marks(about("same.py"), str(repo), NOW) == {"file changed since": 0.3}
    (repo / "often.py").unlink()
    assert marks(about("often.py"), str(repo), NOW) == {"file gone": 0.8, "3 commits since": pytest.approx(0.3)}


def test_a_file_that_never_was_there_is_not_gone(repo: Path, tmp_path: Path) -> None:
    assert marks(about("planned.py"), str(repo), NOW) == {}
    anchored = about("planned.py", anchors=(Anchor("planned.py", "", "0" * 16, ""),))
    assert "file gone" in marks(anchored, str(repo), NOW)


def test_without_git_the_time_of_the_file_decides(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    assert marks(about("a.py"), str(tmp_path), NOW) == {"file changed since": 0.3}
    os.utime(tmp_path / "a.py", (0, 0))
    assert marks(about("a.py"), str(tmp_path), NOW) == {}


def test_git_is_asked_once_for_many_and_never_for_long(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    ask = staleness._git

    def counted(root: str, *words: str) -> str:
        asked.append(words[0])
        return ask(root, *words)

    monkeypatch.setattr(staleness, "_git", counted)
    for _ in range(5):
        marks(about("often.py"), str(repo), NOW)
    assert asked == ["log", "ls-files"]
    staleness._known.clear()
    monkeypatch.setattr(staleness, "SECONDS", 1e-6)
    assert marks(about("often.py"), str(repo), NOW) == {}
