"""A memory about a function follows it through renames and moves, is doubted when it changes, rests when it is gone."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from nous.app import Nous
from nous.features.memories.explain import Explanation

OLD = "def retry_policy(times):\n    pause = times * 2\n    return pause\n"
Edit = Callable[[dict[str, str | None]], None]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NOUS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "work"
    (root / "app").mkdir(parents=True)
    (root / "app" / "retries.py").write_text(f"import os\n\n\n{OLD}\n\ndef other():\n    pass\n")
    return root


@pytest.fixture
def memory(tree: Path) -> int:
    """A gotcha about a function, learned while the code was as it is, in an indexed work tree."""
    with Nous.open() as nous:
        nous.code.index(str(tree))
        number = nous.remember(
            "`retry_policy` must never see payments.", type="gotcha", project=str(tree), files=["app/retries.py"]
        )
        assert [(one.file, one.symbol, bool(one.hash)) for one in nous.get(number).anchors] == [
            ("app/retries.py", "retry_policy", True)
        ]
        return number


def edited(tree: Path, files: dict[str, str | None]) -> None:
    for name, text in files.items():
        if text is None:
            (tree / name).unlink()
        else:
            (tree / name).write_text(text)
    with Nous.open() as nous:
        nous.code.index(str(tree))


def explained(number: int) -> Explanation:
    with Nous.open() as nous:
        return nous.explain(number)


def marks(tree: Path, number: int) -> tuple[str, ...]:
    with Nous.open() as nous:
        hits = nous.recall("retry_policy payments", project=str(tree))
        return next(hit.stale for hit in hits if hit.id == number)


def shown(tree: Path) -> bool:
    """Whether a session that starts now is shown it."""
    from nous.kernel.hooks.hookstore import HookStore
    from nous.kernel.hooks.responses import HookContext, answer

    with Nous.open() as nous:
        nous.work.warm()
        hook = HookContext(HookStore(nous.work.connection), nous.clock())
        body = b'{"session_id": "s%d", "source": "startup", "cwd": "%s"}' % (os.getpid(), str(tree).encode())
        return b"never see payments" in answer("SessionStart", body, hook)


def test_a_moved_function_is_followed(tree: Path, memory: int) -> None:
    edited(tree, {"app/retries.py": "def other():\n    pass\n", "app/policies.py": f"{OLD}\n"})
    [trace] = explained(memory).code
    assert trace.line() == "app/retries.py: retry_policy (now in app/policies.py)"
    assert trace.now.file == "app/policies.py" and not trace.is_gone
    assert not any("retry_policy" in mark or "gone" in mark for mark in marks(tree, memory))
    assert shown(tree)


def test_a_renamed_function_is_followed(tree: Path, memory: int) -> None:
    edited(tree, {"app/retries.py": OLD.replace("retry_policy", "pause_for") + "\n\ndef other():\n    pass\n"})
    [trace] = explained(memory).code
    assert trace.line() == "app/retries.py: retry_policy (now called pause_for)"
    assert shown(tree)


def test_a_move_that_nobody_watched_is_found_by_the_text(tree: Path, memory: int) -> None:
    with Nous.open() as nous:
        nous.code.forget(str(tree))
    edited(tree, {"app/retries.py": "x = 1\n", "app/late.py": OLD})
    assert explained(memory).code[0].note == "now in app/late.py"


def test_a_changed_body_may_be_outdated(tree: Path, memory: int) -> None:
    edited(tree, {"app/retries.py": OLD.replace("* 2", "* 3")})
    assert explained(memory).code[0].note == "changed since"
    assert "app/retries.py changed since" in marks(tree, memory)


def test_a_moved_and_changed_function_is_followed_and_doubted(tree: Path, memory: int) -> None:
    edited(tree, {"app/retries.py": "x = 1\n", "app/policies.py": OLD.replace("* 2", "* 3")})
    assert explained(memory).code[0].note == "now in app/policies.py, and changed since"
    assert "app/policies.py changed since" in marks(tree, memory)


def test_a_function_that_is_gone_holds_its_memory_back(tree: Path, memory: int) -> None:
    assert shown(tree)
    edited(tree, {"app/retries.py": "def other():\n    pass\n"})
    [trace] = explained(memory).code
    assert trace.is_gone and trace.note == "retry_policy is no longer there"
    assert not shown(tree)


def test_a_file_that_moved_is_followed_and_one_that_is_gone_is_not(tree: Path, memory: int) -> None:
    text = (tree / "app" / "retries.py").read_text()
    edited(tree, {"app/retries.py": None, "app/again.py": text})
    assert explained(memory).code[0].note == "now in app/again.py"
    edited(tree, {"app/again.py": None})
    assert explained(memory).code[0].is_gone and not shown(tree)
