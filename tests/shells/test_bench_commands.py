"""`nous bench` writes what it measured beside what it measured before, with the machine it was measured on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factories import Home


@pytest.mark.slow
def test_the_figures_stand_in_one_file_with_the_machine(home: Home, tmp_path: Path) -> None:
    out = str(tmp_path / "benchmark.json")
    for words in (("ingest", "--prompts", "20"), ("replay", "--events", "50"), ("recall", "--memories", "30")):
        done = home.nous("bench", *words, "--out", out)
        assert done.returncode == 0, done.stderr
    found = json.loads(Path(out).read_text())
    assert {one["case"]: one["size"] for one in found["results"]} == {"ingest": 20, "replay": 50, "recall": 30}
    assert found["machine"]["cores"] >= 1 and found["machine"]["memory_gb"] > 0 and found["version"]
    figures = {one["case"]: one["figures"] for one in found["results"]}
    assert figures["ingest"]["events"] > 0 and figures["replay"]["events"] == 50
    assert figures["recall"]["p95_ms"] >= figures["recall"]["p50_ms"] > 0
    assert home.nous("bench", "replay", "--events", "60", "--out", out).returncode == 0
    assert home.nous("bench", "replay", "--events", "60", "--out", out).returncode == 0  # once for each size
    assert len(json.loads(Path(out).read_text())["results"]) == 4
    Path(out).write_text("{}")
    assert home.nous("bench", "replay", "--events", "5", "--out", out).returncode == 0
    assert home.nous("bench", "replay", "--events", "0").returncode == 2
    assert not (home.data / "cortex.db").exists()
