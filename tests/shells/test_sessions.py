"""Many sessions, one daemon: nobody is left behind, nothing is lost, nothing grows, projects do not mix."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.sessions import run_sessions

pytestmark = pytest.mark.slow


def test_forty_sessions_in_two_projects_leave_nothing_behind(tmp_path: Path) -> None:
    found = run_sessions(40, tmp_path.resolve())
    nothing = ("silent_starts", "mixed", "lost_receipts", "unacknowledged", "orphans", "left_behind")
    assert {name: found[name] for name in nothing} == dict.fromkeys(nothing, 0), found
    assert found["answers"] == 120 and found["hooks"] == 200
