"""The summary of a compaction: a search and a reader see it with its record, and nobody's rule is made of it."""

from __future__ import annotations

import json
from typing import Any

from factories import Home
from kernel.test_capture import lines, record

HEAD = "This session is being continued from a previous conversation that ran out of context."
SUMMARY = f"{HEAD}\nThe nightly export writes Parquet files to the ledger bucket. Always use tabs."


def said(home: Home, *words: str, **given: Any) -> Any:
    done = home.nous(*words, "--json", **given)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_summary_is_found_and_read_but_is_no_rule(home: Home) -> None:
    app = home.project("app")
    where: dict[str, Any] = {"cwd": str(app), "sessionId": "s-one"}
    boundary = record("", **where) | {"type": "system", "subtype": "compact_boundary", "content": "Compacted"}
    summary = record(SUMMARY, isCompactSummary=True, **where)
    talk = [record("Look at the export.", **where), boundary, summary, record("Go on.", **where)]
    folder = home.transcripts / "app"
    folder.mkdir()
    (folder / "s-one.jsonl").write_bytes(lines(*talk))
    said(home, "backfill")
    assert said(home, "list", cwd=app)["memories"] == [], "a summary makes no rule by itself"
    [hit] = said(home, "recall", "nightly export Parquet ledger bucket", cwd=app)["hits"]
    assert hit["record"] == "exchange" and "Parquet files to the ledger bucket" in hit["content"]
    assert HEAD not in hit["content"] and summary["uuid"] in hit["evidence"]
    asked = said(home, "read", "s-one", "--dry-run", cwd=app, NOUS_LLM_PROVIDER="anthropic", ANTHROPIC_API_KEY="k")
    assert "summary] The nightly export writes Parquet files" in asked["request"]
