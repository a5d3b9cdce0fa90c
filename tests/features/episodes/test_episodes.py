"""Episodes: a session told by what happened in it, chained in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from nous.features.episodes.model import episodes
from nous.kernel.capture.transcript import Turn
from sessions import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def bash(command: str, output: str = "ok", *, failed: bool = False) -> tuple[str, object]:
    return "Bash", ({"command": command}, output, failed)


def edit(world: World, name: str) -> tuple[str, object]:
    return "Edit", ({"file_path": f"{world.work_dir}/{name}", "new_string": "x"}, "ok", False)


def test_an_episode_tells_goal_deeds_outcome_and_open_ends(world: World) -> None:
    name = world.session(
        ("user", "Add a retry to the uploader, we decided on exponential backoff"),
        edit(world, "uploader.py"),
        bash("pytest tests/test_uploader.py", "1 failed: AssertionError: no retry happened", failed=True),
        edit(world, "uploader.py"),
        bash("pytest tests/test_uploader.py", "2 passed"),
        bash('git commit -m "Retry uploads"', "[main 1a2b3c] Retry uploads"),
        bash("npm run lint", "error: unexpected console statement in app.js", failed=True),
        ("TodoWrite", ({"todos": [{"content": "document the retry", "status": "pending"}]}, "ok", False)),
        ("agent", "Uploads are retried three times. I will write the documentation in a follow-up."),
    )
    with world.learn() as nous:
        [one] = nous.episodes(name)
        assert one.goal.startswith("Add a retry to the uploader")
        assert (one.files, one.commits) == (("uploader.py",), ("Retry uploads",))
        assert one.passed == ("pytest tests/test_uploader.py",) and one.failing == ("npm run lint",)
        assert (
            "changed uploader.py; committed “Retry uploads”" in one.summary
            and "`npm run lint` still failed" in one.summary
        )
        assert one.open_ends == ("`npm run lint` fails", "document the retry")


def test_a_compaction_and_a_long_pause_begin_another() -> None:
    def turn(at: str, kind: str, text: str = "") -> Turn:
        return Turn(uuid=at + kind, kind=kind, at=f"2026-10-01T{at}:00.000Z", session_id="s", text=text)  # type: ignore[arg-type]

    said = [
        turn("08:00", "prompt", "write the first parser"),
        turn("08:05", "reply", "done"),
        turn("08:10", "compaction"),
        turn("08:11", "prompt", "write the second printer"),
        turn("08:12", "reply", "done"),
        turn("14:00", "prompt", "write the third thing"),
        turn("14:01", "reply", "done"),
    ]
    assert [one.goal for one in episodes(said, "p")] == [
        "write the first parser",
        "write the second printer",
        "write the third thing",
    ]
    assert episodes([], "p") == []
