"""Every complete line exactly once, whatever happens to files and processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factories import sized
from kernel.storm import storm


def check(found: dict[str, Any]) -> None:
    assert found["lines_in_files_at_the_end"] > 0 and found["learned_from"] > 0
    wrong = ("present_but_not_processed", "processed_twice", "processed_but_never_written", "learned_twice")
    assert {name: found[name] for name in wrong} == dict.fromkeys(wrong, 0), found
    assert set(found["queue"]) == {"completed"}, found
    assert found["integrity"] == "ok" and found["quarantined"] == 0, found


def test_a_short_storm(tmp_path: Path) -> None:
    check(storm(tmp_path, writers=2, files=12, kills=6, pause=0.9))


@pytest.mark.slow
def test_the_whole_storm(tmp_path: Path) -> None:
    check(storm(tmp_path, writers=8, files=sized(24, 200), kills=sized(10, 200), pause=0.9, seed=2))
