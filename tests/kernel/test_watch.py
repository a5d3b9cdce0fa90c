"""Watching: what changes is told within a second, links that go round in circles do no harm."""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nous.kernel.capture.watch import MANY, Watcher, is_silent, matches, root_of


class Told:
    """Everything a watcher said."""

    def __init__(self) -> None:
        self.paths: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.looks: queue.SimpleQueue[None] = queue.SimpleQueue()

    def wait(self, path: Path, seconds: float = 10.0) -> float:
        """How long it took until a path was told."""
        began = time.monotonic()
        while self.paths.get(timeout=seconds) != str(path):
            pass
        return time.monotonic() - began


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[tuple[Path, Told]]:
    root = tmp_path / "projects"
    (root / "p").mkdir(parents=True)
    (root / "p" / "loop").symlink_to(root)
    told = Told()
    watcher = Watcher(str(root / "**" / "*.jsonl"), told.paths.put, lambda: told.looks.put(None))
    watcher.start()
    time.sleep(1.0)  # until the system watches
    yield root, told
    watcher.stop()
    watcher.join(timeout=10)
    assert not watcher.is_alive()


def test_files_that_grow_and_new_directories_are_told(watched: tuple[Path, Told]) -> None:
    root, told = watched
    file = root / "p" / "a.jsonl"
    file.write_text("x\n")
    assert told.wait(file) < 3
    with file.open("a") as more:
        more.write("y\n")
    told.wait(file)
    deep = root / "new" / "s1" / "subagents"
    deep.mkdir(parents=True)
    (deep / "agent-1.jsonl").write_text("z\n")
    told.wait(deep / "agent-1.jsonl")


def test_where_nothing_is_announced_everything_is_looked_at(tmp_path: Path) -> None:
    told = Told()
    watcher = Watcher(str(tmp_path / "**" / "*.jsonl"), told.paths.put, lambda: told.looks.put(None), polling=True)
    watcher.start()
    for _ in range(2):
        told.looks.get(timeout=5)
    watcher.stop()
    watcher.join(timeout=5)
    assert not watcher.is_alive()


def test_a_tree_that_is_deleted_and_made_again_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nous.kernel.capture.watch.RETRY_SECONDS", 0.2)
    root = tmp_path / "projects"
    told = Told()
    watcher = Watcher(str(root / "**" / "*.jsonl"), told.paths.put, lambda: told.looks.put(None))
    watcher.start()
    time.sleep(0.3)
    root.mkdir()
    time.sleep(1.0)
    root.rmdir()
    time.sleep(1.0)
    (root / "p").mkdir(parents=True)
    told.looks.get(timeout=10)
    (root / "p" / "a.jsonl").write_text("x\n")
    told.wait(root / "p" / "a.jsonl")
    watcher.stop()
    watcher.join(timeout=10)


def test_more_changes_than_can_be_counted_mean_a_full_look(tmp_path: Path) -> None:
    told = Told()
    watcher = Watcher(str(tmp_path / "**" / "*.jsonl"), told.paths.put, lambda: told.looks.put(None))
    watcher._pass_on({str(tmp_path / "p" / f"{number}.jsonl") for number in range(MANY)})
    assert told.looks.get(timeout=1) is None and told.paths.empty()


@pytest.mark.parametrize(
    ("pattern", "path", "is_match"),
    [
        ("/c/projects/**/*.jsonl", "/c/projects/p/a.jsonl", True),
        ("/c/projects/**/*.jsonl", "/c/projects/p/s/subagents/a.jsonl", True),
        ("/c/projects/**/*.jsonl", "/c/projects/p/a.json", False),
        ("/c/projects/mine-*/*.jsonl", "/c/projects/mine-1/a.jsonl", True),
        ("/c/projects/mine-*/*.jsonl", "/c/projects/yours/a.jsonl", False),
    ],
)
def test_patterns(pattern: str, path: str, is_match: bool) -> None:
    assert matches(path, pattern) is is_match
    assert root_of(pattern) == "/c/projects"


@pytest.mark.parametrize(("kind", "silent"), [("ext4", False), ("nfs4", True), ("9p", True), ("cifs", True)])
def test_network_and_windows_drives_are_polled(tmp_path: Path, kind: str, silent: bool) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/root / ext4 rw 0 0\nserver:/x {os.path.realpath(tmp_path)} {kind} rw 0 0\n")
    assert is_silent(str(tmp_path / "deep"), str(mounts)) is silent
    assert not is_silent("/elsewhere", str(mounts))
    assert not is_silent("/elsewhere", str(tmp_path / "no such file"))
