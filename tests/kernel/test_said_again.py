"""What is said again: when it is the same, and what that does to the memory that says it."""

from __future__ import annotations

from typing import Any

import pytest

from factories import NOW, memory
from nous.kernel.learn.introduce import Origin
from nous.kernel.learn.learn import Learned, take_up
from nous.kernel.learn.relearn import DELTAS, Retelling, Retold, decide, judge
from nous.kernel.log.extraction import Learning
from nous.kernel.stores import Stores

FULL = "Always run the full linter, the type checker and the tests before pushing to main."
RULE = "Always run the linter and the type checker before pushing."


def learning(content: str, evidence: str = "u1", **fields: Any) -> Learning:
    return Learning(content=content, type="preference", evidence=(evidence,), **fields)


def tell(stores: Stores, content: str, session: str, *, by_user: bool = True) -> Learned:
    """Learn something as a session's user says it."""
    origin = Origin("p", session, "fs_watch", NOW, "test", by_user)
    with stores.db.transaction():
        outcome, _ = take_up(stores, learning(content, f"{session}-{content}"), origin, f"{session}:{content}", NOW)
    return outcome


def show(stores: Stores, memory_id: int, session: str) -> None:
    """A receipt, as a hook writes it."""
    stores.db.connection.execute(  # type: ignore[attr-defined]
        "INSERT INTO injections (session_id, project_id, hook, trigger, context_key, characters, latency_ms,"
        " created_at) VALUES (?, 'p', 'SessionStart', 'startup', 'k', 1, 1.0, ?)",
        (session, NOW),
    )
    stores.db.connection.execute(  # type: ignore[attr-defined]
        "INSERT INTO injected_memories (injection_id, memory_id) VALUES (last_insert_rowid(), ?)", (memory_id,)
    )


def test_more_detail_is_not_swallowed_by_what_says_less() -> None:
    known = memory(content="Prices include VAT.", type="preference")
    assert judge(learning("Prices include VAT; business customers see net prices."), NOW, [known]).repeats is None


# -- the decision matrix --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "action"),
    [
        (Retelling(2, 0.5), "merge"),
        (Retelling(2, 0.9, is_shown=True), "merge"),
        (Retelling(2, 0.1), "merge"),
        (Retelling(2, 0.5, is_shown=True, is_ignored=True), "flag"),
        (Retelling(3, 0.8, is_shown=True), "boost"),
        (Retelling(3, 0.8), "merge"),
        (Retelling(3, 0.2), "flag"),
        (Retelling(5, 0.2, is_shown=True, is_ignored=True), "flag"),
        (Retelling(3, 0.5, is_shown=True, is_ignored=True), "reword"),
        (Retelling(3, 0.5), "merge"),
        (Retelling(4, 0.9, is_shown=True, is_ignored=True), "flag"),
    ],
)
def test_the_decision_matrix(told: Retelling, action: Retold) -> None:
    assert decide(told) == action
    assert DELTAS[action] == (0.3 if action == "boost" else 0.1)


def test_another_session_strengthens_and_the_same_one_only_adds_evidence(stores: Stores) -> None:
    assert tell(stores, RULE, "s1").learned == 1
    assert tell(stores, RULE + " Always.", "s1").repeated == 1
    [known] = stores.memories.listing(None)
    assert (known.strength, len(known.evidence)) == (0.5, 2)
    assert tell(stores, RULE, "s2").repeated == 1
    [known] = stores.memories.listing(None)
    assert (round(known.strength, 2), len(known.evidence)) == (0.6, 3)


def test_what_was_shown_and_had_to_be_said_again_is_flagged_then_needs_other_words(stores: Stores) -> None:
    tell(stores, RULE, "s1")
    [known] = stores.memories.listing(None)
    show(stores, known.id, "s2")
    tell(stores, RULE, "s2")
    show(stores, known.id, "s3")
    tell(stores, RULE + " Always.", "s3")
    reasons = [event.payload.reason or "" for event in stores.events.of_learning(known.learning_id)[1:]]
    assert ["showing it failed" in reason for reason in reasons] == [True, False]
    assert "other words" in reasons[-1]


def test_what_the_assistant_does_after_being_shown_is_no_failure(stores: Stores) -> None:
    tell(stores, RULE, "s1")
    [known] = stores.memories.listing(None)
    show(stores, known.id, "s2")
    tell(stores, RULE, "s2", by_user=False)
    assert stores.events.of_learning(known.learning_id)[-1].payload.reason == "learned again"


def test_told_often_and_shown_with_success_it_gets_much_stronger(stores: Stores) -> None:
    for session in ("s1", "s2", "s3", "s4"):
        tell(stores, RULE, session)
    [known] = stores.memories.listing(None)
    assert round(known.strength, 2) == 0.8
    show(stores, known.id, "s5")
    tell(stores, RULE, "s6")
    assert stores.memories.listing(None)[0].strength == 1.0
