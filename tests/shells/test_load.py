"""Many who read at once: no errors, memory that does not grow, and hooks that are answered meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from bench.panel import _environment, _fill, _nous
from bench.service import _measured

THOROUGH = bool(os.environ.get("NOUS_THOROUGH"))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_many_readers_are_answered_and_nothing_grows(tmp_path: Path) -> None:
    environ = _environment(tmp_path)
    _fill(environ, 10_000 if THOROUGH else 200)
    _nous(environ, "up")
    try:
        found = _measured(environ, 300.0 if THOROUGH else 2.0, 200 if THOROUGH else 40, print, 40 if THOROUGH else 3)
    finally:
        _nous(environ, "down")
    assert found["errors"] == 0 and found["requests"] > 100
    begun, ended = found["rss_mb"]
    assert ended - begun < (20 if THOROUGH else 40)
    assert found["hook_beside"]["p50"] < 1000
