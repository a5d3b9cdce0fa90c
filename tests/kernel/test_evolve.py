"""The lifecycle of a memory, as a fold over its events."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import NOW, extracted
from nous.kernel.log.events import (
    TOMBSTONE,
    Archived,
    Contradicted,
    Erased,
    EventType,
    Payload,
    Recorded,
    Reinforced,
    Superseded,
    Validated,
    Weakened,
)
from nous.kernel.log.evolve import evolve, is_true_at
from nous.kernel.memory.memory import Memory


def recorded(number: int, kind: EventType, payload: Payload, **fields: Any) -> Recorded:
    said: dict[str, Any] = {
        "learning_id": "l1",
        "idempotency_key": f"k{number}",
        "session_id": "s",
        "project_id": "p",
        "source": "user_review",
        "event_uuid": f"u{number}",
        "transaction_time": NOW,
    }
    return Recorded(event_id=number, event_type=kind, payload=payload, **(said | fields))


def born(**fields: Any) -> Recorded:
    event = extracted(project_id="p", session_id="s", **fields)
    return recorded(1, event.event_type, event.payload, valid_from=event.valid_from)


def folded(*events: Recorded) -> Memory:
    memory: Memory | None = None
    for event in events:
        memory = evolve(memory, event)
    assert memory is not None
    return memory


def after(kind: EventType, payload: Payload | None = None, **fields: Any) -> Memory:
    return folded(born(), recorded(2, kind, payload or Payload(), **fields))


def test_a_memory_begins_with_its_first_event() -> None:
    memory = folded(born(content="Use pnpm", concepts=("pnpm",), confidence=0.9))
    assert (memory.id, memory.content, memory.status, memory.strength) == (1, "Use pnpm", "active", 0.5)
    assert (memory.confidence, memory.concepts, memory.version) == (0.9, ("pnpm",), 1)


def test_a_second_beginning_changes_nothing() -> None:
    first = folded(born())
    again = extracted(content="Something else", project_id="p", session_id="s")
    assert evolve(first, recorded(2, "LearningExtracted", again.payload)) is first


def test_events_of_a_learning_that_never_began_mean_nothing() -> None:
    assert evolve(None, recorded(1, "LearningPinned", Payload())) is None


def test_reinforcement_raises_strength_to_one_at_most_and_adds_evidence() -> None:
    memory = after("LearningReinforced", Reinforced(reinforcement_delta=0.8, evidence=("r9",), concepts=("c",)))
    assert (memory.strength, memory.evidence, memory.concepts) == (1.0, ("r9",), ("c",))


def test_weakening_lowers_strength_to_nothing_at_most() -> None:
    assert after("LearningWeakened", Weakened(reinforcement_delta=-0.8)).strength == 0.0


def test_a_contradiction_scales_strength_and_names_the_other() -> None:
    memory = after("LearningContradicted", Contradicted(contradicted_with="l2", contradiction_multiplier=0.7))
    assert memory.strength == pytest.approx(0.35)
    assert (memory.status, memory.contradicted_with) == ("active", ("l2",))


def test_a_superseded_memory_was_true_until_its_successor_was() -> None:
    successor = recorded(2, "LearningSuperseded", Superseded(superseded_by="l2"), valid_from="2026-11-09T00:00:00.000Z")
    memory = folded(born(valid_from="2026-11-02T00:00:00.000Z"), successor)
    assert (memory.status, memory.valid_until, memory.strength) == ("superseded", "2026-11-09T00:00:00.000Z", 0.25)
    assert not is_true_at(memory, "2026-11-01T00:00:00.000Z")
    assert is_true_at(memory, "2026-11-08T00:00:00.000Z")
    assert not is_true_at(memory, "2026-11-09T00:00:00.000Z")


def test_without_a_moment_it_was_true_until_we_knew() -> None:
    assert after("LearningSuperseded", Superseded(superseded_by="l2")).valid_until == NOW


def test_an_archived_memory_can_come_back() -> None:
    archived = after("LearningArchived", Archived(reason="stale"))
    assert (archived.status, archived.archived_reason) == ("archived", "stale")
    back = evolve(archived, recorded(3, "LearningRestored", Payload()))
    assert back is not None and (back.status, back.archived_reason, back.version) == ("active", None, 3)


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("LearningPinned", "pinned", True),
        ("LearningConfirmed", "confirmed", True),
        ("LearningConfirmed", "confidence", 1.0),
        ("LearningDisputed", "disputed", True),
        ("LearningDisputed", "confidence", 0.35),
    ],
)
def test_marks(kind: EventType, field: str, value: object) -> None:
    assert getattr(after(kind), field) == value


def test_marks_can_be_taken_back() -> None:
    pinned = after("LearningPinned")
    assert not folded(
        born(), recorded(2, "LearningPinned", Payload()), recorded(3, "LearningUnpinned", Payload())
    ).pinned
    assert pinned.pinned


def test_confirming_settles_a_dispute_and_clears_outside_text() -> None:
    tainted = folded(born(tainted=True), recorded(2, "LearningDisputed", Payload()))
    assert tainted.tainted and tainted.disputed
    settled = evolve(tainted, recorded(3, "LearningConfirmed", Payload()))
    assert settled is not None and not settled.tainted and not settled.disputed


@pytest.mark.parametrize("kind", ["LearningValidated", "EdgeProposed", "EdgeAccepted", "EdgeRejected"])
def test_some_events_leave_the_memory_as_it_is(kind: EventType) -> None:
    first = folded(born())
    assert evolve(first, recorded(2, kind, Validated() if kind == "LearningValidated" else Payload())) is first


def test_an_erased_memory_is_the_same_live_and_replayed() -> None:
    erasure = recorded(3, "LearningErased", Erased(reason="asked for", erased_events=(1, 2)))
    live = folded(born(content="secret", files=("a",)), recorded(2, "LearningPinned", Payload()), erasure)
    replayed = folded(recorded(1, "LearningExtracted", TOMBSTONE), recorded(2, "LearningPinned", TOMBSTONE), erasure)
    assert live == replayed
    assert (live.status, live.content, live.files, live.version) == ("erased", "", (), 3)
    assert "secret" not in msgspec.json.encode(live).decode()


def test_nothing_brings_an_erased_memory_back() -> None:
    gone = folded(born(), recorded(2, "LearningErased", Erased(reason="asked for", erased_events=(1,))))
    for kind in ("LearningRestored", "LearningPinned", "LearningConfirmed"):
        assert evolve(gone, recorded(3, kind, Payload())) is gone


@given(st.lists(st.floats(-1, 1), max_size=30))
def test_strength_stays_between_nothing_and_one(deltas: list[float]) -> None:
    memory: Memory | None = folded(born())
    for number, delta in enumerate(deltas, 2):
        up = Reinforced(reinforcement_delta=delta) if delta >= 0 else Weakened(reinforcement_delta=delta)
        kind: EventType = "LearningReinforced" if delta >= 0 else "LearningWeakened"
        memory = evolve(memory, recorded(number, kind, up))
        assert memory is not None and 0.0 <= memory.strength <= 1.0
