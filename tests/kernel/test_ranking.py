"""Scores and their shares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nous.kernel.recall import ranking
from nous.kernel.recall.ranking import PARTS, TAKEN_OFF, Signals, shares, signed_weights, total, traits
from nous.kernel.recall.weights import Weights

share = st.floats(0, 1)
signals = st.fixed_dictionaries(dict.fromkeys(PARTS, share)).map(lambda parts: Signals(**parts))


def test_the_worked_example_holds() -> None:
    assert total(Signals(text=0.8, vector=0.5), signed_weights(Weights())) == pytest.approx(0.495)


@given(signals)
def test_shares_add_up_to_the_score(given_signals: Signals) -> None:
    assert sum(shares(given_signals, Weights()).values()) == pytest.approx(
        total(given_signals, signed_weights(Weights()))
    )


@given(signals, st.sampled_from(PARTS))
def test_more_of_a_part_never_helps_against_its_sign(given_signals: Signals, part: str) -> None:
    more = given_signals._replace(**{part: 1.0})
    rise = total(more, signed_weights(Weights())) - total(given_signals, signed_weights(Weights()))
    assert rise <= 1e-9 if part in TAKEN_OFF else rise >= -1e-9


def test_every_part_has_a_weight_and_the_dimensions_come_first() -> None:
    assert Weights.__struct_fields__ == PARTS
    assert PARTS[:4] == ("text", "vector", "concept", "temporal")


@given(st.dictionaries(st.integers(), st.floats(-10, 10)))
def test_scores_are_measured_against_the_best(scores: dict[int, float]) -> None:
    found = ranking.against_best(scores)
    assert found.keys() == scores.keys()
    assert all(0 <= value <= 1 for value in found.values())
    if max(scores.values(), default=0) > 0:
        assert max(found.values()) == 1


def test_a_session_speaks_for_a_memory_by_its_three_best() -> None:
    found = ranking.support({1: 0.9, 2: 0.6, 3: 0.3, 4: 0.1, 5: 0.9}, {1: "a", 2: "a", 3: "a", 4: "a", 5: "b"})
    assert found == pytest.approx({"a": 0.6, "b": 0.3})


def test_a_text_shows_whether_it_holds_what_an_answer_needs() -> None:
    told = traits("We met Anna at the office in Berlin two days ago.")
    assert told.has_time and told.has_number and told.names == 2
    assert traits("Really? Why?").questions == 1.0
    assert ranking.tells("when", told) > 0 == ranking.tells("why", told)


def test_names_are_shared_or_not() -> None:
    assert ranking.overlap(frozenset({"maria", "john"}), ("Maria Lopez",)) == 0.5
    assert ranking.overlap(frozenset(), ("Maria",)) == ranking.overlap(frozenset({"maria"}), ()) == 0.0
