"""The worker never feeds itself: a real session of the client in Nous' own directory is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.runner import NoClient, World, client

pytestmark = pytest.mark.client
RULE = "We use pnpm, not npm."


def test_a_transcript_that_our_own_model_run_left_is_not_read(tmp_path: Path) -> None:
    """Without the option that keeps the client from writing one: the rule must hold by itself."""
    try:
        world = World(tmp_path.resolve() / "w", client())
    except NoClient as reason:
        pytest.skip(f"no Claude Code client: {reason}")
    worker = world.root / "data" / "worker"
    worker.mkdir(parents=True)
    try:
        assert world.claude(RULE, worker, environ={"NOUS_WORKER": "1"}).exit_code == 0
        assert len(list((world.root / "claude" / "projects").rglob("*.jsonl"))) == 1
        said = world.nous("backfill")
        assert (said["files"], said["units"], said["learned"]) == (1, 0, 0)
        assert world.nous("session", "list", "--all-projects")["sessions"] == []
        assert world.claude(RULE, world.project("app")).exit_code == 0
        assert world.nous("backfill")["units"] == 1, "what the user says elsewhere is read"
    finally:
        assert world.close() == []
