"""What speaks against a memory: what was said about it, its age, its code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factories import memory
from nous.kernel.log.extraction import Anchor
from nous.kernel.recall.staleness import marks

NOW = "2026-11-10T12:00:00.000Z"
THEN = "2026-11-01T12:00:00.000Z"


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


def test_a_memory_whose_code_is_gone_or_another_is_doubted(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text("def port():\n    return 8080\n")
    anchor = Anchor("app.py", "port", "0" * 16, "")
    about = memory(files=("app.py",), created_at=THEN, anchors=(anchor,))
    assert marks(about, str(tmp_path), NOW)
    file.unlink()
    assert marks(about, str(tmp_path), NOW) == {"its code is gone": 0.8}
    assert marks(memory(files=("app.py",), created_at=THEN), str(tmp_path), NOW) == {}
