"""`ingest` and `import` with a wrong value in any place: one sentence at most, and what is good is taken up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.test_bad_records import DEEP, WRONG, places, with_value
from nous.kernel.stores import open_stores
from shells.test_faults import data, run

__all__ = ["data"]  # the fixture

SUMMARY: dict[str, Any] = {
    "summary": "Moved the queue.",
    "decisions": ["Use RabbitMQ for the queue."],
    "gotchas": ["The broker needs TLS."],
    "files": ["a.py"],
    "session_id": "s",
    "at": "2026-11-09T10:00:00.000Z",
    "learnings": [{"content": "Retries are capped at 5.", "type": "fact", "confidence": 0.8, "files": ["b.py"]}],
}
META = {"timestamp": "2026-11-09T10:00:00.000Z", "type": "session_meta", "payload": {"id": "c1", "cwd": "/nowhere/app"}}


def codex(text: str, role: str = "user") -> dict[str, Any]:
    said = {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}
    return {"timestamp": "2026-11-09T10:00:05.000Z", "type": "response_item", "payload": said}


def written(value: Any) -> str:
    return json.dumps(value).replace(f'"{DEEP}"', "[" * 50_000 + "]" * 50_000)


def known(folder: Path) -> str:
    stores = open_stores(str(folder / "cortex.db"))
    try:
        return "\n".join(memory.content for memory in stores.memories.listing(None, limit=1000))
    finally:
        stores.close()


def test_a_summary_with_a_wrong_value_is_refused_in_a_sentence_or_taken_up(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "summary.json"
    for number, at in enumerate(places(SUMMARY)):
        for name, wrong in [*WRONG.items()][number % 3 :: 3]:
            file.write_text(written(with_value(SUMMARY, at, wrong)))
            status, said = run(monkeypatch, capsys, "ingest", str(file))
            assert status in (0, 1), (at, name)
            assert "unexpected" not in said and len(said.splitlines()) <= 2, (at, name, said)
    assert run(monkeypatch, capsys, "queue", "list")[0] == 0
    file.write_text(written(SUMMARY))
    run(monkeypatch, capsys, "ingest", str(file))
    assert "Retries are capped at 5." in known(data)


def test_a_log_of_another_client_with_odd_records_teaches_the_rest(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shape = codex("Go on.")
    odd = [written(with_value(shape, at, wrong)) for at in places(shape) for wrong in WRONG.values()]
    good = [codex("Always use pnpm here, never npm."), codex("We decided to use Postgres 16 for orders.")]
    file = tmp_path / "rollout.jsonl"
    file.write_text("\n".join([written(META), written(good[0]), *odd, written(good[1])]) + "\n")
    status, said = run(monkeypatch, capsys, "import", "--format", "codex", str(file))
    assert (status, "unexpected" in said) == (0, False)
    assert "pnpm" in known(data) and "Postgres 16" in known(data)
