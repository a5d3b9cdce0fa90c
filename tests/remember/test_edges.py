"""Edges as learning writes them: to siblings and to what was known, exact under replay and undoing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from factories import NOW, Home, extracted
from nous.core.events import Edge, learning_index
from nous.core.extraction import EdgeProposal, Learning
from nous.core.memory import Memory
from nous.remember.capture import take_in
from nous.remember.introduce import Origin, settled
from nous.remember.learn import learn_all, take_up
from nous.remember.projection import catch_up, compare_with_replay
from nous.stores import Stores
from remember.test_capture import lines, record

WORDS = [
    "Remember: pytest-describe was a dead end for the spec files, fixtures broke.",
    "We decided that the spec files use plain pytest instead of pytest-describe.",
]


def file_of(folder: Path, name: str, words: list[str]) -> Path:
    file = folder / f"{name}.jsonl"
    said = [
        record(word, sessionId=name, uuid=f"{name}-{at}", timestamp=f"2026-10-0{at + 1}T10:00:00.000Z")
        for at, word in enumerate(words)
    ]
    file.write_bytes(lines(*said))
    return file


def learn(stores: Stores, file: Path) -> None:
    take_in(stores, str(file), "fs_watch", lambda: NOW)
    assert learn_all(stores, "w", lambda: NOW).failed == 0


def edges(stores: Stores) -> set[tuple[str, str, str, str]]:
    """Every relation between memories, in their words."""
    known = {memory.learning_id: memory for memory in stores.memories.listing(None)}
    rows = [row for name in known for row in stores.graph.of(name)]
    return {
        (known[row["source_id"]].content, row["rel_type"], known[row["target_id"]].content, row["status"])
        for row in rows
    }


def memory_of(stores: Stores, words: str) -> Memory:
    [found] = [one for one in stores.memories.listing(None) if words in one.content]
    return found


def test_an_edge_rests_on_the_records_of_what_was_said(stores: Stores, tmp_path: Path) -> None:
    learn(stores, file_of(tmp_path, "s1", WORDS))
    [row] = stores.graph.of(memory_of(stores, "decided").learning_id)
    assert json.loads(row["evidence"]) == ["s1-1"] and row["valid_until"] is None
    assert compare_with_replay(stores, NOW).differences == []


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
    assert compare_with_replay(stores, NOW).differences == []


def test_a_decision_points_to_the_dead_end_before_it(stores: Stores, tmp_path: Path) -> None:
    learn(stores, file_of(tmp_path, "s1", WORDS))
    [(source, relation, target, status)] = edges(stores)
    assert (relation, status) == ("derived_from", "active")
    assert "decided" in source and "dead end" in target
    assert compare_with_replay(stores, NOW).differences == []


def test_a_session_that_grows_line_by_line_gives_the_same_edges(stores: Stores, tmp_path: Path) -> None:
    whole = file_of(tmp_path, "s1", WORDS).read_bytes()
    growing = tmp_path / "s1.jsonl"
    growing.write_bytes(b"")
    for line in whole.splitlines(keepends=True):
        with growing.open("ab") as out:
            out.write(line)
        learn(stores, growing)
    assert [(relation, status) for _, relation, _, status in edges(stores)] == [("derived_from", "active")]


def test_a_sibling_that_repeats_what_is_known_gives_an_edge_to_that_memory(stores: Stores, tmp_path: Path) -> None:
    learn(stores, file_of(tmp_path, "s1", WORDS[:1]))
    first = memory_of(stores, "dead end")
    learn(stores, file_of(tmp_path, "s2", WORDS))
    [(_, relation, target, _)] = edges(stores)
    assert (relation, target) == ("derived_from", first.content)
    assert len(memory_of(stores, "dead end").evidence) == 2, "it was the same memory"
    assert compare_with_replay(stores, NOW).differences == []


def test_what_is_said_again_in_another_connection_gets_its_edge_then(stores: Stores, tmp_path: Path) -> None:
    learn(stores, file_of(tmp_path, "s1", WORDS[1:]))
    assert edges(stores) == set()
    learn(stores, file_of(tmp_path, "s2", WORDS))
    learn(stores, file_of(tmp_path, "s3", WORDS))
    [(source, relation, _, status)] = edges(stores)
    assert "decided" in source and (relation, status) == ("derived_from", "active")
    assert compare_with_replay(stores, NOW).differences == []


def test_an_edge_to_a_sibling_that_became_nothing_is_left_out(stores: Stores) -> None:
    origin = Origin("p", "s", "fs_watch", NOW, "test")
    said = Learning(
        content="x",
        type="fact",
        evidence=("u",),
        edges=(EdgeProposal(f"sibling:{learning_index('u0', 0)}", "refines"),),
    )
    assert settled(stores, said, origin).edges == ()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_correction_that_only_weakens_refines_what_it_weakens_in_any_order(
    stores: Stores, order: tuple[int, int]
) -> None:
    said = [
        Learning(
            content="Mails to customers, invoices and receipts alike, leave through SendGrid, with a copy kept in S3 "
            "for a month and the bounce handler of Anna reading them every hour.",
            type="fact",
            evidence=("a",),
        ),
        Learning(
            content="Docker images of the mailer talk to Postmark, not SendGrid; Anna knows.",
            type="requirement",
            evidence=("b",),
            replaces="SendGrid",
            entities=("Anna", "Docker"),
        ),
    ]
    for at in order:
        origin = Origin("p", f"s{at}", "fs_watch", f"2026-10-0{at + 1}T10:00:00.000Z", "test", by_user=True)
        with stores.db.transaction():
            take_up(stores, said[at], origin, f"k{at}", NOW)
    assert memory_of(stores, "Mails").strength < 0.5
    assert (said[1].content, "refines", said[0].content, "active") in edges(stores)
    assert compare_with_replay(stores, NOW).differences == []


def test_the_commands_show_the_edges_and_undoing_takes_them_back(home: Home) -> None:
    repo = home.project()
    home.nous("remember", "check_token in app/auth.py must stay constant-time.", "--file", "app/auth.py", cwd=repo)
    home.nous("remember", "Audit every caller in app/auth.py twice a year.", "--file", "app/auth.py", cwd=repo)
    shown = home.nous("traverse", "2", cwd=repo).stdout
    assert "relates_to" in shown and "constant-time" in shown
    assert "-> relates_to (active" in home.nous("explain", "2", cwd=repo).stdout
    assert home.nous("undo", "2", cwd=repo).returncode == 0
    assert "relates_to" not in home.nous("explain", "1", cwd=repo).stdout
