"""Edges as learning writes them, exact under replay and undoing."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace

from factories import NOW, Home, extracted
from nous.kernel.log.events import Edge
from nous.kernel.memory.projection import catch_up, compare_with_replay
from nous.kernel.stores import Stores


def edges(stores: Stores) -> set[tuple[str, str, str, str]]:
    """Every relation between memories, in their words."""
    known = {memory.learning_id: memory for memory in stores.memories.listing(None)}
    rows = [row for name in known for row in stores.graph.of(name)]
    return {
        (known[row["source_id"]].content, row["rel_type"], known[row["target_id"]].content, row["status"])
        for row in rows
    }


def test_who_gives_no_evidence_leaves_what_was_given(stores: Stores) -> None:
    """The same whether the events come one by one or together, and after a replay."""
    ends: Any = {"target": "b", "relation": "causal"}
    said: Any = [
        ("EdgeProposed", Edge(**ends, evidence=("u1",))),
        ("EdgeAccepted", Edge(**ends)),
        ("EdgeRejected", Edge(**ends)),
    ]
    stores.events.append([extracted("a"), extracted("b")], NOW)
    for at, (kind, payload) in enumerate(said):
        happened = replace(extracted("a"), event_type=kind, payload=payload, idempotency_key=f"e{at}")
        stores.events.append([replace(happened, valid_until=NOW if at == 2 else None)], NOW)
        catch_up(stores, NOW)
        [row] = stores.graph.of("a")
        assert json.loads(row["evidence"]) == ["u1"]
    assert row["valid_until"] == NOW
    assert compare_with_replay(stores.events, stores.memories, NOW).differences == []


def test_the_commands_show_the_edges_and_undoing_takes_them_back(home: Home) -> None:
    repo = home.project()
    home.nous("remember", "check_token in app/auth.py must stay constant-time.", cwd=repo)
    home.nous("correct", "1", "check_token in app/auth.py may compare as it likes.", cwd=repo)
    shown = home.nous("explain", "2", cwd=repo).stdout
    assert "-> supersedes (active" in shown and "constant-time" in shown
    related = home.nous("traverse", "2", cwd=repo).stdout
    assert "-> supersedes" in related and "constant-time" in related
    assert home.nous("undo", cwd=repo).returncode == 0
    assert "supersedes" not in home.nous("explain", "1", cwd=repo).stdout
